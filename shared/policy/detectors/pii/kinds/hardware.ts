/** MAC addresses and UUIDs. */
import { isHex, unitAt } from '../../../engine/probes/characters.js';
import { joinsAt } from '../edges.js';
import { findOf, type PiiFind } from '../find.js';

/** Six pairs with one kind of separator, or three groups of four with dots (as Cisco writes them). */
const PAIRS = /[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){4}/iy;
const FOURS = /[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}/iy;
/** Pairs with spaces, two halves, or unbroken: these are addresses where they are called so, as groups of four without a letter are. */
const CALLED = /[\da-f]{2}(?: [\da-f]{2}){5}|[\da-f]{6}-?[\da-f]{6}/iy;
const NAME =
  /(?:(?<![a-z])mac|hw|hardware|physical|ether(?:net)?|wi-?fi|wlan|bluetooth|bssid|station)[ _-]?(?:id|addr(?:ess)?|adresse)?["'\]]?[\s:=#"'(|]{1,6}$/i;
const LONGEST_NAME = 32;
/** No device: all zeros, and the address of everybody. */
const NOBODY = /^(?:0{12}|f{12})$/i;

/** The address that starts at `start`. */
export function findMac(text: string, start: number): PiiFind | undefined {
  const [pair, four] = [text[start + 2] ?? '', text[start + 4]];
  const pattern = four === '.' ? FOURS : pair === ':' || pair === '-' ? PAIRS : CALLED;
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (!match || joinsAt(text, start - 1)) return undefined;
  const isWeak = pattern === CALLED || (pattern === FOURS && /^[\d.]*$/.test(match[0]));
  if (isWeak && !NAME.test(text.slice(Math.max(0, start - LONGEST_NAME), start))) return undefined;
  const end = start + match[0].length;
  const [before, after] = [text[start - 1] ?? '', text[end] ?? ''];
  if (joinsAt(text, end) || NOBODY.test(match[0].replace(/[^\da-f]/gi, ''))) return undefined;
  if (pattern === FOURS && before === '.') return undefined;
  if (/[:.-]/.test(before) && isHex(unitAt(text, start - 2))) return undefined;
  if (/[:.-]/.test(after) && isHex(unitAt(text, end + 1))) return undefined;
  return findOf('MAC_ADDRESS', { start, end }, 0.7, true);
}

const FIRST_PAIR = /[\da-f]{2}$/i;

/** `at` is a colon. Only the first of an address leads to it. */
export function findMacByColon(text: string, at: number): PiiFind | undefined {
  if (at < 2 || !FIRST_PAIR.test(text.slice(at - 2, at)) || text[at + 3] !== ':') return undefined;
  return findMac(text, at - 2);
}

const UUID = /[\da-f]{8}-[\da-f]{4}-([1-8])[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/iy;

/** A UUID of RFC 9562 that starts at `start`. */
export function findUuid(text: string, start: number): PiiFind | undefined {
  UUID.lastIndex = start;
  const match = UUID.exec(text);
  if (!match || joinsAt(text, start - 1) || text[start - 1] === '-') return undefined;
  const end = start + match[0].length;
  if (joinsAt(text, end) || (text[end] === '-' && joinsAt(text, end + 1))) return undefined;
  return findOf('UUID', { start, end }, 0.5, true);
}
