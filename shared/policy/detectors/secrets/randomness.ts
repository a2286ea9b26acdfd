/** How random a text is: entropy, English letter pairs, runs and repetitions. */
import { isFrequent, letterOf } from '../../engine/views/pairs.js';

/** Shannon entropy, bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Fewer pairs of letters say nothing. */
const FEW_PAIRS = 4;

/** Pairs of a to f are often frequent ones, so hexadecimal digits would pass for words. */
const HEX = /(?<![a-z\d])(?=(?:[a-f]*\d){4})[\da-f]{16,}(?![a-z\d])/gi;

/** Share of the letter pairs that English has often, 0 to 1, hexadecimal digits left out; 0 where there are few. */
export function wordinessOf(value: string): number {
  const text = value.replace(HEX, '');
  let pairs = 0;
  let frequent = 0;
  let before = -1;
  for (let i = 0; i < text.length; i++) {
    const letter = letterOf(text.charCodeAt(i));
    if (letter >= 0 && before >= 0) {
      pairs++;
      frequent += isFrequent(before, letter);
    }
    before = letter;
  }
  return pairs < FEW_PAIRS ? 0 : frequent / pairs;
}

const MIN_RUN = 4;

/** Whether at least half of `text` is in runs such as `aaaa`, `abcd` or `4321`. */
export function isSequence(text: string): boolean {
  let covered = 0;
  let run = 1;
  let step = 9;
  for (let i = 1; i <= text.length; i++) {
    const next = i < text.length ? (text.charCodeAt(i) | 32) - (text.charCodeAt(i - 1) | 32) : 9;
    if (next === step && next >= -1 && next <= 1) {
      run++;
      continue;
    }
    if (run >= MIN_RUN) covered += run;
    step = next;
    run = 2;
  }
  return covered * 2 >= text.length;
}

const MAX_PERIOD = 12;

/** Whether `text` is a short piece again and again, such as `a1a1a1`. */
export function isRepetition(text: string): boolean {
  for (let period = 1; period <= MAX_PERIOD && period * 2 <= text.length; period++) {
    let i = period;
    while (i < text.length && text.charCodeAt(i) === text.charCodeAt(i - period)) i++;
    if (i === text.length) return true;
  }
  return false;
}
