/** Kinds of characters at the edges of a find. A unit outside the text (NaN) is of no kind. */

const WORD = /[\p{L}\p{N}]/u;

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
  const unit = text.charCodeAt(index);
  if (unit < 128) return isDigit(unit) || isAsciiLetter(unit);
  if (Number.isNaN(unit)) return false;
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
  return hasSigns(text.charCodeAt(index)) && MARK.test(text[index]!);
}
