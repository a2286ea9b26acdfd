import type { SpawnOptions } from 'node:child_process';

export interface Progress {
  say(line: string): void;
  during<T>(what: string, work: () => Promise<T>): Promise<T>;
}
export function createProgress(
  out: { isTTY?: boolean | undefined; write(text: string): unknown },
  tickMs?: number,
): Progress;
export function runProgram(
  command: string,
  args: string[],
  options: SpawnOptions,
): Promise<{ code: number | null; output: string; error?: Error }>;
