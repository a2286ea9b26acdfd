/** What reading hot runs asks of Redis, by the commands that it runs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResultRecord } from '#weir/shared/api/results/record';
import { soughtKey } from '#weir/shared/causes';
import { RECORD_FORMATS, UnreadFormat } from '#weir/shared/formats';
import { itemId, newRequestId, partsOf } from '#weir/shared/ids';
import { runMember } from '#weir/shared/streams/hot/indexes';
import { hotHeads } from '#weir/shared/streams/hot/records';
import { hotCauses, hotEvents } from '#weir/shared/streams/hot/runs';
import { keys } from '#weir/shared/streams/keys';
import { record, recordItem } from '../../../ingress/support.js';
import { encodeRecord } from '../../../support/stores/encoded.ts';
import { sharedRedis } from '../../../support/stores/redis.js';
import { until } from '../../../support/wait.js';

const { redis } = await sharedRedis();

/** Commands that Redis runs while `work` is under way, those of scripts included, in order. */
async function commandsOf(work: () => Promise<unknown>): Promise<string[][]> {
  const seen: string[][] = [];
  const monitor = await redis.monitor();
  monitor.on('monitor', (_time: string, args: string[]) => seen.push(args));
  try {
    await work();
    await redis.echo('the end');
    await until('the monitor has seen all', () => seen.some(([name]) => name?.toLowerCase() === 'echo'));
  } finally {
    monitor.disconnect();
  }
  return seen.slice(0, -1);
}

const named = (seen: string[][], name: string): string[][] => seen.filter(([one]) => one?.toLowerCase() === name);

async function store(change: Partial<ResultRecord> = {}): Promise<ResultRecord> {
  const made = record(change);
  await redis.set(keys.result(0, made.id), encodeRecord(made));
  return made;
}

const headsOf = (requests: readonly { id: string }[]) =>
  hotHeads(
    redis,
    requests.map(({ id }) => partsOf(id)!),
  );

/** Policy maps and metadata of a result, so many bytes of them. */
const fragments = (bytes: number): string[] => [JSON.stringify('x'.repeat(bytes))];
/** Items whose heads take so many bytes. */
const items = (bytes: number) => [recordItem(1, { note: '€'.repeat(Math.floor(bytes / 3)) })];

describe('heads of results', () => {
  it('are read without what follows them, however much that is', async () => {
    const stored: ResultRecord[] = [];
    for (let i = 0; i < 4; i++) stored.push(await store({ fragments: fragments(4 * 1024 * 1024) }));
    const seen = await commandsOf(async () => assert.equal((await headsOf(stored)).size, 4));
    assert.deepEqual(named(seen, 'get'), []);
    const read = named(seen, 'getrange').reduce((sum, [, , from, to]) => sum + Number(to) + 1 - Number(from), 0);
    assert.ok(read > 0 && read <= 4 * 64 * 1024, `${read} bytes were read`);
  });

  it('are whole, whether they are short, long, or all of their result', async () => {
    const lengths = [10, 4000, 8192, 16_384, 100_000, 900_000];
    const stored: ResultRecord[] = [];
    for (const bytes of lengths) {
      stored.push(await store({ items: items(bytes), fragments: fragments(100_000) }));
      stored.push(await store({ items: items(bytes), fragments: [] }));
    }
    // Heads end around what is read first.
    for (let extra = 0; extra < 40; extra++) {
      const bare = encodeRecord(record({ items: items(0), fragments: [] })).length;
      const note = 'x'.repeat(8 * 1024 - bare - 20 + extra);
      stored.push(await store({ items: [recordItem(1, { note })], fragments: fragments(50_000) }));
    }
    const absent = record();
    const found = await headsOf([...stored, absent]);
    assert.equal(found.size, stored.length);
    for (const { id, items: list } of stored) assert.equal(found.get(id)?.items[0]?.note, list[0]!.note);
  });

  it('are read by as many calls as keep each of them short', async () => {
    const long: ResultRecord[] = [];
    for (let i = 0; i < 20; i++) long.push(await store({ items: items(400_000) }));
    const seen = await commandsOf(async () => assert.equal((await headsOf(long)).size, 20));
    let read = 0;
    const calls: number[] = [];
    for (const [name, , from, to] of [...seen, ['evalsha']]) {
      if (/^eval(sha)?$/i.test(name!)) {
        calls.push(read);
        read = 0;
      } else if (name!.toLowerCase() === 'getrange') read += Number(to) + 1 - Number(from);
    }
    assert.ok(calls.length > 5, `${calls.length} calls`);
    assert.ok(Math.max(...calls) <= 2 * 1024 * 1024, `${Math.max(...calls)} bytes were read in one call`);
    const short: ResultRecord[] = [];
    for (let i = 0; i < 150; i++) short.push(await store());
    const again = await commandsOf(async () => assert.equal((await headsOf(short)).size, 150));
    assert.equal(named(again, 'evalsha').length, 3, 'by count');
  });
});

