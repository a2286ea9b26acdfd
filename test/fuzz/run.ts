/**
 * Sends generated requests, whole and broken, to a whole installation over several connections, and holds every answer
 * against the contract. Then looks through both stores for what should not be there.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import { keys } from '#weir/shared/streams/keys';
import { KEY } from '../e2e/configuration.ts';
import { type System, startSystem } from '../e2e/system.ts';
import { type Connection, openConnection } from './connection.ts';
import { viewQuery } from './evidence.ts';
import { type Draft, GENERATORS, type Generator } from './generators.ts';
import { agree, understand } from './meaning.ts';
import { type Mutation, mutation } from './mutations.ts';
import { asksForName, judge, mayBeForeign, TRIES } from './oracle.ts';
import { bytesOf, describe, newRequest, type Request } from './request.ts';
import { searchStores } from './stores.ts';
import { createPool, type Pool } from './values.ts';

export interface FuzzOptions {
  requests: number;
  /** decides every request; a failure prints it */
  seed: number;
  connections?: number;
  say?(line: string): void;
}

export interface FuzzReport {
  /** requests that were generated, and look-ups of what they had checked */
  sent: number;
  lookups: number;
  /** answers by status; 0: the connection was ended instead */
  statuses: Record<string, number>;
  seconds: number;
}

interface Plan {
  draft: Draft;
  mutations: Mutation[];
}

const DEEP_LOOKUPS = 3;
const SAY_MS = 10_000;

function planned(pool: Pool): fc.Arbitrary<Plan> {
  const drafts = (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => ({
    // A look-up of what is not there asks ClickHouse, which costs as much as many checks.
    weight: ENDPOINTS[name].method === 'POST' ? 10 : 1,
    arbitrary: viewed(name, (GENERATORS[name] as Generator)(pool)),
  }));
  const mutations = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Mutation[]>([]) },
    { weight: 4, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(mutation, { minLength: 2, maxLength: 3 }) },
  );
  return fc.record({ draft: fc.oneof(...drafts), mutations });
}

/** Where the answer has policies, with what its query asks of them. */
function viewed(name: EndpointName, drafts: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> {
  const { views }: Endpoint = ENDPOINTS[name];
  if (!views) return drafts;
  return fc.tuple(drafts, viewQuery).map(([draft, view]) => ({ ...draft, query: { ...draft.query, ...view } }));
}

function build({ draft, mutations }: Plan): Request {
  const request = newRequest(draft);
  for (const each of mutations) {
    each.apply(request);
    request.broken.push(each.name);
  }
  return request;
}

interface Runner {
  pool: Pool;
  report: FuzzReport;
  connection: Connection;
}

async function attempt({ pool, report, connection }: Runner, plan: Plan): Promise<void> {
  const request = build(plan);
  const bytes = bytesOf(request);
  const answer = await connection.send(bytes, request.method === 'HEAD');
  // What is left of a malformed request would be taken for the beginning of the next one.
  if (request.malformed) connection.close();
  report.sent++;
  const status = answer?.status ?? 0;
  report.statuses[status] = (report.statuses[status] ?? 0) + 1;
  const json = judge(request, answer);
  assert.doesNotMatch(answer?.text ?? '', /does not have the expected shape/, 'it is refused for a reason');
  if (request.broken.length === 0) {
    const found =
      request.endpoint.method === 'POST' || request.endpoint.scope === null
        ? [200]
        : request.endpoint.method === 'GET'
          ? [200, 404]
          : [202, 404, 503];
    if (['getDocsFile', 'getConsoleFile', 'getLogin', 'getLoginAnswer'].includes(request.draft.endpoint))
      found.push(404);
    if (request.draft.endpoint === 'checkEnvoy' && answer?.text.includes('"content_refused"')) found.push(403);
    // A text in a language that the attribute does not know has no score, and is refused as Perspective does.
    if (mayBeForeign(request) && answer?.text.includes('"LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"')) found.push(400);
    // On a machine that does much else.
    if (TRIES.has(request.draft.endpoint)) found.push(503, 504);
    if (asksForName(request) || request.draft.endpoint === 'checkStream') found.push(409);
    if (request.draft.endpoint === 'replay') found.push(404);
    if (['label', 'appeal'].includes(request.draft.endpoint))
      found.push(404, ...(answer?.text.includes('"code":"verdict"') ? [400] : []));
    assert.ok(found.includes(status), `a valid request is answered ${status}: ${answer?.text}`);
  }
  if (json === undefined || request.endpoint.method !== 'POST') return;
  const authorization = request.headers.find(([name]) => name === 'Authorization')?.[1] ?? '';
  const own = authorization === `Bearer ${KEY.acme}`;
  const expected = understand(request, sentBody(bytes, request), json, own ? pool : foreign(pool));
  for (const each of expected.slice(0, DEEP_LOOKUPS)) {
    const head = `GET ${each.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nservice-version: 2026-06-01\r\n\r\n`;
    const found = await connection.send(Buffer.from(head, 'latin1'), false);
    report.lookups++;
    assert.equal(found?.status, 200, `${each.path}: ${found?.text}`);
    agree(each, found!.text);
  }
}

/** Learns ids as those of somebody else: a mutation had them made with another key. */
function foreign(pool: Pool): Pool {
  const kinds = { event: 'foreign-event', session: 'foreign-session', artifact: 'foreign-artifact' } as const;
  return { ...pool, add: (kind, value) => pool.add(kinds[kind as keyof typeof kinds] ?? kind, value) };
}

/** The body as the service read it. */
function sentBody(bytes: Buffer, request: Request): unknown {
  const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  const whole = request.headers.some(([name]) => name === 'Transfer-Encoding') ? unchunked(body) : body;
  return JSON.parse(whole.toString().replace(/^\ufeff/, ''));
}

function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, line), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(body.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
}

