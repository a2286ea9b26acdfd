/**
 * Sends any number of events in batches of the size that the service takes, and joins their answers.
 *
 * The next batch is sent when the one before is answered. So all batches behave like one: events are checked in order, each sees
 * the earlier ones as context, and a reference may name any earlier event.
 */
import { ENDPOINTS } from '../api/endpoints.js';
import { LIMITS } from '../api/limits.js';
import {
  type BatchOrderEntry,
  EVENT_TYPES,
  type EventInput,
  type EventResult,
  type EventsRequest,
  type EventsResponse,
} from '../api/types.js';
import { type ClientError, isServiceError, type Result, type Success, usageError } from './errors.js';
import { type CallOptions, type ClientSettings, send } from './transport.js';

/** A batch has failed. The batches before it were checked. */
export interface EventsFailure {
  ok: false;
  error: ClientError;
  /** the answer to the events of earlier batches; absent when the first one failed */
  checked?: EventsResponse;
}

export type EventsResult = Success<EventsResponse> | EventsFailure;

/** Longest key that a number can be appended to. */
const MAX_NUMBERED_KEY = 240;

/** Checks all events of `request`. `timeoutMs` counts for each batch. */
export async function sendEvents(
  settings: ClientSettings,
  request: EventsRequest,
  options: CallOptions = {},
): Promise<EventsResult> {
  if (!Array.isArray(request?.events)) return usageError('events: expected an array of events.');
  const batches = split(request.events);
  if (batches.length < 2) return await sendBatch(settings, request, options);
  const key = options.idempotencyKey;
  if (key !== undefined && key.length > MAX_NUMBERED_KEY) {
    return usageError(`idempotencyKey: expected at most ${MAX_NUMBERED_KEY} characters for more than one batch.`);
  }
  // The service would generate a run for each batch. Events that belong together must share one.
  const runId = request.run_id || generatedRun(request.events);
  const common = { ...request, ...(runId === undefined ? {} : { run_id: runId }) };
  const merged = createMerged();
  let requestId = '';
  for (const [n, events] of batches.entries()) {
    const numbered = key === undefined ? options : { ...options, idempotencyKey: `${key}-${n + 1}` };
    const result = await sendBatch(settings, { ...common, events }, numbered);
    if (!result.ok) {
      const error = shifted(result.error, merged.count());
      return n === 0 ? { ok: false, error } : { ok: false, error, checked: merged.response() };
    }
    merged.add(result.value);
    requestId = result.requestId;
  }
  return { ok: true, value: merged.response(), requestId };
}

async function sendBatch(
  settings: ClientSettings,
  request: EventsRequest,
  options: CallOptions,
): Promise<Result<EventsResponse>> {
  const result = await send<EventsResponse>(settings, { endpoint: ENDPOINTS.checkEvents, body: request }, options);
  if (!result.ok || isAnswer(result.value)) return result;
  const message = "The answer is not that of a batch: it may be another server's. Check the address of the client.";
  return { ok: false, error: { type: 'protocol_error', message, status: 200, attempts: 1 } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an answer has everything that joining reads. */
function isAnswer(answer: EventsResponse): boolean {
  const { flagged, results, order }: { flagged?: unknown; results?: unknown; order?: unknown } = answer;
  if (typeof flagged !== 'boolean') return false;
  if (!isObject(results) || !EVENT_TYPES.every((type) => isObject(results[type])) || !Array.isArray(order))
    return false;
  return order.every((entry: unknown) => {
    if (!isObject(entry) || typeof entry.event_id !== 'string') return false;
    return EVENT_TYPES.some((type) => type === entry.type);
  });
}

/** Batches of at most 50 events and 500 declared parents and links (section 8). */
function split(events: readonly EventInput[]): EventInput[][] {
  const batches: EventInput[][] = [];
  let declared = 0;
  for (const event of events) {
    const here = (event?.parent ? 1 : 0) + (Array.isArray(event?.links) ? event.links.length : 0);
    const last = batches.at(-1);
    declared += here;
    if (last === undefined || last.length === LIMITS.eventsPerBatch || declared > LIMITS.declarationsPerBatch) {
      batches.push([event]);
      declared = here;
    } else last.push(event);
  }
  return batches;
}

function generatedRun(events: readonly EventInput[]): string | undefined {
  if (events.every((event) => event?.run_id)) return undefined;
  return `run_${crypto.randomUUID().replaceAll('-', '')}`;
}

interface MergedAnswers {
  /** events answered so far */
  count(): number;
  add(answer: EventsResponse): void;
  response(): EventsResponse;
}

function createMerged(): MergedAnswers {
  // Maps first, objects at the end: `__proto__` is a valid event id.
  const buckets = new Map(EVENT_TYPES.map((type) => [type, new Map<string, EventResult>()]));
  /** the entry of `order` whose result is in the bucket, by type and event id */
  const holders = new Map<string, BatchOrderEntry>();
  const order: BatchOrderEntry[] = [];
  let flagged = false;
  let failed = 0;

  function take(entry: BatchOrderEntry, answer: EventsResponse): void {
    const { type, event_id: id } = entry;
    const moved = { ...entry, index: order.length };
    order.push(moved);
    const bucket = buckets.get(type);
    // An entry with a `result` has lost its place in the bucket to a later entry of its own batch.
    if (bucket === undefined || entry.result !== undefined || !Object.hasOwn(answer.results[type], id)) return;
    const holder = holders.get(`${type} ${id}`);
    if (holder !== undefined) holder.result = bucket.get(id)!;
    bucket.set(id, answer.results[type][id]!);
    holders.set(`${type} ${id}`, moved);
  }

  return {
    count: () => order.length,
    add(answer) {
      flagged ||= answer.flagged;
      failed += answer.failed;
      for (const entry of answer.order) take(entry, answer);
    },
    response() {
      const run = order[0]?.run_id;
      const same = run !== undefined && order.every((entry) => entry.run_id === run);
      const results = Object.fromEntries([...buckets].map(([type, bucket]) => [type, Object.fromEntries(bucket)]));
      return {
        flagged,
        failed,
        ...(same ? { run_id: run } : {}),
        results: results as EventsResponse['results'],
        order,
      };
    },
  };
}

/** The error of a later batch, with the positions of its events in the whole list. */
function shifted(error: ClientError, offset: number): ClientError {
  if (offset === 0 || !isServiceError(error)) return error;
  const move = (text: string): string =>
    text.replace(/^events\[(\d+)\]/, (_, index: string) => `events[${Number(index) + offset}]`);
  return {
    ...error,
    message: move(error.message),
    ...(error.param === undefined ? {} : { param: move(error.param) }),
    issues: error.issues.map((issue) => ({ ...issue, path: move(issue.path) })),
    ...(error.items && { items: error.items.map((item) => ({ ...item, index: item.index + offset })) }),
  };
}
