/**
 * Tokens in the encoding o200k_base. The time of an encoder grows with the square of a run without spaces, so long texts are cut: before
 * a space between words, which changes no token, or after {@link MOST_UNITS} where there is none, which may add one.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Compute } from './kind.js';

/** UTF-16 units that are encoded together. */
const MOST_UNITS = 1024;

/** Names of special tokens in a text are text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

export const tokens: Compute = ({ text }) => {
  let value = 0;
  for (let from = 0; from < text.length; ) {
    const to = endOf(text, from);
    value += countTokens(text.slice(from, to), AS_TEXT);
    from = to;
  }
  return { value };
};

const isSpace = (text: string, at: number): boolean => /\s/.test(text[at]!);

function endOf(text: string, from: number): number {
  const most = from + MOST_UNITS;
  if (most >= text.length) return text.length;
  for (let at = most; at > from + 1; at--) {
    if (text[at] === ' ' && !isSpace(text, at - 1) && at + 1 < text.length && !isSpace(text, at + 1)) return at;
  }
  // Not between the halves of a character.
  return (text.charCodeAt(most) & 0xfc00) === 0xdc00 ? most - 1 : most;
}
