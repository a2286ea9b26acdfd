/** The JSON of a body. */
import { eachElement, memberAt, skipValue, valueStart } from '../../../shared/json.js';

export interface EntryBody<T = unknown> {
  value: T;
  /** as it was sent: parts of it are kept and checked as they were written */
  json: string;
}

/**
 * Reads a body, which was validated when it was accepted. If it is no JSON any more, throws an error of our own: the error of the engine
 * quotes the text, and would go into logs and dead letters.
 */
export function readBody(body: Uint8Array): EntryBody {
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
export const madeBody = <T>(value: T): EntryBody<T> => ({ value, json: JSON.stringify(value) });

/** The offsets of the elements of an array that is a member of the body. */
export function elementsAt(json: string, name: string): number[] {
  const starts: number[] = [];
  eachElement(json, memberAt(json, valueStart(json), name), (_, start) => {
    starts.push(start);
    return skipValue(json, start);
  });
  return starts;
}

/** The offset of the last element. */
export const lastElementAt = (json: string, name: string): number => elementsAt(json, name).at(-1) ?? -1;
