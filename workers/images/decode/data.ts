/**
 * `content.data` of an image (2.6 of the interface): base64, or a data URI that declares base64. It allows one alphabet (the
 * standard or the URL-safe one), correct padding or none, and white space, nothing else. It is strict so that every other
 * reader of the same text gets the same bytes. The size is checked before anything is decoded.
 */
import { LIMITS } from '../../../shared/api/limits.js';
import { bytesIn, decodeDigits } from '../../../shared/base64.js';
import { failure, IMAGE_LIMITS, type ImageFailure } from '../failure.js';

export interface DecodedData {
  ok: true;
  bytes: Buffer;
  /** media type that a data URI states, in lower case; the bytes decide what the image is */
  statedType: string | undefined;
}

/** Line feed, space, carriage return, tab, form feed. */
const SPACES = [10, 32, 13, 9, 12];

/** Bytes of a data URI before its comma. */
const MAX_PREFIX = 1024;
/** Bytes that are looked at for the beginning of a data URI. */
const HEAD = 64 + MAX_PREFIX;

/**
 * Bytes of the image in `data`, the text or its bytes; they have memory of their own. Fails as `too_large` above 10 MiB, `data` if it is
 * not base64, `empty` without bytes.
 */
export function decodeData(data: string | Buffer): DecodedData | ImageFailure {
  // What is not ASCII is no base64, in whatever way it is read.
  const parts = splitDataUri(typeof data === 'string' ? Buffer.from(data) : data);
  if (!parts) return failure('data');
  const { body, type: statedType } = parts;
  if (body.length > LIMITS.imageDataCharacters) return failure('too_large');
  const packed = decoded(body);
  // Most data have no space, and such as have some do not pass with it.
  const bytes =
    typeof packed === 'string' && SPACES.some((space) => body.includes(space))
      ? decoded(edited(body, (text) => text.replace(/[\t\n\f\r ]+/g, '')))
      : packed;
  return typeof bytes === 'string' ? failure(bytes) : { ok: true, bytes, statedType };
}

/** The base64 and the stated type; undefined for a data URI that does not declare base64 or has no comma. */
function splitDataUri(data: Buffer): { body: Buffer; type: string | undefined } | undefined {
  const head = data.toString('latin1', 0, HEAD);
  const start = /^[\t\n\f\r ]{0,64}/.exec(head)?.[0].length ?? 0;
  if (head.slice(start, start + 5).toLowerCase() !== 'data:') return { body: data, type: undefined };
  const comma = head.slice(start, start + MAX_PREFIX).indexOf(',');
  if (comma < 0) return undefined;
  const [type = '', ...parameters] = head.slice(start + 5, start + comma).split(';');
  if (parameters.at(-1)?.trim().toLowerCase() !== 'base64') return undefined;
  const body = data.subarray(start + comma + 1);
  return { body: withoutEscapes(body), type: type.trim().toLowerCase() || undefined };
}

/** A data URI is a URL, so the characters of base64 may be percent-encoded there. */
function withoutEscapes(body: Buffer): Buffer {
  if (!body.includes('%')) return body;
  return edited(body, (text) =>
    text.replace(/%(2B|2F|3D|0A|0D|20)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
}

const edited = (bytes: Buffer, edit: (text: string) => string): Buffer =>
  Buffer.from(edit(bytes.toString('latin1')), 'latin1');

const PADDING = 61;

/** Undefined if the padding is wrong, or if no number of bytes has that many digits. */
function withoutPadding(packed: Buffer): Buffer | undefined {
  const padding = packed.at(-1) !== PADDING ? 0 : packed.at(-2) !== PADDING ? 1 : 2;
  const digits = packed.subarray(0, packed.length - padding);
  if (digits.length % 4 === 1) return undefined;
  if (padding > 0 && packed.length % 4 !== 0) return undefined;
  return digits;
}

/** The bytes of base64 without space, or why there are none. */
function decoded(packed: Buffer): Buffer | 'data' | 'empty' | 'too_large' {
  const digits = withoutPadding(packed);
  if (digits === undefined) return 'data';
  if (digits.length === 0) return 'empty';
  const length = bytesIn(digits.length);
  if (length > IMAGE_LIMITS.bytes) return 'too_large';
  if (hasLooseBits(digits)) return 'data';
  const urlSafe = digits.includes('-') || digits.includes('_');
  if (urlSafe && (digits.includes('+') || digits.includes('/'))) return 'data';
  // Small buffers would share memory with others.
  const bytes = Buffer.allocUnsafeSlow(length);
  return decodeDigits(digits, bytes) ? bytes : 'data';
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Whether the last digit has bits that belong to no byte. No encoder writes such a digit, and readers disagree on it. */
function hasLooseBits(digits: Buffer): boolean {
  const unused = digits.length % 4 === 2 ? 4 : digits.length % 4 === 3 ? 2 : 0;
  const last = String.fromCharCode(digits.at(-1)!);
  const value = last === '+' || last === '-' ? 62 : last === '/' || last === '_' ? 63 : ALPHABET.indexOf(last);
  return value % 2 ** unused !== 0;
}
