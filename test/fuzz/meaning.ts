/** What a 200 to a check must say about what was sent, and that a look-up says the same. */
import assert from 'node:assert/strict';
import type { TryResult } from '#weir/shared/api/try';
import {
  type Appeal,
  type ArtifactRequest,
  type ArtifactResult,
  EVENT_TYPES,
  type EventInput,
  type EventResult,
  type EventsResponse,
  type LabelRequest,
  type LabelResult,
  type PresidioAnalyzeRequest,
  type PresidioAnonymized,
  type PresidioFinding,
  type RestoreRequest,
  type SessionResult,
  type StreamRequest,
  type StreamResult,
} from '#weir/shared/api/types';
import { isUuid } from '#weir/shared/ids';
import { assertEvidence, bare } from './evidence.ts';
import type { Request } from './request.ts';
import type { Pool } from './values.ts';

/** A look-up that must find an event, a session or an artifact again. */
export interface Expected {
  path: string;
  flagged: boolean | null;
  policies: object;
  /** as sent; undefined: none */
  metadata?: unknown;
  kind: 'event' | 'session' | 'artifact';
}

interface EventsBody {
  environment_id?: string | null;
  run_id?: string | null;
  external_session_id?: string | null;
  events: EventInput[];
}

/** Checks `answer` against the body as it was sent, and returns what is to be looked up. */
export function understand(request: Request, sent: unknown, answer: unknown, pool: Pool): Expected[] {
  switch (request.draft.endpoint) {
    case 'checkEvents':
      return batch(request, sent as EventsBody, answer as EventsResponse, pool);
    case 'checkEvent':
      return single(
        request,
        sent as { event: EventInput; environment_id?: string; run_id?: string },
        answer as EventResult,
        pool,
      );
    case 'checkSession':
      return session(request, sent as SentSession, answer as SessionResult, pool);
    case 'createSession':
      return session(request, sent as SentSession, (answer as { session: SessionResult }).session, pool);
    case 'checkStream':
      return stream(sent as StreamRequest, answer as StreamResult);
    case 'restore':
      assert.deepEqual(answer, { text: (sent as RestoreRequest).text }, 'without a seal, texts stay as they are');
      return [];
    case 'label': {
      const { policy_id: _, policy_name: __, at: ___, reviewer, note, ...same } = answer as LabelResult;
      const { label } = sent as LabelRequest;
      assert.equal(same.label, label);
      assert.notEqual(reviewer, '');
      assert.notEqual(note, '');
      return [];
    }
    case 'appeal': {
      const { state, note, reference } = answer as Appeal;
      assert.ok(['open', 'stands', 'overturned'].includes(state));
      assert.notEqual(note, '');
      assert.notEqual(reference, '');
      return [];
    }
    case 'tryPolicies': {
      const { flagged, policies, scores } = answer as TryResult;
      const some = Object.values(policies).some((policy) => policy.flagged);
      assert.ok(flagged === null || flagged === some);
      for (const { score } of scores) assert.ok(score === null || (score >= 0 && score <= 1));
      return [];
    }
    case 'analyzeText':
      analysed(sent as PresidioAnalyzeRequest, answer as PresidioFinding[] | PresidioFinding[][]);
      return [];
    case 'anonymizeText':
      for (const { start, end, text } of (answer as PresidioAnonymized).items) {
        assert.equal([...(answer as PresidioAnonymized).text].slice(start, end).join(''), text);
      }
      return [];
    case 'checkArtifact':
      return artifact(sent as ArtifactRequest, answer as ArtifactResult, pool);
    default:
      return [];
  }
}

/** Each text has a list, of places in it that are as sure as is asked for. */
function analysed(sent: PresidioAnalyzeRequest, answer: PresidioFinding[] | PresidioFinding[][]): void {
  const texts = typeof sent.text === 'string' ? [sent.text] : sent.text;
  const lists = (typeof sent.text === 'string' ? [answer] : answer) as PresidioFinding[][];
  assert.equal(lists.length, texts.length);
  for (const [i, list] of lists.entries()) {
    const { length } = [...texts[i]!];
    for (const { start, end, score } of list) {
      assert.ok(start >= 0 && start <= end && end <= length, `${start} to ${end} of ${length}`);
      assert.ok(score >= (sent.score_threshold ?? 0));
    }
  }
}

