/** The type of a command of `weir`, and how one writes files. */
import { writeFileSync } from 'node:fs';
import type { ParseArgsConfig } from 'node:util';

/** Where a command writes, line by line. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

/** Parsed arguments; options that were not given are absent. */
export interface Arguments {
  positionals: readonly string[];
  values: Readonly<Record<string, string | boolean | undefined>>;
}

export interface Command {
  /** what `--help` prints below the summary */
  usage: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** exit code */
  run(given: Arguments, output: Output): number | Promise<number>;
}

/** A wrong use of a command, in a sentence; exit code 2. */
export class UsageError extends Error {}

/** Writes a file that was asked for. Throws a sentence that names it. `mode`: of a new file. */
export function writeAsked(path: string, content: Uint8Array | string, mode?: number): void {
  try {
    writeFileSync(path, content, { mode });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

export const cannotWrite = (path: string, error: unknown): Error =>
  new Error(`${path}: cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
