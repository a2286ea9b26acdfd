/** The words before and after a number, which raise the score of what they name, and lower that of what they exclude. */
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

export interface Contexts {
  /** the score of what is at `start` to `end`, given its own and the words that speak for it */
  raised(score: number, words: Words | undefined, start: number, end: number): number;
  /** the same for plain digits, which may as well be an order number or an amount */
  lowered(score: number, words: Words | undefined, start: number, end: number): number;
}

/** What is known of one side of a number. */
interface Side {
  at: number;
  text: string;
  words: ReadonlySet<Words>;
  /** whether it says that the number is none of a person; undefined: not asked yet */
  excludes: boolean | undefined;
}

/** Looks at the surroundings of numbers in `text`. Each side is read once for all that begins, or ends, there. */
export function contextsOf(text: string): Contexts {
  let before: Side | undefined;
  let after: Side | undefined;
  const beforeAt = (start: number): Side => {
    if (before?.at !== start) before = sideOf(start, readBefore(text, start));
    return before;
  };
  const afterAt = (end: number): Side => {
    if (after?.at !== end) after = sideOf(end, readAfter(text, end));
    return after;
  };
  const raised: Contexts['raised'] = (score, words, start, end) => {
    if (!words || score === 1) return score;
    if (beforeAt(start).words.has(words)) return Math.min(1, round(Math.max(score + RAISE_BEFORE, LEAST_BEFORE)));
    if (afterAt(end).words.has(words)) return Math.min(1, round(Math.max(score + RAISE_AFTER, LEAST_AFTER)));
    return score;
  };
  const excluded = (start: number, end: number): boolean => {
    const [left, right] = [beforeAt(start), afterAt(end)];
    left.excludes ??= NUMBERED.test(left.text.slice(-LONGEST_NUMBERED)) || isInUrl(text, start);
    right.excludes ??= AMOUNT.test(right.text);
    return left.excludes || right.excludes;
  };
  return {
    raised,
    lowered(score, words, start, end) {
      const whole = raised(score, words, start, end);
      if (whole !== score || score <= MOST_LOWERED) return whole;
      return excluded(start, end) ? MOST_LOWERED : score;
    },
  };
}

const sideOf = (at: number, text: string): Side => ({ at, text, words: wordsIn(text), excludes: undefined });

const round = (score: number): number => Math.round(score * 100) / 100;

/** What stands before `start`. It begins behind the number before, unless what stands between them is no more than "and". */
function readBefore(text: string, start: number): string {
  const from = Math.max(0, start - (isInUrl(text, start) ? NEAR : BEFORE));
  const window = plain(text.slice(from, start));
  const cut = endOfNumber(window);
  if (cut === 0) return window;
  const rest = window.slice(cut);
  return /[a-z\u00e0-\uffff]{4}|\n/.test(rest) ? rest : window;
}

const NUMBER = new RegExp(`^[^]*(?:\\d[ ./-]?){${LONG - 1}}\\d(?!\\d)`);
const SOME_DIGITS = /\d[ ./-]?\d[ ./-]?\d/;

/** End of the last number of many digits in `window`; 0: there is none. */
function endOfNumber(window: string): number {
  return SOME_DIGITS.test(window) ? (NUMBER.exec(window)?.[0].length ?? 0) : 0;
}

/** What stands behind `end` in the same line, up to the next number of several digits. */
function readAfter(text: string, end: number): string {
  const window = text.slice(end, end + AFTER);
  const stop = window.search(/[\n;]|\d{4}|[.!?] [A-Z]/);
  return plain(stop < 0 ? window : window.slice(0, stop));
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
