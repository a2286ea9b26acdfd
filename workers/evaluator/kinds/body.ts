/** The JSON of a body. */
import { eachElement, memberAt, skipValue, valueStart } from '../../../shared/json.js';

export interface Body<T = unknown> {
  value: T;
  /** as it was sent, for what is kept or checked as it was written */
  json: string;
}

/**
 * A body that was validated when it was accepted. Throws, in words of our own, on one that is no JSON any more: the words of
 * the engine quote the text, and they go into logs and dead letters.
 */
export function readBody(body: Uint8Array): Body {
  const json = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  try {
    return { value: JSON.parse(json), json };
  } catch {
    throw new Error('the body of the entry is not valid JSON');
  }
}

/** The body that `value` comes to. */
export const madeBody = <T>(value: T): Body<T> => ({ value, json: JSON.stringify(value) });

/** Where an element of the array stands that is a member of the body: the last one that `index` does not exclude. */
export function elementAt(json: string, name: string, index: number): number {
  let found = -1;
  eachElement(json, memberAt(json, valueStart(json), name), (at, start) => {
    if (at <= index) found = start;
    return skipValue(json, start);
  });
  return found;
}

/** The same for the last element. */
export const lastElementAt = (json: string, name: string): number => elementAt(json, name, Number.POSITIVE_INFINITY);
