/** Look-ups of artifacts, hot, under way and archived, with both stores in the states that occur. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forgetAccepted, MOST_ACCEPTED, noteAccepted } from '#weir/ingress/lookups/hot/artifacts';
import { markAwaited } from '#weir/ingress/lookups/hot/awaited';
import { createLookup } from '#weir/ingress/lookups/lookup';
import type { Lookup, LookupAnswer } from '#weir/ingress/lookups/types';
import type { AwaitedArtifact, StoredArtifact } from '#weir/shared/api/artifact';
import type { RecordItem } from '#weir/shared/api/results/record';
import { itemId, partsOf } from '#weir/shared/ids';
import { keys } from '#weir/shared/streams/keys';
import type { RowItem } from '#weir/workers/rows/row-types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { assertHas } from '../../support/has.ts';
import { pluck } from '../../support/pluck.ts';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { encodeRecord, encodeRows } from '../../support/stores/encoded.ts';
import { nextId, rowImage, rowItem, rowRequest, violating } from '../../support/stores/history.ts';
import { insertAs } from '../../support/stores/insert.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { record, recordItem } from '../support.ts';

const { client, queries, away } = await sharedHistory();
const { redis } = await sharedRedis();
const lookup = createLookup(redis, queries);
/** its ClickHouse is away */
const alone = createLookup(redis, away);

const NOTHING = { internal: '', external: '' };
const awaitedOf = (external: string, session: AwaitedArtifact['session'] = NOTHING): AwaitedArtifact => ({
  external,
  session,
});

async function accept(id: string, artifact: AwaitedArtifact, team = 'acme'): Promise<void> {
  const awaited = { kind: 'artifact', team, scope: 'chat', artifact } as const;
  await noteAccepted(redis, { requestId: id, partition: partsOf(id)!.partition, awaited }, 60);
}

const item = (n: number, { external, session }: AwaitedArtifact, more: Partial<RecordItem> = {}): RecordItem =>
  recordItem(n, {
    type: 'artifact',
    eventId: '',
    runId: '',
    externalSessionId: session.external,
    artifact: { external, session: session.internal },
    ...more,
  });

/** Puts a result into Redis, with its indexes, as a commit does. */
async function hot(kind: 'artifact' | 'session', id: string, items: RecordItem[], version = 1): Promise<void> {
  const { partition, time } = partsOf(id)!;
  for (const { artifact, externalSessionId } of items) {
    if (!artifact) continue;
    if (artifact.external !== '') await redis.zadd(keys.artifact('acme', 'chat', artifact.external), time, id);
    const session = { internal: artifact.session, external: externalSessionId };
    for (const kind of ['internal', 'external'] as const) {
      if (session[kind] !== '') await redis.zadd(keys.sessionArtifacts('acme', 'chat', kind, session[kind]), time, id);
    }
  }
  const text = encodeRecord(record({ kind, id, scope: 'chat', items, received: time, completed: time + 3, version }));
  await redis.set(keys.result(partition, id), text);
}

const row = (n: number, { external, session }: AwaitedArtifact, more: Partial<RowItem> = {}): RowItem =>
  rowItem(n, {
    type: 'artifact',
    eventId: '',
    runId: '',
    externalSessionId: session.external,
    externalArtifactId: external,
    image: rowImage({ internalSessionId: session.internal }),
    ...more,
  });

const archive = (kind: 'artifact' | 'session', id: string, ...rows: RowItem[]): Promise<void> => {
  const { time } = partsOf(id)!;
  const request = rowRequest({ kind, id, scope: 'chat', sequence: time * 4096 }, time);
  return insertAs('2', client, [unpackRows('2', encodeRows(request, rows)).bytes]);
};

function value<T>(answer: LookupAnswer<T>): T {
  assert.equal(answer.status, 'found');
  return (answer as { value: T }).value;
}

const byId = async (id: string, by: Lookup = lookup): Promise<StoredArtifact> =>
  value(await by.artifactById('acme', 'chat', id));
const latest = async (external: string): Promise<StoredArtifact> =>
  value(await lookup.latestArtifact('acme', 'chat', external));

