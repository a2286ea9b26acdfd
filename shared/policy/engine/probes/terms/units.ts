/**
 * What a UTF-16 unit may stand for within a word: itself, a letter that it looks like (`4` for a), a hidden letter (`*`), or nothing
 * (`.` between letters). One number a unit.
 */

/** Bits 0 to 25: letters that the unit may be read as. */
export const ANY_LETTER = (1 << 26) - 1;
/** It is that letter, case aside. */
export const PLAIN = 1 << 26;
export const DIGIT = 1 << 27;
/** It may stand between letters without being one. */
export const SEPARATOR = 1 << 28;
/** It may stand for any letter. */
export const MASK = 1 << 29;
export const SPACE = 1 << 30;

/** Edge of a trie for the white space of a phrase; its bit is that of {@link PLAIN}, which edges do not have. */
export const SPACE_EDGE = 26;

/** By symbol or digit: letters that it looks like. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'il',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'bg',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'il',
  '|': 'il',
  '+': 't',
  '(': 'c',
  '<': 'c',
  '{': 'c',
  '[': 'c',
  '#': 'h',
  '&': 'a',
  '%': 'x',
  '¢': 'c',
  '©': 'c',
  '®': 'r',
  '€': 'e',
  '£': 'l',
  '¥': 'y',
  '§': 's',
  '¡': 'i',
  '°': 'o',
  µ: 'u',
  μ: 'u',
  '×': 'x',
  '†': 't',
  '₵': 'c',
  '₮': 't',
  '₦': 'n',
  '₳': 'a',
  '₴': 's',
  '∀': 'a',
  '∂': 'd',
  '∆': 'a',
  '∈': 'e',
  '∑': 'e',
  '∩': 'n',
  '∪': 'u',
};

/** Letters that neither normalising nor folding makes plain. */
const LETTER_FORMS: Readonly<Record<string, string>> = {
  a: 'ɐɑɒᴀ',
  b: 'ƀɓƃʙ',
  c: 'ƈȼɕᴄↄ',
  d: 'đɖɗðᴅƌ',
  e: 'ɇəɛɘᴇǝ',
  f: 'ƒꜰ',
  g: 'ǥɠɡɢ',
  h: 'ħɦɥʜ',
  i: 'ɨɩɪ',
  j: 'ɉʝᴊ',
  k: 'ƙĸᴋ',
  l: 'łƚɫɬɭʟ',
  m: 'ɱɯᴍ',
  n: 'ŋɲɳɴƞ',
  o: 'øɵɔᴏ',
  p: 'þƥᴘ',
  q: 'ɋꞯ',
  r: 'ɍɹɾʀɼ',
  s: 'ʂꜱƨ',
  t: 'ŧƭʈᴛʇ',
  u: 'ʉʊᴜ',
  v: 'ʋʌᴠ',
  w: 'ʍᴡ',
  y: 'ɏƴʏʎ',
  z: 'ƶʐʑᴢ',
};

/**
 * Cyrillic letters, folded, as the letters of tries that they are read as. It is a code, not how anyone writes them: a trie has 26
 * letters. Who looks for a word of one script asks how a find is written.
 */
const CYRILLIC: Readonly<Record<string, string>> = {
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  ґ: 'g',
  д: 'd',
  е: 'e',
  є: 'e',
  ж: 'j',
  з: 'z',
  и: 'i',
  і: 'i',
  к: 'k',
  л: 'l',
  м: 'm',
  н: 'n',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ф: 'f',
  х: 'h',
  ц: 'c',
  ч: 'q',
  ш: 'w',
  щ: 'x',
  ъ: 'y',
  ы: 'y',
  ь: 'y',
  э: 'e',
  ю: 'u',
  я: 'a',
};

const SEPARATORS = ".-_*~/\\'’‘+=^·•…–—‐‑‒#";
const MASKS = '*#@$%&!?^~-_.+=•●■█▇○◦×';
/** Masks that may stand for several letters. */
export const STAR = 42;

const letterBit = (letter: string): number => 1 << (letter.charCodeAt(0) - 97);

/** By UTF-16 unit. */
export const UNITS: Int32Array = unitTable();

/** What the unit at `i` may stand for; 0 outside of the text, where reading gives no number, which is slow as an index. */
export function unitAt(text: string, i: number): number {
  return i >= 0 && i < text.length ? UNITS[text.charCodeAt(i)]! : 0;
}

function unitTable(): Int32Array {
  const units = new Int32Array(0x10000);
  const add = (character: string, bits: number): void => {
    units[character.charCodeAt(0)] = (units[character.charCodeAt(0)] ?? 0) | bits;
  };
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    add(letter, letterBit(letter) | PLAIN);
    add(letter.toUpperCase(), letterBit(letter) | PLAIN);
    for (const form of LETTER_FORMS[letter] ?? '') add(form, letterBit(letter) | PLAIN);
  }
  for (const [letter, as] of Object.entries(CYRILLIC)) add(letter, letterBit(as) | PLAIN);
  for (const digit of '0123456789') add(digit, DIGIT);
  for (const [character, letters] of Object.entries(LOOKS_LIKE)) {
    for (const letter of letters) add(character, letterBit(letter));
  }
  for (const character of SEPARATORS) add(character, SEPARATOR);
  for (const character of MASKS) add(character, MASK);
  for (const character of ' \t\n\v\f\r\u00a0\u2028\u2029\u3000') add(character, SPACE);
  for (let unit = 0x2000; unit <= 0x200a; unit++) units[unit] = SPACE;
  return units;
}

/** A folded word as tries have it: with the letters that its own are read as. */
export const inTrie = (folded: string): string =>
  folded.replace(/[^a-z ]/g, (letter) => {
    const unit = unitAt(letter, 0);
    return (unit & PLAIN) === 0 ? letter : String.fromCharCode(97 + Math.log2(unit & ANY_LETTER));
  });
