/** What webhooks are told of appeals, up to their queues in Redis. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createAppealDesk } from '#weir/ingress/appeals/desk';
import { ApiError } from '#weir/shared/api/errors';
import type { HookConfiguration } from '#weir/shared/configuration/types';
import type { StoredAppeal } from '#weir/shared/history/read/appeals';
import { newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { countDeliveries, takeDeliveries } from '#weir/shared/streams/hooks';
import { keys } from '#weir/shared/streams/keys';
import { ensurePartitions } from '#weir/shared/streams/partitions';
import { sharedRedis } from '../../support/stores/redis.ts';
import { directory } from '../support.ts';

const { redis } = await sharedRedis();
const POLICY = '6f1c0f0e-1111-4222-8333-444444444440';
const AT = 1_790_000_000_000;
const HOOK: HookConfiguration = {
  id: 'h',
  team: 'acme',
  url: 'https://h/',
  on: ['appeal'],
  policies: null,
  secret_env: 'S',
};
const appeal = (): StoredAppeal => ({
  item: 'session',
  id: newRequestId(1),
  team: 'acme',
  scope: 'a chat',
  policy_id: POLICY,
  policy_name: 'Hate',
  note: 'hidden',
  reference: null,
  at: AT,
  state: 'open',
  decided: null,
});

describe('the desk of appeals', () => {
  beforeEach(async () => {
    await ensurePartitions(redis, 2);
  });

  const deskOf = (hooks: HookConfiguration[], { hookBacklogBytes = 1 << 20, store = redis as Redis } = {}) =>
    createAppealDesk(store, {
      store: { store: async () => undefined },
      directory: () => ({ ...directory, hooks: () => hooks }),
      hookBacklogBytes,
      logger: createLogger('test', 'silent'),
    });

  it('has an appeal made once, by one request at a time, and by the next one where that failed', async () => {
    const desk = deskOf([]);
    const one = appeal();
    let made: StoredAppeal | undefined;
    const makers: string[] = [];
    const work = (name: string) => ({
      find: async () => made,
      async make(): Promise<StoredAppeal> {
        makers.push(name);
        await setImmediate();
        assert.equal(makers.at(-1), name, 'no other one makes it meanwhile');
        if (makers.length === 1) throw new Error('it failed');
        made = { ...one, reference: name };
        return made;
      },
    });
    const ends = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => desk.once(one.id, POLICY, work(name))));
    assert.equal(ends.filter(({ status }) => status === 'rejected').length, 1);
    assert.equal(makers.length, 2);
    for (const end of ends) if (end.status === 'fulfilled') assert.equal(end.value.reference, makers[1]);
    assert.equal(await redis.exists(keys.appeal(1, one.id, POLICY)), 0);
  });

  it('answers with an appeal that is there, whoever has the key, and asks to repeat what Redis does not take', async () => {
    const one = appeal();
    await redis.set(keys.appeal(1, one.id, POLICY), 'another', 'PX', 60_000);
    let looks = 0;
    const find = async (): Promise<StoredAppeal | undefined> => (++looks > 2 ? one : undefined);
    assert.equal(await deskOf([]).once(one.id, POLICY, { find, make: assert.fail }), one);
    assert.equal(await redis.get(keys.appeal(1, one.id, POLICY)), 'another');
    const away = connectCommands({ redisUrl: 'redis://127.0.0.1:1' }, 'test');
    away.on('error', () => undefined);
    const nothing = { find: async () => undefined, make: assert.fail };
    await assert.rejects(deskOf([], { store: away }).once(one.id, POLICY, nothing), (error) => {
      return error instanceof ApiError && error.code === 'unavailable';
    });
    away.disconnect();
  });

  it('tells the webhooks that ask for appeals against the policy, in the partition of the item [appeals.hooks]', async () => {
    const hooks = [
      HOOK,
      { ...HOOK, id: 'flagged', on: ['flagged' as const] },
      { ...HOOK, id: 'other', policies: ['6f1c0f0e-1111-4222-8333-444444444441'] },
      { ...HOOK, id: 'named', policies: [POLICY] },
    ];
    const one = appeal();
    const desk = deskOf(hooks);
    await desk.tell('appeal.opened', one, AT);
    await desk.tell('appeal.opened', one, AT);
    await desk.tell('appeal.decided', { ...one, state: 'stands' }, AT + 1);
    for (const [id, waiting] of [
      ['h', 2],
      ['flagged', 0],
      ['other', 0],
      ['named', 2],
    ] as const)
      assert.equal((await countDeliveries(redis, 1, `acme/${id}`)).waiting, waiting, id);
    const taken = await takeDeliveries(redis, { partition: 1, hook: 'acme/h' }, { most: 9, holdMs: 1000 });
    const bodies = taken.map(({ body }) => JSON.parse(body));
    assert.deepEqual(new Set(bodies.map(({ type }) => type)), new Set(['appeal.opened', 'appeal.decided']));
    const { data } = bodies.find(({ type }) => type === 'appeal.opened');
    assert.equal(data.appeal_url, `/api/appeal?internal_session_id=${one.id}&deployment_id=a%20chat`);
    assert.ok(
      taken.every(({ id, body }) => id.startsWith(`msg_${one.id.replaceAll('-', '')}`) && !body.includes('hidden')),
    );
  });

  it('keeps so many bytes of a team, an equal share for each webhook and partition', async () => {
    const hooks = [HOOK, { ...HOOK, id: 'g' }];
    const desk = deskOf(hooks, { hookBacklogBytes: 4096 });
    for (let n = 0; n < 20; n++) await desk.tell('appeal.opened', appeal(), AT);
    const { bytes, dropped, waiting } = await countDeliveries(redis, 1, 'acme/h');
    assert.ok(bytes <= 1024 && waiting > 0, `${bytes} bytes`);
    assert.equal(dropped, 20 - waiting);
  });

  it('is a 503 where Redis does not take it, and asks nothing where nobody is told', async () => {
    const away = connectCommands({ redisUrl: 'redis://127.0.0.1:1' }, 'test');
    away.on('error', () => undefined);
    try {
      await deskOf([], { store: away }).tell('appeal.opened', appeal(), AT);
      await assert.rejects(deskOf([HOOK], { store: away }).tell('appeal.opened', appeal(), AT), (error) => {
        return error instanceof ApiError && error.code === 'unavailable';
      });
    } finally {
      away.disconnect();
    }
  });
});
