/**
 * How texts are normalised: compatibility forms (NFKC), folding, and look-alikes of Latin letters. Pure functions of a text.
 */

import { withPlainMarks } from '../probes/marks.js';
import { createFolder } from './fold-table.js';

/** More units than this, and runs of combining marks are cut short; see `MARKS`. */
const SHORT = 2048;
/**
 * No language puts more than 16 combining marks on a letter. Normalising orders them in time that grows with the square of their
 * number, so in long texts the others are left out first.
 */
const MARKS = /(\p{M}{16})\p{M}+/gu;
/**
 * The one character that stands for more than eight: for eighteen, the words of a blessing. The fourth in a row and those
 * behind it are left out: they say nothing that the first ones do not.
 */
const BLESSINGS = /(\ufdfa{3})\ufdfa+/g;

/** The text with its runs of marks and of blessings as short as {@link compatible} has them, for a text of `length`. */
export function withoutExcess(text: string, length = text.length): string {
  return (length > SHORT ? text.replace(MARKS, '$1') : text).replace(BLESSINGS, '$1');
}

/** A class of characters from ranges of code points. */
function classOf(ranges: readonly (readonly [number, number])[]): string {
  const hex = (code: number): string => `\\u{${code.toString(16)}}`;
  return `[${ranges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join('')}]`;
}

const INVISIBLE_CLASS = classOf([
  [0x00ad, 0x00ad], // soft hyphen
  [0x034f, 0x034f], // grapheme joiner
  [0x061c, 0x061c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian selectors and vowel separator
  [0x200b, 0x200f], // zero-width space, non-joiner, joiner, direction marks
  [0x202a, 0x202e], // bidi embeddings and overrides
  [0x2060, 0x206f], // word joiner, invisible operators, bidi isolates
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // half-width Hangul filler
  [0x1d173, 0x1d17a], // musical controls
  [0xe0000, 0xe0fff], // tags and further variation selectors
]);
const INVISIBLE = new RegExp(INVISIBLE_CLASS, 'u');
const INVISIBLE_ALL = new RegExp(INVISIBLE_CLASS, 'gu');
/** After these, a joiner or non-joiner belongs to the spelling: Arabic to Khmer scripts, and emoji sequences. */
const JOINS =
  /[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff]|\p{Extended_Pictographic}|[\u{1f3fb}-\u{1f3ff}]|\ufe0f/u;

/**
 * Latin, Greek and Cyrillic accents; points of Hebrew, vowels and hamza of Arabic, which people leave out, and what makes a word longer. Vowel
 * signs of other scripts are letters, and stay.
 */
const ACCENTS = new RegExp(
  `${classOf([
    [0x0300, 0x036f],
    [0x0483, 0x0489],
    [0x0591, 0x05bd], // Hebrew, without the hyphen
    [0x05bf, 0x05bf],
    [0x05c1, 0x05c2],
    [0x05c4, 0x05c5],
    [0x05c7, 0x05c7],
    [0x0610, 0x061a], // Arabic
    [0x0640, 0x0640],
    [0x064b, 0x065f],
    [0x0670, 0x0670],
    [0x06d6, 0x06dc],
    [0x06df, 0x06e4],
    [0x06e7, 0x06e8],
    [0x06ea, 0x06ed],
    [0x1ab0, 0x1aff],
    [0x1dc0, 0x1dff],
    [0x20d0, 0x20ff],
    [0xfe20, 0xfe2f],
  ])}+`,
  'gu',
);

const LETTERS = /[\p{L}\p{N}]+/gu;
/** Latin, Greek, Cyrillic, Armenian, Cherokee: no word of a language has letters of two of them. */
const SCRIPTS = [
  /[a-z\u00df-\u024f]/,
  /[\u0370-\u03ff]/,
  /[\u0400-\u052f]/,
  /[\u0561-\u0587]/,
  /[\u13a0-\u13ff\uab70-\uabbf]/,
];
const LOOK_ALIKE = /[\u0370-\u03ff\u0400-\u052f\u0561-\u0587\u13a0-\u13ff\uab70-\uabbf]/;

/** Lower-case letters of other scripts that look like Latin ones. */
const CONFUSABLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Cyrillic
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    н: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    п: 'n',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    г: 'r',
    ѕ: 's',
    т: 't',
    ц: 'u',
    ѵ: 'v',
    ԝ: 'w',
    х: 'x',
    у: 'y',
    ү: 'y',
    з: '3',
    б: '6',
    ё: 'e',
    ї: 'i',
    й: 'u',
    ә: 'e',
    ь: 'b',
    ө: 'o',
    и: 'u',
    л: 'n',
    я: 'r',
    ш: 'w',
    ѡ: 'w',
    є: 'e',
    ғ: 'f',
    ԍ: 'g',
    // Greek
    α: 'a',
    β: 'b',
    ϲ: 'c',
    δ: 'd',
    ε: 'e',
    η: 'n',
    ι: 'i',
    ϳ: 'j',
    κ: 'k',
    λ: 'l',
    μ: 'u',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    σ: 'o',
    τ: 't',
    υ: 'u',
    χ: 'x',
    γ: 'y',
    ω: 'w',
    ζ: 'z',
    θ: 'o',
    π: 'n',
    φ: 'o',
    // Armenian
    օ: 'o',
    ս: 'u',
    հ: 'h',
    ո: 'n',
    ց: 'g',
    ք: 'p',
    զ: 'q',
    ւ: 'l',
    յ: 'j',
  }),
);

