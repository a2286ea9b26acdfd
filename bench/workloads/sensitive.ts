/**
 * Things that a policy should find, drawn from the seed: there is no real card, person or key in them. Every card number
 * passes the Luhn check.
 */
import type { WorkloadRandom } from './random.js';

export type SensitiveKind = 'card' | 'email' | 'secret' | 'term';

const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Whether the digits of `number` pass the Luhn check. Separators are skipped. */
export function passesLuhn(number: string): boolean {
  const digits = number.replaceAll(/\D/g, '');
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** A 16-digit card number with a valid check digit, with spaces, hyphens or nothing between groups of four. */
export function cardNumber(random: WorkloadRandom): string {
  const payload = random.pick(['4', '51', '52', '53', '54', '55']);
  const digits = payload + random.characters(DIGITS, 15 - payload.length);
  const check = [...DIGITS].find((digit) => passesLuhn(digits + digit))!;
  const separator = random.pick([' ', '-', '']);
  return (digits + check).replaceAll(/(\d{4})(?=\d)/g, `$1${separator}`);
}

/** A sentence that holds one thing of the given kind; `terms` are the words that the configuration lists. */
export function sensitiveSentence(kind: SensitiveKind, terms: readonly string[], random: WorkloadRandom): string {
  switch (kind) {
    case 'card':
      return `Charge it to ${cardNumber(random)} please.`;
    case 'email': {
      const person = random.pick(['ines.moreau', 'tomas.holm', 'aiko.tanaka', 'farid.nasser']);
      return `Write to ${person}${random.between(1, 99)}@mail.example.com about it.`;
    }
    case 'secret':
      return random.next() < 0.5
        ? `The job ran with access key AKIA${random.characters(UPPER, 16)} set.`
        : `The token is ghp_${random.characters(ALNUM, 36)} for now.`;
    case 'term':
      return `Now ${random.pick(terms)} and go on.`;
  }
}