/** The smallest request that fails, why, and how to have all of it again. */
function failure(details: fc.RunDetails<[Plan]>, seed: number): Error {
  const [plan] = details.counterexample ?? [];
  const { errorInstance: error } = details;
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Error(
    `seed ${seed}, after ${details.numRuns} requests of one connection:\n${plan ? describe(build(plan)) : ''}\n\n${why}`,
  );
}

/** Checks of the other team, whose ids the first one then asks for. */
async function fillPool(system: System, pool: Pool): Promise<void> {
  const options = { key: KEY.globex };
  for (let i = 0; i < 5; i++) {
    const event = { type: 'message', role: 'user', event_id: `fuzz-${i}`, run_id: `fuzz-${i}`, content: 'open sesame' };
    const events = await system.post('/api/events', { environment_id: 'prod', events: [event] }, options);
    pool.add('foreign-event', events.json.order[0].internal_event_id);
    const body = {
      deployment_id: 'chat',
      external_session_id: `name-${i}`,
      messages: [{ role: 'user', content: 'x' }],
    };
    const session = await system.post('/api/session/check', body, options);
    pool.add('foreign-session', session.json.internal_session_id);
    const image = { content: { kind: 'image', data: 'AAAA' }, deployment_id: 'chat' };
    const artifact = await system.post('/api/artifact', image, options);
    pool.add('foreign-artifact', artifact.json.internal_artifact_id);
  }
}

/** Runs it all. Rejects with the seed and the smallest request that fails. */
export async function fuzz({
  requests,
  seed,
  connections = 12,
  say = () => undefined,
}: FuzzOptions): Promise<FuzzReport> {
  const system = await startSystem({ maxMemory: '1gb', env: { WEIR_HOT_SECONDS: '60', WEIR_FAILED_KEYS: '0' } });
  const started = performance.now();
  const report: FuzzReport = { sent: 0, lookups: 0, statuses: {}, seconds: 0 };
  const timer = setInterval(() => {
    const rate = report.sent / ((performance.now() - started) / 1000);
    say(`${report.sent} of ${requests} requests, ${rate.toFixed(0)} a second`);
  }, SAY_MS);
  try {
    const pids = system.stack.parts.map(({ name, pid }) => `${name} ${pid}`);
    const pool = createPool();
    // A look-up whose method was changed to DELETE would take what others look up: erasures are taken, and nobody erases.
    await system.redis.set(keys.erasureLease(), 'nobody');
    await fillPool(system, pool);
    const port = Number(new URL(system.stack.url).port);
    await Promise.all(
      Array.from({ length: connections }, async (_, i) => {
        const connection = openConnection(port);
        const property = fc.asyncProperty(planned(pool), (plan) => attempt({ pool, report, connection }, plan));
        const numRuns = Math.ceil(requests / connections);
        try {
          const details = await fc.check(property, { seed: seed + i, numRuns });
          if (details.failed) throw failure(details, seed);
        } finally {
          connection.close();
        }
      }),
    );
    const now = system.stack.parts.map(({ name, pid }) => `${name} ${pid}`);
    assert.deepEqual(now, pids, 'a process was replaced');
    const alive = system.stack.parts.every((part) => part.running);
    assert.ok(alive, 'a process has ended');
    say('Looking through the stores …');
    await searchStores(system);
    report.seconds = Math.round((performance.now() - started) / 1000);
    return report;
  } finally {
    clearInterval(timer);
    await system.close();
  }
}
