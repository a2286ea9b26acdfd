/**
 * Collects what is wrong with a body: at most 50 issues, each with a path, a code and a message. A rejected value is
 * never repeated, so an issue can be logged and shown.
 */
import type { IValidation } from 'typia';
import type { EntryPlace } from '../../streams/partition-entries.js';
import type { CheckedMessages } from '../checked-messages.js';
import { LIMITS } from '../limits.js';
import type { ItemKind } from '../results/record.js';
import type { EventType, Issue, LabelStatement } from '../types.js';
import type { Asked } from './asked.js';

/** What validation returns for a valid body: everything that dispatch needs, so that the body is read once. */
export interface CheckInput {
  /** environment or deployment as named; '' if a session or an artifact names none */
  scope: string;
  /** keeps related requests in one partition; '' if there is nothing to relate them */
  affinity: string;
  /** conversations whose earlier texts are the context, each once (see `conversation.ts`) */
  conversations: string[];
  /** references that no earlier event of the batch resolves */
  references: { index: number; run_id: string; event_id: string }[];
  /** declared causes that are not in the batch, each once; absent if there are none */
  causes?: Cause[];
  /** every reference, with what it names */
  referred: ReferredEvent[];
  /** event ids in order; '' if one must be generated, null for a reference. A session or an artifact has one '' */
  eventIds: (string | null)[];
  /** run ids of events, in the same order; '' if one must be generated. Only of events */
  runIds?: string[];
  /** number of images to check: artifact events, artifact parts of the last message, an artifact */
  images: number;
  /** only of an artifact */
  artifact?: ArtifactInput;
  /** only of a session: the earlier check whose session it joins */
  joins?: JoinedSession;
  /** the only policies to evaluate; empty: all */
  policies: readonly string[];
  /** the field with these policies, for paths of issues */
  policiesField: 'policies' | 'policy_ids';
  /** only of a session: most bytes of text that are read of a message; absent: the default */
  messageBytes?: number;
  /** only of a stream */
  piece?: StreamPiece;
  /** only of a restoring */
  restore?: RestoreInput;
  /** only of a label */
  label?: LabelInput;
  /** only of an appeal */
  appeal?: AppealInput;
  /** only of a try */
  tried?: TriedInput;
  /** only of stored items, or cases, that are tried */
  many?: ManyInput;
  /** only of a replay */
  replay?: ReplayInput;
  /**
   * Only of an adapter: the session request (2.3) in JSON that it made from the validated values. It is dispatched in
   * place of the body. Every other body is passed on as it came.
   */
  session?: string;
  /** Only of an adapter, in place of `session`: several, each a check of its own. */
  batch?: readonly string[];
  /** Only of an adapter, where its caller wants to have it so: nothing of the content is kept. */
  unkept?: 'asked';
  /** what its answer needs, where that is not in the check */
  asked?: Asked;
  /** Only of an adapter: which messages of `session` are checked. */
  checked?: CheckedMessages;
  /** Only of a gateway's call: where what it lists is in `session`. */
  listed?: Listed;
}

export interface JoinedSession {
  internal: string;
  /** the caller's id, or ''; and the field that it came in */
  external: string;
  field: 'external_session_id' | 'external_id';
}

/** The input of a check of one item that names nothing. */
export const bareInput = (): CheckInput => ({
  scope: '',
  affinity: '',
  conversations: [],
  references: [],
  referred: [],
  eventIds: [''],
  images: 0,
  policies: [],
  policiesField: 'policies',
});

/** A piece of a stream; what it does not name is ''. */
export interface StreamPiece {
  /** the caller's id of the stream */
  id: string;
  sequence: number;
  delta: string;
  final: boolean;
  /** what it is checked in */
  kind: 'deployment' | 'environment';
  role: string;
  run: string;
  session: string;
  /** JSON as sent */
  metadata: string;
}

/** Texts that get back what seals have of their marks. */
export interface RestoreInput {
  texts: readonly string[];
  seals: readonly string[];
  /** `text`, and `sealed`, came as a list */
  lists: { text: boolean; sealed: boolean };
}

/** What is tried. */
export interface TriedInput {
  kind: 'event' | 'session' | 'artifact';
  /** JSON of the request of its check */
  item: string;
  /** JSON of the policies and conditions that are edited; '' for none */
  edits: string;
}

/** Stored items, or cases, that are tried: one of `backtest` and `cases`. */
export interface ManyInput {
  kind: 'environment' | 'deployment';
  /** as those of a try */
  edits: string;
  /** as they were sent; '' for none */
  backtest?: { from: string; to: string; before: string };
  /** the text of a file, and the case to begin with, from 0 on */
  cases?: { text: string; start: number };
}

