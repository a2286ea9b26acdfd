/**
 * Everything that has digits. Numbers near each other are a chunk, which is read once: the first run of digits leads to it, and at each
 * word in it the layouts of all entities are tried together. Finds that overlap are settled for the chunk as a whole.
 */
import { isAsciiLetter, isDigit, unitAt } from '../../engine/probes/characters.js';
import type { Chunk } from '../../engine/probes/number.js';
import { type Contexts, contextsOf, lowered, raised } from './context.js';
import { beginsAt, endsAt } from './edges.js';
import { findOf, type PiiFind, type Span, settleRivals } from './find.js';
import { ASIA } from './ids/asia.js';
import { EUROPE } from './ids/europe.js';
import { GERMANY } from './ids/germany.js';
import { endOfLetteredCnpj, LETTERED_CNPJ, SOUTH } from './ids/south.js';
import { UK } from './ids/uk.js';
import { US } from './ids/us.js';
import { addressScore, wordAt } from './kinds/crypto.js';
import { findDate } from './kinds/dates.js';
import { findMac, findUuid } from './kinds/hardware.js';
import { endOfPrefix, findCard, findIban, findIpv4, lengthOfIban, VERSION_SCORE } from './kinds/numbers.js';
import { findPhones } from './kinds/phone.js';
import {
  type Ending,
  endingsAt,
  GLUED,
  gapAt,
  isLetter,
  isOfWord,
  type Layout,
  type Recogniser,
  separatorsIn,
  type Tree,
  treeOf,
  unfold,
} from './layouts.js';
import { type Words, wordsOf } from './words.js';

export const RECOGNISERS: readonly Recogniser[] = [...US, ...UK, ...EUROPE, ...GERMANY, ...ASIA, ...SOUTH];
let made: Tree | undefined;
/** Made by the first text that needs it: most processes read policies and evaluate none. */
const tree = (): Tree => (made ??= treeOf(RECOGNISERS));

/** Letters before the first digit that may belong to an identifier: a word of it, or two words before it. */
const LONGEST_WORD = 48;
const LONGEST_LETTERS = 6;

/** What numbers that are found by other means than a layout have at least, digits. */
const OTHERS: Readonly<Record<string, number>> = {
  CREDIT_CARD: 12,
  IBAN_CODE: 12,
  IP_ADDRESS: 4,
  PHONE_NUMBER: 7,
  BR_CNPJ: 2,
  TR_PHONE_NUMBER: 7,
  PH_MOBILE_NUMBER: 7,
  ZA_MOBILE_NUMBER: 7,
  ZA_TELEPHONE_NUMBER: 7,
};

const LEAST = new Map<string, number>();

/** Digits that a number of `entity` has at least. */
export function leastDigits(entity: string): number {
  const known = LEAST.get(entity) ?? countLeast(entity);
  LEAST.set(entity, known);
  return known;
}

function countLeast(entity: string): number {
  const paths = RECOGNISERS.filter((each) => each.entity === entity).flatMap(({ layouts }) => Object.keys(layouts));
  const digits = paths.flatMap(unfold).map((path) => path.split('9').length - 1);
  return Math.max(1, Math.min(OTHERS[entity] ?? (digits.length > 0 ? Infinity : 1), ...digits));
}

/** What is asked for: chunks of at least so many digits, and dates and IBANs of any number of them. */
export interface Asked {
  digits: number;
  dates: boolean;
  ibans: boolean;
  /** Finds that are not sure and score less are left out: nobody counts them, and they exclude none. */
  score: number;
}

/** Digits that an IBAN has at least. */
export const FEWEST_OF_IBAN = 2;

/** Everything in a chunk. */
export function findNumbers(text: string, chunk: Chunk, asked: Asked): readonly PiiFind[] | undefined {
  const { at, end, digits } = chunk;
  if (digits < asked.digits && !(asked.ibans && mayHaveIban(text, at, end))) return undefined;
  const { dates, score } = asked;
  if (text !== last.text || at !== last.at || dates !== last.dates || score !== last.score) {
    const finds = findsIn(text, chunk, asked);
    // Of a long text, this would be the last that holds it in memory.
    last = { text: text.length <= LONGEST_KEPT ? text : '', at, dates, score, finds };
  }
  return last.finds;
}

