/** Numbers of the United Kingdom. */
import { isDate, isRepeated, weighted } from '../checks.js';
import type { Recogniser } from '../layouts.js';
import { wordsOf } from '../words.js';

/** Modulus 11 (NHS Data Dictionary). */
export function isNhs(digits: string): boolean {
  const check = (11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return check === Number(digits[9]) && check !== 10 && !isRepeated(digits);
}

/** Prefixes that HMRC does not issue. */
const NINO = /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]?$/;

const AREAS = new Set(
  (
    'AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GY ' +
    'HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL ' +
    'PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE GIR'
  ).split(' '),
);
const POSTCODE = /^([A-Z]{1,2})\d[A-Z\d]?\d[ABD-HJLNP-UW-Z]{2}$/;

function isPostcode(id: string): boolean {
  if (id === 'GIR0AA') return true;
  const match = POSTCODE.exec(id);
  return match !== null && AREAS.has(match[1]!);
}

/** Five letters of the name, date of birth with 50 added to the month of women (as 5 to its first digit), initials, check. */
function isDrivingLicence(id: string): boolean {
  const match = /^(?=[A-Z])[A-Z]{1,5}9{0,4}(\d)(\d\d)(\d\d)(\d)[A-Z9]{2}\d[A-Z]{2}$/.exec(id);
  if (!match || !/^(?:[A-Z]{5}|[A-Z]{1,4}9+)\d/.test(id)) return false;
  const month = Number(match[2]) > 50 ? Number(match[2]) - 50 : Number(match[2]);
  return isDate(Number(match[1]! + match[4]!), month, Number(match[3])) || isDate(2000, month, Number(match[3]));
}

/** Two letters of the area, year (with 50 added from September on, and none beyond 2029 yet), three letters; the forms before 2001. */
const PLATES: readonly [RegExp, number][] = [
  [/^[A-HJ-PR-Y][A-HJ-PR-Z](?:0[2-9]|[12]\d|5[1-9]|[67]\d)[A-HJ-PR-Z]{3}$/, 0.4],
  [/^[A-HJ-NPR-TV-Y]\d{1,3}[A-HJ-PR-Y][A-HJ-PR-Z]{2}$/, 0.2],
  [/^[A-HJ-PR-Y][A-HJ-PR-Z]{2}\d{1,3}[A-HJ-NPR-TV-Y]$/, 0.2],
];

export const UK: readonly Recogniser[] = [
  {
    entity: 'UK_NHS',
    layouts: { '9{10}': 0.5, '999 999 9999': 0.7 },
    separators: ' -',
    plain: true,
    words: wordsOf('nhs\\b', 'national health', 'health service', 'patient', 'hospital', 'surgery', 'gp\\b'),
    check: (id, separators) => isNhs(id) && (separators[0] !== '-' || 0.5),
  },
  {
    entity: 'UK_NINO',
    layouts: {
      'AA9{6}A': 0.6,
      'AA 99 99 99 A': 0.8,
      'AA99 99 99A': 0.7,
      'AA 9{6} A': 0.7,
      'AA 9{6}A': 0.7,
      'AA9{6} A': 0.7,
      'AA 99 99 99A': 0.7,
      'AA99 99 99 A': 0.7,
      'AA9{6}': 0.2,
      'AA 99 99 99': 0.3,
    },
    words: wordsOf('national insurance', 'ni\\b', 'nino\\b', 'nin\\b', 'hmrc', 'insurance n'),
    check: (id) => NINO.test(id),
  },
  {
    entity: 'UK_PASSPORT',
    layouts: { '9{9}': 0.1 },
    plain: true,
    words: wordsOf('passport', 'travel document', 'hmpo'),
    check: (id) => !isRepeated(id),
  },
  {
    entity: 'UK_POSTCODE',
    layouts: {
      'A{1,2}9 9AA': 0.5,
      'A{1,2}99 9AA': 0.5,
      'A{1,2}9A 9AA': 0.5,
      'A{1,2}99AA': 0.2,
      'A{1,2}999AA': 0.2,
      'A{1,2}9A9AA': 0.2,
      'AAA 9AA': 0.5,
      AAA9AA: 0.2,
    },
    separators: ' ',
    words: wordsOf(
      'post ?code',
      'address',
      'zip\\b',
      'street',
      'road',
      'lane',
      'london',
      'deliver',
      'live at',
      'postal',
    ),
    check: isPostcode,
  },
  {
    entity: 'UK_DRIVING_LICENCE',
    layouts: {
      'A****9{6}**9AA': 0.8,
      'A**** 9{6} **9AA': 0.8,
      'A**** 9{6} **9AA 99': 0.8,
      'A****9{6}**9AA 99': 0.8,
      'A****9{6}**9AA99': 0.8,
    },
    separators: ' -',
    words: wordsOf('driv', 'licen[cs]e', 'dvla'),
    check: (id) => isDrivingLicence(id.slice(0, 16)),
  },
  {
    entity: 'UK_VEHICLE_REGISTRATION',
    layouts: {
      'AA99 AAA': 0.4,
      AA99AAA: 0.3,
      'A9{1,3} AAA': 0.2,
      'A9{1,3}AAA': 0.2,
      'AAA 9{1,3}A': 0.2,
      'AAA9{1,3}A': 0.2,
    },
    separators: ' -',
    words: wordsOf(
      'registration',
      'reg\\b',
      'number ?plate',
      'licen[cs]e plate',
      'plate',
      'vrn\\b',
      'vehicle',
      'car\\b',
      'van\\b',
      'dvla',
      'vrm\\b',
      'mot\\b',
      'parked',
      'driving a',
    ),
    check(id, _, raw) {
      if (raw !== raw.toUpperCase() && raw !== raw.toLowerCase()) return false;
      const plate = PLATES.find(([form]) => form.test(id));
      return plate !== undefined && (plate[1] === 0.4 || plate[1]);
    },
  },
];
