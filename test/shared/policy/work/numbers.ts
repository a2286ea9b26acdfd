/** Texts of digits, as tools print them, and in arrangements that were made to be slow. A seed decides all of it. */
import { pick, type Random, seeded } from './generators.ts';

export type Make = (length: number) => string;

const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const some = (random: Random, from: string, count: number): string =>
  Array.from({ length: count }, () => from[random(from.length)]).join('');

/** Pieces, the next one after the other. */
const row =
  (piece: (random: Random, n: number) => string): Make =>
  (length) => {
    const random = seeded(7);
    let text = '';
    for (let n = 0; text.length < length; n++) text += piece(random, n);
    return text.slice(0, length);
  };
export const again = (piece: string): Make => row(() => piece);
/** Runs of digits, with something between them. */
const runs = (size: (random: Random) => number, between: readonly string[]): Make =>
  row((random) => some(random, DIGITS, size(random)) + pick(random, between));
const one = (): number => 1;

const WORDS =
  'the of and to in a is that for it was on with as be by at this are from or have an they which one you had not but were her'.split(
    ' ',
  );
const wordOf = (random: Random): string => pick(random, WORDS);

/** English, which all else is compared with. */
export const prose: Make = row((random, n) => wordOf(random) + (n % 11 === 10 ? '. ' : ' '));

/** What honest tools print. */
export const ORDINARY: Readonly<Record<string, Make>> = {
  'a random matrix of digits': row((random, n) => some(random, DIGITS, 1) + (n % 40 === 39 ? '\n' : ' ')),
  'a hex dump': row((random, n) => {
    const bytes = Array.from({ length: 8 }, () => some(random, HEX, 4)).join(' ');
    return `${(n * 16).toString(16).padStart(8, '0')}: ${bytes}  ${some(random, 'abc.XYZ..09', 16)}\n`;
  }),
  'a table': row((random, n) => (n % 8 === 7 ? '|\n' : `| ${random(100_000)} `)),
  CSV: row(
    (random, n) =>
      `${n},${random(100_000)},${(random(1e6) / 100).toFixed(2)},2024-0${1 + random(9)}-1${random(9)},"${wordOf(random)}"\n`,
  ),
  'a log': row(
    (random) =>
      `2026-0${1 + random(9)}-1${random(9)}T1${random(9)}:${10 + random(50)}:${10 + random(50)}.${some(random, DIGITS, 3)}Z INFO [pid ${random(9000)}] ` +
      `GET /api/v1/items/${random(1e6)} 200 ${random(5000)} ${random(900)}ms ip=${random(255)}.${random(255)}.${random(255)}.${random(255)}\n`,
  ),
};

