/**
 * `content.data` of an image (2.6 of the interface): base64, or a data URI that declares base64. It allows one alphabet (the
 * standard or the URL-safe one), correct padding or none, and white space, nothing else. It is strict so that every other
 * reader of the same text gets the same bytes. The size is checked before anything is decoded.
 */
import { LIMITS } from '../../../shared/api/limits.js';
import { type Failure, failure, IMAGE_LIMITS } from '../failure.js';

export interface DecodedData {
  ok: true;
  bytes: Buffer;
  /** media type that a data URI states, in lower case; the bytes decide what the image is */
  statedType: string | undefined;
}

const SPACES = ['\n', ' ', '\r', '\t', '\f'];

/** Bytes of a data URI before its comma. */
const MAX_PREFIX = 1024;

/**
 * Bytes of the image in `data`, the text or its bytes. Fails as `too_large` above 10 MiB, `data` if it is not base64, `empty` without
 * bytes.
 */
export function decodeData(data: string | Buffer): DecodedData | Failure {
  // What is not ASCII is no base64, in whatever way it is read.
  const parts = splitDataUri(typeof data === 'string' ? data : data.toString('latin1'));
  if (!parts) return failure('data');
  const { body, type: statedType } = parts;
  if (body.length > LIMITS.imageDataCharacters) return failure('too_large');
  const narrow = typeof data !== 'string';
  const packed = decoded(body, narrow);
  // Most data have no space, and such as have some do not pass with it.
  const bytes =
    typeof packed === 'string' && SPACES.some((space) => body.includes(space))
      ? decoded(body.replace(/[\t\n\f\r ]+/g, ''), narrow)
      : packed;
  return typeof bytes === 'string' ? failure(bytes) : { ok: true, bytes, statedType };
}

/** The base64 text and the stated type; undefined for a data URI that does not declare base64 or has no comma. */
function splitDataUri(data: string): { body: string; type: string | undefined } | undefined {
  const start = /^[\t\n\f\r ]{0,64}/.exec(data)?.[0].length ?? 0;
  if (data.slice(start, start + 5).toLowerCase() !== 'data:') return { body: data, type: undefined };
  const comma = data.slice(start, start + MAX_PREFIX).indexOf(',');
  if (comma < 0) return undefined;
  const [type = '', ...parameters] = data.slice(start + 5, start + comma).split(';');
  if (parameters.at(-1)?.trim().toLowerCase() !== 'base64') return undefined;
  const body = data.slice(start + comma + 1);
  return { body: withoutEscapes(body), type: type.trim().toLowerCase() || undefined };
}

/** A data URI is a URL, so the characters of base64 may be percent-encoded there. */
function withoutEscapes(body: string): string {
  if (!body.includes('%')) return body;
  return body.replace(/%(2B|2F|3D|0A|0D|20)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Undefined if the padding is wrong, or if no number of bytes has that many digits. */
function withoutPadding(packed: string): string | undefined {
  const padding = packed.endsWith('==') ? 2 : packed.endsWith('=') ? 1 : 0;
  const digits = padding === 0 ? packed : packed.slice(0, -padding);
  if (digits.length % 4 === 1) return undefined;
  if (padding > 0 && (digits.length + padding) % 4 !== 0) return undefined;
  return digits;
}

/**
 * The bytes of base64 without space, or why there are none. Node's decoder skips characters that are in no alphabet, so a wrong one
 * shows as missing bytes. That check takes a fortieth of the time of a pattern. `narrow`: the text has no characters above 255, of
 * which the decoder would take the lower half.
 */
function decoded(packed: string, narrow: boolean): Buffer | 'data' | 'empty' | 'too_large' {
  const digits = withoutPadding(packed);
  if (digits === undefined) return 'data';
  if (digits === '') return 'empty';
  const length = Math.floor((digits.length * 3) / 4);
  if (length > IMAGE_LIMITS.bytes) return 'too_large';
  if (hasLooseBits(digits)) return 'data';
  const urlSafe = digits.includes('-') || digits.includes('_');
  if (urlSafe && (digits.includes('+') || digits.includes('/'))) return 'data';
  if (!narrow && Buffer.byteLength(digits) !== digits.length) return 'data';
  const bytes = Buffer.from(digits, 'base64');
  return bytes.length === length ? bytes : 'data';
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Whether the last digit has bits that belong to no byte. No encoder writes such a digit, and readers disagree on it. */
function hasLooseBits(digits: string): boolean {
  const unused = digits.length % 4 === 2 ? 4 : digits.length % 4 === 3 ? 2 : 0;
  const last = digits.at(-1)!;
  const value = last === '+' || last === '-' ? 62 : last === '/' || last === '_' ? 63 : ALPHABET.indexOf(last);
  return value % 2 ** unused !== 0;
}
