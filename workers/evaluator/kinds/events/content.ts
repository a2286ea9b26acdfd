/** Reads the content and the metadata of an event. */
import { CHECKABLE_FIELDS, type EventInput } from '../../../../shared/api/types.js';
import type { Sources } from '../../../../shared/api/validate/sources.js';
import { createReader, type Reading, readString } from '../../../../shared/policy/content/content.js';

/** The field of an event that is checked; undefined: it is a reference to another event. */
export function fieldOf(event: EventInput): string | undefined {
  for (const field of CHECKABLE_FIELDS[event.type]) {
    if ((event as unknown as Record<string, unknown>)[field] != null) return field;
  }
  return undefined;
}

/** Whether some of an event is kept or checked as JSON. */
export function hasSource(event: EventInput | undefined, field: string | undefined): boolean {
  if (event === undefined || field === undefined) return false;
  if (event.metadata != null) return true;
  return event.type !== 'artifact' && typeof (event as unknown as Record<string, unknown>)[field] !== 'string';
}

/** Content as it is kept: a string as it is, JSON as it was sent but without space. */
export function asSent(value: unknown, field: string, sources: Sources | undefined): string {
  return typeof value === 'string' ? value : (sources?.get(field) ?? '');
}

export function readContent(value: unknown, source: string): Reading {
  if (typeof value === 'string') return readString(value);
  const reader = createReader();
  reader.json(source);
  return reader.done();
}

export interface Metadata {
  /** as it was sent, but without space; '' where there is none */
  json: string;
  /** for conditions */
  value: Record<string, unknown>;
}

const NO_METADATA: Metadata = { json: '', value: Object.freeze(Object.create(null)) };
const MOST_KEPT = 1000;
const LONGEST_KEPT = 2048;
const kept = new Map<string, Metadata>();

/**
 * The metadata of an event; the same object for the same metadata. A few values recur in most of the traffic, and the results of
 * conditions are remembered by object.
 */
export function metadataOf({ metadata }: EventInput, sources: Sources | undefined): Metadata {
  return metadata == null ? NO_METADATA : remembered(sources?.get('metadata') ?? '{}', () => metadata);
}

/** The same of `json`, metadata as it is kept. */
export const keptMetadata = (json: string): Metadata =>
  json === '' ? NO_METADATA : remembered(json, () => JSON.parse(json) as Metadata['value']);

function remembered(source: string, value: () => Metadata['value']): Metadata {
  if (source.length > LONGEST_KEPT) return { json: source, value: value() };
  const seen = kept.get(source);
  if (seen !== undefined) return seen;
  if (kept.size >= MOST_KEPT) kept.clear();
  // Copied: a slice of a body would keep all of the body in memory.
  const known = { json: Buffer.from(source).toString(), value: value() };
  kept.set(known.json, known);
  return known;
}
