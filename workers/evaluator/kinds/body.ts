/** The JSON of a body. */
import { eachElement, memberAt, skipValue, valueStart } from '../../../shared/json.js';

export interface Body<T = unknown> {
  value: T;
  /** as it was sent: parts of it are kept and checked as they were written */
  json: string;
}

/**
 * Reads a body, which was validated when it was accepted. If it is no JSON any more, throws an error of our own: the error of the engine
 * quotes the text, and would go into logs and dead letters.
 */
export function readBody(body: Uint8Array): Body {
  const json = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  return { value: parsed(json), json };
}

/** The value of the JSON of a body. Throws as {@link readBody} does. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('the body of the entry is not valid JSON');
  }
}

/** A body with this value. */
export const madeBody = <T>(value: T): Body<T> => ({ value, json: JSON.stringify(value) });

/** The offset of element `index` of an array that is a member of the body; of the last element if there are fewer. */
export function elementAt(json: string, name: string, index: number): number {
  let found = -1;
  eachElement(json, memberAt(json, valueStart(json), name), (at, start) => {
    if (at <= index) found = start;
    return skipValue(json, start);
  });
  return found;
}

/** The offset of the last element. */
export const lastElementAt = (json: string, name: string): number => elementAt(json, name, Number.POSITIVE_INFINITY);
