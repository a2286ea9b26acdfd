/** Images through the evaluator: from Redis, over real hosts and decoding processes, to Redis. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import sharp from 'sharp';
import { decodeRecord, type ResultRecord } from '#weir/shared/api/results/record';
import { newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { GROUP, keys, LANES, type Lane } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import { Registry } from '#weir/shared/telemetry';
import { type Consumer, createConsumer, type EntriesSlot } from '#weir/workers/consumer/consumer';
import { createEvaluator, type Evaluator, type EvaluatorOptions } from '#weir/workers/evaluator/evaluator';
import { timeOf } from '#weir/workers/evaluator/images/inspect';
import { createLinks } from '#weir/workers/evaluator/images/link-sessions';
import { createEvaluatorMetrics } from '#weir/workers/evaluator/meters';
import { createCheckSpans } from '#weir/workers/evaluator/spans';
import { createPool, type Pool } from '#weir/workers/evaluator/threads/pool';
import { IMAGE_LIMITS } from '#weir/workers/images/failure';
import { scene } from '../../support/images/images.ts';
import { startTestMedia } from '../../support/images/media.ts';
import { testAsking } from '../../support/models/language-model.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';
import { pluck } from '../../support/pluck.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const [TEXT, IMAGE] = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'];
const CONFIGURATION = JSON.stringify({
  version: 1,
  teams: [{ id: 'acme' }, { id: 'other' }],
  policies: [
    { id: TEXT, team: 'acme', name: 'Text', sources: ['text'], detect: { terms: { list: ['secret'] } } },
    { id: IMAGE, team: 'acme', name: 'Image', sources: ['image'], detect: { image_hash: { list: 'known' } } },
  ],
  deployments: [
    { id: 'chat', team: 'acme', name: 'Chat', policies: [TEXT, IMAGE] },
    { id: 'theirs', team: 'other', name: 'Theirs', policies: [] },
  ],
  environments: [
    { id: 'prod', team: 'acme', conditions: [{ id: 'all', name: 'All', when: 'true', policies: [TEXT, IMAGE] }] },
  ],
});

const logger = createLogger('test', 'silent');
const answers: (() => void)[] = [];
const answer = (): void => {
  for (const one of answers.splice(0)) one();
};
let consumers: Consumer[] = [];

after(async () => {
  evaluator.stop();
  await Promise.all([pool.end(), media.close(), ...[good, holding, ...silent].map((origin) => origin.close())]);
});
const { server, redis } = await sharedRedis();
const picture = await scene(300, 200, 7).jpeg().toBuffer();
const good = await startOrigin((request, response) => {
  if (request.url === '/known.jpg') response.end(picture);
  else response.writeHead(404).end();
});
/** four hosts that never answer: as many fetches hang at each as may go to one host */
const silent = await Promise.all([1, 2, 3, 4].map(() => startOrigin(() => undefined)));
/** answers when it is told to */
const holding = await startOrigin((_, response) => answers.push(() => response.end(picture)));
const pool = createPool({ threads: 1, slow: 1, logger });
const media = await startTestMedia({
  fetchAllow: [good, holding, ...silent].map(({ port }) => `127.0.0.1:${port}`).join(),
  // Half of them for one team.
  fetches: 32,
});
const by = performance.now() + 120_000;
const time = { fetchedBy: by, placedBy: by, decodedBy: by };
const { 1: found } = await media.gather('acme', [{ item: 1, data: picture }], time, new AbortController().signal);
assert.ok(found?.ok);
writeFileSync(join(media.folder, 'known'), `${found.hash.hashes[0]}\n`);
const evaluator = evaluatorOf();
beforeEach(async () => {
  for (const lane of LANES) await redis.xgroup('CREATE', keys.checks(0, lane), GROUP, '0', 'MKSTREAM');
});

function evaluatorOf(
  more: Partial<Pick<EvaluatorOptions, 'links' | 'pool' | 'imageRoom' | 'metrics' | 'media'>> = {},
): Evaluator {
  return createEvaluator({
    redis,
    pool,
    configurations: { of: async () => ({ version: 1, id: '1-a@b', text: CONFIGURATION }) },
    consumer: 'me',
    spans: createCheckSpans(undefined),
    archivedBelow: () => 0,
    lateBelow: () => 0,
    history: async (_team, _environment, references) => references.map(() => undefined),
    storedCauses: async () => new Map(),
    media,
    links: createLinks(async () => []),
    imageRoom: { entries: 64, bytes: 1 << 26 },
    asking: testAsking(),
    maxAttempts: 3,
    attemptsTogether: 2,
    hardLimitMs: 60_000,
    logger,
    metrics: createEvaluatorMetrics(new Registry()),
    ...more,
  });
}

