/** Session checks (2.3, 4.1): only the last message is checked, earlier ones are context. */

import { ownConversations } from '../../../../shared/api/conversation.js';
import { LIMITS } from '../../../../shared/api/limits.js';
import type { FoundInText, RecordItem, TextScores } from '../../../../shared/api/results/record.js';
import type { SessionRequest } from '../../../../shared/api/types.js';
import { baseRole } from '../../../../shared/api/validate/session.js';
import { itemId } from '../../../../shared/ids.js';
import { isOneString } from '../../../../shared/policy/content/message.js';
import { MissingInPlan } from '../../../../shared/policy/deployment.js';
import { forget, type LongScans, newScans, Paused, rewind, run } from '../../../../shared/policy/engine/long-scans.js';
import { evaluateMessages, evaluateSession } from '../../../../shared/policy/evaluate.js';
import { scoresInSteps } from '../../../../shared/policy/models/scores.js';
import type { Plan } from '../../../../shared/policy/plan.js';
import type { AllFound, Verdict } from '../../../../shared/policy/types.js';
import { NO_VERDICT } from '../../../../shared/policy/verdict.js';
import { userMember } from '../../../../shared/streams/hot/indexes.js';
import { keys } from '../../../../shared/streams/keys.js';
import { NOTHING_STORED } from '../../../rows/columns.js';
import type { RowItem } from '../../../rows/row-types.js';
import { answersFor, type Draft, type Entry, type Fragments, failClosed, fragmentTable } from '../../draft.js';
import { contextMember, NAMELESS_SECONDS } from '../../gather/context.js';
import { IMAGE_NOT_EVALUATED, imageContent, type LookedAt, type NotLookedAt } from '../../images/content.js';
import { FIRST_SESSION_IMAGE, imagesOf, type SessionImage } from '../../images/find.js';
import { type Slice, WHOLE } from '../../slice.js';
import { type ArtifactItem, artifactIndex, artifactParts, restricted } from '../artifact.js';
import { type EntryBody, elementsAt } from '../body.js';
import { explanationOf, type SentContent } from '../explanation.js';
import { storedMarks } from '../mark-offsets.js';
import { explainedBeside, maskedContent } from '../masked.js';
import { tagPathsOf } from '../tags.js';
import { NOBODY, type User } from '../user.js';
import {
  type Checked,
  type CheckedReading,
  checkedOf,
  directionOf,
  inOrder,
  type PlacedMessage,
  readAll,
  readChecked,
} from './checked.js';
import { type EarlierMessage, type EarlierMessages, readEarlier, saidOf } from './earlier.js';
import { maskedMessages } from './masked-messages.js';
import { keptMetadata, tagsOf, userOf } from './metadata.js';
import { type MergedMessages, mergePrevious } from './previous.js';
import { type DirectionMessages, redactBefore, redactedBefore, redactionIn } from './redacted.js';
import { errorOf, noteOf, SESSION } from './told.js';

/** The index entries that find the check: by its external session, and by each identifier of its user (4.11). */
function indexOf({ header }: Entry, externalSessionId: string, user: User, violating: boolean): Draft['index'] {
  const index: Draft['index'] = [];
  const request = itemId(header.id, 0);
  if (externalSessionId !== '') index.push([keys.ext(header.team, header.scope, externalSessionId), request]);
  for (const kind of ['id', 'email'] as const) {
    if (user[kind] !== '') index.push([keys.user(header.team, kind, user[kind]), userMember(request, violating)]);
  }
  return index;
}

/** A session check while it is evaluated. */
export interface SessionCheck {
  plan: Plan | null;
  entry: Entry;
  body: EntryBody<SessionRequest>;
  /** why it fails where there is no plan */
  failure: string;
  /** where each message begins in the body */
  starts: readonly number[];
  split: Checked;
  said: CheckedReading;
  earlier: EarlierMessages;
  merged: MergedMessages;
  seen: SessionBasis;
  /** what is redacted beside what is checked */
  before: DirectionMessages[];
  /** of what is checked, where they are asked for; undefined: not scored yet */
  scores: readonly TextScores[] | undefined;
  scans: LongScans;
  /** null: nothing is evaluated; undefined: it is not evaluated yet */
  evaluated: Verdicts | FailurePersistence | null | undefined;
}

