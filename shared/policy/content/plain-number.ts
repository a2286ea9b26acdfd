/** Numbers of JSON in their plain form: `4111111111111111e0` is the number of a card as well. Digits are moved as text, so none is lost. */

const WRITTEN = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?0*\d{1,6}))?$/;

/** Digits of a plain form: shorter ones are nothing that detectors look for, longer ones are nobody's. */
const [FEWEST, MOST] = [4, 34] as const;

/** The whole number that `written` is, where that is written with an exponent or a fraction; undefined: it is none, or has other digits. */
export function plainNumber(written: string): string | undefined {
  if (!/[.eE]/.test(written)) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = WRITTEN.exec(written) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const leading = digits.search(/[1-9]/);
  if (leading < 0 || point - leading < FEWEST || point - leading > MOST) return undefined;
  if (/[1-9]/.test(digits.slice(point))) return undefined;
  return sign + digits.slice(leading, point).padEnd(point - leading, '0');
}