/** A stream that is stored has a check like any other; what came in its first piece alone is known here. */
function stream(sent: StreamRequest, answer: StreamResult): Expected[] {
  const { internal_session_id: session, internal_event_id: event, flagged, policies, final } = answer;
  assert.equal(answer.stream_id, sent.stream_id);
  assert.equal(answer.sequence, sent.sequence);
  assert.equal(final, sent.final === true);
  const id = session ?? event;
  assert.equal(id !== undefined, flagged || final, 'it is stored where it is flagged or has ended, and only then');
  if (id === undefined || sent.sequence > 0 || !final) return [];
  const { metadata } = sent;
  const known = { flagged, policies, ...(metadata == null ? {} : { metadata }) };
  return session === undefined
    ? [{ path: `/api/event/${id}?environment_id=${sent.environment_id}`, kind: 'event', ...known }]
    : [
        {
          path: `/api/session/${id}?deployment_id=${sent.deployment_id ?? 'chat'}`,
          kind: 'session',
          flagged,
          policies,
        },
      ];
}

const FIELDS = ['content', 'arguments', 'output', 'definition', 'input', 'instructions', 'state'] as const;
const isReference = (event: EventInput): boolean =>
  FIELDS.every((field) => event[field] === undefined || event[field] === null);

function batch(request: Request, sent: EventsBody, answer: EventsResponse, pool: Pool): Expected[] {
  const { results, order } = answer;
  assert.deepEqual(Object.keys(results), [...EVENT_TYPES]);
  assert.equal(order.length, sent.events.length);
  assert.equal(
    answer.flagged,
    order.some((entry) => entry.flagged),
  );
  // References to failed events count, too.
  const referenced = order.filter((entry) => entry.status === 'referenced').length;
  const failed = order.filter((entry) => entry.status === 'failed').length;
  assert.ok(answer.failed >= failed && answer.failed <= failed + referenced);
  const runs = new Set(order.map((entry) => entry.run_id));
  assert.equal(answer.run_id, runs.size === 1 ? [...runs][0] : undefined);
  const ids = new Set<string>();
  const expected: Expected[] = [];
  const last = new Map<string, number>();
  for (const entry of order) last.set(`${entry.type} ${entry.event_id}`, entry.index);
  for (const [index, event] of sent.events.entries()) {
    const entry = order[index]!;
    assert.equal(entry.index, index);
    const inBucket = last.get(`${entry.type} ${entry.event_id}`) === index;
    assert.equal(entry.result === undefined, inBucket);
    const bucket = results[entry.type];
    assert.ok(Object.hasOwn(bucket, entry.event_id));
    const result = entry.result ?? bucket[entry.event_id]!;
    assert.equal(result.flagged, entry.flagged);
    assert.equal(result.event.status, entry.status);
    assert.equal(result.event.internal_event_id, entry.internal_event_id);
    const run = event.run_id ?? sent.run_id ?? undefined;
    const found = one(request, event, { run, environment: sent.environment_id ?? undefined }, result, pool);
    if (found === undefined) continue;
    assert.ok(!ids.has(entry.internal_event_id!), 'an internal id twice');
    ids.add(entry.internal_event_id!);
    expected.push(found);
  }
  const inBuckets = EVENT_TYPES.reduce((sum, type) => sum + Object.keys(results[type]).length, 0);
  assert.equal(inBuckets, last.size);
  return expected;
}

function single(
  request: Request,
  sent: { event: EventInput; environment_id?: string; run_id?: string },
  answer: EventResult,
  pool: Pool,
): Expected[] {
  assert.equal(answer.run_id, answer.event.run_id);
  const run = sent.event.run_id ?? sent.run_id;
  const found = one(request, sent.event, { run, environment: sent.environment_id }, answer, pool);
  return found ? [found] : [];
}