/** Whether the letters of a country stand before two digits, as an IBAN begins. What follows may be letters in many countries. */
function mayHaveIban(text: string, from: number, end: number): boolean {
  for (let i = from; i < end; i++) {
    const first = isDigit(text.charCodeAt(i)) && isDigit(unitAt(text, i + 1));
    if (first && isAsciiLetter(unitAt(text, i - 1)) && i >= 2 && lengthOfIban(text, i - 2) > 0) return true;
  }
  return false;
}

/** Detectors that ask for different entities look at the same chunk one after another, so the last one is kept. */
let last = { text: '', at: -1, dates: false, score: 0, finds: undefined as readonly PiiFind[] | undefined };
const LONGEST_KEPT = 65_536;

/** A chunk that is read. */
interface Reading {
  text: string;
  chunk: Chunk;
  contexts: Contexts;
  /** finds that are not sure and score less are left out */
  score: number;
  /** Words that start here or behind are not read. */
  end: number;
  finds: PiiFind[];
}

function add({ score, finds }: Reading, find: PiiFind | undefined): void {
  if (find && (find.sure || find.score >= score)) finds.push(find);
}

function findsIn(text: string, chunk: Chunk, { dates, score }: Asked): readonly PiiFind[] | undefined {
  const reading: Reading = { text, chunk, contexts: contextsOf(text), score, end: chunk.end, finds: [] };
  const { finds } = reading;
  const start = chunkStart(text, chunk.at);
  eachWord(reading, start, (word, length) => readWord(reading, word, length));
  // A date excludes what it is taken for.
  if (dates || finds.length > 0) {
    eachWord(reading, start, (word) => {
      const date = isDigit(text.charCodeAt(word)) ? findDate(text, word) : undefined;
      if (date) finds.push(date);
    });
  }
  if (finds.length === 0) return undefined;
  settleRivals(finds);
  return finds;
}

/** Calls `visit` for each word of `reading` from `start` on, with its length, counted up to {@link LONG_WORD}. */
function eachWord(reading: Reading, start: number, visit: (word: number, length: number) => void): void {
  const { text } = reading;
  let i = start;
  // A word that has earlier digits was read with these.
  if (isDigit(unitAt(text, start - 1))) while (i < reading.end && isOfWord(text, i)) i++;
  while (i < reading.end) {
    const word = i;
    while (i - word < LONG_WORD && isOfWord(text, i)) i++;
    if (i === word) i++;
    else visit(word, i - word);
    if (i - word === LONG_WORD) while (i < reading.end && isOfWord(text, i)) i++;
  }
}

/** Where the first identifier of the chunk may start: the word that the digits at `at` are in, or up to two words of letters before it. */
function chunkStart(text: string, at: number): number {
  let start = wordStart(text, at, LONGEST_WORD);
  for (let words = 0; words < 2; words++) {
    const behind = start - 1;
    if (gapAt(text, behind)?.end !== start) break;
    const before = wordStart(text, behind, LONGEST_LETTERS + 1);
    if (before === behind || behind - before > LONGEST_LETTERS) break;
    start = before;
  }
  return start;
}

function wordStart(text: string, at: number, most: number): number {
  let start = at;
  while (at - start < most && isLetter(unitAt(text, start - 1))) start--;
  return start;
}

