/**
 * A work entry: what ingress hands to an evaluator. It has the fields `header` (JSON of {@link WorkHeader}) and `body` (the
 * caller's bytes, unchanged).
 */

import type { CheckedMessages } from '../api/checked-messages.js';
import type { AskedScores } from '../api/results/record.js';
import { CHECK_KINDS, type CheckKind } from '../api/types.js';
import type { Cause } from '../api/validate/issues.js';
import { ENTRY_FORMATS, isRead, UnreadFormat } from '../formats.js';
import { partsOf } from '../ids.js';
import type { Lane } from './keys.js';
import { type LookHeader, NO_STREAM } from './looks.js';

/** A reference-only event whose target does not stand before it in its own batch. */
export interface Reference {
  /** position in the batch, from 0 */
  index: number;
  run_id: string;
  event_id: string;
}

/** What the notes of items begin with whose content is not kept. */
export const NOT_KEPT = 'its content is not kept';
/** The note of a check whose content is not kept, since its caller asked for that. */
export const UNKEPT_NOTE = `${NOT_KEPT}, as its caller asked`;

export interface WorkHeader {
  /** of the entry (`formats.ts`); absent: 1 */
  format?: number;
  /** request id (item 0) */
  id: string;
  kind: CheckKind;
  team: string;
  /** environment (events) or deployment (sessions) */
  scope: string;
  /** configuration version that judges this request */
  config: number;
  /** its identity; absent: any configuration with that number */
  configId?: string;
  /** id of the API key, for history */
  key: string;
  /** Unix ms at which ingress received it */
  received: number;
  /** Unix ms after which the caller gets 504 */
  deadline: number;
  /** random id of the ingress process that waits */
  reply: string;
  /** conversations (`conversationOf`) whose earlier texts the plan looks at; absent: none */
  conversations?: string[];
  /** how many earlier texts: the largest `context: n` */
  contextDepth?: number;
  references?: Reference[];
  /** the team fails closed. For an entry that is given up: its configuration may be what cannot be read. */
  failClosed?: true;
  /** its content is dropped when it is finished, from history and from a dead letter: as is configured (`content_days: 0`), or asked for */
  unkept?: true | 'asked';
  /** its content is kept with marks alone, and not at all where it cannot be marked (`content: masked`) */
  masked?: true;
  /** where the marks of redacted content go is part of its record */
  redact?: true;
  /** of a session: scores of its text that are part of its record; absent: none */
  scores?: AskedScores;
  /** of a session: all that is found in its text is part of its record */
  finds?: true;
  /** lane of the stream that it was added to; absent: fast */
  lane?: Lane;
  /** number of images to look at; absent: none */
  images?: number;
  /** of a session that an adapter made; absent: the last message is checked */
  checked?: CheckedMessages;
  /** of an artifact: the caller's id, which finds it even when its body cannot be read; absent: none */
  external?: string;
  /** of an artifact: our id and the caller's id of its session check; '' when not known */
  session?: { internal: string; external: string };
  /** it is a look at a stream, or a try, not a check (format 2) */
  look?: LookHeader;
  /** of a session: most bytes of the text of a message that are read; absent: the default */
  messageBytes?: number;
  /** declared causes that the batch itself does not resolve; at most 500, each once */
  causes?: Cause[];
  /** row version: 0, plus 1 per replay of a dead letter */
  replay?: number;
  /**
   * Of a replayed dead letter: the sequence of its submission. "Latest" means submitted last (4.3, 4.9 of the interface), so a
   * replay must not overtake later checks of its run or session. Absent: the sequence of the entry's id.
   */
  sequence?: number;
  /** W3C trace context, handed on */
  traceparent?: string;
  /** its trace is recorded, by those who take the entry, too */
  traced?: true;
}

/** This finds the right place: JSON escapes no character of a team's id, and no field before it looks the same. */
const TEAM = /"team":"([^"\\]*)"/;
/** The team's id, of at most 128 characters, ends within this many bytes of a header. */
const TEAM_WITHIN = 512;

/** The team of an entry, read without parsing the header; '' when it is not found. */
export function teamIn(header: Buffer): string {
  return TEAM.exec(header.toString('utf8', 0, TEAM_WITHIN))?.[1] ?? '';
}

/** ms until the deadline of an entry. Never more than it had at first, since clocks may be set back. */
export function leftOf({ received, deadline }: Pick<WorkHeader, 'received' | 'deadline'>): number {
  return Math.max(0, Math.min(deadline - received, deadline - Date.now()));
}

const KINDS: readonly unknown[] = CHECK_KINDS;
/** Configuration versions are 32 bits wide in history, row versions 16. */
const MOST_CONFIG = 0xffff_ffff;
const MOST_REPLAY = 0xfffe;

const isCount = (value: unknown, most: number = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
const MANY: readonly unknown[] = [undefined, 'backtest', 'cases'];
const isTime = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string');

/**
 * The header of an entry; undefined when it lacks something that storing any result needs. Other faults make the evaluation
 * fail, and the entry becomes a dead letter with a result. Of a format that is not read it is an {@link UnreadFormat}.
 */
export function readHeader(bytes: Buffer): WorkHeader | UnreadFormat | undefined {
  try {
    const header = JSON.parse(bytes.toString()) as WorkHeader;
    const { format = 1 } = header;
    if (typeof format !== 'number') return undefined;
    if (!isRead(format, ENTRY_FORMATS)) return new UnreadFormat('the entry', format, ENTRY_FORMATS);
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
    const { replay = 0, sequence = 0, look = NO_STREAM } = header;
    const whole =
      areTexts(id, team, scope, key, reply, configId, external, session.internal, session.external) &&
      areTexts(look.role, look.metadata) &&
      isCount(look.safe) &&
      isCount(look.looked) &&
      isCount(look.tried ?? 0) &&
      MANY.includes(look.many) &&
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
