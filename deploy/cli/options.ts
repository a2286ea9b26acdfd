/** Reads options of commands. */
import { type Arguments, UsageError } from './command.js';

/** Undefined where it is not given. */
export function textOption({ values }: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** A whole number. Throws a {@link UsageError} that says what is expected. */
export function numberOption(
  given: Arguments,
  name: string,
  rule: { default: number; min: number; max: number },
): number {
  const text = textOption(given, name);
  if (text === undefined) return rule.default;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= rule.min && number <= rule.max) return number;
  throw new UsageError(`--${name}: expected a whole number from ${rule.min} to ${rule.max}`);
}
