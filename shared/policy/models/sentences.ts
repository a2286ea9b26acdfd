/**
 * Where the sentences of a text end. What a model scores by itself is a sentence of prose, a line of code or of a log, a value of JSON: one
 * that is hidden among others then counts by its own words.
 */
/** Units that a sentence has at least, so that what abbreviations and numbers of lists end is read with what follows. */
const LEAST = 12;
/** Units that a sentence without an end is shortened by at most, to be cut between words. */
const SLACK = 40;

const NEWLINE = 10;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const FULL_STOP = 46;
const BACKSLASH = 92;
const LOWER_N = 110;

/** By unit up to 255: whether it may end a sentence. */
const MAY_END = new Uint8Array(256);
for (const char of '\n.!?"\\') MAY_END[char.charCodeAt(0)] = 1;

/** Behind the last unit of the sentence that begins at `from`, `most` units behind it at most. */
export function endOfSentence(text: string, from: number, most: number): number {
  const limit = Math.min(text.length, from + most);
  for (let at = from + LEAST; at < limit; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 255 ? !isWideEnd(unit) : MAY_END[unit] === 0 || !endsAt(text, at, unit)) continue;
    // Of a line within a value of JSON, the letter of `\n` is no part of a word.
    return unit === BACKSLASH ? Math.min(limit, at + 2) : at + 1;
  }
  if (limit === text.length) return limit;
  for (let at = limit; at > limit - SLACK; at--) if (text.charCodeAt(at) <= SPACE) return at;
  return limit;
}

/** Full stops, exclamation and question marks of scripts that put no space behind them, and of Indic ones. */
export const WIDE_ENDS = '\u3002\uff01\uff1f\u0964\u06d4';
export const isWideEnd = (unit: number): boolean =>
  unit === 0x3002 || unit === 0xff01 || unit === 0xff1f || unit === 0x0964 || unit === 0x06d4;

export function endsAt(text: string, at: number, unit: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (unit === NEWLINE) return !isWrapped(text.charCodeAt(at - 1), next);
  // A value or a key of JSON, and a line within a value.
  if (unit === QUOTE) return next === COMMA || next === 58 || next === 93 || next === 125;
  if (unit === BACKSLASH) return next === LOWER_N && text.charCodeAt(at - 1) !== BACKSLASH;
  return next <= SPACE && (unit !== FULL_STOP || !isInitial(text, at));
}

/** Whether a line is continued in the next: it ends with a letter or a comma, and the next begins with a small letter. */
const isWrapped = (before: number, next: number): boolean =>
  next >= 97 && next <= 122 && (before === COMMA || isLetter(before));

const isLetter = (unit: number): boolean => (unit | 32) >= 97 && (unit | 32) <= 122;

/** Whether the full stop is that of one letter, as in "J. Smith" and "e.g. this". */
const isInitial = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 2);
  return (before === SPACE || before === FULL_STOP) && isLetter(text.charCodeAt(at - 1));
};
