/**
 * Everything that has digits. Numbers near each other are a chunk, which is read once: the first run of digits leads to it, and at each
 * word in it the layouts of all entities are tried together. Finds that overlap are settled for the chunk as a whole.
 */

import { plainNumber } from '../../content/plain-number.js';
import { isAsciiLetter, isDigit, isWordAt, unitAt } from '../../engine/probes/characters.js';
import type { Chunk } from '../../engine/probes/number.js';
import { type LookSteps, spend } from '../../engine/steps.js';
import { cardAt, isPaid } from './card.js';
import { AFTER, BEFORE, type Contexts, contextsOf, lowered, partsCells, raised } from './context.js';
import { beginsAt, endsAt, isBehindBreak } from './edges.js';
import { endOfExponent, FEWEST_OF_PLAIN } from './exponent.js';
import { findOf, type PiiFind, type PiiSpan, settleRivals } from './find.js';
import { endOfLetteredCnpj, LETTERED_CNPJ } from './ids/south.js';
import { addressScore, wordAt } from './kinds/crypto.js';
import { findDate } from './kinds/dates.js';
import { findMac, findUuid } from './kinds/hardware.js';
import {
  endOfPrefix,
  findIban,
  findIpv4,
  findWideCard,
  lengthOfIban,
  mayBeCard,
  VERSION_SCORE,
} from './kinds/numbers.js';
import { findPhones } from './kinds/phone.js';
import { endingsAt, GLUED, gapAt, isLetter, isOfWord, type LayoutEnding, type Recogniser } from './layouts.js';
import type { SoughtEntities, SoughtLayouts } from './sought.js';
import { spreadAt } from './spread.js';
import { type DigitStretch, digitsAhead, digitsOf, newStretch } from './stretch.js';
import { type EntityWords, wordsIn, wordsOf } from './words.js';
import { scoreOf, writtenAs } from './written.js';

/** Letters before the first digit that may belong to an identifier: a word of it, or two words before it. */
const LONGEST_WORD = 48;
const LONGEST_LETTERS = 6;

/** What looks for numbers in a text: at chunks of digits, in their order. `steps`: those of the text. */
export function lookIn(
  text: string,
  sought: SoughtEntities,
  steps: LookSteps,
): (chunk: Chunk) => readonly PiiFind[] | undefined {
  const reading: ChunkReading = {
    text,
    sought,
    least: sought.score,
    forms: sought.forms(),
    steps,
    contexts: contextsOf(text),
    stretch: newStretch(),
    digits: 0,
    chunkEnd: 0,
    spread: 0,
    end: 0,
    finds: [],
  };
  return (chunk) => {
    const isRead = chunk.digits >= sought.digits || (sought.ibans && mayHaveIban(text, chunk.at, chunk.end));
    return isRead ? findsIn(reading, chunk) : undefined;
  };
}

/** Whether the letters of a country stand before two digits, as an IBAN begins. What follows may be letters in many countries. */
function mayHaveIban(text: string, from: number, end: number): boolean {
  for (let i = from; i < end; i++) {
    const first = isDigit(text.charCodeAt(i)) && isDigit(unitAt(text, i + 1));
    if (first && isAsciiLetter(unitAt(text, i - 1)) && i >= 2 && lengthOfIban(text, i - 2) > 0) return true;
  }
  return false;
}

/** A text that is read. */
interface ChunkReading {
  text: string;
  sought: SoughtEntities;
  /** what scores less is left out, unless it is sure */
  least: number;
  forms: SoughtLayouts;
  steps: LookSteps;
  contexts: Contexts;
  stretch: DigitStretch;
  /** digits of the chunk that is read */
  digits: number;
  /** where the chunk ends */
  chunkEnd: number;
  /** where the row of single digits ends that was read last */
  spread: number;
  /** Words that start here or behind are not read. */
  end: number;
  finds: PiiFind[];
}

/** Finds that nobody can count are left out. */
function add({ least, finds }: ChunkReading, find: PiiFind | undefined): void {
  if (find && (find.sure || find.score >= least)) finds.push(find);
}