async function add(
  kind: WorkHeader['kind'],
  body: unknown,
  more: Partial<WorkHeader> = {},
  lane: Lane = more.images ? 'slow' : 'fast',
): Promise<string> {
  const id = newRequestId(0);
  const scope = kind === 'events' ? 'prod' : 'chat';
  const times = { received: Date.now(), deadline: Date.now() + 8000, reply: '' };
  const header = { id, kind, team: 'acme', scope, config: 1, key: 'k', ...times, lane, ...more };
  await redis.xadd(keys.checks(0, lane), '*', 'header', JSON.stringify(header), 'body', JSON.stringify(body));
  return id;
}

/** Reads both lanes as a worker does, for as long as `work` takes. */
async function running<T>(work: () => Promise<T>, { handle }: Pick<Evaluator, 'handle'> = evaluator): Promise<T> {
  const times = { claimIdleMs: 4000, attemptsTogether: 2 };
  const shared = { name: 'me', endpoint: { redisUrl: server.url }, redis, partitions: () => 1, ...times, logger };
  consumers = [
    createConsumer({ ...shared, lane: 'fast', chunk: 8, capacity: pool.capacity, bytes: 1 << 30, handle }),
    createConsumer({ ...shared, lane: 'slow', chunk: 1, capacity: 4, bytes: 1 << 26, handle }),
  ];
  for (const consumer of consumers) consumer.start();
  try {
    return await work();
  } finally {
    await Promise.all(consumers.map((consumer) => consumer.stop(10_000)));
  }
}

const isDone = async (id: string): Promise<boolean> => (await redis.exists(keys.result(0, id))) === 1;
async function resultOf(id: string): Promise<ResultRecord> {
  await until('it is finished', () => isDone(id));
  return decodeRecord((await redis.getBuffer(keys.result(0, id)))!);
}
const shapes = ({ items }: ResultRecord) => items.map(({ type, status, flagged }) => [type, status, flagged]);
const inline = (bytes = picture) => ({ kind: 'image', data: bytes.toString('base64') });
const from = (origin: Origin, path: string) => ({ kind: 'image', url: `http://127.0.0.1:${origin.port}${path}` });

