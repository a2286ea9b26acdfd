import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { decodeRecord, type RecordItem, type StoredItem } from '#weir/shared/api/results/record';
import type { Cause } from '#weir/shared/api/validate/issues';
import { type FoundCause, type SoughtCause, soughtKey } from '#weir/shared/causes';
import { ENTRY_FORMATS, RECORD_FORMATS } from '#weir/shared/formats';
import { itemId, newRequestId, sequenceOf } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { ThreadLost, TookTooLong } from '#weir/shared/process/threads';
import { listDeadLetters, replayDeadLetter } from '#weir/shared/streams/dead-letters';
import { runMember } from '#weir/shared/streams/hot/indexes';
import { GROUP, keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import type { Traces } from '#weir/shared/traces/spans';
import type { EntriesSlot, RawEntry } from '#weir/workers/consumer/consumer';
import { rawEntry } from '#weir/workers/consumer/entry';
import { createLeft, type LeftEntries } from '#weir/workers/consumer/left';
import { listSilentEntries } from '#weir/workers/consumer/pending';
import { createEvaluator, type Evaluator } from '#weir/workers/evaluator/evaluator';
import type { GatherSources } from '#weir/workers/evaluator/gather/gather-context';
import { createLinks } from '#weir/workers/evaluator/images/link-sessions';
import { createEvaluatorMetrics } from '#weir/workers/evaluator/meters';
import { createCheckSpans } from '#weir/workers/evaluator/spans';
import { createPool, type Pool } from '#weir/workers/evaluator/threads/pool';
import { readTraceNote } from '#weir/workers/log/trace-note';
import { record as recordOf, storedItem } from '../../ingress/support.js';
import { startTestMedia } from '../../support/images/media.js';
import { testAsking } from '../../support/models/language-model.ts';
import { pluck } from '../../support/pluck.ts';
import { encodeRecord } from '../../support/stores/encoded.ts';
import { sharedRedis } from '../../support/stores/redis.js';
import { gate, sleep } from '../../support/wait.js';

const CONFIGURATION = JSON.stringify({
  version: 1,
  teams: [{ id: 'acme' }],
  policies: [
    { id: 'aaaaaaaa-0000-4000-8000-000000000001', team: 'acme', name: 'P', detect: { terms: { list: ['secret'] } } },
  ],
  environments: [
    {
      id: 'prod',
      team: 'acme',
      conditions: [{ id: 'all', name: 'All', when: 'true', policies: ['aaaaaaaa-0000-4000-8000-000000000001'] }],
    },
  ],
});

const SHADOW = { version: 2, id: '2-a@b', text: CONFIGURATION.replace('"name":"P"', '"name":"P","mode":"shadow"') };

/** what the log has */
const said: string[] = [];
const logger = createLogger('test', 'warn', { write: (line) => void said.push(line) });
after(async () => {
  await pool.end();
  await media.close();
});
const { redis } = await sharedRedis();
const media = await startTestMedia();
const pool = createPool({ threads: 1, slow: 1, logger });
beforeEach(async () => {
  await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
});

/** A pool whose threads end when they meet a text with "poison". */
const poisonable = (seen: string[][] = []): Pool => {
  const guarded =
    (run: Pool['run']): Pool['run'] =>
    async (task, limit) => {
      const body = Buffer.from(task.bodies).toString();
      seen.push(task.entries.map(({ header }) => header.id));
      if (body.includes('poison')) throw new Error('the thread ended');
      return run(task, limit);
    };
  return { ...pool, run: guarded(pool.run), runSlow: guarded(pool.runSlow), runAlone: guarded(pool.runAlone) };
};

interface Stores {
  pool?: Pool;
  history?: () => Promise<(StoredItem | undefined)[]>;
  lateBelow?: number;
  storedCauses?: GatherSources['storedCauses'];
  /** its policy is in the shadow */
  shadow?: boolean;
  registry?: Registry;
  left?: LeftEntries;
  traces?: Traces;
}

function evaluatorWith(more: Stores = {}): Evaluator {
  return createEvaluator({
    redis,
    pool: more.pool ?? pool,
    configurations: { of: async () => (more.shadow ? SHADOW : { version: 1, id: '1-a@b', text: CONFIGURATION }) },
    consumer: 'me',
    spans: createCheckSpans(more.traces),
    archivedBelow: () => 0,
    lateBelow: () => more.lateBelow ?? 0,
    history: more.history ?? (async (_team, _environment, references) => references.map(() => undefined)),
    storedCauses: more.storedCauses ?? (async () => new Map()),
    media,
    links: createLinks(async () => []),
    imageRoom: { entries: 64, bytes: 1 << 26 },
    asking: testAsking(),
    ...(more.left ? { left: more.left } : {}),
    maxAttempts: 3,
    attemptsTogether: 2,
    // So long that a slow thread does not pass for one that hangs.
    hardLimitMs: 120_000,
    logger,
    metrics: createEvaluatorMetrics(more.registry ?? new Registry()),
  });
}

/** Adds checks of one event each and reads them as the consumer does. */
const entries = (...texts: string[]): Promise<{ id: string; raw: RawEntry }[]> => entriesOf(0, texts);

async function entriesOf(p: number, texts: readonly string[], added = '*'): Promise<{ id: string; raw: RawEntry }[]> {
  const ids = texts.map(() => newRequestId(p));
  for (const [i, text] of texts.entries()) {
    const header = { id: ids[i], kind: 'event', team: 'acme', scope: 'prod', config: 1, key: 'k' };
    const times = { received: Date.now(), deadline: Date.now() + 1000, reply: '' };
    const body = { event: { type: 'message', role: 'user', event_id: 'e', run_id: 'r', content: text } };
    const fields = { header: JSON.stringify({ ...header, ...times }), body: JSON.stringify(body) };
    await redis.xadd(keys.checks(p), added, 'header', fields.header, 'body', fields.body);
  }
  const reply = (await redis.callBuffer('XREADGROUP', 'GROUP', GROUP, 'me', 'STREAMS', keys.checks(p), '>')) as [
    Buffer,
    [Buffer, Buffer[]][],
  ][];
  return reply[0]![1].map(([id, fields], i) => ({
    id: ids[i]!,
    raw: rawEntry({ partition: p, lane: 'fast' }, [id, fields], 1),
  }));
}

/** History in which `id` is event `event` of any run. */
const storedAs =
  (event: string, id: string) =>
  (causes: readonly SoughtCause[]): Map<string, FoundCause> =>
    new Map(causes.filter((one) => one.event_id === event).map((one) => [soughtKey(one), { sequence: 1, id }]));

/** Adds a cause that is not hot to the header of an entry. */
function declare(raw: RawEntry): void {
  const causes = [{ run_id: 'r', event_id: 'cold', internal_event_id: '' }];
  rewrite(raw, { causes }, { links: causes });
}

/** Collects what an evaluator sets aside; `finish` finishes all of it, as the consumer does. */
function asides() {
  const list: { some: readonly RawEntry[]; ready: Promise<void>; work: (slot: EntriesSlot) => Promise<void> }[] = [];
  const slot: EntriesSlot = {
    aside: (some, ready, work) => list.push({ some, ready, work }),
    pass: async () => undefined,
  };
  const finish = async (): Promise<void> => {
    while (list.length > 0) {
      await Promise.all(list.splice(0).map(({ ready, work }) => ready.then(() => work(slot))));
    }
  };
  return { list, slot, finish };
}

const raws = (made: readonly { raw: RawEntry }[]): RawEntry[] => pluck(made, 'raw');

/** Changes fields of the header of an entry, and of its event. */
function rewrite(raw: RawEntry, header: object, event: object = {}): void {
  raw.header = Buffer.from(JSON.stringify({ ...JSON.parse(raw.header.toString()), ...header }));
  const body = JSON.parse(raw.body.toString());
  raw.body = Buffer.from(JSON.stringify({ ...body, event: { ...body.event, ...event } }));
}

const itemOf = async (id: string): Promise<RecordItem> =>
  decodeRecord((await redis.getBuffer(keys.result(0, id)))!).items[0]!;

const note = async (id: string): Promise<string> => (await itemOf(id)).note;

const status = async (id: string, p = 0): Promise<string | undefined> => {
  const bytes = await redis.getBuffer(keys.result(p, id));
  return bytes === null ? undefined : decodeRecord(bytes).items[0]?.status;
};
const statuses = (made: readonly { id: string }[]) => Promise.all(made.map(({ id }) => status(id)));

describe('the evaluator', () => {
  it('commits a verdict for every entry of a chunk', async () => {
    const made = await entries('a secret', 'nothing');
    await evaluatorWith().handle(raws(made));
    const items = await Promise.all(made.map(({ id }) => itemOf(id)));
    assert.deepEqual(pluck(items, 'status', 'flagged'), [
      ['completed', true],
      ['completed', false],
    ]);
    assert.equal(await redis.xlen(keys.checks(0)), 0);
    assert.equal(await redis.xlen(keys.results(0)), 2);
  });

  it('commits each entry of a chunk of several partitions in its own, also where they have the same id', async () => {
    await redis.xgroup('CREATE', keys.checks(1), GROUP, '0', 'MKSTREAM');
    const [first] = await entriesOf(0, ['a secret'], '7-1');
    const [second] = await entriesOf(1, ['nothing'], '7-1');
    const [third] = await entries('another');
    const registry = new Registry();
    await evaluatorWith({ registry }).handle(raws([first!, second!, third!]));
    const stored = await Promise.all([status(first!.id), status(second!.id, 1), status(third!.id)]);
    assert.deepEqual(stored, ['completed', 'completed', 'completed']);
    const left = await Promise.all([0, 1].flatMap((p) => [redis.xlen(keys.checks(p)), redis.xlen(keys.results(p))]));
    assert.deepEqual(left, [0, 2, 0, 1]);
    assert.equal(await redis.exists(keys.result(0, second!.id), keys.result(1, first!.id)), 0);
  });

  it('leaves entries of a newer release in each partition of a chunk, and commits the others', async () => {
    await redis.xgroup('CREATE', keys.checks(1), GROUP, '0', 'MKSTREAM');
    const [one, two] = await entries('one', 'two');
    const [three, four] = await entriesOf(1, ['three', 'four']);
    for (const { raw } of [one!, three!]) rewrite(raw, { format: ENTRY_FORMATS.newest + 1, kind: 'of tomorrow' });
    const left = createLeft();
    await evaluatorWith({ left }).handle(raws([one!, two!, three!, four!]));
    assert.deepEqual([await status(two!.id), await status(four!.id, 1)], ['completed', 'completed']);
    assert.deepEqual([left.has(0, one!.raw.id), left.has(1, three!.raw.id)], [true, true]);
    for (const [partition, { raw }] of [one!, three!].entries()) {
      const silent = await listSilentEntries(redis, { partition, lane: 'fast' }, { idleMs: 0, from: '-', most: 9 });
      assert.deepEqual(silent, [{ id: raw.id, delivered: 0 }]);
    }
  });

  it('tries an entry again alone whose commit Redis refuses, and commits those of other partitions', async () => {
    await redis.xgroup('CREATE', keys.checks(1), GROUP, '0', 'MKSTREAM');
    const [refused] = await entries('one');
    const [other] = await entriesOf(1, ['two']);
    await redis.set(keys.results(0), 'no log');
    const registry = new Registry();
    await evaluatorWith({ registry }).handle(raws([refused!, other!]));
    assert.equal(await status(other!.id, 1), 'completed');
    const metrics = await registry.metrics();
    assert.doesNotMatch(metrics, /weir_attempts_failed_total 0\n/);
    assert.match(metrics, /weir_commits_late_total 1\n/, 'the other one was evaluated once');
  });

  it('counts and stores what a policy in the shadow says, and answers as if there were none', async () => {
    const made = await entries('a secret', 'nothing');
    const registry = new Registry();
    await evaluatorWith({ shadow: true, registry }).handle(raws(made));
    for (const { id } of made) {
      const record = decodeRecord((await redis.getBuffer(keys.result(0, id)))!);
      const { flagged, note: said, status: ended, policies } = record.items[0]!;
      assert.deepEqual([flagged, ended, record.fragments[policies]], [false, 'completed', '{}']);
      assert.equal(said, 'no policy was selected that looks at message.user');
    }
    const text = await registry.metrics();
    const counted = [...text.matchAll(/^weir_shadow_verdicts_total\{outcome="(\w+)"\} (\d+)$/gm)];
    assert.deepEqual(Object.fromEntries(counted.map(([, outcome, n]) => [outcome, n])), {
      flagged: '1',
      clean: '1',
      not_evaluated: '0',
    });
    assert.match(text, /^weir_items_flagged_total 0$/m);
    const logged = await redis.xrange(keys.results(0), '-', '+');
    assert.deepEqual(
      logged.map(([, fields]) => fields[fields.indexOf('format') + 1]),
      ['3', '3'],
    );
  });

  it('makes only the entry that ends its thread a dead letter, with a terminal result', async () => {
    const made = await entries('one', 'poison', 'two');
    const seen: string[][] = [];
    await evaluatorWith({ pool: poisonable(seen) }).handle(raws(made));
    assert.deepEqual(await statuses(made), ['completed', 'failed', 'completed']);
    const tries = seen.filter((ids) => ids.includes(made[1]!.id));
    assert.equal(tries.length, 3, 'once among others, twice alone');
    assert.ok(tries.slice(1).every((ids) => ids.length === 1));
    const [[, fields]] = (await redis.xrange(keys.dead(0), '-', '+')) as [[string, string[]]];
    assert.equal(fields[fields.indexOf('attempts') + 1], '3');
    assert.match(fields[fields.indexOf('reason') + 1]!, /the thread ended/);
    assert.equal(await redis.xlen(keys.checks(0)), 0);
    // Who has an id that was answered finds the line with it.
    const ids = said.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'an entry is a dead letter');
    assert.ok(
      ids.some(({ entry, check_id }) => entry === made[1]!.raw.id && check_id === made[1]!.id),
      said.join(''),
    );
    assert.ok(said.some((line) => JSON.parse(line).check_ids?.includes(made[1]!.id)));
  });

  it('ends the trace of a dead letter by a span that failed, and has it in the log', async () => {
    const [poison, untraced] = await entries('poison', 'poison');
    const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    rewrite(poison!.raw, { traceparent: parent, traced: true });
    const ended: string[] = [];
    const traces: Traces = {
      begin: ({ name, parent: above, attributes }) => ({
        traceparent: above,
        attribute: () => undefined,
        event: () => undefined,
        end: (failure) => void ended.push(`${name} ${attributes['weir.check_id'] === poison!.id} ${failure}`),
      }),
      close: async () => undefined,
    };
    await evaluatorWith({ pool: poisonable([]), traces }).handle(raws([poison!, untraced!]));
    assert.deepEqual(await statuses([poison!, untraced!]), ['failed', 'failed']);
    assert.equal(ended.at(-1), 'commit true given_up');
    assert.equal(ended.filter((each) => each.startsWith('commit')).length, 1);
    const notes = (await redis.xrange(keys.results(0), '-', '+')).map(([, fields]) => {
      const at = fields.indexOf('trace');
      return at < 0 ? undefined : readTraceNote(fields[at + 1]!);
    });
    assert.deepEqual(notes, [{ traceparent: parent, team: 'acme', scope: 'prod', kind: 'event' }, undefined]);
  });

  for (const [kept, header, why] of [
    ['not kept [config.no-content]', { unkept: true }, 'content_days: 0'],
    ['kept with marks alone [config.masked]', { masked: true }, 'retention.content: masked'],
  ] as const) {
    it(`keeps no content of a dead letter, and says so when it is replayed, where content is ${kept}`, async () => {
      const [poison] = await entries('poison');
      rewrite(poison!.raw, header);
      await evaluatorWith({ pool: poisonable([]) }).handle([poison!.raw]);
      assert.equal(await status(poison!.id), 'failed');
      const [letter] = await listDeadLetters(redis, 0, 10);
      assert.equal(letter!.bodyBytes, 0);
      const expected = new RegExp(`content was not kept \\(${why}\\)`);
      await assert.rejects(replayDeadLetter(redis, 0, letter!.id), expected);
    });
  }

  it('retries the entries of a dead worker together, and alone only those that fail', async () => {
    const made = await entries('one', 'poison', 'two');
    const seen: string[][] = [];
    const again = made.map(({ raw }) => ({ ...raw, attempt: 2 }));
    await evaluatorWith({ pool: poisonable(seen) }).handle(again);
    assert.deepEqual(await statuses(made), ['completed', 'failed', 'completed']);
    const [one, poison, two] = made.map(({ id }) => id);
    assert.deepEqual(seen, [[one, poison, two], [one], [poison], [two]]);
    const [[, fields]] = (await redis.xrange(keys.dead(0), '-', '+')) as [[string, string[]]];
    assert.equal(fields[fields.indexOf('attempts') + 1], '3');
  });

  it('does not claim that the references of a dead letter do not exist', async () => {
    const id = newRequestId(0);
    const times = { received: Date.now(), deadline: Date.now() + 1000, reply: '' };
    const references = [{ index: 0, run_id: 'r', event_id: 'stored' }];
    const named = { kind: 'event', team: 'acme', scope: 'prod', config: 1, key: 'k', references, failClosed: true };
    const header = Buffer.from(JSON.stringify({ id, ...named, ...times }));
    const body = Buffer.from(JSON.stringify({ event: { type: 'message', event_id: 'stored', run_id: 'r' } }));
    const entry = await redis.xadd(keys.checks(0), '*', 'header', header, 'body', body);
    await redis.xreadgroup('GROUP', GROUP, 'me', 'STREAMS', keys.checks(0), '>');
    const ended = (): Promise<never> => Promise.reject(new Error('ended'));
    const evaluator = evaluatorWith({ pool: { ...pool, run: ended, runAlone: ended } });
    await evaluator.handle([{ partition: 0, lane: 'fast', id: entry!, header, body, segments: '', attempt: 1 }]);
    const { status, flagged } = await itemOf(id);
    assert.deepEqual([status, flagged], ['failed', true]);
  });

  it('evaluates what only waited for a thread that another entry has ended, and counts no attempt of it', async () => {
    const [made] = await entries('a secret');
    let lost = 0;
    const losing: Pool = {
      ...pool,
      run: (task, limit) => (++lost <= 3 ? Promise.reject(new ThreadLost()) : pool.run(task, limit)),
      runAlone: () => Promise.reject(new Error('it is no fault of the entry')),
    };
    const registry = new Registry();
    await evaluatorWith({ pool: losing, registry }).handle([made!.raw]);
    assert.deepEqual([await status(made!.id), made!.raw.attempt, lost], ['completed', 1, 4]);
    assert.match(await registry.metrics(), /^weir_attempts_failed_total 0$/m);
  });

  it('does not try a third time what took too long alone', async () => {
    const [made] = await entries('one');
    const seen: string[] = [];
    const late =
      (where: string): Pool['run'] =>
      () => {
        seen.push(where);
        return Promise.reject(new TookTooLong());
      };
    await evaluatorWith({ pool: { ...pool, run: late('among others'), runAlone: late('alone') } }).handle([made!.raw]);
    assert.deepEqual(seen, ['among others', 'alone']);
    assert.equal(await status(made!.id), 'failed');
    const [letter] = await listDeadLetters(redis, 0, 10);
    assert.match(letter!.reason, /took too long/);
  });

  it('counts attempts in Redis before they are made', async () => {
    const made = await entries('poison');
    const counts: number[] = [];
    const counting: Pool = {
      ...pool,
      run: () => Promise.reject(new Error('ended')),
      async runAlone() {
        const pending = await redis.xpending(keys.checks(0), GROUP, '-', '+', 1);
        counts.push((pending as [string, string, number, number][])[0]![3]);
        throw new Error('ended');
      },
    };
    await evaluatorWith({ pool: counting }).handle([made[0]!.raw]);
    assert.deepEqual(counts, [2, 3]);
  });

  it('waits for missing rights in Redis, and counts no attempt', async () => {
    const scripts = ['-eval', '-evalsha'];
    const inScripts = ['-xack'];
    for (const rights of [scripts, inScripts]) {
      const made = await entries('one', 'two');
      await redis.acl('SETUSER', 'default', ...rights);
      const handled = evaluatorWith().handle(raws(made));
      await Promise.race([handled.catch(() => undefined), sleep(500)]);
      await redis.acl('SETUSER', 'default', '+@all');
      await handled;
      assert.deepEqual(await statuses(made), ['completed', 'completed'], rights.join());
      assert.equal(await redis.xlen(keys.dead(0)), 0);
    }
  });

  it('leaves unfinished entries to other workers when it stops, and buries none', async () => {
    const made = await entries('one', 'two');
    const evaluator = evaluatorWith({ pool: { ...pool, run: () => Promise.reject(new Error('the pool is closed')) } });
    evaluator.stop();
    await evaluator.handle(raws(made));
    assert.equal(await redis.xlen(keys.dead(0)), 0);
    assert.equal(await redis.xlen(keys.checks(0)), 2);
    assert.deepEqual(await statuses(made), [undefined, undefined]);
  });

  it('buries an entry whose header cannot be read, and goes on', async () => {
    const made = await entries('one');
    await redis.xadd(keys.checks(0), '*', 'header', 'no json', 'body', '{}');
    const reply = (await redis.xreadgroup('GROUP', GROUP, 'me', 'STREAMS', keys.checks(0), '>')) as [
      string,
      [string, string[]][],
    ][];
    const id = reply[0]![1][0]![0];
    const broken = { ...made[0]!.raw, id, header: Buffer.from('no json'), body: Buffer.from('{}') };
    await evaluatorWith().handle([broken, made[0]!.raw]);
    assert.equal(await status(made[0]!.id), 'completed');
    assert.equal(await redis.xlen(keys.dead(0)), 1);
    assert.equal(await redis.xlen(keys.checks(0)), 0);
  });

  /** How often each entry that is not finished was handed out. */
  const handedOut = async (): Promise<number[]> =>
    ((await redis.xpending(keys.checks(0), GROUP, '-', '+', 10)) as [string, string, number, number][]).map(
      ([, , , count]) => count,
    );

  it('leaves an entry of a newer release to its workers, at once and without counting the attempt', async () => {
    const [newer, own] = await entries('one', 'two');
    const { header } = newer!.raw;
    rewrite(newer!.raw, { format: ENTRY_FORMATS.newest + 1, kind: 'of tomorrow' });
    const left = createLeft();
    await evaluatorWith({ left }).handle([newer!.raw, own!.raw]);
    assert.deepEqual(await statuses([newer!, own!]), [undefined, 'completed']);
    assert.equal(await redis.xlen(keys.dead(0)), 0);
    assert.deepEqual(await handedOut(), [0]);
    assert.ok(left.has(0, newer!.raw.id) && !left.has(0, own!.raw.id), 'it is not taken over again');
    // A worker that reads the format takes it over at its next look.
    const silent = await listSilentEntries(
      redis,
      { partition: 0, lane: 'fast' },
      { idleMs: 600_000, from: '-', most: 9 },
    );
    assert.deepEqual(silent, [{ id: newer!.raw.id, delivered: 0 }]);
    await evaluatorWith().handle([{ ...newer!.raw, header }]);
    assert.equal(await status(newer!.id), 'completed');
  });

  it('leaves an entry that refers to a result of a newer release', async () => {
    const [target, made] = [newRequestId(0), (await entries('one'))[0]!];
    await redis.zadd(keys.run('acme', 'prod', 'r'), 1, runMember(target, ['there']));
    const record = encodeRecord(recordOf({ id: target }));
    record[0] = RECORD_FORMATS.newest + 1;
    await redis.set(keys.result(0, target), record);
    rewrite(made.raw, { references: [{ index: 0, run_id: 'r', event_id: 'there' }] });
    await evaluatorWith().handle([made.raw]);
    assert.equal(await status(made.id), undefined);
    assert.equal(await redis.xlen(keys.dead(0)), 0);
    assert.deepEqual(await handedOut(), [0]);
  });

  it('buries an entry of a format that is not read any more, and says so', async () => {
    assert.equal(
      await spoiled('format', ENTRY_FORMATS.oldest - 1, /the entry has format 0, of a release before the last/),
      false,
    );
    assert.equal(await spoiled('format', 'x'), false);
  });

  /** Spoils the header of the first of two entries, has both evaluated, and says whether the spoiled one has a result. */
  async function spoiled(field: string, value: unknown, reason = /./): Promise<boolean> {
    const what = `${field} = ${JSON.stringify(value)}`;
    const [bad, good] = await entries('one', 'two');
    rewrite(bad!.raw, { [field]: value });
    await assert.doesNotReject(evaluatorWith().handle([bad!.raw, good!.raw]), what);
    const [letter] = await listDeadLetters(redis, 0, 10);
    assert.match(letter!.reason, reason);
    assert.equal(await redis.del(keys.dead(0)), 1, `${what}: a dead letter`);
    assert.equal(await redis.xlen(keys.checks(0)), 0, what);
    assert.equal(await status(good!.id), 'completed', what);
    const record = await redis.getBuffer(keys.result(0, bad!.id));
    if (record === null) return false;
    const { items, error } = decodeRecord(record);
    assert.ok(items[0]?.status === 'failed' || (items.length === 0 && error?.status === 500), what);
    return true;
  }

  it('buries an entry whose header lacks a field of its result', async () => {
    const wrong: Record<string, unknown[]> = {
      id: ['x', 1],
      kind: ['other', 'toString', undefined],
      team: [1, undefined],
      scope: [null],
      config: ['1', -1, 1.5, 2 ** 32],
      key: [undefined, 1],
      received: [undefined, 'now', -1],
      deadline: [undefined, null, '1'],
      reply: [undefined, 1],
      external: [1],
      session: [1, null, { internal: 1, external: '' }],
      replay: ['1', -1, 0xffff],
      sequence: ['1', -1],
    };
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) assert.equal(await spoiled(field, value), false, field);
    }
  });

  it('gives an entry with any other fault in its header a terminal result', async () => {
    const wrong: Record<string, unknown[]> = {
      conversations: ['c', [1], {}],
      references: ['r', {}, [null], [{ index: 0 }]],
      causes: ['c', {}, [null], [{ run_id: 1, event_id: 'e', internal_event_id: '' }]],
    };
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) assert.equal(await spoiled(field, value), true, field);
    }
  });

  it('asks history once for the causes of a batch that are not hot, and not at all where none is declared', async () => {
    const asked: Cause[][] = [];
    const target = newRequestId(0);
    const storedCauses: GatherSources['storedCauses'] = async (team, environment, causes) => {
      assert.deepEqual([team, environment], ['acme', 'prod']);
      asked.push(causes);
      return storedAs('cold', target)(causes);
    };
    const [plain, hot] = await entries('one', 'two');
    const evaluator = evaluatorWith({ storedCauses });
    await evaluator.handle([plain!.raw, hot!.raw]);
    assert.equal(asked.length, 0);

    const [made] = await entries('three');
    const named = (event_id: string): Cause => ({ run_id: 'r', event_id, internal_event_id: '' });
    const byId = { run_id: '', event_id: '', internal_event_id: made!.id };
    const causes = [named('e'), named('cold'), named('never'), byId];
    const links = causes.map((cause) => (cause === byId ? { internal_event_id: made!.id } : cause));
    rewrite(made!.raw, { causes }, { event_id: 'f', links });
    await evaluator.handle([made!.raw]);
    const before = { sequence: sequenceOf(made!.raw.id), id: '' };
    const wanted = causes.slice(1).map((cause) => ({ ...cause, before }));
    assert.deepEqual(asked, [wanted], 'what is hot is not asked for');
    const stored = await itemOf(made!.id);
    assert.deepEqual([stored.note, stored.status], ['2 of 4 declared causes did not resolve', 'completed']);
    // What resolved is pinned, the latest of what is hot.
    assert.deepEqual(pluck(stored.links!, 'target'), [itemId(hot!.id, 1), target, undefined, undefined]);
  });

  it('notes causes that could not be looked up, also for a dead letter', async () => {
    const storedCauses = (): Promise<never> => Promise.reject(new Error('ClickHouse is away'));
    const causes = [{ run_id: 'r', event_id: 'a', internal_event_id: '' }];
    const made = await entries('one', 'poison');
    for (const { raw } of made) rewrite(raw, { causes }, { parent: { event_id: 'a' } });
    await evaluatorWith({ storedCauses, pool: poisonable() }).handle(raws(made));
    assert.deepEqual(await Promise.all(made.map(({ id }) => note(id))), [
      '1 of 1 declared causes could not be looked up',
      'the check could not be finished; 1 of 1 declared causes could not be looked up',
    ]);
  });

  it('notes that causes could not be looked up where a run has too much that is not archived', async () => {
    const run = keys.run('acme', 'prod', 'r');
    const [made] = await entries('one');
    const ids = Array.from({ length: 3000 }, () => newRequestId(0));
    await redis.zadd(run, ...ids.flatMap((id, i) => [i + 1, runMember(id, ['other'])]));
    await redis.zadd(keys.unarchived(run), 1, ids[0]!);
    const causes = ['absent', 'archived'].map((event_id) => ({ run_id: 'r', event_id, internal_event_id: '' }));
    rewrite(made!.raw, { causes }, { links: causes });
    const stored = storedAs('archived', newRequestId(0));
    await evaluatorWith({ storedCauses: async (_team, _environment, causes) => stored(causes) }).handle([made!.raw]);
    assert.equal(await note(made!.id), '1 of 2 declared causes could not be looked up');
  });

  it('finishes an entry that waits for history apart from its chunk', async () => {
    const made = await entries('one', 'two', 'three');
    declare(made[1]!.raw);
    const history = gate();
    const stored: GatherSources['storedCauses'] = async (_team, _environment, causes) => {
      await history.open;
      return storedAs('cold', newRequestId(0))(causes);
    };
    const apart = asides();
    // The chunk is finished, and its slot free, although history has not answered yet.
    await evaluatorWith({ storedCauses: stored }).handle(raws(made), apart.slot);
    assert.deepEqual(await statuses(made), ['completed', undefined, 'completed']);
    assert.deepEqual(pluck(apart.list, 'some'), [[made[1]!.raw]]);
    history.end();
    await apart.finish();
    assert.equal(await status(made[1]!.id), 'completed');
    assert.equal(await note(made[1]!.id), '');
    assert.equal(await redis.xlen(keys.checks(0)), 0);
  });

  it('sets an entry aside that waits for a reference', async () => {
    const made = await entries('one', 'two');
    const references = [{ index: 0, run_id: 'r', event_id: 'absent' }];
    const { raw } = made[0]!;
    rewrite(raw, { references });
    const reference = { type: 'message', event_id: 'absent', run_id: 'r' };
    raw.body = Buffer.from(JSON.stringify({ event: reference }));
    const history = gate();
    const latest = () => history.open.then(() => [undefined]);
    const apart = asides();
    await evaluatorWith({ history: latest }).handle(raws(made), apart.slot);
    assert.deepEqual(await statuses(made), [undefined, 'completed']);
    history.end();
    await apart.finish();
    assert.equal(await status(made[0]!.id), 'not_found');
  });

  it('refers to the latest event by sequence, hot or archived, even if the hot one was finished later', async () => {
    const [first, second] = await entries('first', 'second');
    await evaluatorWith().handle([first!.raw]);
    // The second is submitted later, and archived; the first is a dead letter that is replayed now.
    const place = { sequence: sequenceOf(second!.raw.id), id: itemId(second!.id, 1) };
    const archived = storedItem({ runId: 'r', eventId: 'e', ...place });
    await redis.xdel(keys.checks(0), second!.raw.id);
    const referring = async (lateBelow: number, history: Stores['history']): Promise<unknown[]> => {
      const [late, made] = await entries('first', 'x');
      const { id } = JSON.parse(first!.raw.header.toString());
      rewrite(late!.raw, { id, replay: 1, sequence: sequenceOf(first!.raw.id) });
      await evaluatorWith({ lateBelow }).handle([late!.raw]);
      const references = [{ index: 0, run_id: 'r', event_id: 'e' }];
      rewrite(made!.raw, { references });
      made!.raw.body = Buffer.from(JSON.stringify({ event: { type: 'message', event_id: 'e', run_id: 'r' } }));
      await evaluatorWith(history ? { history } : {}).handle([made!.raw]);
      const { status, target } = await itemOf(made!.id);
      return [status, target?.id];
    };
    const own = itemId(first!.id, 1);
    const late = sequenceOf(first!.raw.id) + 1;
    assert.deepEqual(await referring(late, async () => [archived]), ['referenced', archived.id]);
    assert.deepEqual(await referring(late, async () => [undefined]), ['referenced', own]);
    assert.deepEqual(await referring(late, async () => [{ ...archived, sequence: 1 }]), ['referenced', own]);
    const away = (): Promise<never> => Promise.reject(new Error('ClickHouse is away'));
    assert.deepEqual(await referring(late, away), ['failed', undefined], 'nobody knows');
    const unasked = await referring(0, away);
    assert.deepEqual(unasked, ['referenced', own], 'history is not asked where it knows nothing later');
  });

  it('limits how many entries wait for causes, and does not ask for the causes of others', async () => {
    const made = await entries(...Array.from({ length: 70 }, (_, i) => `${i}`));
    for (const { raw } of made) declare(raw);
    let asked = 0;
    const storedCauses: GatherSources['storedCauses'] = async () => {
      asked++;
      return new Map();
    };
    const apart = asides();
    const evaluator = evaluatorWith({ storedCauses });
    for (const { raw } of made) await evaluator.handle([raw], apart.slot);
    assert.deepEqual([asked, apart.list.length], [64, 64]);
    assert.equal(await note(made[69]!.id), '1 of 1 declared causes could not be looked up');
    await apart.finish();
    assert.equal(await note(made[0]!.id), '1 of 1 declared causes did not resolve');
    assert.equal(await redis.xlen(keys.checks(0)), 0);
    // There is room again.
    const [later] = await entries('later');
    declare(later!.raw);
    await evaluator.handle([later!.raw], apart.slot);
    assert.equal(asked, 65);
    await apart.finish();

    const large = await entries('one', 'two');
    for (const { raw } of large) {
      const { event } = JSON.parse(raw.body.toString());
      raw.body = Buffer.from(JSON.stringify({ event, ignored: 'x'.repeat(9 * 1024 * 1024) }));
      declare(raw);
    }
    await evaluator.handle(raws(large), apart.slot);
    assert.equal(apart.list.length, 1, 'and for so many bytes');
    await apart.finish();
  });

  it('limits causes for each team by itself, and references never', async () => {
    const made = await entries(...Array.from({ length: 66 }, (_, i) => `${i}`));
    const [theirs, reference] = made.splice(64) as [(typeof made)[0], (typeof made)[0]];
    for (const { raw } of [...made, theirs]) declare(raw);
    rewrite(theirs.raw, { team: 'other' });
    rewrite(reference.raw, { references: [{ index: 0, run_id: 'r', event_id: 'absent' }] });
    const asked: string[] = [];
    const apart = asides();
    const evaluator = evaluatorWith({
      storedCauses: async (team) => {
        asked.push(team);
        return new Map();
      },
      history: async () => {
        asked.push('reference');
        return [undefined];
      },
    });
    for (const { raw } of [...made, theirs, reference]) await evaluator.handle([raw], apart.slot);
    assert.deepEqual(asked.slice(64), ['other', 'reference']);
    assert.equal(apart.list.length, 66);
  });

  it('retries alone what fails in the chunk, and what fails after it was set aside', async () => {
    const made = await entries('poison', 'one', 'poison');
    for (const { raw } of made.slice(1)) declare(raw);
    const seen: string[][] = [];
    const apart = asides();
    await evaluatorWith({ pool: poisonable(seen) }).handle(raws(made), apart.slot);
    // Retries are set aside, too: they may take long.
    assert.equal(apart.list.length, 3);
    await apart.finish();
    assert.deepEqual(await statuses(made), ['failed', 'completed', 'failed']);
    const tries = made.map(({ id }) => seen.filter((ids) => ids.includes(id)).length);
    assert.deepEqual(tries, [3, 1, 3]);
    assert.ok(seen.every((ids) => ids.length === 1));
    assert.equal(await redis.xlen(keys.dead(0)), 2);
  });

  it('ignores members beside a single event', async () => {
    const [made] = await entries('one');
    const body = JSON.parse(made!.raw.body.toString());
    made!.raw.body = Buffer.from(JSON.stringify({ ...body, metadata: { a: 1 }, sessions: 5 }));
    await evaluatorWith().handle([made!.raw]);
    assert.equal(await status(made!.id), 'completed');
  });
});