export const NUMBERS: Readonly<Record<string, Make>> = {
  ...ORDINARY,
  'one digit': again('1 '),
  zeros: again('0 '),
  'zeros and ones': row((random) => `${some(random, '01', 1)} `),
  'a digit and a tab': runs(one, ['\t']),
  'a digit and a line break': runs(one, ['\n']),
  'a digit and a comma': runs(one, [',']),
  'a digit and a hyphen': runs(one, ['-']),
  'a digit and a dot': runs(one, ['.']),
  'a digit and a slash': runs(one, ['/']),
  'a digit and a dash': runs(one, ['–']),
  'a digit and a picture of a tab': runs(one, ['⇥']),
  'a digit and a space that does not break': runs(one, ['\u00a0']),
  'a digit and a thin space': runs(one, ['\u2009']),
  'a digit and a wide space': runs(one, ['\u3000']),
  'digits of full width': row((random) => String.fromCharCode(0xff10 + random(10)) + pick(random, ['', ' '])),
  'digits in circles': row((random) => `${String.fromCharCode(0x2460 + random(9))} `),
  'Arabic digits': row((random) => `${String.fromCharCode(0x660 + random(10))} `),
  'digits beside characters of Chinese': runs(one, ['字']),
  'digits beside letters with other forms': row(
    (random) => `${some(random, DIGITS, 3)} ${pick(random, [...'㍿ﬁé'])}${some(random, DIGITS, 4)} `,
  ),
  'digits beside Greek': row(
    (random) => `${some(random, DIGITS, 8)} ${pick(random, [...'αβγδ'])}${pick(random, [...'εζηθ'])}\u0301 `,
  ),
  'two digits': runs(() => 2, [' ']),
  'three digits': runs(() => 3, [' ']),
  'four digits': runs(() => 4, [' ', '-']),
  'one to six digits': runs((random) => 1 + random(6), [' ', '\n']),
  'nine to sixteen digits': runs((random) => 9 + random(8), [' ']),
  'a run of digits': row((random) => some(random, DIGITS, 64)),
  'all separators': runs((random) => 1 + random(4), [...' .-/()+\t,:_', ') ', ' (', '. ']),
  parentheses: row((random) => `(${some(random, DIGITS, 3)})`),
  'telephone numbers': row((random) => `(${200 + random(700)}) ${200 + random(700)}-${some(random, DIGITS, 4)} `),
  'international numbers': row(
    (random) =>
      `+${pick(random, ['44', '1', '49', '54', '86'])} ${some(random, DIGITS, 2)} ${some(random, DIGITS, 4)} ${some(random, DIGITS, 4)}\n`,
  ),
  'numbers from abroad': row(
    (random) =>
      `${pick(random, ['00', '011 '])}${some(random, DIGITS, 2)} ${some(random, DIGITS, 3)} ${some(random, DIGITS, 4)} `,
  ),
  'trunk prefixes': row(
    (random) => `0${some(random, DIGITS, 3)} ${some(random, DIGITS, 3)} ${some(random, DIGITS, 3)} `,
  ),
  'words that speak for numbers': row(
    (random) => `${pick(random, ['ssn', 'tax', 'tel', 'card', 'id', 'nhs'])} ${some(random, DIGITS, 8 + random(4))} `,
  ),
  'words that speak against them': row(
    (random) => `${pick(random, ['order', '#', '$', 'ref'])} ${some(random, DIGITS, 8 + random(4))} `,
  ),
  dates: row((random) => `${1 + random(12)}/${1 + random(28)}/20${some(random, DIGITS, 2)} `),
  'names of months': row((random) => `${1 + random(28)} ${pick(random, ['may', 'jan', 'march'])} `),
  times: row((random) => `1${random(9)}:${10 + random(50)}:${10 + random(50)} `),
  addresses: row((random) => `${random(255)}.${random(255)}.${random(255)}.${random(255)} `),
  versions: row((random) => `v${random(9)}.${random(9)}.${random(9)}.${random(9)} `),
  'pairs of hex': row((random) => some(random, HEX, 2) + pick(random, [':', '-', ' '])),
  UUIDs: row(
    (random) =>
      `${some(random, HEX, 8)}-${some(random, HEX, 4)}-4${some(random, HEX, 3)}-a${some(random, HEX, 3)}-${some(random, HEX, 12)}\n`,
  ),
  'beginnings of IBANs': row(
    (random) =>
      `DE${some(random, DIGITS, 2)} ${some(random, DIGITS, 4)} ${some(random, DIGITS, 4)} ${some(random, DIGITS, 4)} `,
  ),
  'letters and digits': row((random) => `${some(random, CAPITALS + DIGITS, 1 + random(12))} `),
  'a letter and a digit': row((random) => `${some(random, CAPITALS, 1)}${some(random, DIGITS, 1)} `),
  'words with digits behind': row((random) => `account${some(random, DIGITS, 6 + random(6))} `),
  exponents: row((random) => `${random(9)}.${some(random, DIGITS, 15)}e15 `),
  floats: row((random) => `${random(9)}.${some(random, DIGITS, 6)} `),
  'addresses of Bitcoin': row(
    (random) => `${some(random, '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 26 + random(10))} `,
  ),
};
