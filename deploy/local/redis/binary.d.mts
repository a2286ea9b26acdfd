import type { Progress } from '../../progress.mjs';

export class RedisMissing extends Error {}
export function majorVersion(text: string): number | undefined;
export function findRedis(env?: Record<string, string | undefined>): string;
export function ensureRedis(progress: Progress, env?: Record<string, string | undefined>): Promise<string>;
