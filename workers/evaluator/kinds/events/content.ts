/** Reads the content and the metadata of an event. */

import { valueStart } from '../../../../shared/json.js';
import { type ContentReading, createReader, readString } from '../../../../shared/policy/content/content.js';
import { NOBODY, type User, userIn } from '../user.js';
import type { SentEvent } from './sent.js';

/** `isText`: it is a string; else JSON. */
export function readContent(source: string, isText: boolean): ContentReading {
  if (isText) return readString(source);
  const reader = createReader();
  reader.json(source);
  return reader.done();
}

export interface Metadata {
  /** as it was sent, but without space; '' where there is none */
  json: string;
  /** for conditions */
  value: Record<string, unknown>;
  user: User;
}

const NO_METADATA: Metadata = { json: '', value: Object.freeze(Object.create(null)), user: NOBODY };
const MOST_KEPT = 1000;
const LONGEST_KEPT = 2048;
const kept = new Map<string, Metadata>();

/**
 * The metadata of an event; the same object for the same metadata. A few values recur in most of the traffic, and the results of
 * conditions are remembered by object.
 */
export const metadataOf = ({ metadata, metadataValue }: SentEvent): Metadata =>
  metadata === '' ? NO_METADATA : remembered(metadata, metadataValue);

/** The same of `json`, metadata as it is kept. */
export const keptMetadata = (json: string): Metadata => (json === '' ? NO_METADATA : remembered(json, undefined));

/** `value`: what the JSON says, if it was parsed. */
function remembered(source: string, value: Metadata['value'] | undefined): Metadata {
  if (source.length > LONGEST_KEPT) return made(source, value);
  const seen = kept.get(source);
  if (seen !== undefined) return seen;
  if (kept.size >= MOST_KEPT) kept.clear();
  // Copied: a slice of a body would keep all of the body in memory.
  const known = made(Buffer.from(source).toString(), value);
  kept.set(known.json, known);
  return known;
}

function made(json: string, parsed: Metadata['value'] | undefined): Metadata {
  const value = parsed ?? parsedObject(json);
  return { json, value, user: userIn(value, json, () => valueStart(json)) };
}

const parsedObject = (json: string): Metadata['value'] => JSON.parse(json) as Metadata['value'];