/** An item that has a verdict, as a request names it. What is absent is ''. */
export interface JudgedPlace {
  kind: ItemKind;
  /** internal id of the item, in lower case */
  id: string;
  /** environment or deployment */
  scope: string;
}

/** The verdict of a policy on it. */
export interface JudgedInput extends JudgedPlace {
  /** id or name */
  policy: string;
}

/** What a user has against a verdict. What is absent is ''. */
export interface AppealInput extends JudgedInput {
  note: string;
  reference: string;
}

/** What is said of a verdict. What is absent is ''. */
export interface LabelInput extends JudgedInput {
  label: LabelStatement;
  note: string;
  reviewer: string;
}

/** What is tried again: an entry, or all of those that ClickHouse refuses. */
export interface ReplayInput {
  of: 'dead_letter' | 'refused';
  place: EntryPlace | 'all';
}

/** Where what a gateway lists is in the session that was made of its call. */
export interface Listed {
  /** by number of the text: its message, and the way to the string there; absent: not all of them are in it */
  texts?: readonly { message: number; path: readonly (string | number)[] }[];
  /** of each image that is checked: its place in the call */
  images: readonly string[];
  /** those that are checked begin with all that it lists */
  allImages: boolean;
}

/** A declared cause to look up: by internal id, else by the caller's ids. Fields that do not apply are ''. */
export interface Cause {
  run_id: string;
  event_id: string;
  internal_event_id: string;
}

/** A key of a cause. An event that is named twice in the same way has one key. */
export function causeKey(run: string, event: string, internal: string): string {
  return internal === '' ? `${run} ${event}` : internal.toLowerCase();
}

/** The ids that a standalone artifact names; '' if absent. */
export interface ArtifactInput {
  external: string;
  internalSession: string;
  externalSession: string;
}

/** An event without content, as the request names it. */
export interface ReferredEvent {
  /** position in the batch, from 0 */
  index: number;
  type: EventType;
  /** '' if it is the run that is generated for the batch */
  run_id: string;
  event_id: string;
  /** that of the event, else that of the batch, else '' */
  external_session_id: string;
  /** it declares causes, which are not kept */
  declares?: true;
}

export type Validation = { ok: true; value: CheckInput } | { ok: false; issues: Issue[] };

export interface Issues {
  readonly list: Issue[];
  add(path: string, code: string, message: string): void;
  /** whether the list is full, so that reading on is useless */
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

/** Adds that what is at `path` is no id of a run or an event. */
export function addIdIssue(issues: Issues, path: string): void {
  const characters = 'letters, digits, ".", "_", ":" and "-"';
  issues.add(path, 'id', `expected 1 to ${LIMITS.idCharacters} characters out of ${characters}`);
}

/** Adds the errors that typia found, with `prefix` before each path. `told`: a path as it is told. */
export function addTypia(
  issues: Issues,
  prefix: string,
  result: IValidation<unknown>,
  told = (path: string): string => path,
): void {
  if (result.success) return;
  for (const error of result.errors) {
    if (issues.full()) return;
    // typia writes `$input.links[3].event_id`.
    const rest = error.path.replace(/^\$input/, '');
    const path = told(prefix === '' ? rest.replace(/^\./, '') : prefix + rest);
    const expected = inWords(error.expected);
    if (error.value === undefined) issues.add(path, 'required', `is required, expected ${expected}`);
    else issues.add(path, 'type', `expected ${expected}`);
  }
}

/** `(Array<ContentPart> | null | string | undefined)` → `array or string`. */
function inWords(expected: string): string {
  const words = new Set<string>();
  // What a list holds does not matter here, and may have bars of its own.
  const simple = expected.replace(/^\((.*)\)$/s, '$1').replace(/Array<.*>/s, 'array');
  for (const part of simple.split(' | ')) {
    const word = oneWord(part.trim());
    if (word !== '') words.add(word);
  }
  const all = [...words];
  const last = all.pop() ?? 'a value';
  return all.length === 0 ? last : `${all.join(', ')} or ${last}`;
}

const SIMPLE = ['string', 'number', 'boolean', 'array'];

function oneWord(part: string): string {
  // A template says what may follow a word that is listed, too.
  if (part === 'null' || part === 'undefined' || part.startsWith('`')) return '';
  return part.startsWith('"') || SIMPLE.includes(part) ? part : 'object';
}