const keyOf = (run: string): string => keys.run('acme', 'prod', run);

/** Adds requests to a run's index, one event each, at the sequences from `from` on. None of them has a result. */
async function index(run: string, from: number, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newRequestId(0));
  await redis.zadd(keyOf(run), ...ids.flatMap((id, i) => [from + i, runMember(id, [`other-${from + i}`])]));
  return ids;
}

/** Members of indexes that `seen` asked for. */
const members = (seen: string[][]): number =>
  named(seen, 'zrevrangebyscore').reduce((sum, call) => sum + Number(call.at(-1)), 0);

describe('referenced events in Redis', () => {
  const scope = { team: 'acme', environment: 'prod' };
  const named50 = (event: (i: number) => string) =>
    Array.from({ length: 50 }, (_, i) => ({ run_id: 'run-1', event_id: event(i) }));

  async function put(sequence: number, change: Partial<ResultRecord> = {}): Promise<ResultRecord> {
    const made = await store({ sequence, items: [recordItem(1, { eventId: 'e', runId: 'run-1' })], ...change });
    await redis.zadd(keyOf('run-1'), sequence, runMember(made.id, ['e']));
    return made;
  }

  it('cost one reading of their run, however many are asked for', async () => {
    await index('run-1', 1, 10_000);
    const seen = await commandsOf(async () => {
      const found = await hotEvents(
        redis,
        scope,
        named50((i) => `absent-${i}`),
      );
      assert.deepEqual(new Set(found), new Set([undefined]));
    });
    assert.ok(members(seen) <= 11_000, `${members(seen)} members were read`);
  });

  it('are the latest below a sequence, each as often as it is named, and each result is read once', async () => {
    const [older, newer] = [await put(100), await put(200)];
    const seen = await commandsOf(async () => {
      const found = await hotEvents(
        redis,
        scope,
        named50((i) => (i % 2 === 0 ? 'e' : 'absent')),
      );
      const requests = found.map((item) => item?.requestId);
      assert.deepEqual(
        requests,
        Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? newer.id : undefined)),
      );
    });
    assert.equal(named(seen, 'get').length, 1);
    const reference = { run_id: 'run-1', event_id: 'e' };
    const ids = async (more: object) => (await hotEvents(redis, { ...scope, ...more }, [reference]))[0]?.requestId;
    assert.equal(await ids({ before: 200 }), older.id);
    assert.equal(await ids({ before: 201 }), newer.id);
    assert.equal(await ids({ before: 100 }), undefined);
    assert.equal(await ids({ environment: 'staging' }), undefined);
  });

  it('are not those of another team or environment, nor references, nor what is not stored yet', async () => {
    const checked = await put(100);
    await put(200, { team: 'globex' });
    await put(201, { scope: 'staging' });
    await put(202, { items: [recordItem(1, { eventId: 'e', runId: 'run-1', status: 'referenced' })] });
    await put(203, { items: [recordItem(1, { eventId: 'e', runId: 'run-2' })] });
    await redis.zadd(keyOf('run-1'), 204, runMember(newRequestId(0), ['e']));
    const [found] = await hotEvents(redis, scope, [{ run_id: 'run-1', event_id: 'e' }]);
    assert.equal(found?.requestId, checked.id);
  });
});

