/** Reads from when on a command looks back. */
import { parseInstant } from '../../shared/instant.js';
import { CommandUsageError } from './command.js';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Nothing is kept longer, in ms. */
const LONGEST = 36_500 * UNITS.d!;

/** `text`: a span such as `30m`, `24h` or `7d`, or a time; of `option`. Returns Unix ms. */
export function sinceOf(text: string, now: number, option = '--since'): number {
  const [, count, unit] = /^(\d{1,7})([mhd])$/.exec(text) ?? [];
  const at = unit === undefined ? parseInstant(text) : now - Number(count) * UNITS[unit]!;
  if (at < now && at > now - LONGEST) return at;
  const expected = 'expected a span such as 30m, 24h or 7d, or a time that is past, such as 2027-01-31T00:00:00Z';
  throw new CommandUsageError(`${option}: ${expected}; got "${text.slice(0, 40)}"`);
}
