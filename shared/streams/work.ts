/**
 * A work entry: what ingress hands to an evaluator. Stream fields `header` (JSON of {@link WorkHeader}) and `body`
 * (the caller's bytes, untouched).
 */

import type { CheckKind } from '../api/types.js';
import type { Cause } from '../api/validate/issues.js';
import { partsOf } from '../ids.js';
import type { Lane } from './keys.js';

/** A reference-only event whose target is not in its own batch before it. */
export interface Reference {
  /** position in the batch, from 0 */
  index: number;
  run_id: string;
  event_id: string;
}

export interface WorkHeader {
  /** request id (item 0) */
  id: string;
  kind: CheckKind;
  team: string;
  /** environment (events) or deployment (sessions) */
  scope: string;
  /** configuration version that judges this request */
  config: number;
  /** its identity; absent: whatever has that number */
  configId?: string;
  /** id of the API key, for history */
  key: string;
  /** Unix ms at which ingress received it */
  received: number;
  /** Unix ms after which the caller has his 504 */
  deadline: number;
  /** random id of the ingress process that waits */
  reply: string;
  /** conversations (`conversationOf`) whose earlier texts the plan looks at; absent when it looks at none */
  conversations?: string[];
  /** how many of them: the largest `context: n` */
  contextDepth?: number;
  references?: Reference[];
  /** the team fails closed: for an entry that is given up, as its configuration may be what cannot be read */
  failClosed?: true;
  /** no content of it is kept once it is finished (`content_days: 0`): not in history, nor with a dead letter */
  unkept?: true;
  /** the stream it was added to; absent: the fast one */
  lane?: Lane;
  /** images in it that are to be looked at; absent: none */
  images?: number;
  /** of an artifact: the caller's id, so that it is found by that even where its body cannot be read; absent: none */
  external?: string;
  /** of an artifact: the session check it belongs to, by our id and the caller's; what is not known is '' */
  session?: { internal: string; external: string };
  /** declared causes that the batch itself does not resolve, at most 500, each once */
  causes?: Cause[];
  /** row version: 0, and one more each time a dead letter is replayed */
  replay?: number;
  /**
   * Of a replayed dead letter: the sequence it had when it was submitted. "Latest" is about submission (4.3, 4.9 of the
   * interface), so a late repair must not pass later checks of its run or session. Absent: that of the entry's own id.
   */
  sequence?: number;
  /** W3C trace context, handed on */
  traceparent?: string;
}

/** A team's id has no character that JSON escapes, and nothing before it in a header could be taken for it. */
const TEAM = /"team":"([^"\\]*)"/;
/** Bytes of a header that precede the end of the team's id, at most: an id has 128 characters. */
const TEAM_WITHIN = 512;

/** The team of an entry, without reading all of its header; '' where it cannot be told. */
export function teamIn(header: Buffer): string {
  return TEAM.exec(header.toString('utf8', 0, TEAM_WITHIN))?.[1] ?? '';
}

/** ms until the deadline of an entry; never more than it had at first, since clocks may be set back. */
export function leftOf({ received, deadline }: Pick<WorkHeader, 'received' | 'deadline'>): number {
  return Math.max(0, Math.min(deadline - received, deadline - Date.now()));
}

const KINDS: readonly unknown[] = ['events', 'event', 'session', 'artifact'] satisfies CheckKind[];
/** Configuration versions are 32 bits wide in history, row versions 16. */
const MOST_CONFIG = 0xffff_ffff;
const MOST_REPLAY = 0xfffe;

const isCount = (value: unknown, most: number = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
const isTime = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string');

/**
 * The header of an entry; undefined when it is none, or lacks something without which no result of it can be stored, however
 * it ends. What else is wrong with it makes its evaluation fail, and it a dead letter with a result.
 */
export function readHeader(bytes: Buffer): WorkHeader | undefined {
  try {
    const header = JSON.parse(bytes.toString()) as WorkHeader;
    const {
      id,
      team,
      scope,
      key,
      reply,
      configId = '',
      external = '',
      session = { internal: '', external: '' },
    } = header;
    const { replay = 0, sequence = 0 } = header;
    const whole =
      areTexts(id, team, scope, key, reply, configId, external, session.internal, session.external) &&
      partsOf(id) !== undefined &&
      KINDS.includes(header.kind) &&
      isCount(header.config, MOST_CONFIG) &&
      isTime(header.received) &&
      isTime(header.deadline) &&
      isCount(replay, MOST_REPLAY) &&
      isCount(sequence);
    return whole ? header : undefined;
  } catch {
    return undefined;
  }
}
