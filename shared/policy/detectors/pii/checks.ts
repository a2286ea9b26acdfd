/** Check digits and dates of numbers. Arguments are digits, or digits and upper-case letters, of the right length. */

const digitAt = (text: string, i: number): number => text.charCodeAt(i) - 48;

/** Sum of the first digits, each times its weight. */
export function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += digitAt(digits, i) * weights[i]!;
  return sum;
}

/** ISO/IEC 7812 check digit. */
export function luhn(digits: string): boolean {
  let sum = 0;
  let double = false;
  for (let i = digits.length - 1; i >= 0; i--) {
    let value = digitAt(digits, i);
    if (double) {
      value *= 2;
      if (value > 9) value -= 9;
    }
    sum += value;
    double = !double;
  }
  return sum % 10 === 0;
}

/** ISO 7064 MOD 97-10 over text of digits and letters. */
export function mod97(text: string): number {
  let rest = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    rest = unit <= 57 ? (rest * 10 + unit - 48) % 97 : (rest * 100 + unit - 55) % 97;
  }
  return rest;
}

/** ISO 7064 MOD 11,10: the last digit checks the others. */
export function mod11And10(digits: string): boolean {
  let product = 10;
  for (let i = 0; i < digits.length - 1; i++) {
    const sum = (digitAt(digits, i) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

/** The group operation of the decimal check of J. Verhoeff (1969): the dihedral group of ten elements. */
function dihedral(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
  return b < 5 ? 5 + ((a - b + 5) % 5) : (a - b + 5) % 5;
}

/** Powers of his permutation (1 5 8 9 4 2 7 0)(3 6), by place modulo 8. */
const PERMUTATIONS = ((): number[][] => {
  const first = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
  const powers = [Array.from({ length: 10 }, (_, i) => i)];
  while (powers.length < 8) powers.push(powers.at(-1)!.map((value) => first[value]!));
  return powers;
})();

export function verhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i++) {
    check = dihedral(check, PERMUTATIONS[i % 8]![digitAt(digits, digits.length - 1 - i)]!);
  }
  return check === 0;
}

/** Check digit of machine-readable documents (ICAO 9303): weights 7, 3, 1; letters count from A = 10. The last digit checks the others. */
export function icao(text: string): boolean {
  let sum = 0;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    sum += (unit <= 57 ? unit - 48 : unit - 55) * [7, 3, 1][i % 3]!;
  }
  return sum % 10 === digitAt(text, text.length - 1);
}

/** Sum of the digits of a number below 100. */
export const crossSum = (value: number): number => (value > 9 ? Math.floor(value / 10) + (value % 10) : value);

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether such a day is in the calendar. `year` is whole, or its last two digits, of which any century will do. */
export function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]!) return false;
  if (month !== 2 || day !== 29) return true;
  if (year < 100) return year % 4 === 0;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Whether `digits` has a date of two digits each for year, month and day at `at`. */
export function isDateAt(digits: string, at: number, order: 'ymd' | 'dmy' = 'ymd'): boolean {
  const [a, b, c] = [0, 2, 4].map((offset) => Number(digits.slice(at + offset, at + offset + 2))) as [
    number,
    number,
    number,
  ];
  return order === 'ymd' ? isDate(a, b, c) : isDate(c, b, a);
}

/** Whether all characters are the same. */
export function isRepeated(text: string): boolean {
  for (let i = 1; i < text.length; i++) if (text[i] !== text[0]) return false;
  return true;
}

/** Whether the digits count up or down, such as 123456789. */
export function isSequence(digits: string): boolean {
  const step = digits.charCodeAt(1) - digits.charCodeAt(0);
  if (step !== 1 && step !== -1) return false;
  for (let i = 1; i < digits.length; i++) {
    const next = (digitAt(digits, i - 1) + step + 10) % 10;
    if (digitAt(digits, i) !== next) return false;
  }
  return true;
}