/** Where the digits of other scripts begin that NFKC leaves, ten each: Arabic, Persian, N'Ko, the scripts of India and South East Asia. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
];
const DIGIT_CLASS = classOf(ZEROS.map((zero) => [zero, zero + 9]));
const DIGIT = new RegExp(DIGIT_CLASS, 'u');
const DIGITS = new RegExp(DIGIT_CLASS, 'gu');
/** Around all of them: that is searched for faster. */
const AMONG_DIGITS = /[\u0660-\uabf9]/;

/** The text with the digits of all scripts as 0 to 9. */
function withDigits(text: string): string {
  if (!AMONG_DIGITS.test(text) || !DIGIT.test(text)) return text;
  return text.replace(DIGITS, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - ZEROS.findLast((zero) => zero <= code)!);
  });
}

/** NFKC form without invisible characters, with the digits of all scripts as 0 to 9. */
export function compatible(text: string): string {
  // The compatibility form of this one is a space with an accent.
  return withDigits(strip(withoutExcess(text).replaceAll('\u00b4', "'").normalize('NFKC')));
}

function strip(text: string): string {
  if (!INVISIBLE.test(text)) return text;
  return text.replace(INVISIBLE_ALL, (character, offset: number) => (stays(text, character, offset) ? character : ''));
}

const IGNORED = new RegExp(`${INVISIBLE_CLASS}|\\p{M}`, 'u');

/** Whether the character that the unit at `index` is of is a mark on another one, or is not seen at all. */
export function isIgnoredAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0xad) return false;
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return IGNORED.test(String.fromCodePoint(text.codePointAt(isLow && index > 0 ? index - 1 : index)!));
}

/** Whether a joiner belongs to the spelling of what stands before it. */
function stays(text: string, character: string, offset: number): boolean {
  if (offset === 0) return false;
  if (character !== '\u200c' && character !== '\u200d') return false;
  const unit = text.charCodeAt(offset - 1);
  const before = unit >= 0xdc00 && unit <= 0xdfff && offset > 1 ? text.slice(offset - 2, offset) : text[offset - 1]!;
  return JOINS.test(before);
}

const foldAlone = createFolder({ fold: foldWhole, scripts: SCRIPTS });

/** Lower case by Unicode, without accents. In words that mix scripts, Latin letters replace those that look like them. */
export function fold(text: string): string {
  return foldAlone(text) ?? foldWhole(text);
}

/** Letters that are white in a dark circle or square, and runs of regional indicators. None has a compatibility form. */
const PICTURED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]|[\u{1f1e6}-\u{1f1ff}]+/gu;
const MAY_BE_PICTURED = /\ud83c[\udd50-\uddff]/;
const FIRST_PICTURED = [0x1f1e6, 0x1f170, 0x1f150];