/** With `plan` null nothing is evaluated: the session fails with `failure`. */
export function sessionOutcome(
  plan: Plan | null,
  entry: Entry,
  body: EntryBody<SessionRequest>,
  failure: string = '',
): Draft {
  const check = beginSession(plan, entry, body, failure);
  evaluateSessionCheck(check, WHOLE);
  return draftOfSession(check);
}

/** Reads what is checked. */
export function beginSession(
  plan: Plan | null,
  entry: Entry,
  body: EntryBody<SessionRequest>,
  failure: string,
): SessionCheck {
  const { header } = entry;
  const { value: request, json } = body;
  const starts = elementsAt(json, 'messages');
  const split = checkedOf(request, header.checked, { json, starts });
  const said = readChecked(split.checked);
  const earlier = earlierOf(entry, body, starts, split);
  const merged = mergePrevious(keptOf(entry), [...earlier.said, ...newIn(split, said, header)]);
  const context = earlier.said.map(({ text }) => text);
  if (request.include_context !== false) context.unshift(...merged.before);
  const images = imagesOf(request).map((image, i) => ({ ...image, looked: entry.gathered.images?.[imageItem(i)] }));
  return {
    plan,
    entry,
    body,
    failure,
    starts,
    split,
    said,
    earlier,
    merged,
    seen: { images, context, texts: said.texts },
    before: plan === null ? [] : redactedBefore(header, split),
    scores: undefined,
    scans: newScans(WHOLE),
    evaluated: plan === null ? null : undefined,
  };
}

/** Evaluates it. Throws {@link Paused} where the slice is over before that is done. */
export function evaluateSessionCheck(check: SessionCheck, slice: Slice): void {
  const { plan, entry, body, seen, scans, before } = check;
  if (plan === null) return;
  scans.turn = slice;
  if (check.evaluated === undefined) {
    rewind(scans);
    check.evaluated = evaluate(plan, entry, body.value, { ...seen, scans });
    forget(scans);
  }
  for (const one of before) {
    if (one.redaction) continue;
    rewind(scans);
    one.redaction = redactBefore(plan, entry.header, one, scans);
    forget(scans);
  }
  const { scores: asked } = entry.header;
  if (!asked || check.scores) return;
  rewind(scans);
  check.scores = run(scans, () => scoresInSteps(asked, check.said.text));
  forget(scans);
}