describe('images in the slow lane', () => {
  it('are known by their hash: alone, in a session and in an event, inline and by URL', async () => {
    await running(async () => {
      const mirrored = await sharp(picture).flop().png().toBuffer();
      const artifact = await resultOf(await add('artifact', { content: inline() }, { images: 1 }));
      assert.deepEqual(shapes(artifact), [['artifact', 'completed', true]]);
      const content = [
        { type: 'text', text: 'look' },
        { type: 'artifact', content: from(good, '/known.jpg') },
        { type: 'artifact', content: inline(await scene(200, 200, 3).png().toBuffer()) },
      ];
      const session = await resultOf(await add('session', { messages: [{ role: 'user', content }] }, { images: 2 }));
      assert.deepEqual(shapes(session), [
        ['session', 'completed', true],
        ['artifact', 'completed', true],
        ['artifact', 'completed', false],
      ]);
      const policies = JSON.parse(session.fragments[session.items[0]!.policies]!);
      assert.deepEqual(policies[IMAGE].flagged_source, ['image']);
      assert.deepEqual(policies[TEXT].flagged_source, []);
      const events = [
        { type: 'artifact', event_id: 'a', content: inline(mirrored) },
        { type: 'reasoning', event_id: 'b', content: 'a secret' },
        { type: 'artifact', event_id: 'c', content: from(good, '/none') },
        { type: 'artifact', event_id: 'd', content: inline(Buffer.from('no image')) },
      ];
      const batch = await resultOf(await add('events', { run_id: 'r', events }, { images: 3 }));
      assert.deepEqual(shapes(batch), [
        ['artifact', 'completed', true],
        ['reasoning', 'completed', true],
        ['artifact', 'failed', false],
        ['artifact', 'failed', false],
      ]);
      assert.match(batch.items[2]!.note, /status 200/);
      assert.match(batch.items[3]!.note, /not an image/);
    });
  });

  it('has threads that yield to those of the fast lane', {
    skip: process.platform !== 'linux' || getPriority() >= 5,
  }, async () => {
    const priorities = (): number[] => readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
    // One, which the first image has started. The other threads have the priority of the process.
    await until('it has started', () => priorities().filter((one) => one === 5).length === 1);
  });

  it('are evaluated although the session they belong to is not found', async () => {
    const unanswered = evaluatorOf({ links: createLinks(() => new Promise(() => undefined)) });
    await running(async () => {
      const session = { internal: '', external: 'cold' };
      const artifact = await resultOf(await add('artifact', { content: inline() }, { images: 1, session }));
      assert.deepEqual(shapes(artifact), [['artifact', 'completed', true]]);
      assert.equal(artifact.items[0]!.externalSessionId, 'cold');
    }, unanswered);
    unanswered.stop();
  });

  it('are rows with their measures', async () => {
    await running(async () => {
      await resultOf(await add('artifact', { content: inline() }, { images: 1 }));
      const [[, fields]] = (await redis.xrange(keys.results(0), '-', '+')) as [[string, string[]]];
      assert.equal(fields[fields.indexOf('format') + 1], '2');
    });
  });

  it('never delay text: all of it is finished while 16 fetches hang', async () => {
    await running(async () => {
      const hung: ResultRecord[] = [];
      let over = false;
      /** A fetch is given up after its time, and the next one hangs instead, until everything else is finished. */
      const hang = async (i: number): Promise<void> => {
        while (!over) {
          hung.push(await resultOf(await add('artifact', { content: from(silent[i % 4]!, `/${i}`) }, { images: 1 })));
        }
      };
      const hanging = Array.from({ length: 16 }, (_, i) => hang(i));
      await until('all hang', () => silent.every(({ requests }) => requests.length >= 4));
      const texts: string[] = [];
      for (let i = 0; i < 400; i++) {
        const events = [{ type: 'reasoning', event_id: `e${i}`, content: i % 2 === 0 ? 'a secret' : 'nothing' }];
        texts.push(await add('events', { run_id: `r${i}`, events }));
      }
      for (const [i, id] of texts.entries()) {
        const record = await resultOf(id);
        assert.deepEqual(shapes(record), [['reasoning', 'completed', i % 2 === 0]]);
      }
      const long = { type: 'reasoning', event_id: 'long', content: `${'x'.repeat(300_000)} a secret` };
      const large = await resultOf(await add('events', { run_id: 'r', events: [long] }, {}, 'slow'));
      assert.deepEqual(shapes(large), [['reasoning', 'completed', true]], 'also of the slow lane, which has 4 places');
      const image = await resultOf(await add('artifact', { content: inline() }, { images: 1 }));
      assert.equal(image.items[0]!.flagged, true, 'and so is an image that needs no fetch');
      over = true;
      await Promise.all(hanging);
      for (const record of hung) assert.deepEqual(shapes(record), [['artifact', 'failed', null]]);
    });
  });

  it('let the texts of their batch be answered before its deadline', async () => {
    await running(async () => {
      const events = [
        { type: 'artifact', event_id: 'a', content: from(silent[0]!, '/batch') },
        { type: 'reasoning', event_id: 'b', content: 'a secret' },
      ];
      const deadline = Date.now() + 8000;
      const record = await resultOf(await add('events', { run_id: 'r', events }, { images: 1, deadline }));
      assert.ok(record.completed < deadline);
      assert.deepEqual(shapes(record), [
        ['artifact', 'failed', false],
        ['reasoning', 'completed', true],
      ]);
      assert.match(record.items[0]!.note, /took too long/);
    });
  });

  it('are counted by outcome, without their addresses', async () => {
    await running(async () => {
      await resultOf(await add('artifact', { content: from(good, '/gone') }, { images: 1 }));
    });
    const text = await media.registry.metrics();
    assert.match(text, /weir_images_total\{outcome="status_4xx"\} [1-9]/);
    assert.match(text, /weir_image_fetches_total\{outcome="fetched"\} [1-9]/);
    assert.match(text, /weir_image_decodes_total\{outcome="decoded"\} [1-9]/);
    for (const name of ['fetches_under_way', 'fetches_waiting', 'decodes_under_way', 'decodes_waiting']) {
      assert.match(text, new RegExp(`weir_image_${name} 0`), name);
    }
    assert.ok(!text.includes('127.0.0.1'));
  });

  it('make only their entry a dead letter if they end the thread that looks for them', async () => {
    await running(async () => {
      const broken = await add('artifact', { nothing: true }, { images: 1 });
      const fine = await add('artifact', { content: inline() }, { images: 1 });
      assert.deepEqual(shapes(await resultOf(fine)), [['artifact', 'completed', true]]);
      await until('it is given up', async () => (await redis.xlen(keys.dead(0))) === 1);
      assert.equal(await isDone(broken), true);
    });
  });
});

