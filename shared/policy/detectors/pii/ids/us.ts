/** Numbers of the United States and Canada. */
import { isRepeated, isSequence, luhn, weighted } from '../checks.js';
import type { Recogniser } from '../layouts.js';
import { wordsOf } from '../words.js';

const TAX_WORDS = ['tax ?payer', 'tax ?id', 'tin\\b', 'w-?[279]\\b', '(form|irs) 1099', '1099-'];

/** Whether area, group and serial are issued. Numbers known from advertisements are not. */
function isIssuedSsn(digits: string): boolean {
  const area = digits.slice(0, 3);
  if (area === '000' || area === '666' || area[0] === '9') return false;
  if (digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false;
  return digits !== '078051120' && digits !== '219099999' && digits !== '123456789' && !isRepeated(digits);
}

/** Hyphens are the usual separators. */
const hyphened = (score: number, other: number, separators: string): number => (separators[0] === '-' ? score : other);

/** Ranges of the fourth and fifth digit (IRS). */
function isItin(digits: string): boolean {
  const group = Number(digits.slice(3, 5));
  return (
    digits[0] === '9' && ((group >= 50 && group <= 65) || (group >= 70 && group <= 88) || (group >= 90 && group !== 93))
  );
}

/** Prefixes of the Federal Reserve, thrifts, electronic transactions and cheques, and the check digit (ABA). */
export function isRoutingNumber(digits: string): boolean {
  const prefix = Number(digits.slice(0, 2));
  const known = prefix <= 12 || (prefix >= 21 && prefix <= 32) || (prefix >= 61 && prefix <= 72) || prefix === 80;
  return known && !isRepeated(digits) && weighted(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0;
}

/** Check digit of the Drug Enforcement Administration. The first letter is the kind of registrant. */
function isDea(id: string): boolean {
  const digits = id.slice(2);
  const check = weighted(digits, [1, 2, 1, 2, 1, 2]) % 10;
  return /^[ABCDEFGHJKLMPRSTUX][A-Z9]/.test(id) && check === Number(digits[6]) && !isRepeated(digits);
}

/** Letters of a Medicare Beneficiary Identifier leave out S, L, O, I, B and Z (CMS). */
const MBI = /^[1-9][AC-HJKMNP-RT-Y][\dAC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y][\dAC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y]{2}\d\d$/;

/** Formats of the states (AAMVA): with letters, and in groups. */
const LICENCES = {
  'A9{5,14}': 0.3,
  'A9{18}': 0.3,
  'AA9{3,7}': 0.2,
  'AAA9{6}': 0.3,
  'A9{6}A': 0.3,
  'A9{9}A': 0.2,
  '9{2}A{3}9{5}': 0.3,
  '9{3}A{2}9{4}': 0.3,
  'AA9{6}A': 0.3,
  '9{7,9}A': 0.2,
  '9{8}AA': 0.2,
  A9A9A: 0.2,
  'A{5,7}**9{3}**': 0.2,
  'A{3}*{6}9{2}A': 0.1,
  'A{3}*{9}': 0.1,
  'A999 999 99 999 9': 0.4,
  'A 999 999 999 999': 0.4,
  'A999 999 999 999': 0.4,
  'A999 9999 9999': 0.4,
  'A999 9999 9999 99': 0.4,
  'A9999 99999 99999': 0.4,
  '999 999 999': 0.05,
  '99 999 9999': 0.05,
  '99 999 999': 0.05,
  '9{6,14}': 0.05,
};

/** Letters that Canada Post uses. */
const CA_POSTAL = /^[ABCEGHJ-NPR-TVXY]\d[ABCEGHJ-NPR-TV-Z]\d[ABCEGHJ-NPR-TV-Z]\d$/;

export const US: readonly Recogniser[] = [
  {
    entity: 'US_SSN',
    layouts: { '9{9}': 0.2, '999 99 9999': 0.6, '999 999999': 0.1, '99999 9999': 0.05 },
    separators: ' -._/',
    plain: true,
    words: wordsOf('ssns?\\b', 'ss ?#', 'social', 'soc.? ?sec', 'seguro social', 'itin\\b', ...TAX_WORDS),
    check(id, separators) {
      if (!isIssuedSsn(id)) return false;
      return separators.length < 2 || hyphened(0.6, 0.3, separators);
    },
  },
  {
    entity: 'US_ITIN',
    layouts: { '9{9}': 0.2, '999 99 9999': 0.5, '999 999999': 0.2, '99999 9999': 0.2 },
    plain: true,
    words: wordsOf('itins?\\b', 'individual tax', ...TAX_WORDS),
    check: (id, separators) => isItin(id) && (separators.length < 2 || hyphened(0.6, 0.4, separators)),
  },
  {
    entity: 'US_PASSPORT',
    layouts: { '9{9}': 0.1, A99999999: 0.2 },
    plain: true,
    words: wordsOf('passport', 'travel document', 'pasaporte', 'us-?passport'),
    check: (id) => !isRepeated(id.slice(1)),
  },
  {
    entity: 'US_BANK_NUMBER',
    layouts: { '9{8,17}': 0.05 },
    plain: true,
    words: wordsOf(
      'account ?no\\b',
      'account ?(num|nr|#)',
      'acct',
      'a/c\\b',
      'bank',
      'checking',
      'savings',
      'deposit',
      'debit',
      'wire',
      'cuenta',
    ),
    check: (id) => !isRepeated(id) && !id.endsWith('000000'),
  },
  {
    entity: 'ABA_ROUTING_NUMBER',
    layouts: { '9{9}': 0.5, '9999 9999 9': 0.6 },
    separators: '-',
    plain: true,
    words: wordsOf('routing', 'aba\\b', 'rtn\\b', 'transit', 'bank', 'ach\\b', 'wire'),
    check: isRoutingNumber,
  },
  {
    entity: 'US_DRIVER_LICENSE',
    layouts: LICENCES,
    plain: true,
    separators: ' -',
    words: wordsOf(
      "driver'?s? (licen|permit|id\\b|no\\b|num|card|lic\\b)",
      'driving',
      'licen[cs]e',
      'permit',
      'dl ?[#:.=]',
      'dl (no|num|id)',
      'dmv\\b',
      'cdl',
      'lic\\b',
      'identification',
      'licencia',
    ),
  },
  // As Colorado has them. Two letters and digits are mostly something else, whatever words are near.
  { entity: 'US_DRIVER_LICENSE', layouts: { AA99: 0.05 } },
  {
    entity: 'US_MBI',
    layouts: { '9A*9A*9AA99': 0.6, '9A*9 A*9 AA99': 0.7 },
    separators: ' -',
    words: wordsOf('medicare', 'mbi\\b', 'beneficiary', 'cms\\b', 'hicn'),
    check: (id) => MBI.test(id),
  },
  {
    entity: 'US_NPI',
    layouts: { '9{10}': 0.5, '9999 999 999': 0.5, '999 999 9999': 0.3 },
    separators: ' -',
    plain: true,
    words: wordsOf('npi\\b', 'national provider', 'provider', 'physician', 'prescriber', 'practitioner', 'nppes'),
    check: (id) => /^[12]/.test(id) && !isRepeated(id.slice(0, 9)) && luhn(`80840${id}`),
  },
  {
    entity: 'MEDICAL_LICENSE',
    layouts: { 'AA9{7}': 0.8, 'A9{8}': 0.5, 'AA 9{7}': 0.8 },
    separators: ' -',
    words: wordsOf('dea\\b', 'medical', 'licen[cs]e', 'certificate', 'prescri', 'registration', 'doctor', 'physician'),
    // As a gene or a part, two small letters and digits are none.
    check: (id, _, raw) => isDea(id) && (id[1]! >= 'A' || id[1] === '9') && (/^[A-Z]/.test(raw) || 0.4),
  },
  {
    entity: 'CA_SIN',
    layouts: { '9{9}': 0.5, '999 999 999': 0.7 },
    separators: ' -',
    plain: true,
    words: wordsOf('sins?\\b', 'social insurance', 'nas\\b', 'assurance sociale', 'canad'),
    check: (id) => !/^[08]/.test(id) && luhn(id) && !isRepeated(id) && !isSequence(id),
  },
  {
    entity: 'CA_POSTAL_CODE',
    layouts: { 'A9A 9A9': 0.5, A9A9A9: 0.2 },
    separators: ' -',
    words: wordsOf(
      'postal',
      'zip\\b',
      'address',
      'adresse',
      'canada',
      'ontario',
      'quebec',
      'alberta',
      'code\\b',
      'on\\b',
      'qc\\b',
      'bc\\b',
      'ab\\b',
    ),
    check: (id, separators) => CA_POSTAL.test(id) && (separators !== '-' || 0.3),
  },
];
