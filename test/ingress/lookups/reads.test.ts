/** Run graph and user risk over hot and archived results, with both stores in the states that occur. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeCursor, encodeCursor, runGraph } from '#weir/ingress/lookups/run-graph';
import { riskScore } from '#weir/ingress/lookups/user-risk';
import type { RecordItem } from '#weir/shared/api/results/record';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { createHistoryQueries, type HistoryQueries } from '#weir/shared/history/read/queries';
import { itemId, newRequestId, partsOf } from '#weir/shared/ids';
import { runMember, userMember } from '#weir/shared/streams/hot/indexes';
import { hotCauses } from '#weir/shared/streams/hot/runs';
import { keys } from '#weir/shared/streams/keys';
import type { RowItem } from '#weir/workers/rows/row-types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { pluck } from '../../support/pluck.ts';
import { countQuestions, sharedHistory } from '../../support/stores/clickhouse.ts';
import { encodeRecord, encodeRows } from '../../support/stores/encoded.ts';
import { POLICY, rowItem, rowRequest, violating } from '../../support/stores/history.ts';
import { insertRows } from '../../support/stores/insert.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { gate } from '../../support/wait.ts';
import { record, recordItem } from '../support.ts';

const { client, queries: history, away: nobody } = await sharedHistory();
const { redis } = await sharedRedis();

interface Stored {
  id: string;
  sequence: number;
  run: string;
  items: RecordItem[];
  version?: number;
}

/** Puts a result into Redis as its commit does. */
async function hot({ id, sequence, run, items, version }: Stored): Promise<void> {
  await indexed({ id, sequence, run, items });
  const text = encodeRecord(record({ id, sequence, items, ...(version ? { version } : {}) }));
  await redis.set(keys.result(0, id), text);
}

const indexed = ({ id, sequence, run, items }: Stored): Promise<number> =>
  redis.zadd(
    keys.run('acme', 'prod', run),
    sequence,
    runMember(
      id,
      items.map((item) => item.eventId),
    ),
  );

const archive = (fields: Parameters<typeof rowRequest>[0], ...items: RowItem[]): Promise<void> =>
  insertRows(client, unpackRows('1', encodeRows(rowRequest(fields, partsOf(fields!.id!)!.time), items)).bytes);

/** Adds `count` later requests to an index, none of which has a result. */
async function addMany(key: string, count: number): Promise<void> {
  const members = Array.from({ length: count }, () => [2, newRequestId(0)]).flat();
  await redis.zadd(key, ...members);
}

const page = (run: string, more: object = {}) => ({
  team: 'acme',
  environment: 'prod',
  run,
  after: undefined,
  limit: 10,
  ...more,
});
const event = (run: string, item: number, more: Partial<RecordItem> = {}): RecordItem =>
  recordItem(item, { type: 'tool', runId: run, eventId: `e${item}`, ...more });

