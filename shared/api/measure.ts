/** Sizes and shapes of values that callers send: bytes, characters, levels. */
import { LIMITS } from './limits.js';

// Longest that a JSON number grows when it is written again (`1e20` → 21 digits), with its comma: less than fivefold.
// Everything else stays or shrinks.
const GROWTH = 5;

/** Whether `text` has more than `limit` UTF-8 bytes. */
export function textExceeds(text: string, limit: number): boolean {
  return text.length * 3 > limit && (text.length > limit || Buffer.byteLength(text) > limit);
}

/**
 * Whether `value`, a string or the compact JSON of anything else, has more than `limit` UTF-8 bytes. `bodyBytes` is
 * the length of the body it came in: most bodies are too short for it to matter, and then nothing is measured.
 */
export function valueExceeds(value: unknown, limit: number, bodyBytes: number): boolean {
  if (bodyBytes * GROWTH <= limit) return false;
  return textExceeds(typeof value === 'string' ? value : JSON.stringify(value), limit);
}

/** Whether `text` has more than `limit` code points. */
export function charactersExceed(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > limit;
}

/** Whether `text` is a run or event id (2.7): 1 to 128 letters, digits, `.`, `_`, `:`, `-`. */
export function isId(text: string): boolean {
  const length = text.length;
  if (length === 0 || length > LIMITS.idCharacters) return false;
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    const good =
      (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 58) || c === 95 || c === 45 || c === 46;
    if (!good) return false;
  }
  return true;
}

/** Whether `value`, fresh from JSON.parse, has objects and arrays nested more than `levels` deep. */
export function deeperThan(value: unknown, levels: number): boolean {
  return typeof value === 'object' && value !== null && nested(value, levels);
}

function nested(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const inner: unknown = value[i];
      if (typeof inner === 'object' && inner !== null && nested(inner, levels - 1)) return true;
    }
    return false;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const inner = record[key];
    if (typeof inner === 'object' && inner !== null && nested(inner, levels - 1)) return true;
  }
  return false;
}
