/** Numbers of South Africa, Nigeria and Brazil. */

import { isDigit } from '../../../engine/probes/characters.js';
import { isDateAt, isRepeated, luhn, verhoeff, weighted } from '../checks.js';
import { beginsAt, endsAt } from '../edges.js';
import type { Recogniser } from '../layouts.js';
import { wordsOf } from '../words.js';

/** Date of birth, serial, citizenship 0 to 2, and the check digit. */
const isZaId = (digits: string): boolean => isDateAt(digits, 0) && /[012]/.test(digits[10]!) && luhn(digits);

const PROVINCES = /(?:GP|MP|NC|EC|FS|NW|ZN|WC|L|WP|N)$/;

/** Two check digits of a CPF, modulus 11. */
export function isCpf(digits: string): boolean {
  if (isRepeated(digits)) return false;
  const check = (sum: number): number => ((sum * 10) % 11) % 10;
  return (
    check(weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2])) === Number(digits[9]) &&
    check(weighted(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])) === Number(digits[10])
  );
}

/** The same for a CNPJ. Letters count as their code less that of the digit 0, which is 17 for A. */
export function isCnpj(digits: string): boolean {
  if (isRepeated(digits)) return false;
  const check = (sum: number): number => (sum % 11 < 2 ? 0 : 11 - (sum % 11));
  const weights = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  return (
    check(weighted(digits, weights)) === Number(digits[12]) &&
    check(weighted(digits, [6, ...weights])) === Number(digits[13])
  );
}

const CNPJ_WORDS = wordsOf('cnpj', 'empresa', 'pessoa juridica', 'razao social');

/** What is numbered since July 2026 may have letters but in its check digits. As a layout it would be thousands of paths. */
const LETTERED = /[A-Z\d]{2}(\.?)[A-Z\d]{3}\1[A-Z\d]{3}(\/?)[A-Z\d]{4}(-?)\d\d/iy;
export const LETTERED_CNPJ: Recogniser = { entity: 'BR_CNPJ', layouts: {}, words: CNPJ_WORDS };

/** End of a CNPJ with letters that starts at `start`; 0: there is none. */
export function endOfLetteredCnpj(text: string, start: number): number {
  const bare = isDigit(text.charCodeAt(start + 12)) && isDigit(text.charCodeAt(start + 13));
  if (!bare && (text[start + 2] !== '.' || text[start + 10] !== '/')) return 0;
  LETTERED.lastIndex = start;
  const match = LETTERED.exec(text);
  if (!match || !beginsAt(text, start) || !endsAt(text, start + match[0].length)) return 0;
  const id = match[0].toUpperCase().replace(/[./-]/g, '');
  return /[A-Z]/.test(id) && isCnpj(id) ? start + match[0].length : 0;
}

const TAX = ['sars\\b', 'tax', 'income', 'belasting'];

