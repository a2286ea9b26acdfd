/** Workers and decoding processes that end without a word while they have images. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { partsOf } from '#weir/shared/ids';
import { listDeadLetters, replayDeadLetter } from '#weir/shared/streams/dead-letters';
import { keys } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import { failure } from '#weir/workers/images/failure';
import { flat, scene } from '../support/images/images.ts';
import { drained } from '../support/installation/ledger.js';
import { type Client, createClient } from '../support/installation/load.js';
import { childrenOf, lives, SEEN } from '../support/installation/processes.ts';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { select } from '../support/installation/tables.js';
import { type Origin, startOrigin } from '../support/network/origin.ts';
import { sleep, until } from '../support/wait.js';

/** The sample configuration has policies for text alone. */
const NOT_LOOKED_AT = 'no policy for input looks at images';
const GIVEN_UP = 'the check could not be finished';

let stack: TestStack;
let client: Client;
let origin: Origin;
let picture: Buffer;
/** what the origin does with an address that it is asked for */
let answer: (path: string, response: ServerResponse) => void;

const atOnce = (_path: string, response: ServerResponse): void => void response.end(picture);

before(async () => {
  picture = await scene(800, 600, 5).jpeg().toBuffer();
  answer = atOnce;
  origin = await startOrigin((request, response) => answer(request.url!, response));
  stack = await startTestStack({
    evaluators: 2,
    env: {
      WEIR_FETCH_ALLOW: `127.0.0.1:${origin.port},localhost:${origin.port}`,
      WEIR_DECODERS: '1',
      // Attempts are counted here: a worker that is slow for a moment is not to be taken for dead.
      WEIR_CLAIM_IDLE_MS: '3000',
    },
  });
  client = createClient(stack.url, stack.key);
});
after(async () => {
  client?.close();
  await stack?.close();
  await origin?.close();
});

const inline = (bytes: Buffer): object => ({ kind: 'image', data: bytes.toString('base64') });
const from = (path: string, host = '127.0.0.1'): object => ({
  kind: 'image',
  url: `http://${host}:${origin.port}${path}`,
});

interface Artifact {
  internal_artifact_id: string;
  status: string;
  flagged: boolean | null;
  note: string | null;
}

let sent = 0;
const newName = (): string => `artifact-${++sent}`;

async function post(content: object, external: string): Promise<Artifact> {
  const body = JSON.stringify({ content, external_artifact_id: external });
  const { status, body: artifact, failure } = await client.request('POST', '/api/artifact', body);
  assert.equal(status, 200, `${JSON.stringify(artifact)} ${failure}`);
  return artifact as Artifact;
}

async function lookUp(query: string): Promise<Artifact> {
  const { status, body } = await client.request('GET', `/api/artifact/get_by_id?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Artifact;
}

/** The end of an artifact, the same by both of its ids. */
async function endOf(id: string, external: string): Promise<Artifact> {
  let found = await lookUp(`internal_artifact_id=${id}`);
  const over = async (): Promise<boolean> => {
    if (found.status !== 'processing') return true;
    await sleep(200);
    found = await lookUp(`internal_artifact_id=${id}`);
    return false;
  };
  await until(`${external} is finished`, over);
  assert.deepEqual(await lookUp(`external_artifact_id=${external}`), found);
  return found;
}

/** Each of these has one row in every table, and nothing is left over. */
async function settled(ids: readonly string[]): Promise<void> {
  await drained(stack.connection, stack.partitions);
  for (const table of ['items', 'images', 'contents', 'names']) {
    const rows = await select<{ id: string; rows: number }>(
      stack,
      `SELECT toString(id) AS id, toUInt32(count()) AS rows FROM ${table} GROUP BY id`,
    );
    const counts = new Map(rows.map((row) => [row.id, row.rows]));
    const wrong = ids.filter((id) => counts.get(id) !== 1);
    assert.deepEqual(wrong, [], `images without exactly one row in ${table}`);
  }
  for (let p = 0; p < stack.partitions; p++) {
    assert.equal(await stack.connection.xlen(keys.dead(p)), 0);
    assert.equal(await stack.connection.xlen(keys.refused(p)), 0);
  }
}

/** Sum of a metric over the workers; `label` names one of its series. */
async function counted(name: string, label = ''): Promise<number> {
  let sum = 0;
  for (const { ready } of stack.evaluators) {
    const text = await (await fetch(`http://127.0.0.1:${ready.metricsPort}/metrics`)).text();
    const found = text.split('\n').find((line) => line.startsWith(`${name}{`) && line.includes(label));
    sum += Number(found?.split(' ').at(-1) ?? 0);
  }
  return sum;
}