describe('the run graph', () => {
  it('takes the newest version of an event, wherever that is', async () => {
    const run = newRequestId(0);
    const [replayed, repaired] = [newRequestId(0), newRequestId(0)];
    const failed = { status: 'failed' as const, flagged: null };
    await hot({ id: replayed, sequence: 1, run, items: [event(run, 1)], version: 2 });
    await archive({ id: replayed, sequence: 1 }, rowItem(1, { ...failed, type: 'tool', runId: run, eventId: 'e1' }));
    await hot({ id: repaired, sequence: 2, run, items: [event(run, 1, failed)] });
    await archive({ id: repaired, sequence: 2, version: 2 }, rowItem(1, { type: 'tool', runId: run, eventId: 'e1' }));
    const { nodes } = (await runGraph(redis, history, page(run)))!;
    assert.deepEqual(pluck(nodes, 'internal_event_id', 'status'), [
      [itemId(replayed, 1), 'completed'],
      [itemId(repaired, 1), 'completed'],
    ]);
  });

  it('is 404 only for a run that is in neither store, and unavailable when one cannot be asked', async () => {
    const run = newRequestId(0);
    assert.equal(await runGraph(redis, history, page(run)), undefined);
    await indexed({ id: newRequestId(0), sequence: 1, run, items: [event(run, 1)] });
    assert.equal(await runGraph(redis, history, page(run)), undefined, 'in flight, it does not count');
    await hot({ id: newRequestId(0), sequence: 2, run, items: [event(run, 1)] });
    await hot({
      id: newRequestId(0),
      sequence: 3,
      run,
      items: [event(run, 1, { status: 'not_found' }), event(run, 2, { status: 'referenced' })],
    });
    assert.equal((await runGraph(redis, history, page(run)))?.nodes.length, 1, 'references are no nodes');
    await assert.rejects(runGraph(redis, nobody, page(run)), HistoryUnavailable);
  });

  it('of absent runs asks ClickHouse once for all that wait', async () => {
    const counting = countQuestions(client);
    // All wait before ClickHouse is asked: Redis answers each of them first.
    const all = gate();
    let came = 0;
    const queries = createHistoryQueries(counting.client, { timeoutMs: 20_000, waitMs: 20_000 });
    const gathered: HistoryQueries = {
      ...queries,
      async runEventsIfAny(asked) {
        if (++came === 100) all.end();
        await all.open;
        return await queries.runEventsIfAny(asked);
      },
    };
    const graphs = Array.from({ length: 100 }, (_, i) => runGraph(redis, gathered, page(`nothing-${i}`)));
    assert.ok((await Promise.all(graphs)).every((graph) => graph === undefined));
    assert.equal(counting.asked(), 1);
  });

  it('goes on beyond names whose verdicts have expired', async () => {
    const run = newRequestId(0);
    const ids = Array.from({ length: 6 }, () => newRequestId(0));
    for (const [i, id] of ids.entries()) {
      await archive({ id, sequence: i + 1 }, rowItem(1, { type: 'tool', runId: run, eventId: `e${i}` }));
    }
    for (const gone of ids.slice(0, 3)) {
      await client.command({
        query: `ALTER TABLE items DELETE WHERE request_id = '${gone}' SETTINGS mutations_sync = 1`,
      });
    }
    const seen: string[] = [];
    let pages = 0;
    for (let after: ReturnType<typeof decodeCursor>; pages < 10; pages++) {
      const found = (await runGraph(redis, history, page(run, { limit: 2, after })))!;
      seen.push(...found.nodes.map((node) => node.internal_event_id));
      if (found.next_cursor === null) break;
      after = decodeCursor(found.next_cursor);
    }
    assert.deepEqual(
      seen,
      ids.slice(3).map((id) => itemId(id, 1)),
    );
  });

  it('of a long run reads no more results than a page needs', async () => {
    const run = newRequestId(0);
    const ids = Array.from({ length: 300 }, () => newRequestId(0)).sort();
    // Most share one sequence, more than are read at a time.
    for (const [i, id] of ids.entries()) {
      await hot({ id, sequence: i < 200 ? 5 : i, run, items: [event(run, 1)] });
    }
    const seen: string[] = [];
    for (let after: ReturnType<typeof decodeCursor>; seen.length < 1000; ) {
      await redis.config('RESETSTAT');
      const found = (await runGraph(redis, history, page(run, { limit: 25, after })))!;
      const stats = await redis.info('commandstats');
      const reads = Number(/cmdstat_getrange:calls=(\d+)/.exec(stats)?.[1] ?? 0);
      // Among many of one sequence, those before the cursor are read, too.
      assert.ok(reads <= 2 * 300, `${reads} results were read`);
      if (seen.length === 0 || seen.length > 210) assert.ok(reads <= 26 + 64, `${reads} results were read`);
      seen.push(...found.nodes.map((node) => node.internal_event_id));
      if (found.next_cursor === null) break;
      after = decodeCursor(found.next_cursor);
    }
    assert.deepEqual(
      seen,
      ids.map((id) => itemId(id, 1)),
    );
  });

  it('is unknown while the archive is so far behind that the index has dropped what is not archived', async () => {
    const run = newRequestId(0);
    const key = keys.run('acme', 'prod', run);
    const oldest = newRequestId(0);
    await hot({ id: oldest, sequence: 1, run, items: [event(run, 1)] });
    await redis.zadd(keys.unarchived(key), 1, oldest);
    await addMany(key, 9998);
    assert.equal((await runGraph(redis, history, page(run)))?.nodes.length, 1);
    await addMany(key, 1);
    await assert.rejects(runGraph(redis, history, page(run)), HistoryUnavailable);
    await redis.zrem(keys.unarchived(key), oldest);
    assert.equal((await runGraph(redis, history, page(run)))?.nodes.length, 1);
  });

  it('resolves a cause to the latest by sequence, though an older one was replayed and is hot', async () => {
    const run = newRequestId(0);
    const [older, newer, effect] = [newRequestId(0), newRequestId(0), newRequestId(0)];
    await hot({ id: older, sequence: 1, run, items: [event(run, 1)], version: 2 });
    await archive({ id: newer, sequence: 2 }, rowItem(1, { type: 'tool', runId: run, eventId: 'e1' }));
    const links = [{ kind: 'parent' as const, relation: '', runId: run, eventId: 'e1', internalId: '' }];
    await hot({ id: effect, sequence: 3, run, items: [event(run, 2, { links })] });
    const { edges } = (await runGraph(redis, history, page(run)))!;
    assert.deepEqual(edges, [{ kind: 'parent', source: itemId(newer, 1), target: itemId(effect, 2), resolved: true }]);
  });

  it('shows what a cause resolved to when its effect was checked, hot or archived, whatever came later', async () => {
    const [run, gone] = [newRequestId(0), itemId(newRequestId(0), 3)];
    const [effect, later] = [newRequestId(0), newRequestId(0)];
    const link = { kind: 'parent' as const, relation: '', runId: run, eventId: 'e1', internalId: '', target: gone };
    await hot({ id: later, sequence: 3, run, items: [event(run, 1)] });
    const edges = async (): Promise<unknown> => (await runGraph(redis, history, page(run)))!.edges;
    const expected = [{ kind: 'parent', source: gone, target: itemId(effect, 2), resolved: true }];
    await hot({ id: effect, sequence: 2, run, items: [event(run, 2, { links: [link] })] });
    assert.deepEqual(await edges(), expected);
    await redis.del(keys.result(0, effect));
    const row = { type: 'tool', runId: run, eventId: 'e2', links: [link] };
    await archive({ id: effect, sequence: 2 }, rowItem(2, row));
    assert.deepEqual(await edges(), expected);
  });

  for (const where of ['hot', 'archived'] as const) {
    it(`resolves what did not then to the latest that is earlier and ${where}, and to nothing else`, async () => {
      const run = newRequestId(0);
      const place = async (sequence: number, item: number, links?: RecordItem['links']): Promise<string> => {
        const id = newRequestId(0);
        const more = { eventId: 'e', runId: run, type: 'tool', ...(links ? { links } : {}) };
        if (where === 'hot') await hot({ id, sequence, run, items: [event(run, item, more)] });
        else await archive({ id, sequence }, rowItem(item, { ...more, links: links ?? [] }));
        return itemId(id, item);
      };
      const named = { kind: 'link' as const, relation: 'caused_by', runId: run, eventId: 'e', internalId: '' };
      const links = [named];
      const first = await place(1, 1, links);
      const second = await place(2, 1);
      const third = await place(3, 1, links);
      await place(4, 1);
      const fifth = await place(5, 1, [
        { ...named, eventId: '', internalId: first },
        { ...named, eventId: '', internalId: itemId(first, 2) },
      ]);
      const last = await place(7, 1);
      const sixth = await place(6, 1, [{ ...named, eventId: '', internalId: last }]);
      const { edges } = (await runGraph(redis, history, page(run)))!;
      assert.deepEqual(pluck(edges, 'source', 'target', 'resolved'), [
        ['e', first, false],
        [second, third, true],
        [first, fifth, true],
        [itemId(first, 2), fifth, false],
        [last, sixth, false],
      ]);
    });
  }

  it('of earlier releases resolves what is earlier in its batch', async () => {
    const [run, batch] = [newRequestId(0), newRequestId(0)];
    const links = [{ kind: 'parent' as const, relation: '', runId: run, eventId: 'e', internalId: '' }];
    const events = [1, 2, 3].map((n) => ({ type: 'tool', runId: run, eventId: 'e', links: n === 2 ? links : [] }));
    const rows = events.map((one, i) => rowItem(i + 1, one));
    await archive({ id: batch, sequence: 1 }, ...rows);
    const { edges } = (await runGraph(redis, history, page(run)))!;
    assert.deepEqual(pluck(edges, 'source', 'resolved'), [[itemId(batch, 1), true]]);
  });

  it('is unknown while a cause may be among more of what is not archived than is looked through', async () => {
    const effect = newRequestId(0);
    const links = Array.from({ length: 40 }, (_, i) => ({
      kind: 'link' as const,
      relation: 'caused_by',
      runId: `${effect}-${i}`,
      eventId: 'e1',
      internalId: '',
    }));
    await hot({ id: effect, sequence: 3, run: effect, items: [event(effect, 2, { links })] });
    const key = keys.run('acme', 'prod', links[0]!.runId);
    await addMany(key, 600);
    const oldest = newRequestId(0);
    await redis.zadd(key, 1, oldest);
    const { edges } = (await runGraph(redis, history, page(effect)))!;
    assert.deepEqual([edges.length, edges.filter((edge) => edge.resolved).length], [40, 0]);
    await redis.zadd(keys.unarchived(key), 1, oldest);
    await assert.rejects(runGraph(redis, history, page(effect)), HistoryUnavailable);
  });

  it('gives cursors that are taken back as they are, and nothing else', () => {
    const place = { sequence: 7_000_000_000_000_000, id: itemId(newRequestId(3), 5) };
    assert.deepEqual(decodeCursor(encodeCursor(place)), place);
    const made = (text: string): string => Buffer.from(text).toString('base64url');
    const wrong = ['', 'x', made('1:1:x'), made(`2:1:${place.id}`), made(`1:01:${place.id}`), made(`1:-1:${place.id}`)];
    wrong.push(`${encodeCursor(place)}=`, ` ${encodeCursor(place)}`, made(`1:1:${place.id.toUpperCase()}`));
    wrong.push(made(`1:9999999999999999:${place.id}`), made(`1:1:${'-'.repeat(36)}`), made(`1:1:${place.id}\n`));
    for (const cursor of wrong) assert.equal(decodeCursor(cursor), undefined, cursor);
  });
});