/** Reads what begins with a word of `length`. Most words have a length with which few forms begin. */
function readWord(reading: Reading, start: number, length: number): void {
  const { text, contexts, chunk } = reading;
  if (isDigit(text.charCodeAt(start))) {
    const ahead = chunk.digits >= 7 ? digitsAhead(text, start) : 0;
    if (ahead >= 12 && addCard(reading, start)) return;
    if (ahead >= 7) for (const phone of findPhones(text, start, contexts)) add(reading, phone);
    if (chunk.digits >= 4 && length <= 3 && unitAt(text, start + length) === DOT) {
      add(reading, addressAt(text, start, contexts));
    }
  } else if (length >= SHORTEST_GLUED) readGlued(reading, start);
  if (length === 2 || length > 3) addSpecial(reading, start, length);
  for (const { layouts, end } of endingsAt(tree(), text, start) ?? NO_ENDINGS) {
    if (!beginsAt(text, start)) return;
    for (const { recogniser, score } of numbersOf(layouts, text, { start, end })) {
      add(reading, judged(recogniser, score, { start, end }, contexts));
    }
  }
}

/**
 * Adds the card number that starts at `start`. True where nothing else that starts there or behind counts: a card number that is sure and
 * ends the chunk excludes all that begins in it. Of what is as sure, nothing that begins with digits is as long, and nothing that overlaps
 * with what is left out but not with the card begins in the chunk.
 */
function addCard(reading: Reading, start: number): boolean {
  const card = raisedBy(CARD_WORDS, findCard(reading.text, start), reading.contexts);
  add(reading, card);
  if (!card?.sure || card.end < reading.chunk.end) return false;
  reading.end = start;
  return true;
}

const [SPACE, HYPHEN, DOT] = [32, 45, 46] as const;
const NO_ENDINGS: readonly Ending[] = [];

/** Those of `layouts`, which the text has at `span`, whose check passes, with the score by the form alone. */
function numbersOf(layouts: readonly Layout[], text: string, { start, end }: Span): Layout[] {
  if (!endsAt(text, end)) return [];
  const raw = text.slice(start, end);
  const upper = hasSmall(raw) ? raw.toUpperCase() : raw;
  const separators = separatorsIn(text, start, end);
  const id = separators === '' ? upper : upper.replace(/[^A-Z\dÄÖÜ]/g, '');
  const found: Layout[] = [];
  for (const layout of layouts) {
    const score = scoreOf(layout, { id, separators, raw, upper });
    if (score > 0) found.push({ recogniser: layout.recogniser, score });
  }
  return found;
}

/** Whether `raw` has a small letter of ASCII, and would change in capitals. */
function hasSmall(raw: string): boolean {
  for (let i = 0; i < raw.length; i++) {
    const unit = raw.charCodeAt(i);
    if (unit >= 97 && unit <= 122) return true;
  }
  return false;
}

/** A word without the space that should part it from the number behind it. */
const GLUED_TO = /[A-Za-z][a-z]{1,23}(?=\d{6})/y;
const SHORTEST_GLUED = 8;

/** Numbers at the end of the word that starts at `start`. */
function readGlued(reading: Reading, start: number): void {
  const { text, contexts } = reading;
  GLUED_TO.lastIndex = start;
  if (!GLUED_TO.test(text)) return;
  const from = GLUED_TO.lastIndex;
  for (const { layouts, end } of endingsAt(tree(), text, from) ?? NO_ENDINGS) {
    for (const { recogniser } of numbersOf(layouts, text, { start: from, end })) {
      const { glued = false } = recogniser;
      if (glued) add(reading, judged({ ...recogniser, sure: false }, GLUED, { start: from, end }, contexts));
    }
  }
}

const IP_WORDS = wordsOf(
  'ips?\\b',
  'ip(v[46])?[- ]address',
  'host',
  'server',
  'dns\\b',
  'gateway',
  'ping',
  'subnet',
  'router',
);

/** Of numbers whose issuer is not known: a check digit alone, as a serial number has one, speaks for them. */
const CARD_WORDS = wordsOf(
  '(credit|debit|payment|charge|prepaid|travel|bank)[ -]?card|card (no|num)|visa\\b|master ?card|amex\\b|uatp\\b|airplus',
  'kreditkarte|kartennummer|carte (bancaire|bleue|de credit)|tarjeta de (credito|debito)|carta di credito|cartao de (credito|debito)',
);

const IPV4_BITS = 32;