describe('a team whose images hang', () => {
  const artifact = (more: Partial<WorkHeader> = {}): Promise<string> =>
    add('artifact', { content: from(holding, '/held') }, { images: 1, ...more });

  it('has limited room, and delays no images of other teams', async () => {
    // One looks at a time, and seven wait for it.
    const registry = new Registry();
    const metrics = createEvaluatorMetrics(registry);
    const small = evaluatorOf({ imageRoom: { entries: 1, bytes: 1 << 20 }, metrics });
    await running(async () => {
      const sent: string[] = [];
      for (let i = 0; i < 9; i++) sent.push(await artifact());
      await until('one hangs', () => holding.requests.length === 1);
      // There is room for eight. Which of the nine comes last is not defined: a thread looks for their images in parallel.
      let last: string | undefined;
      await until('one is refused', async () => {
        for (const id of sent) if (await isDone(id)) last = id;
        return last !== undefined;
      });
      const held = sent.filter((id) => id !== last);
      const refused = await resultOf(last!);
      assert.deepEqual(shapes(refused), [['artifact', 'failed', null]]);
      assert.match(refused.items[0]!.note, /too many fetches are under way/);
      const inlined = await resultOf(await add('artifact', { content: inline() }, { images: 1 }));
      assert.match(inlined.items[0]!.note, /too many images are waiting/);
      assert.match(await registry.metrics(), /weir_images_refused_total 2/);
      const theirs = { team: 'other', scope: 'theirs' };
      const other = await resultOf(await add('artifact', { content: inline() }, { images: 1, ...theirs }));
      assert.deepEqual(shapes(other), [['artifact', 'completed', false]]);
      assert.equal(holding.requests.length, 1);
      for (const id of held) assert.equal(await isDone(id), false);
      for (const id of held) {
        await until('it is its turn, and it is finished', async () => {
          answer();
          return await isDone(id);
        });
        assert.deepEqual(shapes(await resultOf(id)), [['artifact', 'completed', true]]);
      }
    }, small);
    small.stop();
  });

  it('leaves fetches to other teams, whose images by URL are looked at meanwhile', async (t) => {
    const tight = await startTestMedia({
      fetchAllow: [good, holding].map(({ port }) => `127.0.0.1:${port}`).join(),
      fetches: 4,
    });
    const small = evaluatorOf({ media: tight });
    t.after(() => tight.close());
    // Its decoder starts now: on a busy machine that takes as long as a fetch may wait for its turn.
    const warm = await tight.gather('acme', [{ item: 1, data: picture }], time, new AbortController().signal);
    assert.ok(warm[1]?.ok);
    await running(async () => {
      const before = holding.requests.length;
      // Far more than are fetched, or held, at once.
      const events = Array.from({ length: 20 }, (_, i) => ({ type: 'artifact', content: from(holding, `/${i}`) }));
      const deadline = Date.now() + 60_000;
      const held = await add('events', { run_id: 'r', events }, { images: 20, deadline });
      await until('some hang', () => holding.requests.length > before);
      const hung = performance.now();
      const content = [1, 2, 3].map(() => ({ type: 'artifact', content: from(good, '/known.jpg') }));
      const theirs = { team: 'other', scope: 'theirs', images: 3, deadline };
      const other = await resultOf(await add('session', { messages: [{ role: 'user', content }] }, theirs));
      const kinds = shapes(other).map(([type, status]) => [type, status]);
      assert.deepEqual(kinds, [['session', 'completed'], ...content.map(() => ['artifact', 'completed'])]);
      const done = await isDone(held);
      const begun = holding.requests.length;
      // On a machine that took longer, the first fetches have been given up by now.
      if (performance.now() - hung < IMAGE_LIMITS.fetchMs - 1000) {
        assert.equal(done, false, 'those of the first team still hang');
        assert.equal(begun, before + 2, 'which are half of the fetches');
      }
      await until('they are finished', async () => {
        answer();
        return await isDone(held);
      });
    }, small);
    small.stop();
  });

  it('ends waiting for its turn before the deadline of the texts beside', async () => {
    // The entry that has the room keeps it for as long as the test wants: a fetch would end by itself.
    let looked = 0;
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const gather: typeof media.gather = async (...parts) => {
      if (++looked === 1) await left;
      return await media.gather(...parts);
    };
    const small = evaluatorOf({ imageRoom: { entries: 1, bytes: 1 << 20 }, media: { ...media, gather } });
    await running(async () => {
      const held = await artifact();
      await until('it has the room', () => looked === 1);
      const before = holding.requests.length;
      const events = [
        { type: 'artifact', event_id: 'a', content: from(holding, '/never') },
        { type: 'artifact', event_id: 'b', content: inline() },
        { type: 'reasoning', event_id: 'c', content: 'a secret' },
      ];
      const deadline = Date.now() + 8000;
      const record = await resultOf(await add('events', { run_id: 'r', events }, { images: 2, deadline }));
      assert.ok(record.completed < deadline);
      assert.deepEqual(pluck(record.items, 'status'), ['failed', 'completed', 'completed']);
      assert.equal(holding.requests.length, before, 'the address of the event was not asked');
      leave();
      await until('the other is finished', async () => {
        answer();
        return await isDone(held);
      });
    }, small);
    small.stop();
  });
});