/** The text with letters for those in pictures. Flags, which are two indicators each, stay. */
function fromPictures(text: string): string {
  if (!MAY_BE_PICTURED.test(text)) return text;
  return text.replace(PICTURED, (pictures) => {
    const letters = Array.from(pictures, letterOf).join('');
    return pictures >= FIRST_INDICATOR && areFlags(letters) ? pictures : letters;
  });
}

const FIRST_INDICATOR = '\u{1f1e6}';

function letterOf(picture: string): string {
  const code = picture.codePointAt(0)!;
  return String.fromCharCode(97 + code - FIRST_PICTURED.find((first) => code >= first)!);
}

let regions: ReadonlySet<string> | undefined;

/** Codes of regions, in small letters. Asking for each takes more than a microsecond, so it is done once. */
function codesOfRegions(): ReadonlySet<string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  return new Set(pairs.filter((pair) => names.of(pair.toUpperCase()) !== undefined));
}

/** Whether the letters are codes of regions, two each. */
function areFlags(letters: string): boolean {
  regions ??= codesOfRegions();
  for (let i = 0; i < letters.length; i += 2) if (!regions.has(letters.slice(i, i + 2))) return false;
  return true;
}

/** Apostrophes that Unicode counts as letters, so that a word would not end before them. */
const APOSTROPHE_LETTERS = /[\u02b9\u02bb\u02bc\u02bd\u02c8]/g;

/** Letters that Persian and Urdu write for those of Arabic, and joiners that only choose the form of a sign of India. */
const OTHER_LETTERS = /[\u0649\u0671\u06a9\u06cc]|(?<=[\u0900-\u0dff])\u200d/g;
const ARABIC_FORMS: Readonly<Record<string, string>> = {
  '\u0649': '\u064a',
  '\u0671': '\u0627',
  '\u06a9': '\u0643',
  '\u06cc': '\u064a',
};

/** The same, by rules for the whole of the text. */
export function foldWhole(text: string): string {
  const lower = fromPictures(text)
    .toLowerCase()
    .replaceAll('\u03c2', '\u03c3')
    .replaceAll('\u017f', 's')
    .replaceAll('\u00df', 'ss')
    .replaceAll('\u0131', 'i')
    .replace(APOSTROPHE_LETTERS, "'")
    .normalize('NFD')
    .replace(ACCENTS, '')
    .replace(OTHER_LETTERS, (letter) => ARABIC_FORMS[letter] ?? '')
    .normalize('NFC');
  const scripts = SCRIPTS.filter((script) => script.test(lower));
  if (scripts.length < 2) return lower;
  return lower.replace(LETTERS, (word) => (isMixed(word, scripts) ? latinised(word) : word));
}

function isMixed(word: string, scripts: readonly RegExp[]): boolean {
  let found = 0;
  for (const script of scripts) if (script.test(word) && ++found > 1) return true;
  return false;
}

/** The text with a Latin letter for each letter that looks like one, unit by unit. */
export function latinised(text: string): string {
  if (!LOOK_ALIKE.test(text)) return text;
  let plain = '';
  for (const letter of text) plain += CONFUSABLE.get(letter) ?? letter;
  return plain;
}

/** A folded term of another script as it reads where Latin letters are mixed in, unit by unit; undefined: the same. */
export function mixedForm(folded: string): string | undefined {
  const mixed = latinised(folded);
  return mixed === folded ? undefined : mixed;
}

/** Whether `text`, as sent, has letters that look like Latin ones. */
export function hasLookAlikes(text: string): boolean {
  return LOOK_ALIKE.test(compatible(text).toLowerCase());
}

/**
 * A term as it is looked for in the folded view: folded as a text is, each run of white space and each mark that joins two words as one
 * space, trimmed.
 */
export function foldTerm(term: string): string {
  return withPlainMarks(squeeze(fold(compatible(term))));
}

/** Trimmed, with each run of white space as one space. */
export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
