/** Scripts that do not put spaces between words, and the one that puts particles behind them. */

/** Chinese characters and kana. */
export const HAN = 1;
/** Thai, Lao, Myanmar and Khmer. */
export const SOUTH_EAST = 2;
export const HANGUL = 3;
/** A script with spaces, or no letter. */
export const SPACED = 0;

export function scriptOf(unit: number): number {
  if (!(unit >= 0xe00)) return SPACED;
  if (unit <= 0xeff || (unit >= 0x1000 && unit <= 0x109f) || (unit >= 0x1780 && unit <= 0x17ff)) return SOUTH_EAST;
  if ((unit >= 0x3005 && unit <= 0x3007) || (unit >= 0x3041 && unit <= 0x312f && unit !== 0x30fb)) return HAN;
  if ((unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xf900 && unit <= 0xfaff)) return HAN;
  return unit >= 0xac00 && unit <= 0xd7a3 ? HANGUL : SPACED;
}
