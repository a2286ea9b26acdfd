/** Session checks (2.3, 4.1): only the last message is checked, earlier ones are context. */

import { sessionConversationOf } from '../../../shared/api/conversation.js';
import { LIMITS } from '../../../shared/api/limits.js';
import type { RecordItem } from '../../../shared/api/results/record.js';
import type { SessionRequest } from '../../../shared/api/types.js';
import { charactersExceed } from '../../../shared/api/validate/measure.js';
import { mediaNote } from '../../../shared/api/validate/media-within.js';
import { unreadNote } from '../../../shared/api/validate/unread.js';
import { itemId } from '../../../shared/ids.js';
import { memberAt, skipValue, sourceAt, valueStart } from '../../../shared/json.js';
import type { Reading } from '../../../shared/policy/content.js';
import { evaluateSession, evaluateSessionImages } from '../../../shared/policy/evaluate.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { Verdict } from '../../../shared/policy/types.js';
import { userMember } from '../../../shared/streams/indexes.js';
import { keys } from '../../../shared/streams/keys.js';
import type { RowItem } from '../../rows/row-types.js';
import { contextMember } from '../context.js';
import { type Draft, type Entry, failClosed, fragmentTable } from '../draft.js';
import { imageContent, type LookedAt, NOT_JUDGED, type NotLookedAt, verdictNote } from '../images/content.js';
import { FIRST_SESSION_IMAGE, imagesOf } from '../images/find.js';
import { type ArtifactItem, artifactIndex, artifactParts, restricted } from './artifact.js';
import { type Body, elementAt, lastElementAt } from './body.js';
import { type MessageReading, messageText, readMessage } from './message.js';
import { baseRole, type Merged, mergePrevious } from './previous.js';

/** Item number of the session itself. */
const SESSION = 1;

interface User {
  id: string;
  email: string;
}

/** The user of a check (4.1.6): the last message's, else the session's, else the newest earlier message that has one. */
function userOf(request: SessionRequest, json: string, lastAt: number): User {
  const last = request.messages.length - 1;
  const candidates = [request.messages[last]!.metadata, request.metadata];
  for (let i = last - 1; i >= 0; i--) candidates.push(request.messages[i]!.metadata);
  for (const [i, metadata] of candidates.entries()) {
    const user = metadata?.user as Record<string, unknown> | undefined | null;
    if (typeof user !== 'object' || user === null) continue;
    const holder = (): number =>
      i === 0 ? lastAt : i === 1 ? valueStart(json) : elementAt(json, 'messages', last + 1 - i);
    const id = typeof user.id === 'number' ? numberAt(json, holder()) : typeof user.id === 'string' ? user.id : '';
    const email = typeof user.email === 'string' ? user.email.trim().toLowerCase() : '';
    if (id !== '' || email !== '') return { id: identifier(id), email: identifier(email) };
  }
  return { id: '', email: '' };
}

/** `metadata.user.id` of what stands at `at`, as it was written: large numbers would lose digits and be somebody else's. */
function numberAt(json: string, at: number): string {
  for (const name of ['metadata', 'user', 'id']) at = memberAt(json, at, name);
  return sourceAt(json, at);
}

