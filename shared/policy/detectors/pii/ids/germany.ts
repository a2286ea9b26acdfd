/** Numbers of Germany. Sources are named where a law or a body describes the check. */
import { crossSum, icao, isDate, mod11And10, weighted } from '../checks.js';
import type { Recogniser } from '../layouts.js';
import { wordsOf } from '../words.js';

/** ISO 7064 MOD 11,10. Among the first ten, one digit occurs twice or three times, never three in a row (section 139b AO). */
export function isTaxId(digits: string): boolean {
  if (digits[0] === '0' || !mod11And10(digits)) return false;
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 10; i++) counts[digits.charCodeAt(i) - 48]!++;
  const [repeated, ...others] = counts.filter((count) => count > 1);
  return repeated !== undefined && repeated <= 3 && others.length === 0 && !/(.)\1\1/.test(digits.slice(0, 10));
}

/** Date with the day of birth, letter of the name, weights of section 4 VKVV. */
export function isPensionNumber(id: string): boolean {
  const day = Number(id.slice(2, 4));
  const dated =
    isDate(Number(id.slice(6, 8)), Number(id.slice(4, 6)), day > 50 ? day - 50 : day) || id.slice(2, 6) === '0000';
  const letter = String(id.charCodeAt(8) - 64).padStart(2, '0');
  const digits = id.slice(0, 8) + letter + id.slice(9, 11);
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  const sum = weights.reduce((total, weight, i) => total + crossSum(Number(digits[i]) * weight), 0);
  return dated && sum % 10 === Number(id[11]);
}

/** Annex 1 to section 290 SGB V: factors 1 and 2 in turn over the letter as two digits and eight digits. */
export function isInsuredNumber(id: string): boolean {
  const digits = String(id.charCodeAt(0) - 64).padStart(2, '0') + id.slice(1, 9);
  const sum = [...digits].reduce((total, digit, i) => total + crossSum(Number(digit) * (1 + (i % 2))), 0);
  return sum % 10 === Number(id[9]);
}

/** Directive of the KBV on numbers of doctors: weights 4 and 9, complement to ten. */
export function isDoctorNumber(digits: string): boolean {
  return (10 - (weighted(digits, [4, 9, 4, 9, 4, 9]) % 10)) % 10 === Number(digits[6]);
}

/** Letters of serial numbers leave out vowels and what looks like digits. */
const SERIAL = /^[CFGHJKLMNPRTVWXYZ\d]+$/;

/** A serial number of nine characters; the tenth is its check digit, and D for Germany may follow. */
function serialScore(id: string, first: RegExp, plain: number): false | number {
  const whole = id.length === 11 && id.endsWith('D') ? id.slice(0, 10) : id;
  const serial = whole.slice(0, 9);
  if (whole.length > 10 || !first.test(serial) || !SERIAL.test(serial) || !/\d/.test(serial)) return false;
  if (whole.length === 10) return icao(whole) && 0.8;
  return plain;
}

/** Offices and years have letters of their own. A letter of passports is an identity card's less likely. */
const CARD_LETTERS = /^[LMNPRTVWXY]/;

const SERIAL_LAYOUTS = { 'A*{8}': 0.3, 'A*{8}9': 0.8, 'A*{8}9A': 0.8 };

/** Codes of the associations of statutory health insurance physicians. */
const REGIONS = new Set(
  '01 02 03 17 20 38 46 47 48 49 50 51 52 55 60 61 62 63 64 65 66 67 68 69 70 71 72 73 78 83 88 93 98 99 35 74 27 37'.split(
    ' ',
  ),
);

