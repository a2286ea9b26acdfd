/**
 * Telephone numbers: international ones by the numbering plans of all regions (libphonenumber, all metadata), national ones by how they
 * are written. A national number could be one of many countries, so it scores low unless its form is distinct or words speak for it.
 */
import { createRequire } from 'node:module';
import type { MetadataJson } from 'libphonenumber-js/core';
import { isDigit, unitAt } from '../../../engine/probes/characters.js';
import { type Contexts, lowered } from '../context.js';
import { joinsAt } from '../edges.js';
import { findOf, type PiiFind } from '../find.js';
import { wordsOf } from '../words.js';

const WORDS = wordsOf(
  '(tele)?phones?\\b|tel\\b|telephone|call(s|ing)?\\b|mobile|cell(phone|ular)?\\b|fax|whats ?app|sms\\b|text(ed)? (me|us|him|her)|dial|hotline|ring me|reach (me|us)|contact\\b|number\\b|landline|voicemail|viber|signal\\b',
  'telefon|handy|mobil|rufnummer|anruf|ruf(en)?\\b|telefoon|bel(len)?\\b|gsm\\b|telephone|portable|joindre|appel|telefono|movil|celular|llam|cellulare|chiama|telefone|telemovel|ligar|ligue|puhelin|puh\\b|telefonnummer|mobilnummer|ring\\b|komork|zadzwon|nr tel|cep\\b|ara(yin|yabilir)\\b|telp\\b|hp\\b|telepon',
  'телефон|тел|звон|моб|电话|電話|手机|携帯|전화|휴대폰|연락처|โทร|הטלפון|טלפון|نقال|هاتف|फ़ोन|फोन|मोबाइल',
);

const require = createRequire(import.meta.url);

/** The library and the numbering plans of all regions. */
interface Numbering {
  library: typeof import('libphonenumber-js/core');
  metadata: MetadataJson;
}

let loaded: Numbering | undefined;

/** Reading the plans takes 60 ms of processor time, so it waits for the first number that needs them. */
function numbering(): Numbering {
  loaded ??= {
    library: require('libphonenumber-js/core') as Numbering['library'],
    metadata: require('libphonenumber-js/max/metadata') as MetadataJson,
  };
  return loaded;
}

function parsePhone(text: string): ReturnType<Numbering['library']['parsePhoneNumberFromString']> {
  const { library, metadata } = numbering();
  return library.parsePhoneNumberFromString(text, metadata);
}

/** Sizes and digits of a number as it is written. */
interface Digits {
  /** digits alone */
  digits: string;
  /** sizes of the runs */
  sizes: number[];
  /** separators as written */
  separators: string[];
  /** end of run n */
  ends: number[];
}

