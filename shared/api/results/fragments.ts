/**
 * The fragments of a record, a line each. A policies map may be shortened to what it does not have in common with a map before it:
 *
 *     ~<number of that fragment> <how many bytes of it come before> <how many of its last come behind> <what is between>
 *
 * Ingress makes the answer of a plain batch of them by itself (`read-batch.ts`, `paste-events.ts`).
 */
import { MOST_COMPARED, mostAlike, type PolicyMap, policyMap } from './policy-maps.js';
import { putAscii, putBytes, putUtf8 } from './write-text.js';

/** A map that was put. */
interface PutMap {
  map: PolicyMap;
  fragment: number;
}

/** Less is not worth the numbers. */
const LEAST_SHORTENED = 40;

/** Puts a line for each fragment. Of `items` are the maps that may be shortened. */
export function putFragments(fragments: readonly string[], items: readonly { policies: number }[]): void {
  const maps: boolean[] = [];
  for (let i = 0; i < items.length; i++) maps[items[i]!.policies] = true;
  const before: PutMap[] = [];
  for (let i = 0; i < fragments.length; i++) {
    putAscii('\n');
    const map = maps[i] === true ? policyMap(fragments[i]!) : undefined;
    if (map?.isAscii) putMap(map, i, before);
    else putUtf8(fragments[i]!);
  }
}

function putMap(map: PolicyMap, fragment: number, before: PutMap[]): void {
  const like = mostAlike(map, before);
  if (like && like.start + like.end >= LEAST_SHORTENED) {
    putAscii(`~${like.other.fragment} ${like.start} ${like.end} `);
    putBytes(map.bytes.subarray(like.start, map.bytes.length - like.end));
  } else putBytes(map.bytes);
  if (before.length < MOST_COMPARED) before.push({ map, fragment });
}

const SHORTENED = /^~(\d+) (\d+) (\d+) /;

/** Makes fragments whole again. Throws if a line is not as it was put. */
export function readFragments(lines: readonly string[]): string[] {
  const fragments: string[] = [];
  for (const line of lines) fragments.push(line.startsWith('~') ? wholeMap(line, fragments) : line);
  return fragments;
}

/** Only ASCII is shortened, so its bytes are units of the text. */
function wholeMap(line: string, before: readonly string[]): string {
  const [numbers = '', number, start, end] = SHORTENED.exec(line) ?? [];
  const other = before[Number(number)];
  if (other === undefined || Number(start) + Number(end) > other.length) {
    throw new Error('a shortened map of a result record is damaged');
  }
  return other.slice(0, Number(start)) + line.slice(numbers.length) + other.slice(other.length - Number(end));
}
