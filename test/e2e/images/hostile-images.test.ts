/**
 * Files that mean harm, through the whole system: each comes to a documented end, in bounded memory, and texts beside them
 * are checked all the while.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '#weir/shared/api/limits';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { itemId, partsOf } from '#weir/shared/ids';
import { keys } from '#weir/shared/streams/keys';
import { type FailureReason, failure } from '#weir/workers/images/failure';
import { type HostileImage, hostileImages } from '../../support/images/hostile-images.ts';
import { childrenOf, peakOf, residentOf, SEEN } from '../../support/installation/processes.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';
import { sleep, until } from '../../support/wait.ts';
import { newRun, type System, startSystem } from '../system.ts';

const [TEXT, IMAGE] = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'];
const key = createKey();
const CONFIGURATION = `version: 1
teams: [{id: acme}]
keys:
- {id: acme, team: acme, sha256: ${hashKey(key)}, deployments: [chat], default_deployment: chat, environments: [prod], scopes: [check, read, risk]}
policies:
- {id: ${TEXT}, team: acme, name: Text, sources: [text], detect: {terms: {list: [secret]}}}
- {id: ${IMAGE}, team: acme, name: Image, sources: [image], detect: {image_properties: {min_height: 16384}}}
deployments: [{id: chat, team: acme, name: Chat, policies: [${TEXT}, ${IMAGE}]}]
environments:
- {id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${TEXT}, ${IMAGE}]}]}
`;

const DECODERS = 2;
/** of requests */
const options = { key };

const AT_ONCE = 8;
/** Of the light files every so manieth is sent here (the decoder's own test has all), and of these in other ways as well. */
const LIGHT = 3;
const BY_URL = 10;
const IN_BATCH = 8;
const TEXT_EVERY_MS = 100;
/** How often the worker's children are listed: a look at every process that there is. */
const LIST_EVERY_MS = 500;
const MIB = 1024 * 1024;

let system: System;
let origin: Origin;
let corpus: HostileImage[];
/** how each image ended, by its internal id */
const ends = new Map<string, string>();
const wrong: string[] = [];

before(async () => {
  corpus = (await hostileImages()).filter(({ heavy }, i) => heavy || i % LIGHT === 0);
  origin = await startOrigin((request, response) => {
    const file = corpus[Number(request.url!.slice(1))];
    response.writeHead(file ? 200 : 404).end(file?.bytes);
  });
  system = await startSystem({
    configuration: { text: CONFIGURATION, file: 'hostile.yaml' },
    separateArchiver: true,
    maxMemory: '1gb',
    env: {
      WEIR_FETCH_ALLOW: `127.0.0.1:${origin.port}`,
      WEIR_DECODERS: String(DECODERS),
      WEIR_MAX_SLOW_AGE_MS: '20000',
    },
  });
});
after(async () => {
  await system?.close();
  await origin?.close();
});

const byUrl = (index: number): object => ({ kind: 'image', url: `http://127.0.0.1:${origin.port}/${index}` });
const inline = (index: number): object => ({ kind: 'image', data: corpus[index]!.bytes.toString('base64') });
const dataLength = ({ bytes }: HostileImage): number => Math.ceil(bytes.length / 3) * 4;

/** Does `work` for every item, so many at once. */
async function each<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

interface Ended {
  status: string;
  flagged: boolean | null;
  note?: string | null;
}

/** Holds the end of a file against those that are right for it. */
function ended(index: number, id: string, { status, flagged, note }: Ended, failedFlag: boolean | null): void {
  const { name, outcomes, heavy } = corpus[index]!;
  const right = heavy ? [...outcomes, 'decode_timeout', 'decode_late', 'cancelled'] : outcomes;
  const expected =
    status === 'completed'
      ? right.includes('decoded') && flagged === false
      : status === 'failed' &&
        flagged === failedFlag &&
        right.some((reason) => reason !== 'decoded' && failure(reason as FailureReason).note === note);
  if (!expected) wrong.push(`${name}: ${status} ${flagged} ${note}, expected ${right.join(' or ')}`);
  assert.ok(!ends.has(id), `a second result of ${id}`);
  ends.set(id, status);
}

/** Posts one file as an artifact and waits for its end. */
async function artifact(index: number, content: object): Promise<void> {
  const external = newRun('artifact');
  const answer = await system.post('/api/artifact', { content, external_artifact_id: external }, options);
  assert.equal(answer.status, 200, `${corpus[index]!.name}: ${answer.text}`);
  let { json } = answer;
  const id: string = json.internal_artifact_id;
  await until(`the end of ${corpus[index]!.name}`, async () => {
    if (json.status !== 'processing') return true;
    await sleep(100);
    const query = `external_artifact_id=${external}`;
    json = (await system.get(`/api/artifact/get_by_id?${query}`, options)).json;
    return json.status !== 'processing';
  });
  assert.equal(json.internal_artifact_id, id);
  ended(index, id, json, null);
}

/** Checks texts at a steady rate until it is stopped; counts what was not answered 200 with the right verdicts. */
function startTexts(): { stop(): Promise<{ sent: number; wrong: string[] }> } {
  let running = true;
  const wrong: string[] = [];
  const underWay: Promise<void>[] = [];
  const events = ['a secret', 'nothing'].map((content, i) => ({ type: 'reasoning', event_id: `e${i}`, content }));
  const one = async (): Promise<void> => {
    try {
      const body = { environment_id: 'prod', run_id: newRun('text'), events };
      const { status, text, json } = await system.post('/api/events', body, options);
      const flags = [0, 1].map((i) => json.results?.reasoning[`e${i}`].flagged);
      if (status !== 200 || flags[0] !== true || flags[1] !== false) wrong.push(`${status} ${text.slice(0, 200)}`);
    } catch (error) {
      wrong.push(String(error));
    }
  };
  const loop = (async () => {
    while (running) {
      underWay.push(one());
      await sleep(TEXT_EVERY_MS);
    }
  })();
  return {
    async stop() {
      running = false;
      await loop;
      await Promise.all(underWay);
      return { sent: underWay.length, wrong };
    },
  };
}

