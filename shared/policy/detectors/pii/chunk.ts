/**
 * Everything that has digits. Numbers near each other are a chunk, which is read once: the first run of digits leads to it, and at each
 * word in it the layouts of all entities are tried together. Finds that overlap are settled for the chunk as a whole.
 */
import { isAsciiLetter, isDigit } from '../../engine/probes/characters.js';
import { type Contexts, contextsOf } from './context.js';
import { beginsAt, endsAt } from './edges.js';
import { findOf, type PiiFind, settleRivals } from './find.js';
import { ASIA } from './ids/asia.js';
import { EUROPE } from './ids/europe.js';
import { GERMANY } from './ids/germany.js';
import { endOfLetteredCnpj, LETTERED_CNPJ, SOUTH } from './ids/south.js';
import { UK } from './ids/uk.js';
import { US } from './ids/us.js';
import { addressScore, wordAt } from './kinds/crypto.js';
import { findDate } from './kinds/dates.js';
import { findMac, findUuid } from './kinds/hardware.js';
import { endOfPrefix, findCard, findIban, findIpv4, VERSION_SCORE } from './kinds/numbers.js';
import { findPhones } from './kinds/phone.js';
import {
  eachLayout,
  GLUED,
  gapAt,
  isLetter,
  type Layout,
  type Recogniser,
  type Tree,
  treeOf,
  unfold,
} from './layouts.js';
import { type Words, wordsOf } from './words.js';

export const RECOGNISERS: readonly Recogniser[] = [...US, ...UK, ...EUROPE, ...GERMANY, ...ASIA, ...SOUTH];
let tree: Tree | undefined;
/** Made by the first text that needs it: most processes read policies and evaluate none. */
const layouts = (): Tree => (tree ??= treeOf(RECOGNISERS));

/** Digits further apart than this are of different chunks. The letters of a bank in an IBAN stand between digits. */
const GAP = 6;
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

/** `at` is where a run of digits starts. The first run of a chunk finds everything in it. */
export function findNumbers(text: string, at: number, asked: Asked): readonly PiiFind[] | undefined {
  for (let i = at - 1; i >= 0 && at - i <= GAP + 1; i--) if (isDigit(text.charCodeAt(i))) return undefined;
  const chunk = chunkAt(text, at);
  if (chunk.digits < asked.digits && !(asked.ibans && mayHaveIban(text, at, chunk.end))) return undefined;
  const { dates, score } = asked;
  if (text !== last.text || at !== last.at || dates !== last.dates || score !== last.score) {
    const finds = findsIn(text, at, chunk, asked);
    // Of a long text, this would be the last that holds it in memory.
    last = { text: text.length <= LONGEST_KEPT ? text : '', at, dates, score, finds };
  }
  return last.finds;
}

/** Whether two letters stand before two digits, as an IBAN begins. What follows may be letters in many countries. */
function mayHaveIban(text: string, from: number, end: number): boolean {
  for (let i = from; i < end; i++) {
    const first = isDigit(text.charCodeAt(i)) && isDigit(text.charCodeAt(i + 1));
    if (first && isAsciiLetter(text.charCodeAt(i - 1)) && isAsciiLetter(text.charCodeAt(i - 2))) return true;
  }
  return false;
}

/** Detectors that ask for different entities look at the same chunk one after another, so the last one is kept. */
let last = { text: '', at: -1, dates: false, score: 0, finds: undefined as readonly PiiFind[] | undefined };
const LONGEST_KEPT = 65_536;

function findsIn(
  text: string,
  at: number,
  chunk: { end: number; digits: number },
  { dates, score }: Asked,
): readonly PiiFind[] | undefined {
  const finds: PiiFind[] = [];
  const add = (find: PiiFind | undefined): void => {
    if (find && (find.sure || find.score >= score)) finds.push(find);
  };
  const contexts = contextsOf(text);
  const start = chunkStart(text, at);
  eachWord(text, start, chunk.end, (word) => readWord(text, word, chunk.digits, contexts, add));
  // A date excludes what it is taken for.
  if (dates || finds.length > 0) {
    eachWord(text, start, chunk.end, (word) => {
      const date = isDigit(text.charCodeAt(word)) ? findDate(text, word) : undefined;
      if (date) finds.push(date);
    });
  }
  if (finds.length === 0) return undefined;
  settleRivals(finds);
  return finds;
}

function eachWord(text: string, start: number, end: number, visit: (word: number) => void): void {
  // A word that has earlier digits was read with these.
  let inWord = isDigit(text.charCodeAt(start - 1));
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    const word = isDigit(unit) || isLetter(unit);
    if (word && !inWord) visit(i);
    inWord = word;
  }
}

function chunkAt(text: string, at: number): { end: number; digits: number } {
  let digits = 0;
  let end = at;
  for (let i = at; i < text.length && i - end <= GAP; i++) {
    if (!isDigit(text.charCodeAt(i))) continue;
    digits++;
    end = i + 1;
  }
  return { end, digits };
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
  while (at - start < most && isLetter(text.charCodeAt(start - 1))) start--;
  return start;
}

/** Takes a find, if it counts. */
type Add = (find: PiiFind | undefined) => void;

