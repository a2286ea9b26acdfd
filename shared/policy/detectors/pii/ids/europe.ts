/** Numbers of Spain, Italy, France, Poland, Finland, Sweden, Denmark and Turkey. */
import { isDate, isDateAt, isRepeated, luhn, weighted } from '../checks.js';
import type { Recogniser } from '../layouts.js';
import { wordsOf } from '../words.js';

const NIF_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** The letter of a number of 7 or 8 digits (DNI, NIE with X, Y, Z as 0, 1, 2, and K, L, M before seven digits). */
const isNif = (digits: string, letter: string): boolean => NIF_LETTERS[Number(digits) % 23] === letter;

function isNie(id: string): boolean {
  const first = 'XYZ'.indexOf(id[0]!);
  return first >= 0 && isNif(`${first}${id.slice(1, -1)}`, id.at(-1)!);
}

/** Values of characters at odd places of a fiscal code (Decree of 23 December 1976). */
const ODD: Readonly<Record<string, number>> = (() => {
  const values = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
  const odd: Record<string, number> = {};
  values.forEach((value, i) => {
    odd[String.fromCharCode(65 + i)] = value;
    if (i < 10) odd[String(i)] = value;
  });
  return odd;
})();

/** In codes that would not be unique, letters stand for digits. */
const FISCAL = /^[A-Z]{6}[\dLMNP-V]{2}[ABCDEHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]$/;

export function isFiscalCode(id: string): boolean {
  if (!FISCAL.test(id)) return false;
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const unit = id.charCodeAt(i);
    sum += i % 2 === 0 ? ODD[id[i]!]! : unit <= 57 ? unit - 48 : unit - 65;
  }
  return String.fromCharCode(65 + (sum % 26)) === id[15];
}

/** Months of birth; 13, 20 to 42 and 50 to 99 where it is not known, or the register was full (INSEE). */
const NIR_MONTH = /^(?:0[1-9]|1[0-3]|[23]\d|4[0-2]|[5-9]\d)$/;

/** Key of the French register: 97 less the remainder. Corsica's 2A and 2B count as 19 and 18. */
export function isNir(id: string): boolean {
  const digits = id.replace('2A', '19').replace('2B', '18');
  if (!/^[1-478]\d{4}(?!00)(?:\d\d|2[AB])\d{8}$/.test(id) || !NIR_MONTH.test(id.slice(3, 5))) return false;
  return 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13));
}

