/**
 * The letters that the models of other languages read: small ones, without accents in the scripts where people leave them out. What is
 * neither letter nor digit separates words.
 */

export const SEPARATOR = 32;
/** Nothing is written: accents, invisible characters. */
export const SKIP = 1;
export const DIGIT = 48;
export const MENTION = 64;
export const URL = 47;
/** Signs that are words of their own. */
export const BANG = 33;
export const QUOTE = 34;
export const QUESTION = 63;

/** By UTF-16 unit: what is written for it. */
export const FOLDED = new Uint16Array(65536);

/** Letters that Unicode does not take apart, and what people write for them. */
const PAIRS = 'ßs łl øo đd ıi æa œo þt ðd ħh ىي ةه ٱا ؤو ئي ёе';
const FIRST_HANGUL = 0x1100;
const LAST_HANGUL = 0x11ff;

function foldedOf(char: string, unit: number): number {
  if (/^\p{Nd}$/u.test(char)) return DIGIT;
  // Syllables and marks of Asian scripts are what tells words apart.
  const folds = unit < 0x700 || (unit >= 0x1e00 && unit <= 0x1fff);
  const plain = char.normalize(folds ? 'NFKD' : 'NFKC').toLowerCase();
  const first = plain.charCodeAt(0);
  if (first >= FIRST_HANGUL && first <= LAST_HANGUL) return unit;
  return first >= 48 && first <= 57 ? DIGIT : first;
}

function fill(): void {
  const written = /^[\p{L}\p{N}]$/u;
  const mark = /^[\p{M}\p{Cf}]$/u;
  for (let unit = 0; unit < 65536; unit++) {
    const char = String.fromCharCode(unit);
    if (unit >= 0xd800 && unit <= 0xdfff) FOLDED[unit] = unit;
    else if (mark.test(char)) FOLDED[unit] = unit >= 0x900 && unit <= 0xdff && unit !== 0x93c ? unit : SKIP;
    else FOLDED[unit] = written.test(char) ? foldedOf(char, unit) : SEPARATOR;
  }
  FOLDED[0x640] = SKIP;
  for (const pair of PAIRS.split(' ')) {
    const [from, to] = pair as unknown as [string, string];
    FOLDED[from.charCodeAt(0)] = to.charCodeAt(0);
    FOLDED[from.toUpperCase().charCodeAt(0)] = to.charCodeAt(0);
  }
  for (const char of '"“”„«»「」『』') FOLDED[char.charCodeAt(0)] = QUOTE;
  for (const char of '!！¡') FOLDED[char.charCodeAt(0)] = BANG;
  for (const char of '?？¿؟') FOLDED[char.charCodeAt(0)] = QUESTION;
  FOLDED[64] = MENTION;
}

let filled = false;
/** Fills the table, which takes some milliseconds, when it is first needed. */
export function prepareLetters(): void {
  if (filled) return;
  fill();
  filled = true;
}
