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

  it('lets one request make an appeal at a time, and the next one when it has ended, also where it failed', async () => {
    const desk = deskOf([]);
    const { id } = appeal();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      await setImmediate();
      steps.push(`${name} ends`);
      if (name === 'a') throw new Error('it failed');
      return name;
    };
    const all = ['a', 'b', 'c'].map((name) => desk.alone(id, POLICY, work(name)));
    const ends = await Promise.allSettled(all);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected']);
    for (let i = 0; i < steps.length; i += 2) assert.equal(steps[i + 1], steps[i]!.replace('begins', 'ends'));
    assert.equal(await redis.exists(keys.appeal(1, id, POLICY)), 0);
    assert.equal(await desk.alone(id, POLICY, async () => 'later'), 'later');
  });

  it('asks the caller to repeat an appeal that another request is making for long, or that Redis does not take', async () => {
    const { id } = appeal();
    await redis.set(keys.appeal(1, id, POLICY), 'another', 'PX', 60_000);
    const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.code === 'unavailable';
    await assert.rejects(deskOf([]).alone(id, POLICY, assert.fail), isUnavailable);
    assert.equal(await redis.get(keys.appeal(1, id, POLICY)), 'another');
    const away = connectCommands({ redisUrl: 'redis://127.0.0.1:1' }, 'test');
    away.on('error', () => undefined);
    await assert.rejects(deskOf([], { store: away }).alone(id, POLICY, assert.fail), isUnavailable);
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