describe('the body that a thread gets', () => {
  const sizes: number[] = [];
  const bodies: Uint8Array[] = [];
  const watched = (run: Pool['run']): Pool['run'] => {
    return (task, limit) => {
      sizes.push(task.bodies.length);
      bodies.push(task.bodies);
      return run(task, limit);
    };
  };

  it('has no data of images', async () => {
    sizes.length = 0;
    const watching = evaluatorOf({ pool: { ...pool, runSlow: watched(pool.runSlow) } });
    await running(async () => {
      const id = await add('artifact', { content: inline(), external_artifact_id: 'x' }, { images: 1 });
      assert.deepEqual(shapes(await resultOf(id)), [['artifact', 'completed', true]]);
    }, watching);
    assert.equal(sizes.length, 1);
    assert.ok(sizes[0]! < 100, `${sizes[0]} bytes`);
  });

  it('is not copied where it is large', async () => {
    bodies.length = 0;
    let read: Buffer | undefined;
    const { handle } = evaluatorOf({ pool: { ...pool, runSlow: watched(pool.runSlow) } });
    const watching: Pick<Evaluator, 'handle'> = {
      handle(entries, slot) {
        read = entries[0]!.body;
        return handle(entries, slot);
      },
    };
    await running(async () => {
      const long = { type: 'reasoning', event_id: 'long', content: 'x'.repeat(300_000) };
      await resultOf(await add('events', { run_id: 'r', events: [long] }, {}, 'slow'));
    }, watching);
    assert.ok(read && bodies[0]);
    assert.equal(bodies[0], read);
  });

  it('is evaluated alone after a failure, and its images are looked at again', async () => {
    const failing = evaluatorOf({ pool: { ...pool, runSlow: () => Promise.reject(new Error('the thread ended')) } });
    await running(async () => {
      const before = good.requests.length;
      const id = await add('artifact', { content: from(good, '/known.jpg') }, { images: 1 });
      assert.deepEqual(shapes(await resultOf(id)), [['artifact', 'completed', true]]);
      assert.equal(good.requests.length, before + 2);
    }, failing);
    assert.equal(await redis.xlen(keys.dead(0)), 0);
    assert.equal(await redis.xlen(keys.checks(0, 'slow')), 0);
  });
});