const SOUTH_AFRICA: readonly Recogniser[] = [
  {
    entity: 'ZA_ID_NUMBER',
    layouts: { '9{13}': 0.7, '9{6} 9999 99 9': 0.9, '9{6} 9999 999': 0.9, '9{6} 9{7}': 0.8 },
    separators: ' -',
    plain: true,
    words: wordsOf('south african', 'sa id', 'rsa\\b', 'identity', 'id-?(no|num)', 'id (no|num)', 'identiteits'),
    check: isZaId,
  },
  {
    entity: 'ZA_PASSPORT',
    layouts: { A99999999: 0.2 },
    words: wordsOf('passport', 'paspoort', 'travel document'),
    check: (id) => /^[ADMT]/.test(id) && !isRepeated(id.slice(1)),
  },
  {
    entity: 'ZA_INCOME_TAX_NUMBER',
    layouts: { '9{10}': 0.5, '9999 999 99 9': 0.6, '999 999 9999': 0.3 },
    separators: ' -/',
    plain: true,
    words: wordsOf(...TAX, 'tin\\b'),
    check: (id) => /^[01239]/.test(id) && !isRepeated(id) && (luhn(id) || 0.1),
  },
  {
    entity: 'ZA_VAT_NUMBER',
    layouts: { '9{10}': 0.5, '999 999 9999': 0.4 },
    separators: ' -',
    plain: true,
    words: wordsOf('vat\\b', 'btw\\b', 'value[ -]added', ...TAX),
    check: (id) => id[0] === '4' && !isRepeated(id) && (luhn(id) || 0.1),
  },
  {
    entity: 'ZA_DRIVER_LICENSE',
    layouts: {
      '9{8,10}A{2,4}': 0.2,
      '9{6,9}A9{3,4}': 0.2,
      '9{4,8}A{2}9{1,4}': 0.1,
      'A{1,2}9{9,12}': 0.1,
      'A9{4,8}A{1,3}9{0,4}': 0.1,
      '99999A9{4,8}': 0.1,
      '9{7}*{5}': 0.05,
    },
    words: wordsOf(
      "driver'?s?\\b",
      'driving',
      'licen[cs]e',
      'rybewys',
      'bestuurslisensie',
      'rylisensie',
      'enatis',
      'natis',
    ),
    check: (id) => id.length >= 10 && id.length <= 14 && /[A-Z]/.test(id),
  },
  {
    entity: 'ZA_COMPANY_REGISTRATION',
    layouts: {
      '9999 9{6} 99': 0.7,
      'AA99 9{5,6}': 0.3,
      'AA9{4} 9{6}': 0.4,
      'AA9999 9{6} 99': 0.6,
      'A9999 9{6}': 0.4,
      'A9999 9{6} 99': 0.6,
      'AA9{8,10}': 0.2,
      '9{12}': 0.05,
    },
    separators: '/',
    words: wordsOf(
      'company',
      'corporation',
      'registration',
      'registered',
      'cipc',
      'reg\\b',
      'pty',
      'ltd',
      'enterprise',
      'cc\\b',
    ),
    check(id, separators) {
      const digits = id.replace(/^[A-Z]+/, '');
      if (/^[A-Z]/.test(id) && !/^(?:CK|CC|CM|NP|IN|K)\d/.test(id)) return false;
      const year = Number(digits.slice(0, 4));
      if (digits.length === 12) return year >= 1800 && year <= 2099 && /(?:0[5-9]|1[0-2]|2[0-6]|3[01])$/.test(digits);
      return separators !== '' || 0.2;
    },
  },
  {
    entity: 'ZA_TRAFFIC_REGISTER_NUMBER',
    layouts: { '9{13}': 0.1, '9{4}A9{8}': 0.1, '9{12}A': 0.1 },
    plain: true,
    words: wordsOf('traffic register', 'trn\\b', 'traffic', 'enatis', 'natis'),
    check: (id) => !/^\d{13}$/.test(id) || !isZaId(id),
  },
  {
    entity: 'ZA_LICENSE_PLATE',
    layouts: {
      AA99AAAA: 0.4,
      'AA 99 AA AA': 0.4,
      'AA99AA AA': 0.4,
      'AAA 999 AA': 0.4,
      AAA999AA: 0.3,
      'AAA999 AA': 0.3,
      'AAA 999 A': 0.3,
      AAA999A: 0.2,
      'A{2,3} 9{2,6}': 0.1,
      'A{2,3}9{2,6}': 0.1,
      'AA 999 999': 0.2,
      '999 AAA AA': 0.4,
      '9{3}AAAAA': 0.2,
    },
    separators: ' -',
    mixed: true,
    words: wordsOf('plate', 'registration', 'vehicle', 'car\\b', 'bakkie', 'nommerplaat', 'licen[cs]e disc'),
    check: (id) => (/[A-Z]$/.test(id) ? PROVINCES.test(id) : /^(?:C[A-Z]{1,2}|N[A-Z]{1,2})\d/.test(id)),
  },
];

export const SOUTH: readonly Recogniser[] = [
  ...SOUTH_AFRICA,
  {
    entity: 'NG_NIN',
    layouts: { '9{11}': 0.5, '9999 999 9999': 0.6, '999 9999 9999': 0.6, '9999 9999 999': 0.6 },
    separators: ' -',
    plain: true,
    words: wordsOf('nin\\b', 'nimc', 'national id', 'nigeria'),
    check: (id) => verhoeff(id) && !isRepeated(id),
  },
  {
    entity: 'NG_VEHICLE_REGISTRATION',
    layouts: { 'AAA 999AA': 0.5, 'AAA 999 AA': 0.4, AAA999AA: 0.3, 'AAA999 AA': 0.3 },
    separators: ' -',
    mixed: true,
    words: wordsOf('plate', 'registration', 'vehicle', 'car\\b', 'nigeria', 'frsc'),
    check: (id, separators) => !id.includes('000') && (separators[0] !== ' ' || 0.3),
  },
  {
    entity: 'BR_CPF',
    layouts: { '9{11}': 0.7, '999 999 999 99': 0.95, '9{9} 99': 0.9 },
    mixed: true,
    plain: true,
    words: wordsOf('cpf', 'cadastro de pessoa', 'contribuinte', 'receita'),
    check: isCpf,
  },
  {
    entity: 'BR_CNPJ',
    layouts: { '9{14}': 0.7, '99 999 999 9999 99': 0.95, '9{8} 9999 99': 0.9 },
    separators: ' .-/',
    mixed: true,
    plain: true,
    words: CNPJ_WORDS,
    check: isCnpj,
  },
];