export function draftOfSession(check: SessionCheck): Draft {
  const { plan, entry, body, failure, starts, split, said, earlier, merged, seen, evaluated } = check;
  const { header } = entry;
  const { value: request, json } = body;
  const { images } = seen;
  const last = request.messages.at(-1)!;
  const at = starts.at(-1)!;
  const externalSessionId = request.external_session_id ?? '';
  const verdicts = typeof evaluated === 'string' ? undefined : evaluated;
  const verdict = verdicts?.session;
  const lost = plan === null ? [] : images.flatMap(({ path, looked }) => (looked?.ok ? [] : [{ path, looked }]));
  // An adapter has no place for a note on what nobody can read.
  const unseen = header.checked !== undefined && said.unread.length > 0;
  // Without a verdict on every image a session that is not flagged has no verdict: it would read as clean.
  const failed = verdict === undefined || ((verdict.notEvaluated > 0 || lost.length > 0 || unseen) && !verdict.flagged);
  const note =
    verdict === undefined ? failure || SESSION_NOT_EVALUATED : noteOf(verdict, entry, { images, said, earlier });
  // A session that was given up is an error even if the team fails closed: no clean answer could be mistaken for its verdict.
  const unevaluated = plan === null ? null : failClosed(plan, header);
  const flagged = failed ? unevaluated : verdict.flagged;
  const status = failed ? ('failed' as const) : ('completed' as const);
  const role = baseRole(last.role);
  const user = userOf(request, json, starts);
  const tags = tagsOf(tagPathsOf(plan, entry), request, { json, at });
  const fragments = fragmentTable();
  const masked = header.masked ? maskedContent(said.text, { isJson: false, redaction: verdict?.redaction }) : undefined;
  const sent = sentAs(split.checked, images);
  const explained = verdict === undefined ? '' : explanationOf(verdict, { ...sent, keptAt: masked?.placeOf });
  const content = masked ? masked.content : said.text;
  const told = [note, masked?.note ?? ''].filter((each) => each !== '').join('; ');
  const session = sessionParts(
    { item: SESSION, eventId: '', runId: '', externalSessionId, status, flagged, note: told },
    { role, content, metadata: keptMetadata(request, json, at), tags, user, verdict, explained },
    fragments,
  );
  session.row.explained = explainedBeside(explained, masked);
  if (header.redact) {
    const made = redactionIn(json, split, verdict?.redaction, plan && header.checked ? check.before : undefined);
    session.item.marks = storedMarks(made, fragments);
  }
  if (check.scores) session.item.scores = check.scores;
  if (verdict?.found) session.item.finds = storedFinds(verdict.found, verdict.foreign !== undefined);
  const linked = { internal: itemId(header.id, SESSION), external: externalSessionId };
  const artifacts = images.map(
    ({ content, external, looked }, i): ArtifactItem => ({
      item: imageItem(i),
      role,
      content,
      external,
      session: linked,
      verdict: verdicts?.artifacts[i] ?? null,
      failure: failure || (looked?.ok === false ? looked.note : IMAGE_NOT_EVALUATED),
      metadata: '',
      tags,
      // The row of the check has it: user risk counts each check once.
      user: NOBODY,
    }),
  );
  const parts = [session, ...artifacts.map((artifact) => artifactParts(entry, artifact, fragments))];
  const violating = (verdict?.violations.length ?? 0) > 0;
  const lasts = evaluated === 'lasting' || (verdict !== undefined && !verdict.passing);
  const error = flagged === null ? errorOf(note, lost, lasts) : null;
  // A check that is answered without a verdict must not hide earlier ones of its session. One that was given up is an outcome.
  const found = plan === null || error === null ? externalSessionId : '';
  return {
    items: parts.map(({ item }) => item),
    rows: parts.map(({ row }) => row),
    fragments: fragments.list,
    index: [...indexOf(entry, found, user, violating), ...artifactIndex(entry, artifacts)],
    context: written(entry, header.masked ? maskedMessages(entry, split, said, verdict?.redaction) : merged.added),
    error,
  };
}

/** Finds that a record has at most. */
const MOST_FINDS = 10_000;

function storedFinds({ violations, over }: AllFound, foreign: boolean): FoundInText {
  const told = foreign ? ({ foreign: true } as const) : {};
  const count = violations.reduce((sum, { evidence }) => sum + evidence.length, 0);
  if (over || count > MOST_FINDS) return { of: {}, over: true, ...told };
  const of: Record<string, Record<string, number[]>> = {};
  for (const { id, evidence } of violations) {
    const found: Record<string, number[]> = {};
    of[id] = found;
    for (const { detector, start, end, score = 1 } of evidence) {
      found[detector] ??= [];
      found[detector].push(start, end, Math.round(score * 10_000) / 10_000);
    }
  }
  return { of, ...told };
}

/** How evidence is found in what is checked. Content that is one string and stands alone is the text itself. */
function sentAs(checked: readonly PlacedMessage[], images: SessionBasis['images']): SentContent {
  const parts = images.map(({ part }) => part);
  const readings = images.map(({ looked }) => (looked?.ok ? looked.reading.text : undefined));
  const [first, ...more] = checked;
  if (more.length === 0 && first!.path === '' && isOneString(first!.message)) {
    return { parts, readings, text: first!.message.content as string };
  }
  return { parts, readings, read: (reader) => readAll(reader, inOrder(checked)) };
}

/** The messages before those that are checked. What an adapter made of no message of a conversation is none of them. */
function earlierOf(
  { header }: Entry,
  { value: { messages }, json }: EntryBody<SessionRequest>,
  starts: readonly number[],
  { before }: Checked,
): EarlierMessages {
  const mostBytes = header.messageBytes ?? LIMITS.messageTextBytes;
  if (!header.checked) return readEarlier(messages.slice(0, -1), { json, starts, mostBytes });
  const said = before.filter(({ path }) => path !== '');
  const at = said.map((one) => one.at);
  return readEarlier(
    said.map(({ message }) => message),
    { json, starts: at, mostBytes },
  );
}