const MOST_DIGITS = 15;
const SEPARATOR = /\) ?-? ?|[ .\-/\u00a0\u2009\u202f\u2010-\u2013\u2212]\(?| [-\u2013] |\(/y;

/** Digits from `at` with the separators of telephone numbers. */
function digitsAt(text: string, at: number): Digits {
  const read: Digits = { digits: '', sizes: [], separators: [], ends: [] };
  let i = at;
  while (read.digits.length <= MOST_DIGITS) {
    const from = i;
    while (i - from <= MOST_DIGITS && isDigit(unitAt(text, i))) i++;
    if (i === from) break;
    read.sizes.push(i - from);
    read.digits += text.slice(from, i);
    read.ends.push(i);
    SEPARATOR.lastIndex = i;
    const separator = SEPARATOR.exec(text)?.[0];
    if (!separator) break;
    read.separators.push(separator);
    i += separator.length;
  }
  return read;
}

/** The first `runs` runs. */
function firstOf({ digits, sizes, separators, ends }: Digits, runs: number): Digits {
  const some = sizes.slice(0, runs);
  const length = some.reduce((sum, size) => sum + size, 0);
  return {
    digits: digits.slice(0, length),
    sizes: some,
    separators: separators.slice(0, runs - 1),
    ends: ends.slice(0, runs),
  };
}

export function isNanp(digits: string): boolean {
  return /^[2-9]\d\d[2-9]\d{6}$/.test(digits) && !/^[2-9]11/.test(digits);
}

/** What stands before the first digits. */
interface Lead {
  start: number;
  plus: boolean;
  open: boolean;
}

function leadAt(text: string, at: number): Lead | undefined {
  let start = at;
  let [plus, open] = [false, false];
  // A parenthesis that is closed behind the area code or the country code belongs to the number.
  let end = at;
  while (end - at < 6 && isDigit(unitAt(text, end))) end++;
  const closed = text[end] === ')';
  if (closed && text[start - 1] === '(') {
    open = true;
    start--;
    if (text[start - 1] === ' ' && text[start - 2] === '+') start--;
  }
  if (text[start - 1] === '+') {
    plus = true;
    start--;
    if (closed && text[start - 1] === '(') start--;
  }
  // The rest of an international number is none by itself.
  let before = at - 1;
  while (at - before <= 2 && ' .()-'.includes(text[before] ?? '#')) before--;
  const follows = isDigit(unitAt(text, before)) && /\+\d{1,4}[ .()-]{1,2}$/.test(text.slice(Math.max(0, at - 8), at));
  if (!plus && follows) return undefined;
  // "Tel(011)" is a word and an area code.
  if (!open && joinsAt(text, start - 1)) return undefined;
  const glue = text[start - 1] ?? '';
  const glued = /[.\-/+#$€£,_\\@]/.test(glue) && joinsAt(text, start - 2);
  if (!plus && (glued || glue === '$' || glue === '€' || glue === '£' || glue === '+')) return undefined;
  if (glue === ':' && isDigit(unitAt(text, start - 2))) return undefined;
  return { start, plus, open };
}

const EXTENSION = /(?:,? ?(?:ext(?:ension)?|durchwahl|poste|int)\.?:? ?| ?[x#] ?)\d{1,6}(?![\dA-Za-z])/iy;

/** `at` is where the first digits start; a plus or a parenthesis before them belongs to the number. */
export function findPhones(text: string, at: number, contexts: Contexts): PiiFind[] {
  const lead = leadAt(text, at);
  if (!lead) return [];
  const whole = digitsAt(text, at);
  for (let runs = whole.sizes.length; runs > 0; runs--) {
    const read = firstOf(whole, runs);
    const { length } = read.digits;
    if (length < 7) break;
    const next = whole.separators[runs - 1];
    if (length > MOST_DIGITS || (runs < whole.sizes.length && !/^[ \u00a0]\(?$|^\) $/.test(next!))) continue;
    if (!endsPhone(text, read.ends.at(-1)!)) continue;
    const finds = numbersOf(read, lead, text, contexts);
    if (finds.length > 0) return finds;
  }
  return [];
}

function endsPhone(text: string, end: number): boolean {
  if (joinsAt(text, end)) return /^ ?x\d/i.test(text.slice(end, end + 3));
  const next = text[end] ?? '';
  return (
    !(/[-@/+:_\u2010-\u2013]/.test(next) && joinsAt(text, end + 1)) && !(next === '.' && isDigit(unitAt(text, end + 1)))
  );
}

function numbersOf(read: Digits, lead: Lead, text: string, contexts: Contexts): PiiFind[] {
  const score = lead.plus ? international(withoutTrunk(read)) : national(read, lead.open);
  if (score === 0) return [];
  let end = read.ends.at(-1)!;
  // The parenthesis that was opened before the whole number is not part of it.
  const { start } = lead;
  EXTENSION.lastIndex = end;
  const extension = EXTENSION.exec(text);
  if (extension) end += extension[0].length;
  const entities = [['PHONE_NUMBER', score] as const, ...ofCountries(read, lead)];
  return entities.map(([entity, own]) => {
    const judged = lowered(contexts, own, WORDS, { start, end });
    // Words make a number of a form that many have a telephone number only if some region has it.
    const plain = own < 0.5 && judged > own && !isNational(read.digits);
    return findOf(entity, { start, end }, plain ? own : judged);
  });
}

/** "+44 (0)20 7946 0958": the zero in parentheses is not dialled. */
function withoutTrunk({ digits, sizes, separators }: Digits): string {
  const trunk = separators.findIndex((separator) => separator.endsWith('('));
  if (trunk < 0 || sizes[trunk + 1] !== 1) return digits;
  const before = sizes.slice(0, trunk + 1).reduce((sum, size) => sum + size, 0);
  return digits[before] === '0' ? digits.slice(0, before) + digits.slice(before + 1) : digits;
}

function international(digits: string): number {
  const number = parsePhone(`+${digits}`);
  if (!number) return 0;
  return number.isValid() ? 0.75 : number.isPossible() && digits.length >= 8 ? 0.5 : 0;
}

function national(read: Digits, open: boolean): number {
  const { digits, sizes, separators } = read;
  const shape = sizes.join('-');
  const { length } = digits;
  if (length === 10 && isNanp(digits)) {
    if (shape === '3-3-4') return open ? 0.7 : separators[0] === ' ' && separators[1] === ' ' ? 0.5 : 0.6;
    if (shape === '10') return 0.25;
    if (shape === '3-7') return open ? 0.5 : 0.3;
  }
  if (length === 11 && digits[0] === '1' && isNanp(digits.slice(1))) {
    if (shape === '1-3-3-4') return 0.6;
    if (shape === '11' || shape === '1-10') return 0.25;
  }
  if (digits.startsWith('00') && length >= 10) return international(digits.slice(2)) > 0 ? 0.5 : 0;
  if (digits.startsWith('011') && length >= 12 && sizes.length > 1 && international(digits.slice(3)) > 0.5) return 0.5;
  if (shape === '3-4' && /^[2-9]/.test(digits) && /^[-.\u2011]$/.test(separators[0]!)) return 0.15;
  return ofAnyRegion(read);
}

/** "1933-1945" */
const YEARS = /^1\d{3}(?:1\d|20)\d\d$|^20\d\d20\d\d$/;

function ofAnyRegion({ digits, sizes }: Digits): number {
  if (sizes.length === 2 && sizes[0] === 4 && YEARS.test(digits)) return 0;
  const { length } = digits;
  const trunk = digits[0] === '0' && digits[1] !== '0';
  const grouped =
    sizes.length > 1 &&
    sizes.length <= 6 &&
    (sizes[0]! >= 2 || trunk) &&
    sizes.every((size, n) => n === 0 || size >= 2);
  if (length < (trunk ? 9 : 8) || length > 12 || (sizes.length > 1 && !grouped)) return 0;
  if (trunk) return grouped ? 0.4 : 0.25;
  return grouped ? 0.2 : 0.1;
}

/** A region's plan of national numbers. */
interface Plan {
  trunk: string;
  lengths: ReadonlySet<number>;
  pattern: RegExp;
}

/** What the library has of a region; its types name only a part of it. */
interface NumberingPlan {
  nationalNumberPattern(): string;
  possibleLengths(): number[];
  nationalPrefix(): string | undefined;
}

let plans: readonly Plan[] | undefined;

/** Plans of all regions, one for each that differs. */
function allPlans(): readonly Plan[] {
  if (plans) return plans;
  const { library, metadata: json } = numbering();
  const metadata = new library.Metadata(json);
  const distinct = new Map<string, Plan>();
  for (const country of library.getCountries(json)) {
    metadata.selectNumberingPlan(country);
    const plan = (metadata as unknown as { numberingPlan: NumberingPlan }).numberingPlan;
    const source = plan.nationalNumberPattern();
    const trunk = plan.nationalPrefix() ?? '';
    const pattern = new RegExp(`^(?:${source})$`);
    distinct.set(`${trunk} ${source}`, { trunk, lengths: new Set(plan.possibleLengths()), pattern });
  }
  plans = [...distinct.values()];
  return plans;
}

/** Whether some region has such a national number. */
function isNational(digits: string): boolean {
  return allPlans().some(({ trunk, lengths, pattern }) => {
    const number = trunk !== '' && digits.startsWith(trunk) ? digits.slice(trunk.length) : digits;
    return lengths.has(number.length) && pattern.test(number);
  });
}

/** Numbers of a country that have an entity of their own: country code, national numbers, and the score of a national form without trunk. */
const COUNTRIES: readonly { entity: string; code: string; pattern: RegExp; bare: number }[] = [
  { entity: 'TR_PHONE_NUMBER', code: '90', pattern: /^5\d{9}$/, bare: 0.2 },
  // Area codes are even.
  { entity: 'TR_PHONE_NUMBER', code: '90', pattern: /^[2-4]\d[02468]\d{7}$/, bare: 0.1 },
  { entity: 'PH_MOBILE_NUMBER', code: '63', pattern: /^9\d{9}$/, bare: 0 },
  { entity: 'ZA_MOBILE_NUMBER', code: '27', pattern: /^(?:6\d|7\d|8[1-5])\d{7}$/, bare: 0 },
  { entity: 'ZA_TELEPHONE_NUMBER', code: '27', pattern: /^(?:[1-5]\d|8[067])\d{7}$/, bare: 0 },
];

function ofCountries(read: Digits, { plus }: Lead): (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  const digits = plus ? withoutTrunk(read) : read.digits.startsWith('00') ? read.digits.slice(2) : read.digits;
  const abroad = plus || read.digits.startsWith('00');
  for (const { entity, code, pattern, bare } of COUNTRIES) {
    if (abroad) {
      if (digits.startsWith(code) && pattern.test(digits.slice(code.length))) found.push([entity, 0.75]);
    } else if (digits[0] === '0') {
      if (pattern.test(digits.slice(1))) found.push([entity, read.sizes.length > 1 ? 0.4 : 0.3]);
    } else if (bare > 0 && pattern.test(digits)) found.push([entity, bare]);
  }
  return found;
}
