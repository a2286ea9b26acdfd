/** Card numbers among ids: a check digit passes one id in ten, so where a number stands counts as well. */
import { type Contexts, raised } from './context.js';
import type { PiiFind, PiiSpan } from './find.js';
import { findCard, findLooseCard } from './kinds/numbers.js';
import { wordsOf } from './words.js';

/** Of numbers whose issuer is not known: a check digit alone, as a serial number has one, speaks for them. */
const CARD_WORDS = wordsOf(
  '(credit|debit|payment|charge|prepaid|travel|bank)[ -]?card|card (no|num)|visa\\b|master ?card|amex\\b|uatp\\b|airplus',
  'kreditkarte|kartennummer|carte (bancaire|bleue|de credit)|tarjeta de (credito|debito)|carta di credito|cartao de (credito|debito)',
);

/** What names an id right before the number, as a key or a word. */
const ID_KEY =
  /(?:(?<![a-z])(?:order|trace|span|request|req|session|transaction|txn|trx|correlation|message|msg|event|job|task|batch|device|tracking|ticket|invoice|case|reference|ref|build|log|seq|sequence|span|user|account|customer|object|record|row|item|tweet|post|chat|channel|thread|snowflake|imei|nonce|offset|hash)s?[ _-]?(?:id|ids|key|no|nr|num|number|ref|uid)?|(?<![a-z])u?u?id|[a-z]Id|_id)["'\x60\]]{0,2}(?: (?:is|was))?[\s:=#([-]{0,4}["']?$/;
/** A line of a log begins with a time, or says it in a field. */
const LOG_LINE =
  /^\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{10,13}\b|[IWEF]\d{4} \d\d:\d\d)|^<\d{1,3}>\d? ?(?:\d{4}-|[A-Z][a-z]{2} )|^\W{0,3}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|["{, ](?:ts|time|timestamp|level|lvl)["']?[=:]/;
/** Words that speak for a card wherever they stand near. */
const PAID =
  /card|(?<![a-z])pan(?![a-mo-z])|\bpa(?:id|y)|charg|visa|master|amex|maestro|discover|diners|jcb|unionpay|\bcc|cvv|cvc|cvn|credit|debit|expir|\bexp\b|billing|kart|carte|tarjeta|carta|cartao|cartão/i;

const [BEFORE, AFTER, LINE] = [72, 40, 400] as const;
/** Score of digits that an id has as well. */
const OF_ID = 0.3;
/** and of groups as no card has them, with words of payment */
const OF_GROUPS = 0.7;

/** The card number at `start`, with the score that what stands around it leaves it. */
export function cardAt(text: string, start: number, contexts: Contexts): PiiFind | undefined {
  const find = findCard(text, start);
  if (!find) return looseCard(text, start);
  find.score = raised(contexts, find.score, CARD_WORDS, find);
  if (find.score > OF_ID && isUnbroken(text, find) && isOfId(text, find))
    Object.assign(find, { score: OF_ID, sure: false });
  return find;
}

/** Groups of other lengths than cards are printed with, where words of payment speak for them. */
function looseCard(text: string, start: number): PiiFind | undefined {
  const find = findLooseCard(text, start);
  if (find && isPaid(text, find)) find.score = OF_GROUPS;
  return find;
}

/** Groups are written by people, and ids have none. */
const isUnbroken = (text: string, { start, end }: PiiFind): boolean => /^\d+$/.test(text.slice(start, end));

/** Whether a word of payment stands near. */
export const isPaid = (text: string, { start, end }: PiiSpan): boolean =>
  PAID.test(text.slice(Math.max(0, start - BEFORE), start)) || PAID.test(text.slice(end, end + AFTER));

/** Whether the digits are called an id, or stand in a log, and nothing near speaks for a card. */
function isOfId(text: string, { start, end }: PiiFind): boolean {
  const before = text.slice(Math.max(0, start - BEFORE), start);
  if (isPaid(text, { start, end })) return false;
  if (ID_KEY.test(before) || ID_KEY.test(before.toLowerCase())) return true;
  const near = text.slice(Math.max(0, start - LINE), start);
  return LOG_LINE.test(near.slice(near.lastIndexOf('\n') + 1));
}