/** One event and its result; what is to be looked up, unless it is a reference. */
function one(
  request: Request,
  event: EventInput,
  at: { run: string | undefined; environment: string | undefined },
  result: EventResult,
  pool: Pool,
): Expected | undefined {
  assert.equal(result.event.type, event.type);
  if (typeof event.event_id === 'string') assert.equal(result.event.event_id, event.event_id);
  else assert.match(result.event.event_id, /^evt_[0-9a-f]{32}$/);
  if (typeof at.run === 'string') assert.equal(result.event.run_id, at.run);
  else assert.match(result.event.run_id, /^run_[0-9a-f]{32}$/);
  assert.equal(
    result.flagged,
    Object.values(result.policies).some((policy) => policy.flagged),
  );
  const { status, internal_event_id: id } = result.event;
  if (isReference(event)) {
    assert.ok(status === 'referenced' || status === 'not_found');
    assert.equal(id === undefined, status === 'not_found');
    if (status === 'not_found') assert.deepEqual(result.policies, {});
    return undefined;
  }
  assertEvidence(
    request,
    FIELDS.map((field) => event[field]).find((value) => value != null),
    result.policies,
  );
  // Images are refused or fail by themselves; nothing else may.
  assert.ok(status === 'completed' || event.type === 'artifact', status);
  assert.ok(id !== undefined && isUuid(id));
  pool.add('event', id);
  const environment = at.environment ?? event.environment_id ?? '';
  const { flagged, policies } = result;
  const path = `/api/event/${id}?environment_id=${encodeURIComponent(environment)}`;
  return { path, flagged, policies, metadata: event.metadata ?? undefined, kind: 'event' };
}

interface SentSession {
  messages: { content?: unknown }[];
  deployment_id?: string | null;
  external_session_id?: string | null;
  internal_session_id?: string | null;
}

function session(request: Request, sent: SentSession, answer: SessionResult, pool: Pool): Expected[] {
  const { internal_session_id: id, policies, flagged } = answer;
  assert.ok(isUuid(id));
  // It has the name of the session that it joins, which the request does not say.
  if (sent.internal_session_id) assert.ok(answer.external_session_id);
  else assert.equal(answer.external_session_id, sent.external_session_id || undefined);
  assert.equal(
    flagged,
    Object.values(policies).some((policy) => policy.flagged),
  );
  const last = sent.messages.at(-1)!;
  const hasPaths = Object.values(policies).some(({ evidence = [] }) => evidence.some(({ path }) => path !== undefined));
  assertEvidence(request, hasPaths ? last : last.content, policies);
  for (const policy of Object.values(policies)) assert.equal(policy.flagged_source.length > 0, policy.flagged);
  pool.add('session', id);
  const deployment = sent.deployment_id ? `?deployment_id=${encodeURIComponent(sent.deployment_id)}` : '';
  return [{ path: `/api/session/${id}${deployment}`, flagged, policies, kind: 'session' }];
}

function artifact(sent: ArtifactRequest, answer: ArtifactResult, pool: Pool): Expected[] {
  const { internal_artifact_id: id, status, policies, flagged } = answer;
  assert.ok(isUuid(id));
  assert.equal(answer.external_artifact_id, sent.external_artifact_id || null);
  assert.equal(status === 'completed', flagged !== null);
  if (status === 'failed') assert.ok(answer.note);
  pool.add('artifact', id);
  // One that is not finished has another verdict later.
  if (status === 'processing') return [];
  const deployment = sent.deployment_id ? `&deployment_id=${encodeURIComponent(sent.deployment_id)}` : '';
  return [
    { path: `/api/artifact/get_by_id?internal_artifact_id=${id}${deployment}`, flagged, policies, kind: 'artifact' },
  ];
}

/** Whether a look-up found what the check had said. */
export function agree(expected: Expected, text: string): void {
  const found = JSON.parse(text);
  const result = expected.kind === 'session' ? found.session : found;
  assert.equal(result.flagged, expected.flagged);
  assert.deepEqual(result.policies, bare(expected.policies));
  if (expected.kind === 'event') assert.deepEqual(result.metadata ?? undefined, expected.metadata);
}
