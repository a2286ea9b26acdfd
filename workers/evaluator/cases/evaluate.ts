/** What a case is evaluated with, and what comes of it: by what a worker evaluates requests with. */
import { conversationOf } from '../../../shared/api/conversation.js';
import type { Severity } from '../../../shared/api/types.js';
import { newRequestId } from '../../../shared/ids.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { Evidence } from '../../../shared/policy/types.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import type { Draft, Entry, Gathered } from '../draft.js';
import { artifactOutcome } from '../kinds/artifact.js';
import { readBody } from '../kinds/body.js';
import { readContent } from '../kinds/events/content.js';
import { eventsOutcome } from '../kinds/events/events.js';
import { sessionOutcome } from '../kinds/sessions/session.js';
import type { Case } from './cases.js';

/** What the service would answer to a case. */
export interface CaseAnswer {
  /** null: it could not be evaluated */
  flagged: boolean | null;
  /** policies that looked at it, by id: whether they are flagged */
  policies: ReadonlyMap<string, boolean>;
  /** the same of policies in the shadow, which are in no answer */
  shadow: Pick<CaseAnswer, 'policies' | 'notEvaluated'>;
  /** by id of a policy that is flagged, also in the shadow */
  violations: ReadonlyMap<string, { severity: Severity; evidence: readonly Evidence[] }>;
  /** policies that could not be evaluated, and so are not in `policies` */
  notEvaluated: number;
  note: string;
  /** the text that evidence has offsets in; absent: of an image */
  text?: string;
}

/** A request has as long for its images. */
const DEADLINE_MS = 60_000;

/** The header that the request of a case would have. */
export function headerOf({ kind, scope, context }: Case): WorkHeader {
  const now = Date.now();
  return {
    id: newRequestId(0, now),
    kind,
    team: scope.team,
    scope: scope.id,
    config: 0,
    key: '',
    received: now,
    deadline: now + DEADLINE_MS,
    reply: '',
    ...(context.length > 0 ? { conversations: [], contextDepth: context.length } : {}),
  };
}

/** The earlier texts of an event, as those of its conversation. */
export function contextOf({ kind, body, context }: Case): Gathered['context'] {
  if (kind !== 'events' || context.length === 0) return {};
  const { run_id: run, events } = body as { run_id: string; events: [{ external_session_id?: string | null }] };
  return { [conversationOf(events[0].external_session_id ?? '', run)]: [...context] };
}

export function draftOf(kind: Case['kind'], plan: Plan, entry: Entry): Draft {
  if (kind === 'events') return eventsOutcome(plan, entry);
  const body = readBody(entry.body);
  if (kind === 'session') return sessionOutcome(plan, entry, body as Parameters<typeof sessionOutcome>[2]);
  return artifactOutcome(plan, entry, body as Parameters<typeof artifactOutcome>[2]);
}

/** The item itself is the first one; the others are images of a session, whose policies are in its map. */
export function foundIn(of: Case, { rows, error }: Draft): CaseAnswer {
  const [{ verdict, flagged, status, note }] = rows as [Draft['rows'][number]];
  const map = JSON.parse(verdict.policies) as Record<string, { flagged: boolean }>;
  const { evaluated, violations, notEvaluated } = verdict.shadow ?? { evaluated: [], violations: [], notEvaluated: 0 };
  const hidden = new Set(violations.map(({ id }) => id));
  return {
    flagged: status === 'failed' && flagged !== true ? null : flagged,
    policies: new Map(Object.entries(map).map(([id, policy]) => [id, policy.flagged])),
    shadow: { policies: new Map(evaluated.map((id) => [id, hidden.has(id)])), notEvaluated },
    violations: new Map(
      [...verdict.violations, ...violations].map(({ id, severity, evidence }) => [id, { severity, evidence }]),
    ),
    notEvaluated: verdict.notEvaluated,
    note: error?.message ?? note,
    ...textIn(of, rows[0]!),
  };
}

function textIn({ kind, body }: Case, { type, field, content }: Draft['rows'][number]): Pick<CaseAnswer, 'text'> {
  if (type === 'artifact') return {};
  if (kind === 'session') return { text: content };
  const [event] = (body as { events: [Record<string, unknown>] }).events;
  return { text: readContent(content, typeof event[field] === 'string').text };
}