describe('an artifact', () => {
  it('is processing from the moment it is accepted, by either of its ids, and then finished for ever [3.artifact-processing] [3.artifact-completed] [3.artifact-transitions]', async () => {
    const id = nextId(3);
    const own = itemId(id, 1);
    const artifact = awaitedOf('under way', { internal: itemId(nextId(), 1), external: 's' });
    assert.equal((await lookup.latestArtifact('acme', 'chat', 'under way')).status, 'absent');
    await accept(id, artifact);
    for (const found of [await byId(own), await latest('under way')]) {
      assert.deepEqual(found, {
        id: own,
        status: 'processing',
        flagged: null,
        policies: '{}',
        explained: '',
        ...artifact,
        note: '',
        version: 0,
        created: partsOf(id)!.time,
        completed: null,
      });
    }
    await hot('artifact', id, [item(1, artifact, { flagged: true })]);
    for (const found of [await byId(own), await latest('under way'), await byId(own, alone)]) {
      assertHas(found, { status: 'completed', flagged: true, session: artifact.session });
    }
    await redis.del(keys.result(3, id), keys.artifact('acme', 'chat', 'under way'));
    await archive('artifact', id, row(1, artifact, { verdict: violating, flagged: true }));
    for (const found of [await byId(own.toUpperCase()), await latest('under way')]) {
      assert.equal(found.status, 'completed', 'though it is still noted as accepted');
      assertHas(found, { flagged: true, session: artifact.session, policies: violating.policies });
      assert.equal(found.created, partsOf(id)!.time);
    }
    await redis.flushall();
    assert.equal((await latest('under way')).id, own);
  });

  it('that failed has no verdict, hot or archived [3.artifact-failed]', async () => {
    for (const where of ['hot', 'archived']) {
      const id = nextId();
      const artifact = awaitedOf(`failed ${where}`);
      const failed = { status: 'failed', flagged: true, note: 'could not be fetched' } as const;
      if (where === 'hot') await hot('artifact', id, [item(1, artifact, failed)]);
      else await archive('artifact', id, row(1, artifact, failed));
      const found = await latest(`failed ${where}`);
      assert.deepEqual([found.status, found.flagged, found.note], ['failed', null, 'could not be fetched']);
    }
  });

  it('is absent for another team or deployment, and as an event or a session', async () => {
    const id = nextId();
    const own = itemId(id, 1);
    await accept(id, awaitedOf('mine'));
    const hotId = nextId();
    await hot('artifact', hotId, [item(1, awaitedOf('hot'))]);
    for (const each of [own, itemId(hotId, 1)]) {
      assert.equal((await lookup.artifactById('other', 'chat', each)).status, 'absent');
      assert.equal((await lookup.artifactById('acme', 'prod', each)).status, 'absent');
      assert.equal((await lookup.byId('session', 'acme', 'chat', each)).status, 'absent');
      assert.equal((await lookup.byId('event', 'acme', 'chat', each)).status, 'absent');
    }
    for (const external of ['mine', 'hot']) {
      assert.equal((await lookup.latestArtifact('other', 'chat', external)).status, 'absent');
      assert.equal((await lookup.latestArtifact('acme', 'prod', external)).status, 'absent');
    }
    assert.equal((await lookup.artifactById('acme', 'chat', itemId(id, 2))).status, 'absent', 'it is one item');
    const session = nextId();
    await hot('session', session, [recordItem(1, { type: 'session' })]);
    assert.equal((await lookup.artifactById('acme', 'chat', itemId(session, 1))).status, 'absent');
    await markAwaited(redis, 0, session, { kind: 'session', team: 'acme', scope: 'chat' });
    assert.equal((await lookup.artifactById('acme', 'chat', itemId(session, 2))).status, 'absent');
    const event = rowRequest({ kind: 'event', id: nextId(), scope: 'chat' });
    await insertAs('2', client, [
      unpackRows('2', encodeRows(event, [row(1, awaitedOf('an event'), { eventId: 'e', runId: 'r' })])).bytes,
    ]);
    assert.equal((await lookup.artifactById('acme', 'chat', itemId(event.id, 1))).status, 'absent');
    assert.equal((await lookup.latestArtifact('acme', 'chat', 'an event')).status, 'absent', 'decisions, Events');
    assert.equal((await lookup.byId('event', 'acme', 'chat', itemId(event.id, 1))).status, 'found');
  });

  it('of an external id is the last created, wherever the others are [4.4.latest]', async () => {
    const ids = Array.from({ length: 5 }, (_, n) => nextId(n));
    const own = (n: number): string => itemId(ids[n]!, 1);
    await archive('artifact', ids[0]!, row(1, awaitedOf('pic')));
    assert.equal((await latest('pic')).id, own(0));
    await hot('artifact', ids[2]!, [item(1, awaitedOf('pic'))]);
    assert.equal((await latest('pic')).id, own(2));
    await archive('artifact', ids[1]!, row(1, awaitedOf('pic')));
    assert.equal((await latest('pic')).id, own(2));
    await accept(ids[1]!, awaitedOf('pic'));
    assert.equal((await latest('pic')).id, own(2), 'one that was accepted earlier and takes long');
    await accept(ids[3]!, awaitedOf('pic'));
    assert.deepEqual([(await latest('pic')).id, (await latest('pic')).status], [own(3), 'processing']);
    await archive('artifact', ids[4]!, row(1, awaitedOf('pic')));
    await accept(ids[4]!, awaitedOf('pic'));
    assert.deepEqual([(await latest('pic')).id, (await latest('pic')).status], [own(4), 'completed'], 'archived early');
    const session = nextId();
    await hot('session', session, [
      recordItem(1, { type: 'session' }),
      item(2, awaitedOf('pic', { internal: itemId(session, 1), external: '' })),
    ]);
    assert.equal((await latest('pic')).id, itemId(session, 2), 'one that came in a session');
  });

  it('of an external id that a session has twice is the last of them, hot and archived [4.4.latest]', async () => {
    const session = nextId();
    const twice = awaitedOf('both', { internal: itemId(session, 1), external: '' });
    await hot('session', session, [recordItem(1, { type: 'session' }), item(2, twice), item(3, twice)]);
    assert.equal((await latest('both')).id, itemId(session, 3));
    await redis.flushall();
    await archive('session', session, rowItem(1, { eventId: '', runId: '' }), row(2, twice), row(3, twice));
    assert.equal((await latest('both')).id, itemId(session, 3));
  });

  it('of an external id is the last hot one that is still there [4.4.latest]', async () => {
    const ids = Array.from({ length: 70 }, () => nextId());
    for (const id of ids) await hot('artifact', id, [item(1, awaitedOf('expiring'))]);
    for (const id of ids.slice(2)) await redis.del(keys.result(0, id));
    assert.equal((await latest('expiring')).id, itemId(ids[1]!, 1));
  });

  it('that was noted and then refused is forgotten, and hides no accepted one', async () => {
    const [taken, refused] = [nextId(), nextId()];
    await hot('artifact', taken, [item(1, awaitedOf('twice'))]);
    const awaited = { kind: 'artifact', team: 'acme', scope: 'chat', artifact: awaitedOf('twice') } as const;
    await noteAccepted(redis, { requestId: refused, partition: 0, awaited }, 60);
    assert.equal((await latest('twice')).status, 'processing');
    await forgetAccepted(redis, { requestId: refused, partition: 0, awaited });
    assert.equal((await latest('twice')).id, itemId(taken, 1));
    assert.deepEqual(await redis.keys('a[cw]*'), []);
  });

  it('is noted within bounds: so many of one id, for so long', async () => {
    for (let i = 0; i < MOST_ACCEPTED + 10; i++)
      await accept(nextId(), awaitedOf('many', { internal: '', external: 's' }));
    const last = nextId();
    await accept(last, awaitedOf('many', { internal: '', external: 's' }));
    for (const kind of ['artifact', 'external'] as const) {
      const key = keys.accepted('acme', 'chat', kind, kind === 'artifact' ? 'many' : 's');
      assert.equal(await redis.zcard(key), MOST_ACCEPTED);
      assert.equal((await redis.zrevrange(key, 0, 0))[0], last);
      assert.ok((await redis.ttl(key)) > 0);
    }
    assert.ok((await redis.ttl(keys.await(0, last))) > 0);
  });

  it('is unknown, not absent, while ClickHouse cannot be asked', async () => {
    assert.equal((await alone.artifactById('acme', 'chat', itemId(nextId(), 1))).status, 'unavailable');
    assert.equal((await alone.latestArtifact('acme', 'chat', 'nowhere')).status, 'unavailable');
  });
});

