/**
 * Folding one character at a time, by a table, for texts in which no character acts on another: no combining marks, no parts of Hangul
 * syllables, no word that mixes scripts. Most texts are such, and the table takes a tenth of the time of normalising them.
 */

/** What is known of a unit: its folded form in the lower 16 bits, and these. 0: nothing yet. */
const KNOWN = 1 << 16;
/** Folded, it is a letter or digit. Bits from {@link SCRIPT} on say of which script. */
const WORD = 1 << 17;
const SCRIPT = 18;
const ANY_SCRIPT = (1 << 12) - 1;
/** Folded, it is its unit twice: the sharp s. */
const TWICE = 1 << 30;
/** It is not folded alone, or to other units. */
const NOT_ALONE = -1;
/** Texts of up to so many units share a buffer. */
const SHORT = 4096;

/** Marks, surrogates, and letters of Hangul syllables: what becomes of them depends on what is before or behind. */
const ACTS = /[\p{M}\p{Cs}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;
const LETTER = /[\p{L}\p{N}]/u;

export interface Characters {
  /** the folded form of a character alone */
  fold(character: string): string;
  /** letters of the scripts that words mix to deceive; at most 12 */
  scripts: readonly RegExp[];
}

/** Makes a function that folds a text; undefined: it is not one that can be folded so. */
export function createFolder({ fold, scripts }: Characters): (text: string) => string | undefined {
  const table = new Int32Array(0x10000);
  const short = new Uint16Array(2 * SHORT);

  const learn = (unit: number): number => {
    const character = String.fromCharCode(unit);
    const folded = ACTS.test(character) ? '' : fold(character);
    let entry = NOT_ALONE;
    const isTwice = folded.length === 2 && folded[0] === folded[1];
    if ((folded.length === 1 || isTwice) && !ACTS.test(folded)) {
      entry = KNOWN | folded.charCodeAt(0);
      if (isTwice) entry |= TWICE;
      if (LETTER.test(folded)) entry |= WORD;
      scripts.forEach((script, n) => {
        if (script.test(folded)) entry |= 1 << (SCRIPT + n);
      });
    }
    table[unit] = entry;
    return entry;
  };

  /** Whether a word has letters of two scripts. Every unit is known. */
  const mixes = (text: string): boolean => {
    let word = 0;
    for (let i = 0; i < text.length; i++) {
      const entry = table[text.charCodeAt(i)]!;
      word = entry > 0 && (entry & WORD) !== 0 ? word | entry : 0;
      if (isMixed(word)) return true;
    }
    return false;
  };

  return (text) => {
    const size = text.length;
    const units = size <= SHORT ? short : new Uint16Array(2 * size);
    let seen = 0;
    let changes = 0;
    let at = 0;
    for (let i = 0; i < size; i++) {
      const unit = text.charCodeAt(i);
      let entry = table[unit]!;
      if (entry <= 0) {
        if (entry === 0) entry = learn(unit);
        if (entry === NOT_ALONE) {
          if (!isPictograph(unit, text.charCodeAt(i + 1))) return undefined;
          units[at++] = unit;
          units[at++] = text.charCodeAt(++i);
          continue;
        }
      }
      seen |= entry;
      changes |= unit ^ entry;
      units[at++] = entry;
      if ((entry & TWICE) !== 0) units[at++] = entry;
    }
    // Few texts have two scripts at all.
    if (isMixed(seen) && mixes(text)) return undefined;
    if ((changes & 0xffff) === 0) return text;
    return Buffer.from(units.buffer, 0, at * 2).toString('utf16le');
  };
}

/** Whether there are bits of two scripts. */
function isMixed(entries: number): boolean {
  const scripts = (entries >>> SCRIPT) & ANY_SCRIPT;
  return (scripts & (scripts - 1)) !== 0;
}

/** Whether the two are one of U+1F300 to U+1FAFF: pictures, which are neither letters nor have other forms. */
function isPictograph(high: number, low: number): boolean {
  if (!(low >= 0xdc00 && low <= 0xdfff)) return false;
  return (high === 0xd83c && low >= 0xdf00) || high === 0xd83d || (high === 0xd83e && low < 0xdf00);
}