/** Everything in a chunk. */
function findsIn(reading: ChunkReading, { at, end, digits }: Chunk): readonly PiiFind[] | undefined {
  const { text, sought } = reading;
  const finds: PiiFind[] = [];
  Object.assign(reading, { digits, chunkEnd: end, end, finds });
  const start = chunkStart(text, at);
  eachWord(reading, start, (word, length) => readWord(reading, word, length));
  // A date excludes what it is taken for.
  if (sought.dates || finds.length > 0) {
    eachWord(reading, start, (word) => {
      const date = isDigit(text.charCodeAt(word)) ? findDate(text, word) : undefined;
      if (date) finds.push(date);
    });
  }
  if (finds.length === 0) return undefined;
  settleRivals(finds);
  return finds;
}

/** Steps of a look at a word without anything, and of a form that is checked. */
const [STEPS_OF_WORD, STEPS_OF_FORM] = [20, 40] as const;

/** Calls `visit` for each word of `reading` from `start` on, with its length, counted up to {@link LONG_WORD}. */
function eachWord(reading: ChunkReading, start: number, visit: (word: number, length: number) => void): void {
  const { text, steps } = reading;
  let i = start;
  // A word that has earlier digits was read with these.
  if (isDigit(unitAt(text, start - 1))) while (i < reading.end && isOfWord(text, i)) i++;
  while (i < reading.end) {
    if (i > 0 && text.charCodeAt(i - 1) === BACKSLASH && isBehindBreak(text, i + 1)) i++;
    const word = i;
    while (i - word < LONG_WORD && isOfWord(text, i)) i++;
    if (i === word) i++;
    else {
      spend(steps, STEPS_OF_WORD);
      visit(word, i - word);
    }
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
function readWord(reading: ChunkReading, start: number, length: number): void {
  const { text, contexts, digits, sought } = reading;
  // Of a row of single digits only the whole counts.
  if (length === 1 && start < reading.spread) return;
  if (isDigit(text.charCodeAt(start))) {
    const ahead = digits >= 7 ? digitsAhead(text, start, reading.stretch) : 0;
    if (ahead >= 12 && mayBeCard(digitsOf(), reading.stretch.digit) && addCard(reading, start)) return;
    if (length === 4 && digits >= 15)
      add(
        reading,
        findWideCard(text, start, (span) => isPaid(text, span)),
      );
    if (sought.phones && ahead >= 7) for (const phone of findPhones(start, reading)) add(reading, phone);
    if (digits > FEWEST_OF_PLAIN) addPlain(reading, start);
    if (sought.addresses && digits >= 4 && length <= 3 && unitAt(text, start + length) === DOT) {
      add(reading, addressAt(text, start, contexts));
    }
  } else if (length >= SHORTEST_GLUED) readGlued(reading, start);
  if (digits >= 7) {
    if (length === 1 && !isBeforeWord(text, start)) addSpread(reading, start);
    else if (length > 4 && isDigit(text.charCodeAt(start + length - 1))) addLabelled(reading, start);
  }
  if (length === 2 || length > 3) addSpecial(reading, start, length);
  readForms(reading, start);
}

/** Numbers that have a layout, from `start` on. */
function readForms(reading: ChunkReading, start: number): void {
  const { text, forms } = reading;
  const endings = endingsAt(forms.tree, forms.live, text, start);
  if (!endings || !(beginsAt(text, start) || partsCells(reading.contexts, start - 1))) return;
  for (let e = 0; e < endings.length; e++) {
    eachForm(reading, start, endings[e]!, (recogniser, score, span) => addJudged(reading, recogniser, score, span));
  }
}

/**
 * Adds the card number that starts at `start`. True where nothing else that starts there or behind counts: a card number that is sure and
 * ends the chunk excludes all that begins in it. Of what is as sure, nothing that begins with digits is as long, and nothing that overlaps
 * with what is left out but not with the card begins in the chunk.
 */
function addCard(reading: ChunkReading, start: number): boolean {
  const card = cardAt(reading.text, start, reading.contexts);
  add(reading, card);
  if (!card?.sure || card.end < reading.chunkEnd) return false;
  reading.end = start;
  return true;
}

const [SPACE, HYPHEN, DOT, BACKSLASH] = [32, 45, 46, 92] as const;

/** Steps of a look at a plain form. */
const STEPS_OF_PLAIN = 400;

/** What the number at `start` is in its plain form, where it is written with an exponent. */
function addPlain(reading: ChunkReading, start: number): void {
  const { text } = reading;
  const end = endOfExponent(text, start);
  if (end === 0 || !beginsAt(text, start) || !endsAt(text, end)) return;
  const plain = plainNumber(text.slice(start, end));
  if (plain === undefined) return;
  for (const find of findsOfForm(reading, plain, start, text.slice(end, end + AFTER))) {
    add(reading, { ...find, start, end, rivals: undefined });
  }
}

/** What is found in `form`, which stands in place of what is written from `start` on, before `after`. Places are those within it. */
function findsOfForm(
  { text, sought, steps }: ChunkReading,
  form: string,
  start: number,
  after: string,
): readonly PiiFind[] {
  spend(steps, STEPS_OF_PLAIN);
  const before = text.slice(Math.max(0, start - BEFORE), start);
  const at = before.length;
  const digits = form.replace(/\D/g, '').length;
  const finds = lookIn(`${before}${form}${after}`, sought, steps)({ at, end: at + form.length, digits }) ?? [];
  return finds
    .map((find) => ({ ...find, start: find.start - at, end: find.end - at, rivals: undefined }))
    .filter((find) => find.start >= 0 && find.end <= form.length);
}

/** Whether a space and a longer word stand behind the single character at `start`: the case of most, which are told without a pattern. */
const isBeforeWord = (text: string, start: number): boolean =>
  text.charCodeAt(start + 1) === SPACE && isWordAt(text, start + 2) && isWordAt(text, start + 3);

/** What is written digit by digit from `start` on. Only the whole row is a number, and the items of a list a card only if words speak for it. */
function addSpread(reading: ChunkReading, start: number): void {
  const { text } = reading;
  const spread = spreadAt(text, start);
  reading.spread = spread?.end ?? 0;
  if (!spread?.number) return;
  const { form, listed, start: from, end } = spread.number;
  const span = { start: from, end };
  for (const find of findsOfForm(reading, form, span.start, text.slice(span.end, span.end + AFTER))) {
    const counts = find.entity !== 'CREDIT_CARD' || !listed || isPaid(text, span);
    if (find.start === 0 && find.end === form.length && counts) add(reading, { ...find, ...span });
  }
}

/** A label without the space that should part it from the groups behind it: "Phone0151 2345678". */
const LABEL = /[A-Za-z]{2,24}(?=\d)/y;
const LONGEST_LABELLED = 40;

/** The number behind the letters of the word that starts at `start`, where these say what it is, and it has groups. */
function addLabelled(reading: ChunkReading, start: number): void {
  const { text } = reading;
  LABEL.lastIndex = start;
  if (!LABEL.test(text)) return;
  const at = LABEL.lastIndex;
  if (wordsIn(text, start, at).length === 0) return;
  const rest = text.slice(at, at + LONGEST_LABELLED);
  const form = ` ${/^[\d ().+-]*/.exec(rest)![0].trimEnd()}`;
  for (const find of findsOfForm(reading, form, at, text.slice(at + form.length - 1, at + AFTER))) {
    const span = { start: at + find.start - 1, end: at + find.end - 1 };
    if (find.start === 1 && /\D/.test(text.slice(span.start, span.end))) add(reading, { ...find, ...span });
  }
}

type VisitForm = (recogniser: Recogniser, score: number, span: PiiSpan) => void;

/** Calls `visit` for what is looked for of the layouts that end there and whose check passes, with the score by the form alone. */
function eachForm(
  reading: ChunkReading,
  start: number,
  { layouts, end, id, separators }: LayoutEnding,
  visit: VisitForm,
): void {
  const { text, forms, steps, contexts } = reading;
  if (!endsAt(text, end) && !partsCells(contexts, end)) return;
  const written = writtenAs({ id, separators });
  for (let i = 0; i < layouts.length; i++) {
    const layout = layouts[i]!;
    if (forms.recognised[layout.number] === 0) continue;
    spend(steps, STEPS_OF_FORM);
    const score = scoreOf(layout, written, text, { start, end });
    if (score > 0) visit(layout.recogniser, score, { start, end });
  }
}

/** A word without the space that should part it from the number behind it. */
const GLUED_TO = /[A-Za-z][a-z]{1,23}(?=\d{6})/y;
const SHORTEST_GLUED = 8;

/** Numbers at the end of the word that starts at `start`. */
function readGlued(reading: ChunkReading, start: number): void {
  const { text, forms } = reading;
  GLUED_TO.lastIndex = start;
  if (!GLUED_TO.test(text)) return;
  const from = GLUED_TO.lastIndex;
  for (const ending of endingsAt(forms.tree, forms.live, text, from) ?? []) {
    eachForm(reading, from, ending, (recogniser, _, span) => {
      const { glued = false } = recogniser;
      if (glued) addJudged(reading, { ...recogniser, sure: false }, GLUED, span);
    });
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

const IPV4_BITS = 32;

/** An IPv4 address, or a network of them as in 192.0.2.0/24. What is called a version is none, whatever else stands there. */
function addressAt(text: string, start: number, contexts: Contexts): PiiFind | undefined {
  const find = findIpv4(text, start);
  if (find && text[start - 1] !== '/') find.end = endOfPrefix(text, find.end, IPV4_BITS);
  return find && find.score > VERSION_SCORE ? raisedBy(IP_WORDS, find, contexts) : find;
}

/** The find with the score that the words around it leave it. */
function raisedBy(words: EntityWords | undefined, find: PiiFind | undefined, contexts: Contexts): PiiFind | undefined {
  const judge = words ? raised : lowered;
  if (find) find.score = judge(contexts, find.score, words, find);
  return find;
}

/** What is recognised by its form rather than by a layout, from a word of `length` on. */
function addSpecial(reading: ChunkReading, start: number, length: number): void {
  const { text, contexts, sought } = reading;
  const next = unitAt(text, start + length);
  if (length === 2 && (next === HYPHEN || (next === SPACE && unitAt(text, start + 5) === SPACE))) {
    add(reading, findMac(text, start));
  }
  if (length > 3 ? beginsAsIban(text, start) : next === SPACE && isParted(text, start)) {
    add(reading, findIban(text, start));
  }
  if (length === 4 && next === DOT && unitAt(text, start + 9) === DOT) add(reading, findMac(text, start));
  if (length === 12 || (length === 6 && next === HYPHEN)) add(reading, findMac(text, start));
  if (length === 8 && next === HYPHEN && unitAt(text, start + 13) === HYPHEN) {
    add(reading, raisedBy(undefined, findUuid(text, start), contexts));
  }
  const cnpj = sought.lettered && (length === 2 || length >= 8) ? endOfLetteredCnpj(text, start) : 0;
  if (cnpj) {
    const score = cnpj - start > 14 ? 0.95 : 0.4;
    addJudged(reading, LETTERED_CNPJ, score, { start, end: cnpj });
  }
  const word = length === LONG_WORD ? wordAt(text, start) : undefined;
  const score = word ? addressScore(text.slice(word.start, word.end)) : 0;
  if (word && score > 0) add(reading, findOf('CRYPTO', word, score, true));
}

/** Two letters and two check digits. */
const beginsAsIban = (text: string, start: number): boolean =>
  isDigit(text.charCodeAt(start + 2)) &&
  isDigit(text.charCodeAt(start + 3)) &&
  isAsciiLetter(text.charCodeAt(start)) &&
  isAsciiLetter(text.charCodeAt(start + 1));

/** The same with a space between. */
const isParted = (text: string, start: number): boolean =>
  isDigit(unitAt(text, start + 3)) &&
  isDigit(unitAt(text, start + 4)) &&
  unitAt(text, start + 5) === SPACE &&
  /^[A-Z]{2}/.test(text.slice(start, start + 2));

/** As long as an address of a cryptocurrency. */
const LONG_WORD = 26;

function addJudged(
  reading: ChunkReading,
  { entity, words, plain = false, sure = false }: Recogniser,
  score: number,
  span: PiiSpan,
): void {
  const { contexts, least, finds } = reading;
  const judge = plain ? lowered : raised;
  const judged = judge(contexts, score, words, span);
  if (!sure && judged < least) return;
  const find = findOf(entity, span, judged, sure);
  find.spoken = judged > score;
  finds.push(find);
}
