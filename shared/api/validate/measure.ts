/** Measures values that callers send: bytes, characters, levels. */
import { compactBytes } from '../../json.js';
import { LIMITS } from '../limits.js';

/** Whether `text` has more than `limit` UTF-8 bytes. */
export function textExceeds(text: string, limit: number): boolean {
  return text.length * 3 > limit && (text.length > limit || Buffer.byteLength(text) > limit);
}

/**
 * Whether `value`, as a string or compact JSON, has more than `limit` UTF-8 bytes. `source`: its JSON as sent, since a
 * number can be written longer than its value needs. Without it, the value is written as JSON first.
 */
export function valueExceeds(value: unknown, limit: number, source: string | undefined): boolean {
  if (typeof value === 'string') return textExceeds(value, limit);
  return source === undefined ? textExceeds(JSON.stringify(value), limit) : compactBytes(source) > limit;
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

/** Whether `value`, a result of `JSON.parse`, is nested more than `levels` deep. */
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
