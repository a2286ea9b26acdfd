/**
 * Reads a body without its long strings. The data of an image are megabytes of base64. As parts of JavaScript strings they would be
 * copied to fresh memory several times, and the kernel takes as long to hand over such memory as it takes to decode the base64.
 */
import { stringEndIn } from './json.js';

export interface Skimmed {
  /** the body with '' for each long string */
  json: string;
  /** what stands between the quotes of these strings, by the position of the string in `json`, in order; a part of the body */
  long: ReadonlyMap<number, Buffer>;
}

const QUOTE = 34;

/** Takes strings of more than `most` bytes out of a body, which need not be valid. */
export function skim(body: Uint8Array, most: number): Skimmed {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const long = new Map<number, Buffer>();
  let json = '';
  let from = 0;
  let quote = bytes.length > most ? bytes.indexOf(QUOTE) : -1;
  while (quote >= 0) {
    const end = stringEndIn(bytes, quote + 1);
    if (end >= bytes.length) break;
    if (end - quote - 1 > most) {
      json += bytes.toString('utf8', from, quote);
      long.set(json.length, bytes.subarray(quote + 1, end));
      json += '""';
      from = end + 1;
    }
    quote = bytes.indexOf(QUOTE, end + 1);
  }
  return { json: json + bytes.toString('utf8', from), long };
}
