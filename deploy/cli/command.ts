/** The type of a command of `weir`. */
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
