/** Session checks (2.3, 4.1): only the last message is checked, earlier ones are context. */

import { sessionConversationOf } from '../../shared/api/conversation.js';
import { LIMITS } from '../../shared/api/limits.js';
import { charactersExceed } from '../../shared/api/measure.js';
import type { SessionRequest } from '../../shared/api/types.js';
import { itemId } from '../../shared/ids.js';
import { evaluateSession } from '../../shared/policy/evaluate.js';
import type { Plan } from '../../shared/policy/plan.js';
import type { Verdict } from '../../shared/policy/types.js';
import { contextMember } from '../../shared/streams/context.js';
import { userMember } from '../../shared/streams/indexes.js';
import { keys } from '../../shared/streams/keys.js';
import { type Draft, type Entry, failClosed, fragmentTable } from './draft.js';
import { baseRole, type Merged, mergePrevious, messageText } from './previous.js';

/** Item number of the session itself. */
const SESSION = 1;

interface User {
  id: string;
  email: string;
}

/** The user of a check (4.1.6): the last message's, else the session's, else the newest earlier message that has one. */
function userOf(request: SessionRequest): User {
  const last = request.messages.length - 1;
  const candidates = [request.messages[last]!.metadata, request.metadata];
  for (let i = last - 1; i >= 0; i--) candidates.push(request.messages[i]!.metadata);
  for (const metadata of candidates) {
    const user = metadata?.user as Record<string, unknown> | undefined | null;
    if (typeof user !== 'object' || user === null) continue;
    const id = typeof user.id === 'string' || typeof user.id === 'number' ? String(user.id) : '';
    const email = typeof user.email === 'string' ? user.email.trim().toLowerCase() : '';
    if (id !== '' || email !== '') return { id: identifier(id), email: identifier(email) };
  }
  return { id: '', email: '' };
}

/** An identifier longer than one can be asked for is kept with the metadata only: it would make keys of any size. */
function identifier(text: string): string {
  return charactersExceed(text, LIMITS.nameCharacters) ? '' : text;
}

/** What finds the check again: its external session, and each identifier of its user (4.11). */
function indexOf({ header }: Entry, externalSessionId: string, user: User, violating: boolean): Draft['index'] {
  const index: Draft['index'] = [];
  const request = itemId(header.id, 0);
  if (externalSessionId !== '') index.push([keys.ext(header.team, header.scope, externalSessionId), request]);
  for (const kind of ['id', 'email'] as const) {
    if (user[kind] !== '') index.push([keys.user(header.team, kind, user[kind]), userMember(request, violating)]);
  }
  return index;
}

/** With `plan` null nothing is evaluated: the session fails with `failure`. */
export function sessionOutcome(plan: Plan | null, entry: Entry, request: SessionRequest, failure: string = ''): Draft {
  const { header } = entry;
  const last = request.messages.at(-1)!;
  const role = baseRole(last.role);
  const text = messageText(last);
  const externalSessionId = request.external_session_id ?? '';
  const merged = mergePrevious(keptOf(entry, request), request.messages);
  const context = request.messages.slice(0, -1).map(messageText);
  if (request.include_context !== false) context.unshift(...merged.before);
  const direction = role === 'assistant' ? 'output' : 'input';
  const verdict = plan === null ? undefined : judge(plan, entry, request, { direction, text, context });
  const failed = verdict === undefined || (verdict.notEvaluated > 0 && !verdict.flagged);
  const note = verdict?.note ?? (failure || 'the session could not be evaluated');
  const fragments = fragmentTable();
  const policies = verdict?.policies ?? '{}';
  const metadata = JSON.stringify({ session: request.metadata ?? undefined, message: last.metadata ?? undefined });
  const user = userOf(request);
  const status = failed ? ('failed' as const) : ('completed' as const);
  const flagged = failed ? failClosed(plan, header.team) : verdict.flagged;
  return {
    items: [
      {
        item: SESSION,
        type: 'session',
        eventId: '',
        runId: '',
        externalSessionId,
        status,
        flagged,
        policies: fragments.add(policies),
        metadata: -1,
        note,
        target: null,
      },
    ],
    rows: [
      {
        item: SESSION,
        type: 'message',
        field: 'content',
        role,
        name: '',
        callId: '',
        format: '',
        eventId: '',
        runId: '',
        externalSessionId,
        externalArtifactId: '',
        content: text,
        metadata: metadata === '{}' ? '' : metadata,
        userId: user.id,
        userEmail: user.email,
        status,
        note,
        links: [],
        verdict: verdict ?? { flagged: false, policies, evaluated: [], violations: [], notEvaluated: 0, note },
        flagged,
      },
    ],
    fragments: fragments.list,
    index: indexOf(entry, externalSessionId, user, (verdict?.violations.length ?? 0) > 0),
    context: written(entry, externalSessionId, merged),
    error: flagged === null ? { status: 503, code: 'unavailable', message: note } : null,
  };
}

/** Messages that earlier checks of the session brought, where some policy looks back. */
function keptOf({ gathered }: Entry, request: SessionRequest): readonly string[] {
  return gathered.context[sessionConversationOf(request.external_session_id ?? '')] ?? [];
}

/** What later checks of the session may look back on. */
function written({ header }: Entry, externalSessionId: string, { added }: Merged): Draft['context'] {
  const depth = header.contextDepth ?? 0;
  if (header.conversations === undefined || depth === 0 || added.length === 0) return [];
  const members = added.slice(-depth).map((text, i) => contextMember('session', header.id, i, text));
  return [[keys.context(header.team, header.scope, sessionConversationOf(externalSessionId)), members]];
}

function judge(
  plan: Plan,
  entry: Entry,
  request: SessionRequest,
  { direction, text, context }: { direction: 'input' | 'output'; text: string; context: string[] },
): Verdict | undefined {
  const restrict = request.policies ?? request.policy_ids ?? undefined;
  const scope = { team: entry.header.team, deployment: entry.header.scope, restrict };
  try {
    return evaluateSession(plan, scope, { direction, text }, context);
  } catch {
    // Answered as "could not be evaluated": never as clean.
    return undefined;
  }
}
