/** What the parts of the validation of events share. */
import type { EventInput } from '../types.js';
import type { Issues } from './issues.js';
import type { MemberSources } from './sources.js';

/** State of one pass over the events of a request. */
export interface EventPass {
  issues: Issues;
  /** the environment; '' until one is named */
  scope: string;
  bodyBytes: number;
  /** JSON of the members of each event; empty if the body is too short to have a value over its limit */
  sources: readonly (MemberSources | undefined)[];
  events: readonly EventInput[];
  /** that of the events that name none; '' if absent */
  runId: string;
  /** path of event `i` */
  path(index: number): string;
  /** parents and links so far */
  declared: number;
}

/** The role of an event without its postfix; '' where it has none. */
export const eventRoleOf = (role: EventInput['role']): 'user' | 'assistant' | '' =>
  role == null ? '' : role.startsWith('user') ? 'user' : 'assistant';