/** What is checked of the conversation. */
const newIn = ({ checked }: Checked, { readings }: CheckedReading, header: Entry['header']): EarlierMessage[] =>
  checked.flatMap(({ message, path }, i) => (header.checked && path === '' ? [] : saidOf(message, readings[i]!)));

/** The item and the row of the session itself. */
function sessionParts(
  named: Pick<RowItem, 'item' | 'eventId' | 'runId' | 'externalSessionId' | 'status' | 'flagged' | 'note'>,
  made: {
    role: string;
    content: string;
    metadata: string;
    tags: RowItem['tags'];
    user: User;
    verdict: Verdict | undefined;
    explained: string;
  },
  fragments: Fragments,
): { item: RecordItem; row: RowItem } {
  const { role, content, metadata, tags, user, verdict, explained } = made;
  return {
    item: {
      ...named,
      type: 'session',
      policies: fragments.add(verdict?.policies ?? '{}'),
      explained: explained === '' ? -1 : fragments.add(explained),
      metadata: -1,
      target: null,
    },
    row: {
      ...named,
      type: 'message',
      field: 'content',
      role,
      name: '',
      stored: NOTHING_STORED,
      externalArtifactId: '',
      content,
      metadata,
      tags,
      userId: user.id,
      userEmail: user.email,
      links: [],
      verdict: verdict ?? { ...NO_VERDICT, note: named.note },
      explained,
    },
  };
}

const SESSION_NOT_EVALUATED = 'the session could not be evaluated';

/** Item numbers of images follow that of the session. */
const imageItem = (position: number): number => FIRST_SESSION_IMAGE + position;

/** Messages of earlier checks of the session, as they are kept where some policy looks back. */
const keptOf = ({ gathered, header }: Entry): readonly string[] =>
  gathered.context[header.conversations?.[0] ?? ''] ?? [];

/** What later checks of the session may look back on: nothing that its caller wants to have dropped. */
function written({ header }: Entry, added: readonly string[]): Draft['context'] {
  const depth = header.contextDepth ?? 0;
  const [conversation] = header.conversations ?? [];
  if (conversation === undefined || header.unkept === 'asked' || depth === 0 || added.length === 0) return [];
  const members = added.slice(-depth).map((text, i) => contextMember('session', header.id, i, text));
  const key = keys.context(header.team, header.scope, conversation);
  // Few are ever joined.
  const begun = ownConversations(header.id).includes(conversation);
  return [begun ? [key, members, NAMELESS_SECONDS] : [key, members]];
}

interface Verdicts {
  session: Verdict;
  /** of the images, in their order; null: that one was not looked at */
  artifacts: (Verdict | null)[];
}

/** What a session is evaluated by. */
interface SessionBasis {
  images: readonly (SessionImage & { looked: LookedAt | NotLookedAt | undefined })[];
  context: string[];
  texts: CheckedReading['texts'];
}

/** Where evaluating throws: whether it would with any other attempt. */
type FailurePersistence = 'lasting' | 'passing';

function evaluate(
  plan: Plan,
  entry: Entry,
  request: SessionRequest,
  { images, context, texts, scans }: SessionBasis & { scans: LongScans },
): Verdicts | FailurePersistence {
  const scope = { team: entry.header.team, deployment: entry.header.scope, restrict: restricted(request) };
  const direction = directionOf(request.messages.at(-1)!);
  const answers = answersFor(entry.gathered, SESSION);
  const { finds: every, masked } = entry.header;
  const redact = entry.header.redact || masked;
  const [text] = texts;
  try {
    if (images.length === 0 && texts.length < 2) {
      const content = { ...(text ?? { direction, text: null }), answers, redact, every, scans };
      return { session: evaluateSession(plan, scope, content, context), artifacts: [] };
    }
    const seen = images.map(({ looked }) => (looked?.ok ? imageContent(looked, entry.indexes) : null));
    return evaluateMessages(plan, scope, { texts, direction, images: seen, answers, redact, scans }, context);
  } catch (error) {
    if (error instanceof Paused) throw error;
    // Answered as "could not be evaluated": never as clean.
    return error instanceof MissingInPlan ? 'passing' : 'lasting';
  }
}
