/** The words before and after a number, which raise the score of what they name, and lower that of what they exclude. */
import { isAsciiLetter, isDigit, isSpace, unitAt } from '../../engine/probes/characters.js';
import { changeOf } from '../../engine/views/change.js';
import { fold } from '../../engine/views/normalise.js';
import { type Offsets, offsetFrom, offsetsOf } from '../../engine/views/offsets.js';
import { isOfSomething } from './called.js';
import type { PiiSpan } from './find.js';
import { columnOfRow, ROWS } from './rows.js';
import { columnAt, HTML, type TextTable, tableAt, tablesIn } from './tables.js';
import { type EntityWords, hasPlace, mayBeginAt, type WordPlaces, wordPlaces, wordsIn } from './words.js';

/** Characters before and after a number that are looked at. */
export const BEFORE = 72;
export const AFTER = 40;
/** In an address on the web, so many before. */
const NEAR = 24;
/** A number of so many digits ends what belongs to the number behind it. */
const LONG = 6;

const RAISE_BEFORE = 0.4;
const RAISE_AFTER = 0.35;
/** A find that words speak for has at least this score. */
const LEAST_BEFORE = 0.6;
const LEAST_AFTER = 0.5;
/** What an order number, an amount or a part of an address on the web scores at most. */
const MOST_LOWERED = 0.3;

