/**
 * `content.data` of an image (2.6 of the interface): base64, or a data URI that declares base64. Strict, so that what
 * was checked is what any other reader of the same text gets: one alphabet (the standard one or the URL-safe one), right
 * or no padding, line breaks and spaces between, nothing else. Size is known before anything is decoded.
 */
import { LIMITS } from '../../../shared/api/limits.js';
import { type Failure, failure, IMAGE_LIMITS } from '../failure.js';

export interface DecodedData {
  ok: true;
  bytes: Buffer;
  /** media type that a data URI states, lower case; the bytes decide what it is */
  statedType: string | undefined;
}

const SPACES = ['\n', ' ', '\r', '\t', '\f'];

/** Bytes of a data URI before its comma. */
const MAX_PREFIX = 1024;

/** Bytes of the image in `data`; `too_large` above 10 MiB, `data` when it is not base64, `empty` without any. */
export function decodeData(data: string): DecodedData | Failure {
  const parts = splitDataUri(data);
  if (!parts) return failure('data');
  if (parts.body.length > LIMITS.imageDataCharacters) return failure('too_large');
  const packed = SPACES.some((space) => parts.body.includes(space))
    ? parts.body.replace(/[\t\n\f\r ]+/g, '')
    : parts.body;
  const digits = withoutPadding(packed);
  if (digits === undefined) return failure('data');
  if (digits === '') return failure('empty');
  if (Math.floor((digits.length * 3) / 4) > IMAGE_LIMITS.bytes) return failure('too_large');
  if (hasLooseBits(digits)) return failure('data');
  const bytes = decoded(digits);
  return bytes ? { ok: true, bytes, statedType: parts.type } : failure('data');
}

/** The base64 text and the stated type; undefined for a data URI without base64 or without an end of its prefix. */
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

/** A data URI is a URL, so base64's own characters may stand there percent-encoded. */
function withoutEscapes(body: string): string {
  if (!body.includes('%')) return body;
  return body.replace(/%(2B|2F|3D|0A|0D|20)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Undefined when the padding is wrong, or no number of bytes has that many digits. */
function withoutPadding(packed: string): string | undefined {
  const padding = packed.endsWith('==') ? 2 : packed.endsWith('=') ? 1 : 0;
  const digits = padding === 0 ? packed : packed.slice(0, -padding);
  if (digits.length % 4 === 1) return undefined;
  if (padding > 0 && (digits.length + padding) % 4 !== 0) return undefined;
  return digits;
}

/**
 * The bytes of `digits`; undefined where one of them is of no alphabet, or of the other one. The decoder of Node passes over
 * what is no digit of ASCII, so that too few bytes come of it: to ask it costs a fortieth of looking at each by a pattern.
 */
function decoded(digits: string): Buffer | undefined {
  const urlSafe = digits.includes('-') || digits.includes('_');
  if (urlSafe && (digits.includes('+') || digits.includes('/'))) return undefined;
  if (Buffer.byteLength(digits) !== digits.length) return undefined;
  const bytes = Buffer.from(digits, 'base64');
  return bytes.length === Math.floor((digits.length * 3) / 4) ? bytes : undefined;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Whether the last digit says bits that belong to no byte: no encoder writes that, and readers disagree on it. */
function hasLooseBits(digits: string): boolean {
  const unused = digits.length % 4 === 2 ? 4 : digits.length % 4 === 3 ? 2 : 0;
  const last = digits.at(-1)!;
  const value = last === '+' || last === '-' ? 62 : last === '/' || last === '_' ? 63 : ALPHABET.indexOf(last);
  return value % 2 ** unused !== 0;
}