describe('hot causes', () => {
  it('are found in long runs and many runs, of this team and environment only', async () => {
    const run = newRequestId(0);
    for (let i = 0; i < 150; i++) {
      await hot({ id: newRequestId(0), sequence: i, run, items: [event(run, 1, { eventId: `e-${i}` })] });
    }
    const foreign = newRequestId(0);
    const theirs = record({ id: foreign, team: 'globex', items: [event(run, 1)] });
    await redis.set(keys.result(0, foreign), encodeRecord(theirs));
    const named = (name: string, event_id: string) => ({ run_id: name, event_id, internal_event_id: '' });
    const byId = (id: string) => ({ run_id: '', event_id: '', internal_event_id: id });
    const wanted = Array.from({ length: 150 }, (_, i) => named(run, `e-${i}`));
    const others = Array.from({ length: 40 }, (_, i) => named(`absent-${i}`, 'e'));
    const { found, unread } = await hotCauses(redis, { team: 'acme', environment: 'prod', most: 20_000 }, [
      ...wanted,
      ...others,
      named(run, 'never'),
      byId(itemId(foreign, 1)),
      byId(foreign),
      byId('00000000-0000-0000-0000-000000000000'),
    ]);
    assert.deepEqual([...found.keys()].sort(), wanted.map((one) => `${run} ${one.event_id}`).sort());
    assert.equal(unread.size, 0);
    const elsewhere = await hotCauses(redis, { team: 'acme', environment: 'staging', most: 20_000 }, wanted);
    assert.equal(elsewhere.found.size, 0);
  });
});

