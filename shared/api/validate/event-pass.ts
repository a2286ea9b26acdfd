/** What the parts of the validation of events share. */
import type { EventInput } from '../types.js';
import type { CheckInput, Issues } from './issues.js';
import type { MemberSources } from './sources.js';

/** State of one pass over the events of a request. */
export interface EventPass {
  issues: Issues;
  input: CheckInput;
  bodyBytes: number;
  /** JSON of the members of each event; empty if the body is too short to have a value over its limit */
  sources: readonly (MemberSources | undefined)[];
  events: readonly EventInput[];
  /** defaults at the top of the body; '' if absent */
  runId: string;
  externalSessionId: string;
  /** `input.runIds` */
  runIds: string[];
  /** path of event `i` */
  path(index: number): string;
  /** parents and links so far */
  declared: number;
  /** causes noted so far, by `causeKey`; absent until the first */
  causes?: Set<string>;
  /** the conversation that was added last, in its two parts */
  lastSession: string;
  /** undefined: no conversation was added yet */
  lastRun: string | undefined;
}

/** The role of an event without its postfix; '' where it has none. */
export const eventRoleOf = (role: EventInput['role']): 'user' | 'assistant' | '' =>
  role == null ? '' : role.startsWith('user') ? 'user' : 'assistant';
