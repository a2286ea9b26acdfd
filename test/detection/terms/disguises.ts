/** Ways to disguise a word, as functions of it and of a random number generator. undefined: the word has nothing to change. */

export type Random = () => number;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const LEET: Readonly<Record<string, string>> = {
  a: '4@',
  b: '8',
  e: '3',
  g: '9',
  i: '1!',
  l: '1|',
  o: '0',
  s: '5$',
  t: '7+',
};
const ACCENTS: Readonly<Record<string, string>> = {
  a: 'áàäâã',
  c: 'ç',
  e: 'éèëê',
  i: 'íìïî',
  n: 'ñ',
  o: 'óòöô',
  u: 'úùüû',
  y: 'ý',
};
const LIKE: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'с',
  e: 'е',
  h: 'һ',
  i: 'і',
  k: 'к',
  o: 'о',
  p: 'р',
  s: 'ѕ',
  x: 'х',
  y: 'у',
};
const GREEK: Readonly<Record<string, string>> = { i: 'ι', k: 'κ', o: 'ο', t: 'τ', u: 'υ' };
const VOWELS = 'aeiou';

const pick = (from: string, random: Random): string => from[Math.floor(random() * from.length)]!;

/** One place in `word` for which `may` holds. */
function place(word: string, random: Random, may: (letter: string, i: number) => boolean): number | undefined {
  const places = Array.from(word, (letter, i) => (may(letter, i) ? i : -1)).filter((i) => i >= 0);
  return places.length === 0 ? undefined : places[Math.floor(random() * places.length)];
}

function replaced(word: string, at: number | undefined, by: (letter: string) => string): string | undefined {
  return at === undefined ? undefined : word.slice(0, at) + by(word[at]!) + word.slice(at + 1);
}

const eachOf = (word: string, table: Readonly<Record<string, string>>, random: Random): string | undefined => {
  const changed = Array.from(word, (letter) => (table[letter] ? pick(table[letter], random) : letter)).join('');
  return changed === word ? undefined : changed;
};

const shifted = (word: string, base: number): string =>
  Array.from(word, (letter) => String.fromCodePoint(base + letter.charCodeAt(0) - 97)).join('');

export const DISGUISES: Readonly<Record<string, (word: string, random: Random) => string | undefined>> = {
  'as it is': (word) => word,
  'upper case': (word) => word.toUpperCase(),
  'one digit or symbol': (word, random) =>
    replaced(
      word,
      place(word, random, (letter) => letter in LEET),
      (letter) => pick(LEET[letter]!, random),
    ),
  'digits and symbols': (word, random) => eachOf(word, LEET, random),
  'a letter repeated': (word, random) =>
    replaced(
      word,
      place(word, random, () => true),
      (letter) => letter.repeat(3 + Math.floor(random() * 3)),
    ),
  'spaces between letters': (word) => Array.from(word).join(' '),
  'dots between letters': (word) => Array.from(word).join('.'),
  'hyphens between letters': (word) => Array.from(word).join('-'),
  'a masked vowel': (word, random) =>
    replaced(
      word,
      place(word, random, (letter, i) => i > 0 && i < word.length - 1 && VOWELS.includes(letter)),
      () => pick('*#@', random),
    ),
  accents: (word, random) => eachOf(word, ACCENTS, random),
  'letters of other scripts': (word, random) =>
    replaced(
      word,
      place(word, random, (letter) => letter in LIKE),
      (letter) => LIKE[letter]!,
    ),
  'letters of two other scripts': (word) => {
    const changed = Array.from(word, (letter) => GREEK[letter] ?? LIKE[letter] ?? letter).join('');
    return /^(?=.*[\u0370-\u03ff])(?=.*[\u0400-\u052f])[\u0370-\u052f]+$/.test(changed) ? changed : undefined;
  },
  'letters in dark squares': (word) => shifted(word, 0x1f170),
  'regional indicators': (word) => (word.length > 2 ? shifted(word, 0x1f1e6) : undefined),
  'full-width letters': (word) => shifted(word, 0xff41),
  'mathematical letters': (word) => shifted(word, 0x1d41a),
  'zero-width characters': (word) => Array.from(word).join('\u200b'),
  'z for s': (word) => (word.endsWith('s') ? word.replace(/s$/, 'z') : undefined),
  'ph for f': (word) => (word.startsWith('f') ? word.replace(/^f/, 'ph') : undefined),
  'k for ck': (word) => (word.includes('ck') ? word.replace('ck', 'k') : undefined),
};