/** An IPv4 address, or a network of them as in 192.0.2.0/24. What is called a version is none, whatever else stands there. */
function addressAt(text: string, start: number, contexts: Contexts): PiiFind | undefined {
  const find = findIpv4(text, start);
  if (find && text[start - 1] !== '/') find.end = endOfPrefix(text, find.end, IPV4_BITS);
  return find && find.score > VERSION_SCORE ? raisedBy(IP_WORDS, find, contexts) : find;
}

/** The find with the score that the words around it leave it. */
function raisedBy(words: Words | undefined, find: PiiFind | undefined, contexts: Contexts): PiiFind | undefined {
  const judge = words ? raised : lowered;
  if (find) find.score = judge(contexts, find.score, words, find);
  return find;
}

const SEPARATORS = ' .-/()\u00a0\u2009\u202f\u2010\u2011\u2012\u2013\u2014\u2015\u2212';

/** Digits from `start` that only separators part, counted up to those of a card. */
function digitsAhead(text: string, start: number): number {
  let digits = 0;
  let gap = 0;
  for (let i = start; i < text.length && digits < 12 && gap < 4; i++) {
    const unit = text.charCodeAt(i);
    if (isDigit(unit)) {
      digits++;
      gap = 0;
    } else if (unit === SPACE || SEPARATORS.includes(text[i]!)) gap++;
    else break;
  }
  return digits;
}

/** What is recognised by its form rather than by a layout, from a word of `length` on. */
function addSpecial(reading: Reading, start: number, length: number): void {
  const { text, contexts } = reading;
  const next = unitAt(text, start + length);
  if (length === 2 && next === HYPHEN) add(reading, findMac(text, start));
  else if (length > 3 && isDigit(text.charCodeAt(start + 2)) && beginsWithLetters(text, start)) {
    add(reading, findIban(text, start));
  }
  if (length === 4 && next === DOT && unitAt(text, start + 9) === DOT) add(reading, findMac(text, start));
  if (length === 8 && next === HYPHEN && unitAt(text, start + 13) === HYPHEN) {
    add(reading, raisedBy(undefined, findUuid(text, start), contexts));
  }
  const cnpj = length === 2 || length >= 8 ? endOfLetteredCnpj(text, start) : 0;
  if (cnpj) {
    const score = cnpj - start > 14 ? 0.95 : 0.4;
    add(reading, judged(LETTERED_CNPJ, score, { start, end: cnpj }, contexts));
  }
  const word = length === LONG_WORD ? wordAt(text, start) : undefined;
  const score = word ? addressScore(text.slice(word.start, word.end)) : 0;
  if (word && score > 0) add(reading, findOf('CRYPTO', word, score, true));
}

const beginsWithLetters = (text: string, start: number): boolean =>
  isAsciiLetter(text.charCodeAt(start)) && isAsciiLetter(text.charCodeAt(start + 1));

/** As long as an address of a cryptocurrency. */
const LONG_WORD = 26;

/** What is written: as an identifier, with its separators, as it stands there, and in capitals. */
interface Written {
  id: string;
  separators: string;
  raw: string;
  upper: string;
}

/** The score of an identifier by its form alone; 0: it is none. */
function scoreOf({ recogniser, score }: Layout, { id, separators, raw, upper }: Written): number {
  const { separators: allowed = ' -.', mixed = false, check } = recogniser;
  for (let i = 0; i < separators.length; i++) {
    if (!allowed.includes(separators[i]!) || (!mixed && separators[i] !== separators[0])) return 0;
  }
  const checked = check ? check(id, separators, raw) : true;
  if (checked === false) return 0;
  const whole = checked === true ? score : checked;
  return whole < 1 && !recogniser.sure && raw !== upper ? whole * LOWER_CASE : whole;
}

/** Identifiers are written in capitals. In small letters, a form is less likely to be one. */
const LOWER_CASE = 0.8;

function judged(
  { entity, words, plain = false, sure = false }: Recogniser,
  score: number,
  span: Span,
  contexts: Contexts,
): PiiFind {
  const judge = plain ? lowered : raised;
  return findOf(entity, span, judge(contexts, score, words, span), sure);
}