describe('large batches of a team', () => {
  it('are finished one after the other, while those of another team have their turn', async () => {
    const slices: string[] = [];
    let theirs = '';
    let last = '';
    const runSlow: Pool['runSlow'] = async (task, limit, more) => {
      const { id } = task.entries[0]!.header;
      const spent = (microseconds: number): void => {
        slices.push(id);
        more?.spent?.(microseconds);
      };
      // The other team does not wait for all of them.
      if (id === last) await until('the other team has had its turn', () => slices.includes(theirs));
      return await pool.runSlow(task, limit, { ...more, spent });
    };
    const events = Array.from({ length: 20 }, (_, i) => ({
      type: 'reasoning',
      event_id: `e${i}`,
      content: `${i} large `.repeat(25_000),
    }));
    await running(
      async () => {
        const batch = (): Promise<string> => add('events', { run_id: 'r', events }, {}, 'slow');
        const own = [await batch(), await batch(), await batch()];
        last = own[2]!;
        const held = { kind: 'session', team: 'other', scope: 'theirs' } as const;
        theirs = await add('session', { messages: [{ role: 'user', content: 'short' }] }, held, 'slow');
        for (const id of [...own, theirs]) await resultOf(id);
        const ofOwn = slices.filter((id) => id !== theirs);
        assert.ok(ofOwn.length > 3, `${ofOwn.length} slices`);
        assert.deepEqual(
          ofOwn,
          own.flatMap((id) => ofOwn.filter((slice) => slice === id)),
        );
      },
      evaluatorOf({ pool: { ...pool, runSlow } }),
    );
  });
});

describe('a worker that stops while images are fetched', () => {
  it('leaves its entries to the worker that takes over', async () => {
    const id = await add('artifact', { content: from(silent[1]!, '/stop') }, { images: 1 });
    const reply = (await redis.callBuffer(
      'XREADGROUP',
      'GROUP',
      GROUP,
      'me',
      'STREAMS',
      keys.checks(0, 'slow'),
      '>',
    )) as [Buffer, [Buffer, Buffer[]][]][];
    const [entry, fields] = reply[0]![1][0]!;
    const raw = {
      partition: 0,
      lane: 'slow' as const,
      id: entry.toString(),
      header: fields[1]!,
      body: fields[3]!,
      segments: '',
      attempt: 1,
    };
    const other = evaluatorOf();
    let later: Promise<void> | undefined;
    const slot: EntriesSlot = {
      aside(_, ready, work) {
        later = ready.then(() => work(slot));
      },
      pass: async () => undefined,
    };
    await other.handle([raw], slot);
    await until('it is fetched', () => silent[1]!.requests.some(({ url }) => url === '/stop'));
    other.stop();
    await later;
    assert.equal(await isDone(id), false);
    assert.equal((await redis.xpending(keys.checks(0, 'slow'), GROUP))[0], 1, 'it is still to be done');
    assert.equal(await redis.xlen(keys.dead(0)), 0);
    await evaluator.handle([{ ...raw, attempt: 2 }]);
    assert.deepEqual(shapes(await resultOf(id)), [['artifact', 'failed', null]]);
  });
});

describe('the time that images have', () => {
  const header = (more: Partial<WorkHeader>): WorkHeader => ({
    id: '', kind: 'events', team: '', scope: '', config: 1, key: '', received: Date.now(), deadline: Date.now() + 8000,
    reply: '', ...more,
  }); // biome-ignore format: as short as it is
  /** Seconds for fetching, for a slot to be read and for decoding, rounded. */
  const has = (seconds: readonly number[], more: () => Partial<WorkHeader> = () => ({})): void => {
    const started = performance.now();
    const { fetchedBy, placedBy, decodedBy } = timeOf(header(more()), 30_000);
    const took = performance.now() - started;
    for (const [i, by] of [fetchedBy, placedBy, decodedBy].entries()) {
      const left = by - started;
      assert.ok(Math.abs(left - 1000 * seconds[i]!) <= took + 2, `${i}: ${left} ms, asking took ${took} ms`);
    }
  };

  it('is the sync deadline less 2 s for a fetch in an event or a session', () => {
    has([6, 6, 7.4]);
    has([6, 6, 7.4], () => ({ kind: 'session' }));
    has([1.5, 1.5, 1.85], () => ({ deadline: Date.now() + 2000 }));
    has([10, 58, 59.4], () => ({ deadline: Date.now() + 60_000 }));
  });

  it('is 10 s for an artifact, and after the deadline', () => {
    has([10, 38, 40], () => ({ kind: 'artifact' }));
    has([10, 38, 40], () => ({ deadline: Date.now() - 1 }));
  });
});