describe('user risk', () => {
  const FLAGGED = JSON.stringify({ [POLICY]: { name: 'P', flagged: true, flagged_source: ['text'] } });
  const DAY_MS = 86_400_000;
  const now = Date.now();
  const since = now - 30 * DAY_MS;
  const ask = (user: string, from: HistoryQueries, more: object = {}): Promise<number | undefined> =>
    riskScore(redis, from, {
      user: { team: 'acme', kind: 'id', user },
      since,
      weight: (policy) => (policy === POLICY ? 5 : 0),
      enough: 10,
      ...more,
    });

  async function check(user: string, flagged: boolean, id = newRequestId(0), stored = true): Promise<string> {
    const item = recordItem(1, { type: 'session', flagged });
    const text = encodeRecord(
      record({ kind: 'session', scope: 'chat', id, items: [item], fragments: [flagged ? FLAGGED : '{}'] }),
    );
    if (stored) await redis.set(keys.result(0, id), text);
    await redis.zadd(keys.user('acme', 'id', user), Date.now(), userMember(id, flagged));
    return id;
  }
  const kept = (userId: string, id: string, more: object = {}): Promise<void> =>
    archive({ kind: 'session', scope: 'chat', id, ...more }, rowItem(1, { runId: '', userId, verdict: violating }));

  it('needs no ClickHouse when hot checks alone make it severe', async () => {
    const user = newRequestId(0);
    await check(user, true);
    await assert.rejects(ask(user, nobody), HistoryUnavailable);
    await check(user, true);
    assert.equal(await ask(user, nobody), 10);
    await assert.rejects(ask('nobody', nobody), HistoryUnavailable);
    assert.equal(await ask('nobody', history), undefined);
  });

  it('is unknown while the archive is so far behind that the index has dropped what is not archived', async () => {
    const user = newRequestId(0);
    const key = keys.user('acme', 'id', user);
    const oldest = newRequestId(0);
    await redis.zadd(key, 1, userMember(oldest, false));
    await redis.zadd(keys.unarchived(key), 1, oldest);
    await addMany(key, 9999);
    await kept(user, oldest);
    await assert.rejects(ask(user, history), HistoryUnavailable);
    await redis.del(keys.unarchived(key));
    assert.equal(await ask(user, history), 5);
  });

  it('does not count a check in flight', async () => {
    const user = newRequestId(0);
    await check(user, true, newRequestId(0), false);
    await check(user, false, newRequestId(0), false);
    assert.equal(await ask(user, history), undefined);
    await check(user, false);
    assert.equal(await ask(user, history), 0);
  });

  it('counts the check of which both stores know once, and its two members in Redis once', async () => {
    const user = newRequestId(0);
    const id = await check(user, true);
    await redis.zadd(keys.user('acme', 'id', user), 1, userMember(id, false));
    await kept(user, id);
    await kept(user, id, { version: 2 });
    assert.equal(await ask(user, history), 5);
    await redis.flushall();
    assert.equal(await ask(user, history), 5);
  });

  it('takes the newest version of an archived check', async () => {
    const user = newRequestId(0);
    const id = newRequestId(0);
    await kept(user, id);
    const clean = rowItem(1, { runId: '', userId: user });
    await archive({ kind: 'session', scope: 'chat', id, version: 2 }, clean);
    assert.equal(await ask(user, history), 0);
  });

  it('counts from the very start of its window on, hot and archived', async () => {
    for (const store of [check, kept]) {
      const users = [newRequestId(0), newRequestId(0)] as const;
      const ids = [newRequestId(0, since), newRequestId(0, since - 1)] as const;
      for (const i of [0, 1] as const) {
        if (store === check) await check(users[i], true, ids[i]);
        else await kept(users[i], ids[i]);
      }
      assert.deepEqual([await ask(users[0], history), await ask(users[1], history)], [5, 0]);
    }
  });

  it('leaves out as many hot checks as an index can have', async () => {
    const user = newRequestId(0);
    const ids = Array.from({ length: 3000 }, () => newRequestId(0));
    const text = encodeRecord(
      record({ kind: 'session', scope: 'chat', items: [recordItem(1, { type: 'session' })], fragments: [FLAGGED] }),
    );
    const pipeline = redis.pipeline();
    for (const id of ids) {
      pipeline.set(keys.result(0, id), text);
      pipeline.zadd(keys.user('acme', 'id', user), 1, userMember(id, true));
    }
    await pipeline.exec();
    await kept(user, ids[0]!);
    await kept(user, newRequestId(0));
    assert.equal(await ask(user, history, { enough: 1e9 }), 3001 * 5);
  });
});
