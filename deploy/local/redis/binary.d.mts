export class RedisMissing extends Error {}
export function majorVersion(text: string): number | undefined;
export function findRedis(env?: Record<string, string | undefined>): string;
export function ensureRedis(say: (line: string) => void, env?: Record<string, string | undefined>): string;