/** What numbers stand behind that are none of a person. */
const NUMBERED =
  /(?:(?<![a-z0-9])(?:orders?|invoice|receipt|ticket|tracking|track|parcel|shipment|booking|reservation|confirmation|reference|ref|case|claim|sku|isbn|issn|pmid|pmc|doi|oclc|lccn|asin|ean|upc|gtin|revision|rev|oldid|diff|curid|item|part|serial|model|version|ver|build|commit|page|pp|vol|issue|bug|port|article|product|lot|batch|bestellung|bestellnummer|auftrag|rechnung|artikel|sendung|commande|facture|pedido|factura|ordine|fattura|zamowienie|pid|uid|timestamp|epoch|error|code|seed|hash|size|bytes)[\s.:#=-]{0,3}(?:(?:is|was|no|nr|num|number|id|code|nummer|numero)[\s.:#=-]{0,3}){0,3}|[#$€£¥₹₩₽]\s?)$/;
/** Longest stretch that `NUMBERED` matches. */
const LONGEST_NUMBERED = 48;
/** And what follows amounts. */
const AMOUNT =
  /^\s?(?:%|[$€£¥₹₩₽°]|(?:usd|eur|gbp|inr|jpy|cny|krw|dollars?|euros?|pounds?|yen|rupees?|won|percent|bytes|[kmg]b|[km]m|kg|tons?|miles?|people|users|years|days|hours|minutes|seconds|ms|votes|views|times|points)(?![a-z]))/;

/**
 * The surroundings of numbers in a text. Each side is read once for all that begins, or ends, there; most have no word that speaks for
 * anything, which is told by where such words may begin.
 */
export interface Contexts {
  readonly text: string;
  /** the text in the form in which words are compared, made where it is asked for: folding the surroundings of each number takes longer */
  folded: FoldedText | undefined;
  before: NumberSide | undefined;
  after: NumberSide | undefined;
  readonly words: WordPlaces;
  readonly url: { at: number; within: boolean };
  /** undefined: not looked for yet */
  tables: readonly TextTable[] | undefined;
  /** of the number that was asked for last: what the name of its column says */
  column: { at: number; words: readonly EntityWords[] } | undefined;
}

type FoldedText = { text: string } & Offsets;

/** What is known of one side of a number. */
interface NumberSide {
  at: number;
  /** whether a word may begin in it */
  spoken: boolean;
  /** whether it says that the number is none of a person; undefined: not asked yet */
  excludes: boolean | undefined;
  /** what it says; undefined: not asked yet */
  said: ContextStretch | undefined;
}

interface ContextStretch {
  /** what it is a stretch of: the text as sent, or the text in the form in which words are compared */
  text: string;
  from: number;
  to: number;
  words: readonly EntityWords[];
}

export const contextsOf = (text: string): Contexts => ({
  text,
  folded: undefined,
  before: undefined,
  after: undefined,
  words: wordPlaces(),
  url: { at: 0, within: false },
  tables: undefined,
  column: undefined,
});

/** Whether the text has a table with a name that speaks for an entity. */
function hasTable(contexts: Contexts): boolean {
  contexts.tables ??= tablesIn(contexts.text);
  return contexts.tables.length > 0;
}

/** Whether the character at `at` parts the cells of a table whose names speak for something. */
export const partsCells = (contexts: Contexts, at: number): boolean =>
  hasTable(contexts) && tableAt(contexts.tables ?? [], at)?.delimiter === unitAt(contexts.text, at);

/** What the name of the column says that the number at `start` is in. */
function columnOf(contexts: Contexts, start: number): readonly EntityWords[] {
  if (contexts.column?.at === start) return contexts.column.words;
  const words = columnAt(contexts.text, contexts.tables ?? [], start);
  contexts.column = { at: start, words };
  return words;
}

function beforeAt(contexts: Contexts, start: number): NumberSide {
  if (contexts.before?.at === start) return contexts.before;
  const { text, words } = contexts;
  const from = Math.max(0, start - BEFORE);
  const spoken = hasPlace(words, text, from, start) || mayBeginAt(text, Math.max(0, start - NEAR));
  contexts.before = { at: start, spoken, excludes: undefined, said: undefined };
  return contexts.before;
}

function afterAt(contexts: Contexts, end: number): NumberSide {
  if (contexts.after?.at === end) return contexts.after;
  const { text, words } = contexts;
  const spoken = hasPlace(words, text, end, Math.min(text.length, end + AFTER));
  contexts.after = { at: end, spoken, excludes: undefined, said: undefined };
  return contexts.after;
}

/** Whether words that speak for something may stand around `span`. Where they do not, no score rises. */
export const mayRise = (contexts: Contexts, { start, end }: PiiSpan): boolean =>
  beforeAt(contexts, start).spoken || afterAt(contexts, end).spoken || hasTable(contexts);

/** The same of any span that begins at `first` to `last` and ends up to `end`, in one look. */
export function mayRiseWithin(contexts: Contexts, first: number, last: number, end: number): boolean {
  const { text, words } = contexts;
  if (hasTable(contexts)) return true;
  const from = Math.max(0, first - BEFORE);
  if (hasPlace(words, text, from, Math.min(text.length, end + AFTER))) return true;
  // A stretch may begin within a word.
  for (let start = first; start <= last; start++) {
    if (mayBeginAt(text, Math.max(0, start - BEFORE)) || mayBeginAt(text, Math.max(0, start - NEAR))) return true;
  }
  return false;
}

const saidBefore = (contexts: Contexts, side: NumberSide): ContextStretch =>
  (side.said ??= sideBefore(contexts, side.at));
const saidAfter = (contexts: Contexts, side: NumberSide): ContextStretch =>
  (side.said ??= sideAfter(contexts, side.at));

/** The score of what is at `span`, given its own and the words that speak for it. */
export function raised(
  contexts: Contexts,
  score: number,
  words: EntityWords | undefined,
  { start, end }: PiiSpan,
): number {
  if (!words || score === 1) return score;
  const before = beforeAt(contexts, start);
  if (before.spoken && saidBefore(contexts, before).words.includes(words)) return raisedBefore(score);
  if (hasTable(contexts) && columnOf(contexts, start).includes(words)) return raisedBefore(score);
  const after = afterAt(contexts, end);
  if (after.spoken && saidAfter(contexts, after).words.includes(words))
    return Math.min(1, round(Math.max(score + RAISE_AFTER, LEAST_AFTER)));
  return score;
}

const raisedBefore = (score: number): number => Math.min(1, round(Math.max(score + RAISE_BEFORE, LEAST_BEFORE)));

/** The same for plain digits, which may as well be an order number or an amount. */
export function lowered(contexts: Contexts, score: number, words: EntityWords | undefined, span: PiiSpan): number {
  const whole = raised(contexts, score, words, span);
  if (whole !== score || score <= MOST_LOWERED) return whole;
  const [before, after] = [beforeAt(contexts, span.start), afterAt(contexts, span.end)];
  before.excludes ??= isNumbered(contexts, before) || isInUrl(contexts, span.start);
  after.excludes ??= isAmount(contexts, after);
  return before.excludes || after.excludes ? MOST_LOWERED : score;
}

/** Whether the number at `span` is called something else, or is an amount, right beside it, whatever words stand farther away. */
export function isCalledElse(contexts: Contexts, { start, end }: PiiSpan): boolean {
  const before = beforeAt(contexts, start);
  const near = contexts.text.slice(Math.max(0, start - LONGEST_NUMBERED), start);
  return (
    isOfSomething(near) ||
    (isNumbered(contexts, before) && unitAt(contexts.text, start - 1) !== HASH) ||
    isAmount(contexts, afterAt(contexts, end))
  );
}

const HASH = 35;

function isNumbered(contexts: Contexts, side: NumberSide): boolean {
  if (!mayBeNumbered(contexts.text, side.at)) return false;
  const said = saidBefore(contexts, side);
  return NUMBERED.test(readSide(said, said.to - LONGEST_NUMBERED));
}

/** Whether a letter or the sign of a currency stands before `start`, with no more between them than `NUMBERED` may have there. */
function mayBeNumbered(text: string, start: number): boolean {
  let i = start - 1;
  while (start - i <= 3 && isJoint(unitAt(text, i))) {
    if (unitAt(text, i) === 35) return true;
    i--;
  }
  const unit = unitAt(text, i);
  return unit > 127 || unit === 35 || unit === 36 || isAsciiLetter(unit);
}

/** White space, and `.`, `:`, `#`, `=` and hyphens. */
const isJoint = (unit: number): boolean =>
  unit === 45 || unit === 46 || unit === 58 || unit === 61 || unit === 35 || isSpace(unit);

function isAmount(contexts: Contexts, side: NumberSide): boolean {
  const { text } = contexts;
  const unit = unitAt(text, isSpace(unitAt(text, side.at)) ? side.at + 1 : side.at);
  if (unit <= 127 && unit !== 36 && unit !== 37 && !isAsciiLetter(unit)) return false;
  return AMOUNT.test(readSide(saidAfter(contexts, side)));
}

const round = (score: number): number => Math.round(score * 100) / 100;

/** What a side says, from `from` on. */
const readSide = (said: Omit<ContextStretch, 'words'>, from = 0): string =>
  said.text.slice(Math.max(said.from, from), said.to).toLowerCase();

const saying = (text: string, from: number, to: number): ContextStretch => ({
  text,
  from,
  to,
  words: wordsIn(text, from, to),
});

/** What stands from `from` to `to`, in the form in which words are compared but for capitals of ASCII. */
function stretchOf(contexts: Contexts, from: number, to: number): Omit<ContextStretch, 'words'> {
  const { text } = contexts;
  if (isPlain(text, from, to)) return { text, from, to };
  contexts.folded ??= foldedOf(text);
  const { folded } = contexts;
  return { text: folded.text, from: offsetFrom(folded, from), to: offsetFrom(folded, to) };
}

const FOLDED = changeOf(fold);

function foldedOf(text: string): FoldedText {
  const folded = fold(text);
  return { text: folded, ...offsetsOf(text, folded, FOLDED) };
}

function isPlain(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** What stands before `start`. It begins behind the number before, unless what stands between them is no more than "and". */
function sideBefore(contexts: Contexts, start: number): ContextStretch {
  const { text } = contexts;
  const nearest = Math.max(0, start - (isInUrl(contexts, start) ? NEAR : BEFORE));
  // In a table, the names of other columns say nothing of it.
  const inTable = hasTable(contexts) && tableAt(contexts.tables ?? [], start) !== undefined;
  const from = inTable ? beginOfRow(contexts, nearest, start) : nearest;
  if (isSimple(text, from, start)) return saying(text, from, start);
  const said = stretchOf(contexts, from, start);
  const window = readSide(said);
  const cut = endOfCell(window, endOfNumber(window));
  const begins = cut > 0 && isOfItself(window.slice(cut)) ? said.from + cut : said.from;
  return saying(said.text, begins, said.to);
}

/** Where the row begins that `start` is in, from `nearest` on; of HTML, the cell. */
function beginOfRow({ text, tables }: Contexts, nearest: number, start: number): number {
  const table = tableAt(tables ?? [], start);
  if (table?.delimiter === ROWS) return Math.max(nearest, columnOfRow(text, table.from, start).begins);
  return nearest + text.slice(nearest, start).lastIndexOf(table?.delimiter === HTML ? '>' : '\n') + 1;
}

/** Between two numbers: an item of a list, whose heading stands before the first. */
const ITEM = /^["',\]]{0,3}\s+[-*\u2022] {0,3}["']?$/;
/** Words, a new line, or a key: what stands behind the number before is of the next one alone. */
const OWN = /[a-z\u00e0-\uffff]{4}|\n|[a-z][\w-]{0,40}["'*\x60]{0,3}\s?[=:>]["'\s]{0,3}$/;

/** Behind the tag that ends what the number at `cut` is in. */
const endOfCell = (window: string, cut: number): number =>
  cut === 0 ? 0 : cut + (/^["']?<\/[\w:-]{1,40}>/.exec(window.slice(cut, cut + 48))?.[0].length ?? 0);

const isOfItself = (between: string): boolean => OWN.test(between) && !ITEM.test(between);

/** Whether the stretch is ASCII and has no number that is long enough to end what belongs to another one. */
function isSimple(text: string, from: number, to: number): boolean {
  let digits = 0;
  let parted = true;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 127) return false;
    if (isDigit(unit)) {
      if (++digits === LONG) return false;
      parted = false;
    } else if (parted || !SEPARATORS.includes(unit)) digits = 0;
    else parted = true;
  }
  return true;
}

/** Space, hyphen, dot, slash. */
const SEPARATORS: readonly number[] = [32, 45, 46, 47];

const NUMBER = new RegExp(`^[^]*(?:\\d[ ./-]?){${LONG - 1}}\\d(?!\\d)`);
const SOME_DIGITS = /\d[ ./-]?\d[ ./-]?\d/;

/** End of the last number of many digits in `window`; 0: there is none. */
function endOfNumber(window: string): number {
  return SOME_DIGITS.test(window) ? (NUMBER.exec(window)?.[0].length ?? 0) : 0;
}

/** What stands behind `end` in the same line, up to the next number of several digits. */
function sideAfter(contexts: Contexts, end: number): ContextStretch {
  const { text } = contexts;
  const window = text.slice(end, end + AFTER);
  const stop = window.search(/[\n;]|\d{4}|[.!?] [A-Z]/);
  const to = end + (stop < 0 ? window.length : stop);
  const said = stretchOf(contexts, end, to);
  return saying(said.text, said.from, said.to);
}

const LONGEST_URL = 256;

/** Whether what is at `start` is part of an address on the web. Where it is asked in order, a text is read once for it. */
function isInUrl({ text, url }: Contexts, start: number): boolean {
  // Where the place before is in none, an address begins behind it.
  const known = url.at <= start && !url.within ? url.at : 0;
  url.at = start;
  url.within = beginsUrl(text, start, Math.max(known, 1, start - LONGEST_URL + 1));
  return url.within;
}

/** Whether an address begins at `from` or behind, and goes on to `start`. */
function beginsUrl(text: string, start: number, from: number): boolean {
  for (let i = start - 1; i >= from; i--) {
    const unit = text.charCodeAt(i);
    if (unit <= 32) return false;
    if (unit === 47 && text[i - 1] === '/') return true;
    if (unit === 46 && text.startsWith('www', i - 3)) return true;
  }
  return false;
}