describe('the artifacts of a session', () => {
  const of = async (internal: string, external: string, by: Lookup = lookup) =>
    value(await by.sessionArtifacts('acme', 'chat', { internal, external }, 100));

  it('are those of its messages and those linked by either id, of both stores, the last created first, each once [session.lookup-artifacts] [2.4.artifacts]', async () => {
    const session = nextId();
    const own = itemId(session, 1);
    const [internal, external] = [
      { internal: own, external: '' },
      { internal: '', external: 'talk' },
    ];
    const both = { internal: own, external: 'talk' };
    await hot('session', session, [
      recordItem(1, { type: 'session', externalSessionId: 'talk' }),
      item(2, awaitedOf('part 1', both)),
      item(3, awaitedOf('part 2', both)),
    ]);
    const parts = [row(2, awaitedOf('part 1', both)), row(3, awaitedOf('part 2', both))];
    await archive('session', session, rowItem(1, { eventId: '', runId: '', externalSessionId: 'talk' }), ...parts);
    const [archived, hotOne, pending, foreign] = [nextId(1), nextId(), nextId(2), nextId()];
    await archive('artifact', archived, row(1, awaitedOf('', internal)));
    await hot('artifact', hotOne, [item(1, awaitedOf('', external), { flagged: true })]);
    await accept(pending, awaitedOf('', both));
    await hot('artifact', foreign, [item(1, awaitedOf('', { internal: itemId(foreign, 9), external: 'other' }))]);
    const expected = [
      itemId(pending, 1),
      itemId(hotOne, 1),
      itemId(archived, 1),
      itemId(session, 3),
      itemId(session, 2),
    ];
    const found = await of(own, 'talk');
    assert.deepEqual(pluck(found.artifacts, 'id'), expected);
    assert.equal(found.complete, true);
    assert.deepEqual(pluck(found.artifacts, 'status'), ['processing', ...Array.from({ length: 4 }, () => 'completed')]);
    const byId = pluck((await of(own, '')).artifacts, 'id');
    assert.deepEqual(
      byId,
      expected.filter((id) => id !== itemId(hotOne, 1)),
    );
    const part = await of(own, 'talk', alone);
    assert.equal(part.complete, false, 'while ClickHouse is away it is said that some may be missing');
    const unknown = [itemId(archived, 1), itemId(pending, 1)];
    const known = pluck(part.artifacts, 'id');
    assert.deepEqual(
      known,
      expected.filter((id) => !unknown.includes(id)),
    );
    await redis.flushall();
    assert.deepEqual(pluck((await of(own, 'talk')).artifacts, 'id'), [
      itemId(archived, 1),
      itemId(session, 3),
      itemId(session, 2),
    ]);
  });

  it('are not those of other checks of the same external id, of which its own would be pushed out [session.lookup-artifacts]', async () => {
    const [first, second, third] = [nextId(), nextId(), nextId()].map((id) => ({ id, own: itemId(id, 1) }));
    const both = (internal: string) => ({ internal, external: 'shared' });
    const alone1 = nextId();
    const linked = nextId();
    for (const [store, { id, own }] of [
      ['hot', first!],
      ['archive', second!],
      ['hot', third!],
    ] as const) {
      const images = Array.from({ length: 6 }, (_, i) => awaitedOf(`image ${i}`, both(own)));
      if (store === 'hot')
        await hot(
          'session',
          id,
          images.map((one, i) => item(i + 2, one, { flagged: true })),
        );
      else await archive('session', id, ...images.map((one, i) => row(i + 2, one, { flagged: true })));
    }
    await archive('artifact', alone1, row(1, awaitedOf('', both(first!.own))));
    await hot('artifact', linked, [item(1, awaitedOf('', { internal: '', external: 'shared' }))]);
    for (const { id, own } of [first!, second!, third!]) {
      const found = value(await lookup.sessionArtifacts('acme', 'chat', both(own), 8)).artifacts;
      const expected = [linked, alone1].map((one) => itemId(one, 1));
      const parts = [7, 6, 5, 4, 3, 2].map((n) => itemId(id, n));
      assert.deepEqual(pluck(found, 'id'), [...expected, ...parts]);
    }
  });

  it('that are finished are never shown as processing again, also while ClickHouse cannot be asked [3.artifact-transitions]', async () => {
    const id = nextId();
    const session = { internal: '', external: 'finished' };
    const artifact = awaitedOf('', session);
    await accept(id, artifact);
    await hot('artifact', id, [item(1, artifact)]);
    await archive('artifact', id, row(1, artifact));
    const states = async (by: Lookup) => (await of('', 'finished', by)).artifacts.map(({ status }) => status);
    assert.deepEqual([await states(lookup), await states(alone)], [['completed'], ['completed']]);
    await redis.del(keys.result(0, id), keys.sessionArtifacts('acme', 'chat', 'external', 'finished'));
    assert.deepEqual([await states(lookup), await states(alone)], [['completed'], []]);
  });

  it('are at most as many as asked for, the last created, hot and archived alike', async () => {
    const session = { internal: '', external: 'long' };
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) {
      const id = nextId();
      ids.push(itemId(id, 1));
      if (i % 2 === 0) await archive('artifact', id, row(1, awaitedOf('', session)));
      else await hot('artifact', id, [item(1, awaitedOf('', session))]);
    }
    const found = value(await lookup.sessionArtifacts('acme', 'chat', session, 5));
    assert.deepEqual(pluck(found.artifacts, 'id'), ids.reverse().slice(0, 5));
    assert.deepEqual((await of('', 'nobody’s')).artifacts, []);
  });

  it('are shown in their newest version', async () => {
    const id = nextId();
    const session = { internal: '', external: 'replayed' };
    await archive('artifact', id, row(1, awaitedOf('', session), { status: 'failed', flagged: null, note: 'gave up' }));
    await hot('artifact', id, [item(1, awaitedOf('', session))], 2);
    assert.deepEqual(pluck((await of('', 'replayed')).artifacts, 'status'), ['completed']);
  });
});
