/** Numbers of Singapore, India, Korea, Thailand, the Philippines and Australia. */
import { isDateAt, isRepeated, isSequence, verhoeff, weighted } from '../checks.js';
import type { Recogniser } from '../layouts.js';
import { wordsOf } from '../words.js';

const PASSPORT = ['passport', 'travel document'];

/** By first letter: the check letters, and what is added to the sum. */
const NRIC: Readonly<Record<string, readonly [letters: string, offset: number]>> = {
  S: ['JZIHGFEDCBA', 0],
  T: ['JZIHGFEDCBA', 4],
  F: ['XWUTRQPNMLK', 0],
  G: ['XWUTRQPNMLK', 4],
  M: ['XWUTRQPNJLK', 3],
};

function nricScore(id: string): number {
  const series = NRIC[id[0]!];
  if (!series) return 0.05;
  const sum = weighted(id.slice(1), [2, 7, 6, 5, 4, 3, 2]) + series[1];
  return series[0][sum % 11] === id[8] ? 0.9 : 0.2;
}

const ENTITY_TYPES = new Set(
  'LP LL FC PF RF MQ MM NB CC CS MB FM GS DP CP NR CM CD MD HS VH CH MH CL XL CX HC RP TU TC FB FN PA PB SS MC SM GA GB'.split(
    ' ',
  ),
);
const UEN_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWX0123456789';