describe('declared causes in Redis', () => {
  it('are absent where they are of others, though a newer release has written them', async () => {
    const others = await store({ team: 'globex' });
    const own = await store();
    const causes = [others, own].map(({ id }) => ({
      run_id: '',
      event_id: '',
      internal_event_id: itemId(id, 1),
      before: undefined,
    }));
    const scope = { team: 'acme', environment: 'prod', most: 100 };
    const newer = ({ id }: ResultRecord): Promise<number> =>
      redis.setrange(keys.result(0, id), 0, String.fromCharCode(RECORD_FORMATS.newest + 1));
    await newer(others);
    const { found } = await hotCauses(redis, scope, causes);
    assert.deepEqual([...found.keys()], [soughtKey(causes[1]!)]);
    await newer(own);
    await assert.rejects(hotCauses(redis, scope, causes), UnreadFormat);
  });

  const most = 1024;
  const scope = { team: 'acme', environment: 'prod', most };
  const cause = (run: string, event: string) => ({ run_id: run, event_id: event, internal_event_id: '' });

  it('cost no more than the newest members of a run that is full', async () => {
    await index('run-1', 1, 10_000);
    const seen = await commandsOf(() => hotCauses(redis, scope, [cause('run-1', 'absent'), cause('run-1', 'gone')]));
    assert.ok(members(seen) > 1000 && members(seen) <= most + 1, `${members(seen)} members were read`);
    assert.equal(named(seen, 'getrange').length, 0, 'no result can have them');
  });

  it('share the members that are read among their runs, and what one does not need the next ones have', async () => {
    const runs = Array.from({ length: 40 }, (_, i) => `run-${i}`);
    for (const [i, run] of runs.entries()) await index(run, 1, i < 20 ? 2 : 300);
    const seen = await commandsOf(() =>
      hotCauses(
        redis,
        scope,
        runs.map((run) => cause(run, 'absent')),
      ),
    );
    const of = (some: string[]) => seen.filter(([, key]) => some.some((run) => key === keyOf(run)));
    const long = members(of(runs.slice(20)));
    assert.ok(long <= most + 20, `${long} members were read`);
    assert.ok(members(of(['run-39'])) > most / 30, `${members(of(['run-39']))} members were read of the last`);
  });

  it('are unread where an older member than those that were read is not archived', async () => {
    const made = record({ sequence: 2000, items: [recordItem(1, { eventId: 'young', runId: 'run-1' })] });
    await redis.set(keys.result(0, made.id), encodeRecord(made));
    await redis.zadd(keyOf('run-1'), 2000, runMember(made.id, ['young']));
    const ids = await index('run-1', 1, 1500);
    const look = async (...events: string[]) => {
      const { found, unread } = await hotCauses(
        redis,
        scope,
        events.map((event) => cause('run-1', event)),
      );
      return { found: [...found.keys()], unread: [...unread] };
    };
    assert.deepEqual(await look('young', 'absent'), { found: ['run-1 young'], unread: [] }, 'all are archived');
    // Of the 1,024 newest the oldest has the sequence 478.
    await redis.zadd(keys.unarchived(keyOf('run-1')), 478, ids[477]!, 1400, ids[1399]!);
    assert.deepEqual(await look('young', 'absent'), { found: ['run-1 young'], unread: [] }, 'they were read');
    await redis.zadd(keys.unarchived(keyOf('run-1')), 477, ids[476]!);
    assert.deepEqual(await look('young', 'absent'), { found: ['run-1 young'], unread: ['run-1 absent'] });
    assert.deepEqual(await look('young'), { found: ['run-1 young'], unread: [] });
  });
});
