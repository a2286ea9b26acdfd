/** The words before and after a number, which raise the score of what they name, and lower that of what they exclude. */
import { isDigit } from '../../engine/probes/characters.js';
import type { Span } from './find.js';
import { plain, type Words, wordsIn } from './words.js';

/** Characters before and after a number that are looked at. */
const BEFORE = 72;
const AFTER = 40;
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

/** The surroundings of numbers in a text. Each side is read once for all that begins, or ends, there. */
export interface Contexts {
  readonly text: string;
  before: Side | undefined;
  after: Side | undefined;
}

/** What is known of one side of a number. */
interface Side {
  at: number;
  /** what it is a stretch of: the text as sent, or what a part of it reads in the form in which words are compared */
  text: string;
  from: number;
  to: number;
  words: readonly Words[];
  /** whether it says that the number is none of a person; undefined: not asked yet */
  excludes: boolean | undefined;
}

export const contextsOf = (text: string): Contexts => ({ text, before: undefined, after: undefined });

function beforeAt(contexts: Contexts, start: number): Side {
  if (contexts.before?.at !== start) contexts.before = sideBefore(contexts.text, start);
  return contexts.before;
}

function afterAt(contexts: Contexts, end: number): Side {
  if (contexts.after?.at !== end) contexts.after = sideAfter(contexts.text, end);
  return contexts.after;
}

/** The score of what is at `span`, given its own and the words that speak for it. */
export function raised(contexts: Contexts, score: number, words: Words | undefined, { start, end }: Span): number {
  if (!words || score === 1) return score;
  if (beforeAt(contexts, start).words.includes(words))
    return Math.min(1, round(Math.max(score + RAISE_BEFORE, LEAST_BEFORE)));
  if (afterAt(contexts, end).words.includes(words))
    return Math.min(1, round(Math.max(score + RAISE_AFTER, LEAST_AFTER)));
  return score;
}

/** The same for plain digits, which may as well be an order number or an amount. */
export function lowered(contexts: Contexts, score: number, words: Words | undefined, span: Span): number {
  const whole = raised(contexts, score, words, span);
  if (whole !== score || score <= MOST_LOWERED) return whole;
  const [left, right] = [beforeAt(contexts, span.start), afterAt(contexts, span.end)];
  left.excludes ??= NUMBERED.test(readSide(left, left.to - LONGEST_NUMBERED)) || isInUrl(contexts.text, span.start);
  right.excludes ??= AMOUNT.test(readSide(right));
  return left.excludes || right.excludes ? MOST_LOWERED : score;
}

const round = (score: number): number => Math.round(score * 100) / 100;

/** What a side says, from `from` on. */
const readSide = (side: Side, from = 0): string => side.text.slice(Math.max(side.from, from), side.to).toLowerCase();

const sideOf = (at: number, text: string, from = 0, to = text.length): Side => ({
  at,
  text,
  from,
  to,
  words: wordsIn(text, from, to),
  excludes: undefined,
});

/** What stands before `start`. It begins behind the number before, unless what stands between them is no more than "and". */
function sideBefore(text: string, start: number): Side {
  const from = Math.max(0, start - (isInUrl(text, start) ? NEAR : BEFORE));
  if (isSimple(text, from, start)) return sideOf(start, text, from, start);
  const window = plain(text.slice(from, start));
  const cut = endOfNumber(window);
  if (cut === 0) return sideOf(start, window);
  const rest = window.slice(cut);
  return sideOf(start, /[a-z\u00e0-\uffff]{4}|\n/.test(rest) ? rest : window);
}

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
function sideAfter(text: string, end: number): Side {
  const window = text.slice(end, end + AFTER);
  const stop = window.search(/[\n;]|\d{4}|[.!?] [A-Z]/);
  const to = end + (stop < 0 ? window.length : stop);
  return isSimple(text, end, to) ? sideOf(end, text, end, to) : sideOf(end, plain(text.slice(end, to)));
}

const LONGEST_URL = 256;

/** Whether what is at `start` is part of an address on the web. */
function isInUrl(text: string, start: number): boolean {
  for (let i = start - 1; i > 0 && start - i < LONGEST_URL; i--) {
    const unit = text.charCodeAt(i);
    if (unit <= 32) return false;
    if (unit === 47 && text[i - 1] === '/') return true;
    if (unit === 46 && text.startsWith('www', i - 3)) return true;
  }
  return false;
}
