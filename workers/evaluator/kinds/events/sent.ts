/**
 * What is taken of a batch to evaluate it. Every event has the same shape here, however it was sent: code that reads objects of many
 * shapes takes several times as long.
 */
import type { MessageRole } from '../../../../shared/api/results/record.js';
import type { EventInput } from '../../../../shared/api/types.js';
import type { InBytes } from '../../../../shared/policy/engine/automaton.js';

export interface SentBatch {
  events: readonly SentEvent[];
  runId: string | undefined;
  /** of the events that name none; '' if absent */
  session: string;
  /** whether a plain text in it may hold media */
  mayHaveMedia: boolean;
}

/** Absent strings are '' unless they may be undefined. */
export interface SentEvent {
  type: EventInput['type'];
  role: MessageRole | '';
  name: string;
  /** texts that are only stored, in the order of their columns */
  stored: readonly string[];
  externalArtifactId: string;
  eventId: string | undefined;
  runId: string | undefined;
  session: string | undefined;
  /** the field that is checked; undefined: it is a reference to another event */
  field: string | undefined;
  /** the content is a string */
  isText: boolean;
  /** content as it is kept: a string as it is, JSON as it was sent but without space; '' for an image */
  source: string;
  /** where a text without anything that must be decoded stands as bytes; undefined: nowhere */
  inBytes: InBytes | undefined;
  /** the same as a value; undefined: it was not parsed */
  value: unknown;
  /** as it was sent but without space */
  metadata: string;
  metadataValue: Record<string, unknown> | undefined;
  /** undefined: it declares none */
  causes: Pick<EventInput, 'parent' | 'links'> | undefined;
  /** names of the fields that hold content beside its own */
  unread: readonly string[];
}

/** The content of an event as a value. */
export const contentValue = ({ value, source }: SentEvent): unknown =>
  value === undefined ? JSON.parse(source) : value;