function readWord(text: string, start: number, digits: number, contexts: Contexts, add: Add): void {
  const numeric = isDigit(text.charCodeAt(start));
  if (numeric) {
    const ahead = digits >= 7 ? digitsAhead(text, start) : 0;
    if (ahead >= 12) add(raisedBy(CARD_WORDS, findCard(text, start), contexts));
    if (ahead >= 7) for (const phone of findPhones(text, start, contexts)) add(phone);
    if (digits >= 4) add(addressAt(text, start, contexts));
  } else readGlued(text, start, contexts, add);
  addSpecial(text, start, contexts, add);
  if (!beginsAt(text, start)) return;
  eachNumberAt(text, start, (of, score, end) => add(judged(of, score, { start, end }, contexts)));
}

/** Calls `visit` for each layout that the text has at `start`, where its check passes. */
function eachNumberAt(text: string, start: number, visit: (of: Recogniser, score: number, end: number) => void): void {
  eachLayout(layouts(), text, start, (layouts, end, separators) => {
    if (!endsAt(text, end)) return;
    const raw = text.slice(start, end);
    const upper = raw.toUpperCase();
    const id = separators === '' ? upper : upper.replace(/[^A-Z\dÄÖÜ]/g, '');
    for (const layout of layouts) {
      const score = scoreOf(layout, id, separators, raw);
      if (score > 0) visit(layout.recogniser, score, end);
    }
  });
}

/** A word without the space that should part it from the number behind it. */
const GLUED_TO = /[A-Za-z][a-z]{1,23}(?=\d{6})/y;

/** Numbers at the end of the word that starts at `start`. */
function readGlued(text: string, start: number, contexts: Contexts, add: Add): void {
  GLUED_TO.lastIndex = start;
  if (!GLUED_TO.test(text)) return;
  const from = GLUED_TO.lastIndex;
  eachNumberAt(text, from, (of, _, end) => {
    if (of.glued) add(judged({ ...of, sure: false }, GLUED, { start: from, end }, contexts));
  });
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
  const judge = words ? contexts.raised : contexts.lowered;
  if (find) find.score = judge(find.score, words, find.start, find.end);
  return find;
}

const SEPARATORS = ' .-/()\u00a0\u2009\u202f\u2010\u2011\u2012\u2013\u2014\u2015\u2212';

/** Digits from `start` that only separators part, counted up to those of a card. */
function digitsAhead(text: string, start: number): number {
  let digits = 0;
  let gap = 0;
  for (let i = start; digits < 12 && gap < 4; i++) {
    if (isDigit(text.charCodeAt(i))) {
      digits++;
      gap = 0;
    } else if (i < text.length && SEPARATORS.includes(text[i]!)) gap++;
    else break;
  }
  return digits;
}

/** What is recognised by its form rather than by a layout. */
function addSpecial(text: string, start: number, contexts: Contexts, add: Add): void {
  const third = text.charCodeAt(start + 2);
  if (third === 45) add(findMac(text, start));
  else if (isDigit(third) && isAsciiLetter(text.charCodeAt(start)) && isAsciiLetter(text.charCodeAt(start + 1))) {
    add(findIban(text, start));
  }
  if (text[start + 4] === '.' && text[start + 9] === '.') add(findMac(text, start));
  if (text[start + 8] === '-' && text[start + 13] === '-') add(raisedBy(undefined, findUuid(text, start), contexts));
  const cnpj = endOfLetteredCnpj(text, start);
  if (cnpj) add(judged(LETTERED_CNPJ, cnpj - start > 14 ? 0.95 : 0.4, { start, end: cnpj }, contexts));
  if (!isLong(text, start)) return;
  const word = wordAt(text, start);
  const score = word ? addressScore(text.slice(word.start, word.end)) : 0;
  if (word && score > 0) add(findOf('CRYPTO', word, score, true));
}

/** Whether the word at `start` may be as long as an address. */
function isLong(text: string, start: number): boolean {
  for (let i = start; i < start + 26; i++) {
    const unit = text.charCodeAt(i);
    if (!isDigit(unit) && !isAsciiLetter(unit)) return false;
  }
  return true;
}

/** The score of an identifier by its form alone; 0: it is none. */
function scoreOf({ recogniser, score }: Layout, id: string, separators: string, raw: string): number {
  const { separators: allowed = ' -.', mixed = false, check } = recogniser;
  for (const separator of separators) {
    if (!allowed.includes(separator) || (!mixed && separator !== separators[0])) return 0;
  }
  const checked = check ? check(id, separators, raw) : true;
  if (checked === false) return 0;
  const whole = checked === true ? score : checked;
  return whole < 1 && !recogniser.sure && isLowerCase(raw) ? whole * LOWER_CASE : whole;
}

/** Identifiers are written in capitals. In small letters, a form is less likely to be one. */
const LOWER_CASE = 0.8;
const isLowerCase = (raw: string): boolean => /[a-z]/.test(raw);

function judged(
  { entity, words, plain = false, sure = false }: Recogniser,
  score: number,
  { start, end }: { start: number; end: number },
  contexts: Contexts,
): PiiFind {
  const judge = plain ? contexts.lowered : contexts.raised;
  return findOf(entity, { start, end }, judge(score, words, start, end), sure);
}