const decoders = (): number[] => stack.evaluators.flatMap(({ pid }) => childrenOf(pid, 'programs/decoder'));

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

describe('a worker that is killed while it has images', () => {
  it('loses none and finishes none twice: another one fetches and decodes them', async () => {
    answer = (_path, response) => void setTimeout(() => response.end(picture), 300 * Math.random());
    const ended: Promise<Artifact>[] = [];
    let finished = 0;
    const allFinished = (): Promise<void> => until('all are finished', () => finished === ended.length);
    const send = (): void => {
      const external = newName();
      // Of two hosts: what waits for others of its host is failed on a machine that takes seconds for what the others need.
      const host = ended.length % 3 === 1 ? '127.0.0.1' : 'localhost';
      const content = ended.length % 3 === 0 ? inline(picture) : from(`/${external}`, host);
      ended.push(
        post(content, external).then(async ({ internal_artifact_id: id }) => {
          const end = await endOf(id, external);
          finished++;
          return end;
        }),
      );
    };
    const more = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        send();
        await sleep(20);
      }
    };
    for (const worker of stack.evaluators) {
      // None meets more than one of these ends: three are what makes it a dead letter.
      await allFinished();
      await more(9);
      const children = childrenOf(worker.pid, 'programs/decoder');
      await worker.kill();
      await until('its decoding processes are gone with it', () => !children.some(lives));
      await more(4);
      await worker.restart();
    }
    await allFinished();
    const ends = await Promise.all(ended);
    assert.ok(ends.length > 20);
    for (const { status, flagged, note } of ends)
      assert.deepEqual([status, flagged, note], ['completed', false, NOT_LOOKED_AT]);
    await settled(ends.map((end) => end.internal_artifact_id));
  });

  it('counts as an attempt at them; what outlives no worker is failed by both ids until it is replayed', async () => {
    let asked = 0;
    answer = () => void asked++;
    const external = newName();
    const answered = post(from('/deadly'), external);
    for (let attempt = 1; attempt <= 3; attempt++) {
      await until(`attempt ${attempt}`, () => asked === attempt);
      for (const worker of stack.evaluators) if (worker.running) await worker.kill();
      await stack.evaluators[0]!.restart();
    }
    await stack.evaluators[1]!.restart();
    const { internal_artifact_id: id, status } = await answered;
    const { partition, requestId } = partsOf(id)!;
    const letters = () => listDeadLetters(stack.connection, partition, 10);
    await until('it is given up', async () => (await letters()).length === 1);
    const [letter] = await letters();
    assert.deepEqual([letter!.header?.id, letter!.attempts], [requestId, 3]);
    assert.ok(status === 'processing' || status === 'failed');
    const end = await endOf(id, external);
    assert.deepEqual([end.status, end.flagged, end.note], ['failed', null, GIVEN_UP]);
    assert.equal(asked, 3);
    await drained(stack.connection, stack.partitions);

    answer = atOnce;
    await replayDeadLetter(stack.connection, partition, letter!.id);
    await until(
      'the new verdict',
      async () => (await lookUp(`external_artifact_id=${external}`)).status === 'completed',
    );
    const cold = async (): Promise<boolean> => (await stack.connection.exists(keys.result(partition, requestId))) === 0;
    await until('it has left Redis', cold);
    assert.equal((await endOf(id, external)).status, 'completed');
  });
});

