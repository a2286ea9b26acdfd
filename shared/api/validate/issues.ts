/**
 * What is wrong with a body, collected: at most 50 issues, each a path, a code and words. A rejected value is never
 * repeated, so an issue can be logged and shown.
 */
import type { IValidation } from 'typia';
import { LIMITS } from '../limits.js';
import type { EventType, Issue } from '../types.js';

/** What a check of a valid body hands on. Everything dispatch needs, so that the body is walked once. */
export interface CheckInput {
  /** environment or deployment as named; '' when a session names none */
  scope: string;
  /** what keeps related requests in one partition, or '' */
  affinity: string;
  /** conversations whose earlier texts matter, each once (see `conversation.ts`) */
  conversations: string[];
  /** reference-only events that no earlier event of the batch resolves */
  references: { index: number; run_id: string; event_id: string }[];
  /** declared causes that no earlier event of the batch is, each once; absent where there are none */
  causes?: Cause[];
  /** every reference-only event, with what it names */
  referred: ReferredEvent[];
  /** event ids in order; '' where one is to be generated, null for a reference. Sessions: one '' */
  eventIds: (string | null)[];
  /** of events: their run ids, in the same order; '' where one is to be generated */
  runIds?: string[];
  /** images to be looked at: artifact events, artifact parts of a session's last message, an artifact */
  images: number;
  /** of an artifact */
  artifact?: ArtifactInput;
  /** policies that a session is restricted to; empty: all */
  policies: readonly string[];
  /** the field they came in, for paths */
  policiesField: 'policies' | 'policy_ids';
  /**
   * Of an adapter's request: the session request (2.3) that it amounts to, as JSON, put together from values that were
   * validated just before. It is dispatched in place of the body; every other body travels as it came.
   */
  session?: string;
}

/** A declared cause to be looked up: by internal id, else by the caller's ids; what does not apply is ''. */
export interface Cause {
  run_id: string;
  event_id: string;
  internal_event_id: string;
}

/** The same for the same event named in the same way. */
export function causeKey(run: string, event: string, internal: string): string {
  return internal === '' ? `${run} ${event}` : internal.toLowerCase();
}

/** What a standalone artifact names; '' where it does not. */
export interface ArtifactInput {
  external: string;
  internalSession: string;
  externalSession: string;
}

/** A reference-only event: what a request says of it. */
export interface ReferredEvent {
  /** position in the batch, from 0 */
  index: number;
  type: EventType;
  run_id: string;
  event_id: string;
  /** its own, else the batch's, or '' */
  external_session_id: string;
  /** it declares causes, which are kept out */
  declares?: true;
}

export type Validation = { ok: true; value: CheckInput } | { ok: false; issues: Issue[] };

export interface Issues {
  readonly list: Issue[];
  add(path: string, code: string, message: string): void;
  /** no more are taken; stop looking */
  full(): boolean;
}

export function createIssues(): Issues {
  const list: Issue[] = [];
  return {
    list,
    add(path, code, message) {
      if (list.length >= LIMITS.issues || list.some((issue) => issue.path === path)) return;
      list.push({ path: path.length > 256 ? `${path.slice(0, 256)}…` : path, code, message });
    },
    full: () => list.length >= LIMITS.issues,
  };
}

/** Takes over what typia found, below `prefix`. */
export function addTypia(issues: Issues, prefix: string, result: IValidation<unknown>): void {
  if (result.success) return;
  for (const error of result.errors) {
    if (issues.full()) return;
    // typia writes `$input.links[3].event_id`.
    const rest = error.path.replace(/^\$input/, '');
    const path = prefix === '' ? rest.replace(/^\./, '') : prefix + rest;
    const expected = inWords(error.expected);
    if (error.value === undefined) issues.add(path, 'required', `is required, expected ${expected}`);
    else issues.add(path, 'type', `expected ${expected}`);
  }
}

/** `(Array<ContentPart> | null | string | undefined)` → `array or string`. */
function inWords(expected: string): string {
  const words = new Set<string>();
  for (const part of expected.replace(/^\((.*)\)$/s, '$1').split(' | ')) {
    const word = oneWord(part.trim());
    if (word !== '') words.add(word);
  }
  const all = [...words];
  const last = all.pop() ?? 'a value';
  return all.length === 0 ? last : `${all.join(', ')} or ${last}`;
}

function oneWord(part: string): string {
  if (part === 'null' || part === 'undefined') return '';
  if (part.startsWith('"') || part === 'string' || part === 'number' || part === 'boolean') return part;
  return part.startsWith('Array<') || part.startsWith('(Array<') ? 'array' : 'object';
}
