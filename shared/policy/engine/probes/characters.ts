/** Kinds of characters at the edges of a find. A unit outside the text (NaN, or -1) is of no kind. */

const WORD = /[\p{L}\p{N}]/u;

/**
 * The unit at `index`; -1 outside the text. One `charCodeAt` outside a text is enough for V8 to make a call of it for good, which
 * takes ten times as long as the look that it makes of it otherwise.
 */
export function unitAt(text: string, index: number): number {
  return index >>> 0 < text.length ? text.charCodeAt(index) : -1;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

export function isAsciiLetter(unit: number): boolean {
  const lower = unit | 32;
  return lower >= 97 && lower <= 122;
}

export function isHex(unit: number): boolean {
  const lower = unit | 32;
  return isDigit(unit) || (lower >= 97 && lower <= 102);
}

/** A letter or digit of any script. Half of a surrogate pair counts as the whole character. */
export function isWordAt(text: string, index: number): boolean {
  const unit = unitAt(text, index);
  if (unit < 128) return isDigit(unit) || isAsciiLetter(unit);
  if (unit >= 0xdc00 && unit <= 0xdfff) return WORD.test(text.slice(index - 1, index + 1));
  return WORD.test(String.fromCodePoint(text.codePointAt(index)!));
}

export function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13) || (unit > 127 && /\s/.test(String.fromCharCode(unit)));
}

const MARK = /\p{M}/u;

/** Whether it is of the scripts of India and South East Asia, whose vowel signs are no letters. */
export function hasSigns(unit: number): boolean {
  return (unit >= 0x900 && unit <= 0x109f) || (unit >= 0x1780 && unit <= 0x17ff);
}

/** A vowel sign or the like of these scripts. */
export function isSignAt(text: string, index: number): boolean {
  return hasSigns(unitAt(text, index)) && MARK.test(text[index]!);
}