/** The metadata of the session and of its last message, as they were sent; '' where there is none. */
function keptMetadata(request: SessionRequest, json: string, lastAt: number): string {
  const members: string[] = [];
  const keep = (name: string, holder: { metadata?: unknown }, at: number): void => {
    if (holder.metadata != null) members.push(`"${name}":${sourceAt(json, memberAt(json, at, 'metadata'))}`);
  };
  keep('session', request, valueStart(json));
  keep('message', request.messages.at(-1)!, lastAt);
  return members.length === 0 ? '' : `{${members.join(',')}}`;
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
export function sessionOutcome(
  plan: Plan | null,
  entry: Entry,
  { value: request, json }: Body<SessionRequest>,
  failure: string = '',
): Draft {
  const { header } = entry;
  const last = request.messages.at(-1)!;
  const at = lastElementAt(json, 'messages');
  const said = readMessage(last, json.slice(at, skipValue(json, at)));
  const role = baseRole(last.role);
  const externalSessionId = request.external_session_id ?? '';
  const merged = mergePrevious(keptOf(entry, request), request.messages);
  const context = request.messages.slice(0, -1).map(messageText);
  if (request.include_context !== false) context.unshift(...merged.before);
  const images = imagesOf(request).map((image, i) => ({ ...image, looked: entry.gathered.images?.[imageItem(i)] }));
  const judged = plan === null ? undefined : judge(plan, entry, request, { images, context, said: said.reading });
  const verdict = judged?.session;
  const lost = plan === null ? [] : images.flatMap(({ path, looked }) => (looked?.ok ? [] : [{ path, looked }]));
  // Without a verdict on every image, a session that is not flagged has none either: it would read as clean.
  const failed = verdict === undefined || ((verdict.notEvaluated > 0 || lost.length > 0) && !verdict.flagged);
  const note = verdict === undefined ? failure || NOT_JUDGED_SESSION : noteOf(verdict, lost.length, images, said);
  const fragments = fragmentTable();
  const policies = verdict?.policies ?? '{}';
  const metadata = keptMetadata(request, json, at);
  const user = userOf(request, json, at);
  const status = failed ? ('failed' as const) : ('completed' as const);
  // A session that was given up is an error, however its team fails: there is no clean answer to be taken for one.
  const unjudged = plan === null ? null : failClosed(plan, header);
  const flagged = failed ? unjudged : verdict.flagged;
  const named = { item: SESSION, eventId: '', runId: '', externalSessionId, status, flagged, note };
  const session: { item: RecordItem; row: RowItem } = {
    item: { ...named, type: 'session', policies: fragments.add(policies), metadata: -1, target: null },
    row: {
      ...named,
      type: 'message',
      field: 'content',
      role,
      name: '',
      callId: '',
      format: '',
      externalArtifactId: '',
      content: said.reading?.text ?? '',
      metadata,
      userId: user.id,
      userEmail: user.email,
      links: [],
      verdict: verdict ?? {
        flagged: false,
        policies,
        evaluated: [],
        violations: [],
        notEvaluated: 0,
        unknown: 0,
        note,
      },
    },
  };
  const linked = { internal: itemId(header.id, SESSION), external: externalSessionId };
  const artifacts = images.map(
    ({ content, external, looked }, i): ArtifactItem => ({
      item: imageItem(i),
      role,
      content,
      external,
      session: linked,
      verdict: judged?.artifacts[i] ?? null,
      failure: failure || (looked?.ok === false ? looked.note : NOT_JUDGED),
      metadata: '',
    }),
  );
  const parts = [session, ...artifacts.map((artifact) => artifactParts(entry, artifact, fragments))];
  const violating = (verdict?.violations.length ?? 0) > 0;
  const error = flagged === null ? errorOf(note, lost) : null;
  // One that is given up is an outcome, too; one that is answered without a verdict must not hide those before it.
  const nameable = plan === null || error === null;
  return {
    items: parts.map(({ item }) => item),
    rows: parts.map(({ row }) => row),
    fragments: fragments.list,
    index: [...indexOf(entry, nameable ? externalSessionId : '', user, violating), ...artifactIndex(entry, artifacts)],
    context: written(entry, externalSessionId, merged),
    error,
  };
}

const NOT_JUDGED_SESSION = 'the session could not be evaluated';

/** Item numbers of images follow that of the session. */
const imageItem = (position: number): number => FIRST_SESSION_IMAGE + position;

/** An image without which the session was judged. */
interface Lost {
  path: string;
  looked: NotLookedAt | LookedAt | undefined;
}

function noteOf(verdict: Verdict, lost: number, images: readonly Pick<Lost, 'looked'>[], said: MessageReading): string {
  const note = verdictNote(
    verdict,
    images.map(({ looked }) => looked),
  );
  const notes = [note];
  if (lost > 0) notes.push(`${lost} of ${images.length} images could not be looked at`);
  notes.push(mediaNote(said.media), unreadNote(said.unread));
  return notes.filter((each) => each !== '').join('; ');
}

/** Of a session without a verdict: 400 where sending it again fails again, else 503 (decisions, Session check). */
function errorOf(note: string, lost: readonly Lost[]): Draft['error'] {
  for (const { path, looked } of lost) {
    if (looked?.ok !== false || looked.fault !== 'caller') continue;
    return { status: 400, code: 'validation_failed', message: `${path}: ${looked.note}`, param: path };
  }
  const [first] = lost;
  const why = first?.looked?.ok === false ? `${first.path}: ${first.looked.note}` : note;
  return { status: 503, code: 'unavailable', message: why };
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

interface Judged {
  session: Verdict;
  /** of the images, in their order; null: that one was not looked at */
  artifacts: (Verdict | null)[];
}

/** What is judged of a session. */
interface Seen {
  images: readonly { looked: LookedAt | NotLookedAt | undefined }[];
  context: string[];
  said: Reading | null;
}

function judge(plan: Plan, entry: Entry, request: SessionRequest, { images, context, said }: Seen): Judged | undefined {
  const scope = { team: entry.header.team, deployment: entry.header.scope, restrict: restricted(request) };
  const last = request.messages.at(-1)!;
  const direction = baseRole(last.role) === 'assistant' ? 'output' : 'input';
  const content = { direction, text: said?.text ?? null, decoded: said?.decoded } as const;
  try {
    if (images.length === 0) return { session: evaluateSession(plan, scope, content, context), artifacts: [] };
    const seen = images.map(({ looked }) => (looked?.ok ? imageContent(looked, entry.indexes) : null));
    return evaluateSessionImages(plan, scope, { ...content, images: seen }, context);
  } catch {
    // Answered as "could not be evaluated": never as clean.
    return undefined;
  }
}