/** The century is in the month: 80 for 1800, 0 for 1900, 20 for 2000 and so on. */
export function isPesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4));
  const year = [1900, 2000, 2100, 2200, 1800][Math.floor(month / 20)]! + Number(digits.slice(0, 2));
  if (!isDate(year, month % 20, Number(digits.slice(4, 6)))) return false;
  return (10 - (weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === Number(digits[10]);
}

const HETU_CHECK = '0123456789ABCDEFHJKLMNPRSTUVWXY';
/** Signs of the century: 1800s; 1900s; 2000s. Letters are in use since 2023. */
const HETU_CENTURY: Readonly<Record<string, number>> = {
  '+': 1800,
  '-': 1900,
  ...ofLetters('YXWVU', 1900),
  ...ofLetters('ABCDEF', 2000),
};

function ofLetters(letters: string, century: number): Record<string, number> {
  return Object.fromEntries([...letters].map((letter) => [letter, century]));
}

export function isHetu(id: string, separators: string): boolean {
  const century = HETU_CENTURY[separators === '' ? id[6]! : separators];
  const rest = separators === '' ? id.slice(7) : id.slice(6);
  const year = (century ?? 0) + Number(id.slice(4, 6));
  if (century === undefined || !isDate(year, Number(id.slice(2, 4)), Number(id.slice(0, 2)))) return false;
  const serial = rest.slice(0, 3);
  return Number(serial) >= 2 && HETU_CHECK[Number(id.slice(0, 6) + serial) % 31] === rest[3];
}

/** Coordination numbers have 60 added to the day. */
function isPersonnummer(digits: string): boolean {
  const short = digits.slice(-10);
  const day = Number(short.slice(4, 6));
  const dated = isDate(Number(short.slice(0, 2)), Number(short.slice(2, 4)), day > 60 ? day - 60 : day);
  const century = digits.length === 10 || /^(?:18|19|20)/.test(digits);
  return dated && century && luhn(short);
}

/** Modulus 11, which numbers since 2007 need not pass. */
const isCprChecked = (digits: string): boolean => weighted(digits, [4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;

export function isTckn(digits: string): boolean {
  if (digits[0] === '0') return false;
  const odd = weighted(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighted(digits, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  const eleventh = (odd + even + tenth) % 10;
  return tenth === Number(digits[9]) && eleventh === Number(digits[10]);
}

const PASSPORT = ['passport', 'pasaporte', 'passaporto', 'passaport'];

const SPAIN: readonly Recogniser[] = [
  {
    entity: 'ES_NIF',
    layouts: {
      '9{7}A': 0.5,
      '9{8}A': 0.8,
      '9{8} A': 0.8,
      '99 999 999 A': 0.9,
      '99 999 999A': 0.8,
      'A9{7}A': 0.8,
      '9{7} A': 0.5,
    },
    mixed: true,
    words: wordsOf('nif\\b', 'dni\\b', 'documento nacional', 'identidad', 'identificacion fiscal', 'nif-nie', 'd.n.i'),
    check: (id) =>
      /^[KLM]/.test(id) ? isNif(id.slice(1, -1), id.at(-1)!) : /^\d/.test(id) && isNif(id.slice(0, -1), id.at(-1)!),
  },
  {
    entity: 'ES_NIE',
    layouts: { 'A9{7}A': 0.9, 'A9{8}A': 0.8, 'A 9{7} A': 0.9, 'A 9{7}A': 0.9, 'A9{7} A': 0.9, 'A 9 999 999 A': 0.9 },
    mixed: true,
    words: wordsOf('nie\\b', 'extranjer', 'foreign', 'residen', 'tarjeta', 'numero de identificacion'),
    check: isNie,
  },
  {
    entity: 'ES_PASSPORT',
    layouts: { 'AAA9{6}': 0.3, 'AAA 9{6}': 0.2 },
    separators: ' -',
    words: wordsOf(...PASSPORT),
  },
];

const FISCAL_CODE = {
  entity: 'IT_FISCAL_CODE',
  layouts: {
    'A{6}**A**A***A': 1,
    'AAA AAA **A** A***A': 1,
    'A{6} **A** A***A': 1,
    'AAA AAA **A**A***A': 1,
    'AAA AAA **A** A*** A': 1,
  },
  words: wordsOf('codice fiscale', 'cod. ?fisc', 'cf\\b', 'c.f.', 'tessera sanitaria', 'fiscal code'),
} as const;

const ITALY: readonly Recogniser[] = [
  { ...FISCAL_CODE, sure: true, check: isFiscalCode },
  // A code with a typing error tells name and birth as well.
  { ...FISCAL_CODE, check: (id) => FISCAL.test(id) && !isFiscalCode(id) && 0.3 },
  {
    entity: 'IT_VAT_CODE',
    layouts: { '9{11}': 0.5, 'AA9{11}': 0.9, 'AA 9{11}': 0.9, '999 9999 9999': 0.5, '9999 999 9999': 0.5 },
    separators: ' -_',
    plain: true,
    words: wordsOf('p.? ?iva', 'partita', 'vat\\b', 'iva\\b', 'piva'),
    check(id) {
      const digits = id.slice(-11);
      return (id.length === 11 || id.startsWith('IT')) && !isRepeated(digits) && luhn(digits);
    },
  },
  {
    entity: 'IT_DRIVER_LICENSE',
    layouts: { 'AA9{7}A': 0.3, 'A9*{7}A': 0.3, 'A9*{6}A': 0.2 },
    words: wordsOf('patente', 'guida', 'licen[zcs]', 'driv'),
    check: (id) => /^[A-Z]{2}\d{7}[A-Z]$/.test(id) || /^U1[B-HJ-NPR-Z\d]{6,7}[A-Z]$/.test(id),
  },
  {
    entity: 'IT_PASSPORT',
    layouts: { 'AA9{7}': 0.2, 'AA 9{7}': 0.1 },
    separators: ' ',
    words: wordsOf(...PASSPORT, 'elettronico', 'italia', 'viaggio'),
  },
  {
    entity: 'IT_IDENTITY_CARD',
    layouts: {
      'AA9{7}': 0.2,
      'AA 9{7}': 0.2,
      '9{7}AA': 0.2,
      'AA9{5}AA': 0.3,
      'AA 9{5} AA': 0.2,
      'AA 9{5}AA': 0.2,
      '9{7} AA': 0.1,
    },
    separators: ' ',
    words: wordsOf(
      "carta d['’ ]?identita",
      'carta (di )?identita',
      'cie\\b',
      "documento d['’i]",
      'identita',
      'elettronica',
      'identity card',
    ),
  },
];

const NORDIC: readonly Recogniser[] = [
  {
    entity: 'FI_PERSONAL_IDENTITY_CODE',
    layouts: { '9{6} 999A': 1, '9{6} 9999': 1, '9{6}A999A': 1, '9{6}A9999': 1 },
    separators: '-+',
    sure: true,
    glued: true,
    words: wordsOf('hetu', 'henkilotunnus', 'personbeteckning', 'personal identity code', 'sotu'),
    check: isHetu,
  },
  {
    entity: 'SE_PERSONNUMMER',
    layouts: { '9{6} 9999': 0.9, '9{8} 9999': 0.9, '9{10}': 0.5, '9{12}': 0.8 },
    separators: '-+',
    plain: true,
    glued: true,
    words: wordsOf('personnummer', 'samordningsnummer', 'person ?nr', 'pnr\\b', 'personal id', 'fodd'),
    check: isPersonnummer,
  },
  {
    entity: 'SE_ORGANISATIONSNUMMER',
    layouts: { '9{6} 9999': 0.6, '9{10}': 0.5, '99 9{6} 9999': 0.6, 'AA9{12}': 0.9 },
    separators: '-',
    plain: true,
    words: wordsOf('organisationsnummer', 'org.? ?nr', 'orgnr', 'organisation', 'foretag', 'bolag', 'moms', 'company'),
    check(id) {
      const digits = /^SE\d{10}01$/.test(id)
        ? id.slice(2, 12)
        : id.length === 12 && id.startsWith('16')
          ? id.slice(2)
          : id;
      return digits.length === 10 && Number(digits.slice(2, 4)) >= 20 && digits[0] !== '0' && luhn(digits);
    },
  },
  {
    entity: 'DK_CPR_NUMBER',
    layouts: { '9{6} 9999': 0.5, '9{10}': 0.2 },
    separators: '- ',
    plain: true,
    words: wordsOf('cpr', 'personnummer', 'person ?nr', 'civil registration'),
    check(id, separators) {
      if (!isDateAt(id, 0, 'dmy') || isRepeated(id)) return false;
      if (!isCprChecked(id)) return separators !== ' ' || (!id.endsWith('0000') && 0.2);
      return separators === '-' ? 0.7 : 0.5;
    },
  },
];

const OTHERS: readonly Recogniser[] = [
  {
    entity: 'PL_PESEL',
    layouts: { '9{11}': 0.7 },
    plain: true,
    words: wordsOf('pesel', 'numer ewidencyjny'),
    check: (id) => isPesel(id) && !isRepeated(id),
  },
  {
    entity: 'FR_NIR',
    layouts: {
      '9{15}': 0.9,
      '9{5}9A9{8}': 0.9,
      '9 99 99 99 999 999 99': 1,
      '9 99 99 9A 999 999 99': 1,
      '9{13} 99': 0.9,
      '9 99 99 999 99 999 99': 1,
    },
    sure: true,
    words: wordsOf('nir\\b', 'securite sociale', 'secu\\b', 'carte vitale', 'insee', 'assure', 'n° ?ss'),
    check: isNir,
  },
  {
    entity: 'TR_NATIONAL_ID',
    layouts: { '9{11}': 0.8, '999 999 999 99': 0.8, '999 999 99 999': 0.7 },
    separators: ' ',
    plain: true,
    words: wordsOf('t.?c.?\\b', 'tckn', 'kimlik', 'vatandaslik', 'national id', 'turkish id'),
    check: isTckn,
  },
  {
    entity: 'TR_LICENSE_PLATE',
    layouts: {
      '99 A{1,3} 9{2,4}': 0.4,
      '99A{1,3}9{2,4}': 0.2,
      '99 A{1,3}9{2,4}': 0.3,
      '99 A 9{5}': 0.4,
      '99A9{5}': 0.2,
    },
    separators: ' -',
    words: wordsOf('plaka', 'kayit', 'tescil', 'arac', 'plate', 'otomobil', 'araba', 'ruhsat', 'vehicle', 'car\\b'),
    check: isTurkishPlate,
  },
];

/** Province 01 to 81; the more letters, the fewer digits. */
function isTurkishPlate(id: string): boolean | number {
  const match = /^(\d\d)([A-PR-VYZ]{1,3})(\d{2,5})$/.exec(id);
  if (!match || Number(match[1]) < 1 || Number(match[1]) > 81) return false;
  return match[2]!.length + match[3]!.length >= 4 || 0.1;
}

export const EUROPE: readonly Recogniser[] = [...SPAIN, ...ITALY, ...NORDIC, ...OTHERS];