/** Registered with ACRA: businesses (8 digits), local companies (9 digits); others by T, S or R, year, type and serial. */
export function isUen(id: string): boolean {
  if (/^\d{8}[A-Z]$/.test(id)) return 'XMKECAWLJDB'[weighted(id, [10, 4, 9, 3, 8, 2, 7, 1]) % 11] === id[8];
  if (/^\d{9}[A-Z]$/.test(id)) {
    const year = Number(id.slice(0, 4));
    return year >= 1800 && year <= 2100 && 'ZKCMDNERGWH'[weighted(id, [10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11] === id[9];
  }
  if (!/^[RST]\d\d[A-Z]{2}\d{4}[A-Z]$/.test(id) || !ENTITY_TYPES.has(id.slice(3, 5))) return false;
  const weights = [4, 3, 5, 3, 10, 2, 2, 5, 7];
  const sum = weights.reduce((total, weight, i) => total + UEN_LETTERS.indexOf(id[i]!) * weight, 0);
  return UEN_LETTERS[(((sum - 5) % 11) + 11) % 11] === id[9];
}

const STATES = new Set(
  'AN AP AR AS BH BR CG CH DD DL DN GA GJ HP HR JH JK KA KL LA LD MH ML MN MP MZ NL OD OR PB PY RJ SK TN TG TR TS UA UK UP WB'.split(
    ' ',
  ),
);

function isIndianPlate(id: string): boolean {
  if (/^\d\dBH\d{4}[A-HJ-NP-Z]{1,2}$/.test(id)) return true;
  return STATES.has(id.slice(0, 2)) && /^[A-Z]{2}\d{1,2}[A-Z]{0,3}\d{4}$/.test(id) && !id.endsWith('0000');
}

const GSTIN_LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The check character: products by 1 and 2 in turn, in base 36. */
export function isGstinChecked(id: string): boolean {
  let sum = 0;
  for (let i = 0; i < 14; i++) {
    const product = GSTIN_LETTERS.indexOf(id[i]!) * (1 + (i % 2));
    sum += Math.floor(product / 36) + (product % 36);
  }
  return GSTIN_LETTERS[(36 - (sum % 36)) % 36] === id[14];
}

const INDIA: readonly Recogniser[] = [
  {
    entity: 'IN_PAN',
    layouts: { 'A{5}9{4}A': 0.8 },
    words: wordsOf('pan\\b', 'permanent account', 'income tax', 'tax'),
    check: (id) => /^[A-Z]{3}[ABCFGHJLPTK]/.test(id) || 0.3,
  },
  {
    entity: 'IN_AADHAAR',
    layouts: { '9{12}': 0.6, '9999 9999 9999': 0.8 },
    separators: ' -:',
    plain: true,
    words: wordsOf('aadha?ar', 'uidai\\b', 'uid (no|num)', 'आधार'),
    check: (id) => id[0]! >= '2' && verhoeff(id) && id !== [...id].reverse().join(''),
  },
  {
    entity: 'IN_VEHICLE_REGISTRATION',
    layouts: {
      'AA9{1,2}A{1,3}9999': 0.5,
      'AA 9{1,2} A{1,3} 9999': 0.6,
      'AA9{1,2} A{1,3} 9999': 0.6,
      'AA 99A{1,3}9999': 0.6,
      'AA9{1,2}A{1,3} 9999': 0.6,
      'AA9{6}': 0.3,
      'AA9{5}': 0.3,
      'AA 99 9999': 0.4,
      '99AA9999A{1,2}': 0.5,
      '99 AA 9999 A{1,2}': 0.6,
    },
    separators: ' -',
    words: wordsOf('vehicle', 'registration', 'rto\\b', 'car\\b', 'bike', 'plate', 'regn'),
    check: isIndianPlate,
  },
  // Plates from before 1989, of which the first letter is the state.
  {
    entity: 'IN_VEHICLE_REGISTRATION',
    layouts: { 'AAA9{4}': 0.1, 'AAA 9{4}': 0.1 },
    separators: ' -',
    words: wordsOf('rto\\b', 'regn', 'vehicle (no|num|reg|plate)', 'number plate'),
    check: (id) => /^[A-DGHJKMOPRTUW]/.test(id) && !id.endsWith('0000'),
  },
  {
    entity: 'IN_VOTER',
    layouts: { 'AAA9{7}': 0.4, 'AA9{8}': 0.1 },
    // Both are words of other talk, too: "an epic vote".
    words: wordsOf(
      'voters?\\b',
      'vote with',
      'epic[:.]',
      'epic (no|id)\\b',
      'epic (num|card)',
      'elector',
      'election id\\b',
      'election (card|commission|photo)',
    ),
  },
  {
    entity: 'IN_PASSPORT',
    layouts: { 'A9{7}': 0.2, 'A99 9{5}': 0.2, 'A 9{7}': 0.1 },
    separators: ' -',
    words: wordsOf(...PASSPORT, 'indian'),
    check: (id) => /^[A-PR-WY][1-9]\d{5}[1-9]$/.test(id),
  },
  {
    entity: 'IN_GSTIN',
    layouts: { '99A{5}9999A*A*': 0.9 },
    words: wordsOf('gst', 'goods and services', 'tax'),
    check(id) {
      const state = Number(id.slice(0, 2));
      if (!((state >= 1 && state <= 38) || state === 97 || state === 99) || id[13] !== 'Z' || id[12] === '0')
        return false;
      return isGstinChecked(id) || 0.4;
    },
  },
];

/** Weights of resident and foreigner numbers. */
const RRN_WEIGHTS = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];

/** Numbers since October 2020 have no check digit. So a right one only makes it surer. `base`: what the remainder is taken from. */
function residentScore(digits: string, separators: string, base: number): number | false {
  if (!isDateAt(digits, 0)) return false;
  const checked = (base - (weighted(digits, RRN_WEIGHTS) % 11)) % 10 === Number(digits[12]);
  if (separators === '') return checked ? 0.6 : 0.2;
  return checked ? 0.9 : 0.5;
}

/** Tax offices are numbered from 101, kinds of business from 01. */
function isBrn(digits: string): boolean {
  if (Number(digits.slice(0, 3)) < 101 || digits.slice(3, 5) === '00') return false;
  const sum = weighted(digits, [1, 3, 7, 1, 3, 7, 1, 3, 5]) + Math.floor((Number(digits[8]) * 5) / 10);
  return (10 - (sum % 10)) % 10 === Number(digits[9]) && !isRepeated(digits);
}

const KOREA: readonly Recogniser[] = [
  {
    entity: 'KR_RRN',
    layouts: { '9{6} 9{7}': 0.9, '9{13}': 0.6 },
    separators: '-',
    plain: true,
    words: wordsOf('주민', 'rrn\\b', 'resident registration', 'korean rrn'),
    // 9 and 0 are of the nineteenth century.
    check: (id, separators) => /[1-4]/.test(id[6]!) && residentScore(id, separators, 11),
  },
  {
    entity: 'KR_FRN',
    layouts: { '9{6} 9{7}': 0.9, '9{13}': 0.6 },
    separators: '-',
    plain: true,
    words: wordsOf('외국인', 'frn\\b', 'foreigner registration', 'alien registration', 'arc\\b'),
    check: (id, separators) => /[5-8]/.test(id[6]!) && residentScore(id, separators, 13),
  },
  {
    entity: 'KR_BRN',
    layouts: { '999 99 9{5}': 0.7, '9{10}': 0.5 },
    separators: '-',
    plain: true,
    words: wordsOf('사업자', 'brn\\b', 'business registration'),
    check: isBrn,
  },
  {
    entity: 'KR_DRIVER_LICENSE',
    layouts: { '99 99 9{6} 99': 0.6, '9{12}': 0.1 },
    separators: '- ',
    plain: true,
    words: wordsOf('운전', '면허', "driver'?s?\\b", 'licen[cs]e'),
    check: (id, separators) =>
      Number(id.slice(0, 2)) >= 11 && Number(id.slice(0, 2)) <= 28 && (separators[0] !== ' ' || 0.3),
  },
  {
    entity: 'KR_PASSPORT',
    layouts: { A99999999: 0.2, A999A9999: 0.4 },
    words: wordsOf('여권', ...PASSPORT),
    check: (id) => /^[MSRODGPTC]/.test(id) && (id.length === 9 || false),
  },
];

export function isAbn(digits: string): boolean {
  return digits[0] !== '0' && (weighted(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0;
}

export function isAcn(digits: string): boolean {
  return (10 - (weighted(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === Number(digits[8]) && !isRepeated(digits);
}

export function isTfn(digits: string): boolean {
  return weighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 && !isRepeated(digits);
}

function isAustralianMedicare(digits: string): boolean {
  return /^[2-6]/.test(digits) && weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === Number(digits[8]);
}

const AUSTRALIA: readonly Recogniser[] = [
  {
    entity: 'AU_ABN',
    layouts: { '9{11}': 0.7, '99 999 999 999': 0.9 },
    separators: ' -',
    plain: true,
    words: wordsOf('abn\\b', 'australian business', 'business number'),
    check: isAbn,
  },
  {
    entity: 'AU_ACN',
    layouts: { '9{9}': 0.5, '999 999 999': 0.6 },
    separators: ' -',
    plain: true,
    words: wordsOf('acn\\b', 'australian company', 'company number', 'asic\\b'),
    check: isAcn,
  },
  {
    entity: 'AU_TFN',
    layouts: { '9{9}': 0.5, '999 999 999': 0.6 },
    separators: ' -',
    plain: true,
    words: wordsOf('tfn\\b', 'tax file', 'ato\\b'),
    check: isTfn,
  },
  {
    entity: 'AU_MEDICARE',
    layouts: { '9{10}': 0.5, '9999 9{5} 9': 0.8, '9{11}': 0.2, '9999 9{5} 9 9': 0.8 },
    separators: ' -/',
    mixed: true,
    plain: true,
    words: wordsOf('medicare'),
    check: isAustralianMedicare,
  },
];

/** Kind of person, then the province. */
const THAI_REGION = /^[1-8](?:1\d|2[0-7]|[34]\d|5[0-8]|6[0-7]|7[0-7]|8[0-6]|9[0-6])/;

function isThaiId(digits: string): boolean {
  const check = (11 - (weighted(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10;
  return check === Number(digits[12]) && THAI_REGION.test(digits) && !isRepeated(digits);
}

const OTHERS: readonly Recogniser[] = [
  {
    entity: 'SG_NRIC_FIN',
    layouts: { 'A9{7}A': 0.9 },
    words: wordsOf('nric', 'fin\\b', 'identification', 'ic\\b', 'identity card'),
    check: nricScore,
  },
  {
    entity: 'SG_UEN',
    layouts: { '9{8}A': 0.6, '9{9}A': 0.7, A99AA9999A: 0.9 },
    words: wordsOf('uen\\b', 'unique entity', 'acra', 'company', 'business registration'),
    check: isUen,
  },
  {
    entity: 'TH_TNIN',
    layouts: { '9{13}': 0.5, '9 9999 99999 99 9': 0.9 },
    separators: ' -',
    plain: true,
    words: wordsOf(
      'thai',
      'tnin',
      'citizen (id|no|num|card)',
      'บัตร',
      'บัตรประชาชน',
      'ประชาชน',
      'national id',
      'เลขประจำตัว',
    ),
    check: isThaiId,
  },
  {
    entity: 'PH_TIN',
    layouts: { '999 999 999': 0.2, '999 999 999 999': 0.3, '999 999 999 9{5}': 0.3, '9{9}': 0.05, '9{12}': 0.05 },
    separators: '- ',
    plain: true,
    words: wordsOf('tin\\b', 'taxpayer', 'bir\\b', 'tax id'),
    check: (id) => !isRepeated(id) && !isSequence(id.slice(0, 9)),
  },
  {
    entity: 'PH_UMID',
    layouts: { '9999 9{7} 9': 0.6, '9{12}': 0.1 },
    separators: '-',
    plain: true,
    words: wordsOf('umid', 'crn\\b', 'common reference', 'sss\\b', 'gsis', 'unified multi', 'philhealth', 'pag-?ibig'),
    // Bare digits are one if they begin as those that are issued.
    check: (id, separators) => !isRepeated(id) && (separators !== '' || id[0] === '0'),
  },
  {
    entity: 'PH_PASSPORT',
    layouts: { 'A9{7}A': 0.3, 'AA9{7}': 0.2 },
    words: wordsOf(...PASSPORT, 'pasaporte', 'dfa\\b'),
  },
];

export const ASIA: readonly Recogniser[] = [...OTHERS, ...INDIA, ...KOREA, ...AUSTRALIA];
