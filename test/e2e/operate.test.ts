/** What a key without a team is told of an installation, and has tried again. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DeadLetterPage, OperationStatus, RefusedPage } from '#weir/shared/api/operation';
import { itemId, newRequestId } from '#weir/shared/ids';
import { readStatus } from '#weir/shared/operation/state';
import { keys } from '#weir/shared/streams/keys';
import { until } from '../support/wait.ts';
import { CARD, configuration, KEY, POLICY } from './configuration.ts';
import { type Answer, newRun, type System, startSystem } from './system.ts';

const PARTITIONS = 2;
const LETTERS = '/api/operation/dead-letters';
const REFUSED = '/api/operation/refused';
const STATUS = '/api/operation/status';
const THRESHOLDS = { maxMemoryPercent: 90, maxAgeMs: 600_000, redisReplicas: 0 };

describe('the interface of operators', () => {
  let system: System;
  before(async () => {
    system = await startSystem({
      configuration: { text: configuration(), file: 'test.yaml' },
      partitions: PARTITIONS,
      followers: true,
    });
  });
  after(() => system?.close());

  const get = (path: string): Promise<Answer> => system.get(path, { key: KEY.operator });
  const replay = (body: object): Promise<Answer> => system.post('/api/operation/replay', body, { key: KEY.operator });
  const letters = async (query = ''): Promise<DeadLetterPage> => (await get(`${LETTERS}${query}`)).json;

  /** An event that nobody can judge as long as version 99 is no configuration. */
  async function hopeless(team: string, partition: number, more: object = {}): Promise<string> {
    const [id, now] = [newRequestId(partition), Date.now()];
    const known = {
      id,
      kind: 'event',
      team,
      scope: 'prod',
      config: 99,
      key: 'k',
      received: now,
      deadline: now,
      reply: '',
    };
    const event = { type: 'reasoning', event_id: 'e', run_id: newRun(), content: `${CARD} open sesame` };
    const header = JSON.stringify({ ...known, ...more });
    await system.redis.xadd(keys.checks(partition), '*', 'header', header, 'body', JSON.stringify({ event }));
    return id;
  }

  it('says who the key is, and nothing of a team [operate.key]', async () => {
    const { status, json } = await get('/api/key');
    assert.equal(status, 200);
    assert.deepEqual(json, {
      key_id: 'operator',
      scopes: ['operate'],
      environments: [],
      deployments: [],
      policies: [],
    });
    for (const path of ['/api/history', '/api/users', '/api/label/queue', '/api/radar/risk?id=a']) {
      const refused = await get(path);
      assert.deepEqual([refused.status, refused.json.error.code], [403, 'permission_denied'], path);
    }
    for (const path of [STATUS, LETTERS, REFUSED]) assert.equal((await system.get(path)).status, 403, path);
  });

  it('says of the installation what weir status says [operate.status]', async () => {
    await system.events([{ type: 'message', role: 'user', content: 'fine' }]);
    await system.archived();
    const { redis } = system;
    const status: OperationStatus = (await get(STATUS)).json;
    const told = await readStatus(redis, THRESHOLDS);
    assert.deepEqual(status.refusing, []);
    assert.equal(status.clickhouse, null);
    assert.equal(status.configuration, told.configuration);
    const names = (members: readonly { name: string }[]): string[] => members.map(({ name }) => name).sort();
    assert.deepEqual([status.behind, status.unable], [[], []]);
    assert.deepEqual(status.processes.ingress.toSorted(), names(told.live.ingress));
    assert.deepEqual(status.processes.evaluators.toSorted(), names(told.live.worker));
    assert.deepEqual(status.processes.archivers.toSorted(), names(told.live.archiver));
    assert.ok(told.live.archiver.length > 0);
    assert.deepEqual(
      status.partitions.map(({ partition }) => partition),
      [0, 1],
    );
    const consumers = (of: readonly { consumers: number }[]): number => of.reduce((sum, one) => sum + one.consumers, 0);
    assert.ok(consumers(status.partitions) > 0);
    assert.equal(consumers(status.partitions), consumers(told.partitions));
    assert.equal(status.redis[0]!.role, 'primary');
    await redis.config('SET', 'min-replicas-to-write', '1');
    try {
      const refusing: OperationStatus = (await get(STATUS)).json;
      assert.match(refusing.refusing.join(' '), /min-replicas-to-write/);
      assert.match(refusing.redis[0]!.refuses!, /takes no writes/);
      const refused = await replay({ dead_letter: '0/1-0' });
      assert.equal(refused.status, 503, 'the audit log is told before anything is done');
    } finally {
      await redis.config('SET', 'min-replicas-to-write', '0');
    }
  });

  it('lists dead letters of all teams and partitions once each, and has them replayed once [operate.lists] [operate.replay]', async () => {
    const { redis } = system;
    await redis.hset(keys.configVersions(), '99', '{}');
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await hopeless(n % 3 === 0 ? 'globex' : 'acme', n % PARTITIONS));
    const unkept = await hopeless('acme', 1, { unkept: 'asked' });
    const lost = await redis.xadd(
      keys.dead(0),
      '*',
      'header',
      'x',
      'body',
      CARD,
      'reason',
      'its header',
      'attempts',
      '3',
    );
    const count = async (): Promise<number> => (await redis.xlen(keys.dead(0))) + (await redis.xlen(keys.dead(1)));
    await until('all are given up', async () => (await count()) === ids.length + 2);

    const all: DeadLetterPage['dead_letters'] = [];
    let next: string | undefined;
    do {
      const page = await letters(`?limit=3${next === undefined ? '' : `&after=${next}`}`);
      all.push(...page.dead_letters);
      next = page.next;
    } while (next);
    assert.equal(new Set(all.map((one) => one.dead_letter)).size, ids.length + 2);
    assert.deepEqual(new Set(all.map((one) => one.request_id)), new Set([...ids, unkept, undefined]));
    assert.deepEqual(new Set(all.map((one) => one.team)), new Set(['acme', 'globex', undefined]));
    assert.doesNotMatch(JSON.stringify(all), /4111|sesame/);
    const times = all.map((one) => one.given_up_at);
    assert.deepEqual(times, times.toSorted().reverse(), 'the newest first');
    const of = (id: string) => all.find((one) => one.request_id === id)!;
    assert.deepEqual([of(ids[0]!).attempts, of(ids[0]!).obstacle, of(ids[0]!).kind], [3, null, 'event']);
    assert.match(of(unkept).obstacle!, /not kept/);

    await redis.hset(keys.configVersions(), '99', (await redis.hget(keys.configVersions(), '1'))!);
    for (const place of [of(unkept).dead_letter, `0/${lost}`]) {
      const refused = await replay({ dead_letter: place });
      assert.deepEqual([refused.status, refused.json.error.issues[0].code], [400, 'not_replayable'], place);
    }
    const place = of(ids[1]!).dead_letter;
    const answers = await Promise.all([1, 2, 3].map(() => replay({ dead_letter: place })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404], 'once');
    assert.deepEqual(answers.find(({ status }) => status === 200)!.json, { replayed: 1 });
    const path = `/api/event/${itemId(ids[1]!, 1)}?environment_id=prod`;
    await until('it is finished', async () => (await system.get(path)).json.event?.status === 'completed');
    assert.equal((await system.get(path)).json.policies[POLICY.card].flagged, true);
    assert.equal(await count(), ids.length + 1);
    for (const gone of ['1999/1-0', '0/1-0', place]) {
      const { status, json } = await replay({ dead_letter: gone });
      assert.deepEqual([status, json.error.param], [404, 'dead_letter'], gone);
    }
    assert.equal(await redis.exists(keys.dead(1999)), 0);
    const partitions = ((await get(STATUS)).json as OperationStatus).partitions.map((each) => each.dead_letters);
    assert.equal(partitions[0]! + partitions[1]!, ids.length + 1);
  });

  it('lists what ClickHouse refuses, and has one or all of it archived once the cause is gone [operate.lists] [operate.replay]', async () => {
    const { redis } = system;
    await system.sql("ALTER TABLE contents ADD CONSTRAINT no_word CHECK content != 'a forbidden word'");
    const sent: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { json } = await system.session({
        messages: [{ role: 'user', content: 'a forbidden word' }],
        external_session_id: newRun('refused'),
      });
      sent.push(json.internal_session_id);
    }
    const count = async (): Promise<number> =>
      (await redis.xlen(keys.refused(0))) + (await redis.xlen(keys.refused(1)));
    await until('all are set aside', async () => (await count()) === sent.length);
    const first: RefusedPage = (await get(`${REFUSED}?limit=2`)).json;
    const rest: RefusedPage = (await get(`${REFUSED}?after=${first.next}`)).json;
    const all = [...first.refused, ...rest.refused];
    assert.equal(rest.next, undefined);
    assert.deepEqual([...all.map((one) => one.request_id)].sort(), sent.map((id) => itemId(id, 0)).sort());
    assert.match(all[0]!.reason, /constraint no_word/);
    assert.doesNotMatch(JSON.stringify(all), /forbidden/);
    const times = all.map((one) => one.finished_at);
    assert.deepEqual(times, times.toSorted(), 'the oldest first');

    await system.sql('ALTER TABLE contents DROP CONSTRAINT no_word');
    const place = all[0]!.refused;
    const answers = await Promise.all([1, 2].map(() => replay({ refused: place })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404], 'once');
    assert.deepEqual((await replay({ refused: 'all' })).json, { replayed: sent.length - 1, left: 0 });
    await system.archived();
    const rows = await system.sql(`SELECT count() AS n FROM contents WHERE content = 'a forbidden word'`);
    assert.equal(Number(rows[0]!.n), sent.length);
    assert.deepEqual((await get(REFUSED)).json, { refused: [], partitions_away: [] });
  });

  it('says what is wrong with a question [operate.replay]', async () => {
    for (const [body, param] of [
      [{}, 'dead_letter'],
      [{ dead_letter: '0/1-0', refused: 'all' }, 'refused'],
      [{ dead_letter: 'all' }, 'dead_letter'],
      [{ refused: '0' }, 'refused'],
      [{ refused: 7 }, 'refused'],
    ] as const) {
      const { status, json } = await replay(body);
      assert.deepEqual([status, json.error.param], [400, param], JSON.stringify(body));
    }
    for (const [path, param] of [
      [`${LETTERS}?after=7`, 'after'],
      [`${REFUSED}?limit=101`, 'limit'],
    ] as const) {
      const { status, json } = await get(path);
      assert.deepEqual([status, json.error.param], [400, param], path);
    }
  });

  it('answers 503 while Redis does not answer, and again once it does [operate.bounded]', async () => {
    const { pid } = system.stack.redis;
    process.kill(pid, 'SIGSTOP');
    try {
      const answers = await Promise.all([get(STATUS), get(LETTERS), get(REFUSED), replay({ refused: 'all' })]);
      assert.deepEqual(
        answers.map(({ status, json }) => [status, json.error.code]),
        Array.from({ length: 4 }, () => [503, 'unavailable']),
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    for (const path of [STATUS, LETTERS, REFUSED])
      await until(`${path} is answered`, async () => (await get(path)).status === 200);
  });
});