/** Peaks of the worker and of its decoding processes, looked at until it is stopped. */
function startWatch(pid: number): { stop(): { before: number; worker: number; decoder: number; decoders: number } } {
  const seen = { before: residentOf(pid), worker: 0, decoder: 0, decoders: 0 };
  let children: number[] = [];
  const list = (): void => {
    children = childrenOf(pid, 'programs/decoder');
    seen.decoders = Math.max(seen.decoders, children.length);
  };
  const look = (): void => {
    seen.worker = peakOf(pid);
    for (const child of children) seen.decoder = Math.max(seen.decoder, peakOf(child));
  };
  const timers = [setInterval(list, LIST_EVERY_MS), setInterval(look, 50)];
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
      list();
      look();
      return seen;
    },
  };
}

describe('hostile images, over HTTP', () => {
  it('each end as artifacts, events and parts of sessions, in bounded memory, beside texts that do not notice', async (t) => {
    assert.ok(corpus.length >= 130, `${corpus.length} files`);
    const worker = system.stack.evaluators[0]!;
    const watch = startWatch(worker.pid);
    const texts = startTexts();
    const all = [...corpus.keys()];
    await each(all, AT_ONCE, (i) =>
      artifact(i, dataLength(corpus[i]!) > LIMITS.imageDataCharacters ? byUrl(i) : inline(i)),
    );
    t.diagnostic(`${ends.size} inline`);
    await each(
      all.filter((i) => i % BY_URL === 0),
      AT_ONCE,
      (i) => artifact(i, byUrl(i)),
    );
    t.diagnostic(`${ends.size} by URL`);
    const small = all.filter((i) => !corpus[i]!.heavy && i % IN_BATCH === 1);
    await each(
      small.filter((i) => dataLength(corpus[i]!) <= LIMITS.contentBytes),
      AT_ONCE,
      inEvents,
    );
    await each(small, AT_ONCE, inSession);
    const { sent, wrong: wrongTexts } = await texts.stop();
    const memory = watch.stop();
    assert.deepEqual(wrong, []);
    assert.deepEqual(wrongTexts, []);
    const figures = { images: ends.size, texts: sent, ...memory };
    t.diagnostic(JSON.stringify(figures));
    if (SEEN) bounded(memory);
    assert.ok(worker.running, 'the worker lives');
  });

  it('have one row each in history, with the status that was answered, and no dead letter', async () => {
    await system.archived();
    for (const table of ['items', 'images', 'contents']) {
      const status = table === 'items' ? 'any(status)' : "''";
      const rows = await system.sql(
        `SELECT toString(id) AS id, toUInt32(count()) AS rows, ${status} AS status FROM ${table} GROUP BY id`,
      );
      const stored = new Map(rows.map((row) => [row.id as string, row]));
      const missing = [...ends.keys()].filter((id) => stored.get(id)?.rows !== 1);
      assert.deepEqual(missing, [], `images that have not exactly one row in ${table}`);
      if (table !== 'items') continue;
      for (const [id, end] of ends) assert.equal(stored.get(id)!.status, end);
    }
    assert.equal(await system.redis.xlen(keys.dead(0)), 0);
    assert.equal(await system.redis.xlen(keys.refused(0)), 0);
  });
});

async function inEvents(index: number): Promise<void> {
  const events = [
    { type: 'reasoning', event_id: 'text', content: 'a secret' },
    { type: 'artifact', event_id: 'image', content: inline(index) },
  ];
  const body = { environment_id: 'prod', run_id: newRun(), events };
  const { status, json, text } = await system.post('/api/events', body, options);
  assert.equal(status, 200, `${corpus[index]!.name}: ${text}`);
  assert.equal(json.results.reasoning.text.flagged, true);
  const { image } = json.results.artifact;
  const { event, flagged, note } = image;
  ended(index, event.internal_event_id, { status: event.status, flagged, note }, false);
}

async function inSession(index: number): Promise<void> {
  const content = [
    { type: 'text', text: 'a secret' },
    { type: 'artifact', content: inline(index) },
  ];
  const { status, json, text } = await system.post('/api/session', { messages: [{ role: 'user', content }] }, options);
  assert.equal(status, 200, `${corpus[index]!.name}: ${text}`);
  assert.equal(json.session.flagged, true);
  assert.equal(json.artifacts.length, 1);
  const [image] = json.artifacts;
  const { requestId } = partsOf(json.session.internal_session_id)!;
  assert.equal(image.internal_artifact_id, itemId(requestId, 2));
  ended(index, image.internal_artifact_id, image, null);
}

/** What `workers/images/start.ts` states, and what bodies of the slow lane may take beside it. */
function bounded({ before, worker, decoder, decoders }: ReturnType<ReturnType<typeof startWatch>['stop']>): void {
  assert.ok(decoders <= DECODERS, `${decoders} decoding processes`);
  // A decoding process looks at itself every 10 ms; in between it may take some more.
  assert.ok(decoder < (768 + 200) * MIB, `a decoding process held ${Math.round(decoder / MIB)} MiB`);
  const [held, waiting, bodies] = [24 * 10, 128, 64];
  const most = before + (held + waiting + bodies) * MIB;
  assert.ok(worker < most, `the worker held ${Math.round(worker / MIB)} MiB`);
}
