/**
 * Numbers whose separators and signs are written as entities of HTML or in percent-encoding: `4111&nbsp;1111…`, `%2B44%2020…`. A bounded
 * stretch around the first of them is decoded, looked at as any text, and what is found there is where it was written.
 */
import { isDigit, unitAt } from '../../engine/probes/characters.js';
import { type Chunk, chunkBehind, chunkFrom } from '../../engine/probes/number.js';
import { stepsFor } from '../../engine/steps.js';
import { lookIn } from './chunk.js';
import { AFTER, BEFORE } from './context.js';
import type { PiiFind } from './find.js';
import { type SoughtEntities, soughtBy } from './sought.js';

/**
 * What leads to a stretch: a space, a plus, a hyphen, characters by their number, and what stands before a value in a query or in JSON that
 * is encoded as a whole.
 */
export const ENCODED_LITERALS: readonly string[] =
  '&nbsp; &# %20 %2b %2d %c2%a0 %2f %3a %3d %22 %2c %28 %7b %5b \\u00'.split(' ');

const SIGN = /&nbsp;|&#(\d{2,6});|&#x([\da-f]{1,5});|\\u(00[2-7a][\da-f])|%c2%a0|%([2-7][\da-f])/iy;
/** Units of a stretch, and how few digits it has for the shortest number. */
const [LONGEST, FEWEST] = [512, 7] as const;
/** The sign before in the same number is no farther away. */
const NEAR = 24;

interface DecodedStretch {
  text: string;
  /** by unit of it, and one behind: where that stands in the text */
  places: number[];
}

/** What stands for a sign at `at`, and its length; undefined: nothing. */
function signAt(text: string, at: number): { sign: string; length: number } | undefined {
  SIGN.lastIndex = at;
  const match = SIGN.exec(text);
  if (!match) return undefined;
  const [whole, decimal, hex, escaped, percent] = match;
  const code = decimal ? Number(decimal) : Number.parseInt(hex ?? escaped ?? percent ?? '20', 16);
  return code > 31 && code < 0x10000 ? { sign: String.fromCharCode(code), length: whole.length } : undefined;
}

/** Whether a sign may begin with it: an ampersand, a percent sign, a backslash. */
const begins = (unit: number): boolean => unit === 38 || unit === 37 || unit === 92;

function decoded(text: string, from: number, to: number): DecodedStretch {
  const places: number[] = [];
  let said = '';
  for (let i = from; i < to; ) {
    const unit = unitAt(text, i);
    const sign = begins(unit) ? signAt(text, i) : undefined;
    said += sign?.sign ?? text[i];
    places.push(i);
    i += sign?.length ?? 1;
  }
  places.push(to);
  return { text: said, places };
}

/** Whether an encoded sign stands little before, whose stretch this one is of. */
function isWithin(text: string, at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - NEAR); i--) {
    const unit = text.charCodeAt(i);
    if (unit <= 32) return false;
    if (begins(unit) && signAt(text, i)) return true;
  }
  return false;
}

/** End of what has no white space, and an encoded sign at least every {@link NEAR} units; so stretches overlap by their surroundings alone. */
function endOf(text: string, at: number): { end: number; digits: number } {
  let digits = 0;
  let last = at;
  let end = at;
  for (; end < text.length && end - at < LONGEST && end - last <= NEAR; end++) {
    const unit = text.charCodeAt(end);
    if (unit <= 32) break;
    if (isDigit(unit)) digits++;
    else if (begins(unit) && signAt(text, end)) last = end;
  }
  return { end, digits };
}

const isBehindSign = ({ places }: DecodedStretch, at: number): boolean => at > 0 && places[at]! - places[at - 1]! > 1;

let sought: SoughtEntities | undefined;

/** Numbers around the first encoded sign at `at`. `entities`: all that may be asked for. */
export function findEncoded(text: string, at: number, entities: readonly string[]): readonly PiiFind[] | undefined {
  const sign = signAt(text, at);
  if (!sign || isWithin(text, at)) return undefined;
  const { end, digits } = endOf(text, at);
  if (digits < FEWEST) return undefined;
  sought ??= soughtBy([{ entities, score: 0 }]);
  const stretch = decoded(text, Math.max(0, at - BEFORE), Math.min(text.length, end + AFTER));
  const look = lookIn(stretch.text, sought, stepsFor(stretch.text.length, 2000, 100_000));
  const finds: PiiFind[] = [];
  for (let chunk: Chunk | undefined = chunkFrom(stretch.text, 0); chunk; chunk = chunkBehind(stretch.text, chunk)) {
    for (const find of look(chunk) ?? []) {
      const [from, to] = [stretch.places[find.start]!, stretch.places[find.end]!];
      // What has no encoded sign, and none before it that joins it to a word, is found as it stands.
      if (to - from > find.end - find.start || isBehindSign(stretch, find.start))
        finds.push({ ...find, start: from, end: to });
    }
  }
  return finds.length > 0 ? finds : undefined;
}