describe('a decoding process that is killed', { skip: !SEEN && 'processes cannot be looked at here' }, () => {
  let heavy: Buffer;
  before(async () => {
    answer = atOnce;
    // Takes a third of a second or so, and few bytes: long enough to be seen, and far from the limit of a decode.
    heavy = await flat(4000, 4000).png({ progressive: true }).toBuffer();
  });
  const held = new Set<number>();
  /** Has those that were not seen before sleep, with what they started: what they decode cannot end before it is seen. */
  const hold = (): void => {
    const fresh = decoders().flatMap((pid) => [pid, ...childrenOf(pid, '')]);
    for (const pid of fresh) {
      if (!held.has(pid)) signal(pid, 'SIGSTOP');
      held.add(pid);
    }
  };
  const crashed = (): Promise<number> => counted('weir_image_decodes_total', 'outcome="crashed"');
  const busy = (): Promise<boolean> => counted('weir_image_decodes_under_way').then((count) => count > 0);

  it('takes no image along: its one is decoded again, the others never notice', async () => {
    const before = await crashed();
    const names = Array.from({ length: 7 }, newName);
    hold();
    const first = post(inline(heavy), names[0]!);
    await until('it is being decoded', () => {
      hold();
      return busy();
    });
    const others = names.slice(1).map((name) => post(inline(picture), name));
    for (const pid of decoders()) signal(pid, 'SIGKILL');
    const ids = (await Promise.all([first, ...others])).map((artifact) => artifact.internal_artifact_id);
    const ends = await Promise.all(ids.map((id, i) => endOf(id, names[i]!)));
    for (const { status, flagged, note } of ends)
      assert.deepEqual([status, flagged, note], ['completed', false, NOT_LOOKED_AT]);
    assert.ok((await crashed()) > before, 'the attempt is counted');
    await settled(ids);
  });

  it('again and again fails the image by itself, after three attempts', async () => {
    const before = await crashed();
    const external = newName();
    const answered = post(inline(heavy), external);
    let over = false;
    const killing = (async () => {
      while (!over) {
        hold();
        if (await busy()) for (const pid of decoders()) signal(pid, 'SIGKILL');
        await sleep(20);
      }
    })();
    const { internal_artifact_id: id } = await answered;
    const end = await endOf(id, external);
    over = true;
    await killing;
    for (const pid of held) signal(pid, 'SIGCONT');
    assert.deepEqual([end.status, end.flagged, end.note], ['failed', null, failure('crashed').note]);
    assert.equal((await crashed()) - before, 3);
    const next = newName();
    const good = await post(inline(picture), next);
    assert.equal((await endOf(good.internal_artifact_id, next)).status, 'completed');
    await settled([id, good.internal_artifact_id]);
  });
});

describe('an artifact that is given up', () => {
  it('is failed by both ids, to its caller, later, and in the history, even where its body cannot be read [failure.dead-letter]', async () => {
    const broken = '{"content":{"kind":"image","url":"http://x/?token=sesame"';
    for (const evaluator of stack.evaluators) await evaluator.kill();
    const external = newName();
    const answered = post(from('/never'), external);
    const streams = Array.from({ length: stack.partitions }, (_, p) => keys.checks(p, 'slow'));
    let stream = '';
    await until('it is added', async () => {
      for (const one of streams) if ((await stack.connection.xlen(one)) === 1) stream = one;
      return stream !== '';
    });
    // The entry as ingress made it, but for its body.
    const [[id, fields]] = (await stack.connection.xrange(stream, '-', '+')) as [[string, string[]]];
    const header = fields[fields.indexOf('header') + 1]!;
    await stack.connection.xdel(stream, id);
    await stack.connection.xadd(stream, '*', 'header', header, 'body', broken);
    for (const evaluator of stack.evaluators) await evaluator.restart();

    const { internal_artifact_id: internal, status } = await answered;
    assert.ok(status === 'processing' || status === 'failed');
    const end = await endOf(internal, external);
    assert.deepEqual([end.status, end.flagged, end.note], ['failed', null, GIVEN_UP]);
    const { partition, requestId } = partsOf(internal)!;
    assert.equal((JSON.parse(header) as WorkHeader).id, requestId);
    const [letter] = await listDeadLetters(stack.connection, partition, 1);
    assert.equal(letter!.header?.id, requestId);
    assert.doesNotMatch(letter!.reason, /sesame|content/, 'the reason quotes nothing');
    await stack.connection.del(keys.dead(partition), keys.deadBytes(partition));
    await settled([internal]);
    const cold = async (): Promise<boolean> => (await stack.connection.exists(keys.result(partition, requestId))) === 0;
    await until('it has left Redis', cold);
    assert.deepEqual(await endOf(internal, external), end);
  });
});