export const GERMANY: readonly Recogniser[] = [
  {
    entity: 'DE_TAX_ID',
    layouts: { '9{11}': 0.7, '99 999 999 999': 0.8 },
    separators: ' -./',
    plain: true,
    words: wordsOf('steuer', 'identifikationsnummer', 'idnr', 'id-nr', 'tin\\b', 'finanzamt', 'tax id'),
    check: isTaxId,
  },
  {
    entity: 'DE_TAX_NUMBER',
    layouts: {
      '99 999 9{5}': 0.5,
      '999 999 9{5}': 0.5,
      '999 9999 9999': 0.5,
      '9{13}': 0.1,
      '99 9{3} 9{4} 9': 0.3,
      '9{10,11}': 0.05,
      '9 99 999 9{5}': 0.3,
      '9{5} 9{5}': 0.3,
      '99 999 9{4}': 0.2,
      '99 9999 9{4}': 0.1,
    },
    separators: '/ ',
    mixed: true,
    plain: true,
    words: wordsOf('steuer', 'st.? ?-?nr', 'stnr', 'finanzamt', 'elster', 'tax number'),
    check(id, separators) {
      if (separators !== '') return separators.includes('/') || 0.1;
      if (id.length !== 13 || (/^(?:1[01]|2[1-8]|3[0-2]|4[01]|5|9|[1-4]\d)/.test(id) && id[4] === '0')) return true;
      // Some write the key of the state instead of that of its tax offices.
      return /^(?:0[1-9]|1[0-6])/.test(id) && 0.05;
    },
  },
  {
    entity: 'DE_PASSPORT',
    layouts: SERIAL_LAYOUTS,
    words: wordsOf('reisepass', 'passport', 'pass-?n', 'passn', 'ausweis'),
    check: (id) => serialScore(id, /^[CFGHJK]/, 0.3),
  },
  {
    entity: 'DE_ID_CARD',
    layouts: SERIAL_LAYOUTS,
    words: wordsOf('personalausweis', 'ausweis', 'perso\\b', 'identity card', 'id card', 'npa\\b'),
    check(id) {
      if (/^T\d{8}$/.test(id)) return 0.3;
      const score = serialScore(id, /^[A-Z]/, 0.3);
      return score !== false && !CARD_LETTERS.test(id) ? 0.1 : score;
    },
  },
  {
    entity: 'DE_SOCIAL_SECURITY',
    layouts: {
      '9{8}A999': 0.9,
      '99 9{6} A 999': 1,
      '99 9{6} A 99 9': 1,
      '99 99 99 99 A 999': 1,
      '99 9{6}A999': 1,
      '9{8} A 999': 1,
    },
    words: wordsOf(
      'rentenversicherung',
      'sozialversicherung',
      'rvnr',
      'sv-?n',
      'versicherungsnummer',
      'vsnr',
      'social security',
      'rente',
    ),
    check: isPensionNumber,
  },
  {
    entity: 'DE_HEALTH_INSURANCE',
    layouts: { 'A9{9}': 0.6, 'A 9{9}': 0.5, 'A999 999 999': 0.6 },
    separators: ' ',
    words: wordsOf(
      'krankenversicher',
      'krankenkasse',
      'kvnr',
      'versichertennummer',
      'versicherten',
      'gesundheitskarte',
      'egk\\b',
      'health insurance',
    ),
    check: isInsuredNumber,
  },
  {
    entity: 'DE_KFZ',
    layouts: {
      'A{1,3} A{1,2} 9{1,4}': 0.4,
      'A{1,3} A{1,2}9{1,4}': 0.4,
      'A{1,3} A{1,2} 9{1,4}A': 0.4,
      'A{1,3} A{1,2}9{1,4}A': 0.4,
    },
    separators: ' -',
    mixed: true,
    words: wordsOf(
      'kennzeichen',
      'kfz',
      'fahrzeug',
      'mein auto',
      'das auto',
      'nummernschild',
      'zulassung',
      'wagen',
      'plate',
      'pkw',
    ),
    check: isPlate,
  },
  // In small letters, only districts of one letter: "and in 2019" has the form of the others.
  {
    entity: 'DE_KFZ',
    layouts: { 'A A{1,2} 9{3,4}': 0.1 },
    words: wordsOf('kennzeichen', 'kfz', 'nummernschild'),
    check: (id, _, raw) => raw === raw.toLowerCase() && /^[A-HJ-NPRSV-Z][A-Z]+[1-9]/.test(id),
  },
  {
    entity: 'DE_HANDELSREGISTER',
    layouts: { 'AAA 9{1,6}': 0.7, 'AAA9{1,6}': 0.7, 'AAA 9{1,6} A{1,3}': 0.7, 'AA A 9{1,6}': 0.6, 'AAA 9{1,6}A': 0.7 },
    separators: ' -',
    words: wordsOf(
      'handelsregister',
      'amtsgericht',
      'registergericht',
      'hr\\b',
      'gmbh',
      'registernummer',
      'commercial register',
    ),
    check: (id) => /^HR[AB]\d{1,6}(?:[A-Z]{1,3})?$/.test(id) && !/^HR[AB]0/.test(id),
  },
  {
    entity: 'DE_PLZ',
    layouts: { '9{5}': 0.05 },
    plain: true,
    words: wordsOf('plz', 'postleitzahl', 'anschrift', 'adresse', 'wohnort', 'strasse', 'str.', 'straße', 'wohnhaft'),
    check: (id) => Number(id) >= 1001 && Number(id) <= 99998,
  },
  {
    entity: 'DE_LANR',
    layouts: { '9{9}': 0.3 },
    plain: true,
    words: wordsOf('lanr', 'arztnummer', 'lebenslange', 'vertragsarzt', 'arzt-?nr'),
    check: isDoctorNumber,
  },
  {
    entity: 'DE_BSNR',
    layouts: { '9{9}': 0.1 },
    plain: true,
    words: wordsOf('bsnr', 'betriebsst(a|ae)tte', 'praxis'),
    check: (id) => id !== '000000000' && (REGIONS.has(id.slice(0, 2)) || 0.05),
  },
  {
    entity: 'DE_VAT_ID',
    layouts: { 'AA9{9}': 0.9, 'AA 9{9}': 0.9, 'AA 999 999 999': 0.9, 'AA999 999 999': 0.9 },
    mixed: true,
    words: wordsOf('ust', 'umsatzsteuer', 'vat\\b', 'mwst', 'uid\\b'),
    // The check digit is in use, but the law has none (section 27a UStG).
    check: (id) => id.startsWith('DE') && id[2] !== '0' && (mod11And10(id.slice(2)) || 0.3),
  },
  {
    entity: 'DE_FUEHRERSCHEIN',
    layouts: { '*9{2}*{6}9*': 0.3, 'AA9{8}*': 0.1 },
    words: wordsOf('f(u|ue)hrerschein', 'fahrerlaubnis', 'driving licen', 'driver', 'fs-?nr', 'klasse'),
    // Number of the office, serial number, check digit, number of the copy. Many take two letters and eight digits for one, too.
    check: (id) =>
      /^[A-Z]{2}/.test(id) ||
      (/^[A-Z\d]\d\d[A-Z\d]{6}\d[A-Z\d]$/.test(id) && /[A-Z]/.test(id) && !/^\d{8}A\d/.test(id)),
  },
];

/** District, letters, digits; E for electric and H for historic cars. Only capitals, as the form is short. */
function isPlate(id: string, separators: string, raw: string): boolean | number {
  if (raw !== raw.toUpperCase() || !/^[A-ZÄÖÜ]{2,5}[1-9]\d{0,3}[EH]?$/.test(id)) return false;
  return separators[0] === '-' || 0.2;
}
