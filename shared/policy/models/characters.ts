/**
 * The small alphabet that models read: a code of 8 bits for each character. Case, accents and look-alikes are folded, and what is
 * neither letter, digit nor one of a few signs separates words.
 */

export const SEPARATOR = 0;
/** 1 to 26 are a to z. */
export const LAST_LETTER = 26;
/** 27 to 36 are 0 to 9. */
export const ZERO = 27;
export const LAST_DIGIT = 36;
export const BANG = 37;
export const QUESTION = 38;
export const QUOTE = 39;
export const MENTION = 40;
export const URL = 41;
export const NUMBER = 42;
/** Signs that stand for a letter within a word. */
export const DOLLAR = 43;
export const STAR = 44;
/** Nothing is written: apostrophes, accents, invisible characters. */
export const SKIP = 45;
export const SURROGATE = 46;
/** `&` and `%`: another character may be written with it. */
export const ESCAPE = 47;
/** From here on: hashes of other letters and of emoji. */
export const OTHER = 64;

/** By UTF-16 unit: its code. */
export const CODES = new Uint8Array(65536);
/** By UTF-16 unit: the Latin letter that it looks like, 0 for none. */
export const LOOK_ALIKES = new Uint8Array(65536);
/** By code of a digit, less {@link ZERO}: the letter that it stands for in a word, 0 for none. */
export const LETTER_OF_DIGIT = Uint8Array.from([15, 9, 0, 5, 1, 19, 7, 20, 2, 7]);

const letter = (char: string): number => char.charCodeAt(0) - 96;

/** A code of {@link OTHER} or above for a character that is no Latin letter. */
export const otherCode = (point: number): number => OTHER + ((Math.imul(point, 0x9e3779b1) >>> 16) % (256 - OTHER));

/** Greek and Cyrillic letters by the Latin ones that they look like. */
const PAIRS =
  'αa βb εe ηn ιi κk νv οo ρp τt υu χx ωw аa вb еe зz иn кk мm нh оo рp сc тt уy хx ьb ѕs іi јj ԁd ԛq ԝw ӏl ɡg ɩi ɑa ʀr ɢg ɴn ʟl ʏy';

function fillCodes(): void {
  const letters = /^[\p{L}\p{N}]$/u;
  const invisible = /^[\p{M}\p{Cf}]$/u;
  for (let unit = 0; unit < 65536; unit++) {
    if (unit >= 0xd800 && unit <= 0xdfff) {
      CODES[unit] = SURROGATE;
      continue;
    }
    const char = String.fromCharCode(unit);
    if (invisible.test(char)) CODES[unit] = SKIP;
    else if (letters.test(char)) CODES[unit] = codeOfLetter(char, unit);
    else if (unit >= 0x2190 && unit <= 0x2bff && unit !== 0x2500) CODES[unit] = otherCode(unit);
  }
  for (const pair of PAIRS.split(' ')) {
    const [from, to] = pair as unknown as [string, string];
    LOOK_ALIKES[from.charCodeAt(0)] = letter(to);
    LOOK_ALIKES[from.toUpperCase().charCodeAt(0)] = letter(to);
  }
  for (const char of "'’‘`´ʼ") CODES[char.charCodeAt(0)] = SKIP;
  for (const char of '"“”„«»') CODES[char.charCodeAt(0)] = QUOTE;
  for (const char of '!！¡') CODES[char.charCodeAt(0)] = BANG;
  for (const char of '?？¿') CODES[char.charCodeAt(0)] = QUESTION;
  CODES['@'.charCodeAt(0)] = MENTION;
  CODES['$'.charCodeAt(0)] = DOLLAR;
  CODES['*'.charCodeAt(0)] = STAR;
  for (const char of '&%') CODES[char.charCodeAt(0)] = ESCAPE;
}

/** Latin letters and digits without what NFKD takes apart; a hash for all others. */
function codeOfLetter(char: string, unit: number): number {
  const plain = unit < 128 ? char.toLowerCase() : char.normalize('NFKD').toLowerCase();
  const first = plain.charCodeAt(0);
  if (first >= 97 && first <= 122) return first - 96;
  if (first >= 48 && first <= 57) return ZERO + first - 48;
  return otherCode(char.toLowerCase().charCodeAt(0));
}

/** Whether a unit may stand in the name of a person or of an entity: a letter, a digit, `_`. */
export const isHandle = (unit: number): boolean =>
  unit === 95 || (CODES[unit]! !== SEPARATOR && CODES[unit]! <= LAST_DIGIT);

let filled = false;
/** Fills the tables, which takes some milliseconds, when they are first needed. */
export function prepareCharacters(): void {
  if (filled) return;
  fillCodes();
  filled = true;
}

/** Letters of the mathematical alphabets (U+1D400 to U+1D7FF), squared and circled letters; 0 for others. */
export function letterOfAstral(point: number): number {
  if (point >= 0x1d400 && point <= 0x1d6a3) return ((point - 0x1d400) % 26) + 1;
  if (point >= 0x1f130 && point <= 0x1f149) return point - 0x1f130 + 1;
  if (point >= 0x1f150 && point <= 0x1f169) return point - 0x1f150 + 1;
  if (point >= 0x1f170 && point <= 0x1f189) return point - 0x1f170 + 1;
  return 0;
}
