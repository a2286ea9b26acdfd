/** Reads options of commands. */
import { type Arguments, CommandUsageError } from './command.js';

/** Undefined where it is not given. */
export function textOption({ values }: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** An entry as `weir ${command} list` prints it: `PARTITION/ID`. */
export function entryAddress(text: string | undefined, command: string): { partition: number; id: string } {
  const match = /^(\d{1,4})\/(\d+-\d+)$/.exec(text ?? '');
  if (match) return { partition: Number(match[1]), id: match[2]! };
  throw new CommandUsageError(
    `expected PARTITION/ID as "weir ${command} list" prints it, for example 0/1790000000000-0`,
  );
}

/** A whole number. Throws a {@link CommandUsageError} that says what is expected. */
export function numberOption(
  given: Arguments,
  name: string,
  rule: { default: number; min: number; max: number },
): number {
  const text = textOption(given, name);
  if (text === undefined) return rule.default;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= rule.min && number <= rule.max) return number;
  throw new CommandUsageError(
    `--${name}: expected a whole number from ${rule.min} to ${rule.max}, got "${text.slice(0, 40)}"`,
  );
}
