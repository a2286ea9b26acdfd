/** The type of a command of `weir`, what it prints to, and how one writes files. */
import { writeFileSync } from 'node:fs';
import type { ParseArgsConfig } from 'node:util';
import { asBlock, onOneLine } from '../../shared/printable.js';

/** Where texts go, each with a line end. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
}

/**
 * What a command prints to. Names and content reach nobody's terminal raw: what would act on it, or fake a line, is written as an escape
 * such as `\u001b`. JSON means the same afterwards.
 */
export interface CommandOutput {
  /** one line */
  out(line: string): void;
  /** one line */
  err(line: string): void;
  /** lines as they are, as the only output of a command or as its end */
  block(text: string): void;
}

export const outputTo = ({ out, err }: Streams): CommandOutput => ({
  out: (line) => out(onOneLine(line)),
  err: (line) => err(onOneLine(line)),
  block: (text) => out(asBlock(text)),
});

/** Parsed arguments; options that were not given are absent. */
export interface Arguments {
  positionals: readonly string[];
  values: Readonly<Record<string, string | boolean | undefined>>;
}

export interface Command {
  /** what `--help` prints below the summary */
  usage: string;
  /** absent: it takes none */
  options?: ParseArgsConfig['options'];
  /** exit code */
  run(given: Arguments, output: CommandOutput): number | Promise<number>;
}

/** Options with a value and without one, by their names with spaces between. */
export function optionsOf({ texts = '', flags = '' }: { texts?: string; flags?: string }): Command['options'] {
  const all = (names: string, type: 'string' | 'boolean') => names.match(/\S+/g)?.map((name) => [name, { type }]) ?? [];
  return Object.fromEntries([...all(texts, 'string'), ...all(flags, 'boolean')]);
}

/** A wrong use of a command, in a sentence; exit code 2. */
export class CommandUsageError extends Error {}

/** A failure that takes several lines. */
export class LongError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.map(onOneLine).join('\n'));
  }
}

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
