/** `weir erase`: what it takes for a user, a session, a run and an event, over the real stores. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { itemId, newRequestId } from '#weir/shared/ids';
import { listErasures } from '#weir/shared/streams/erasures';
import { keys } from '#weir/shared/streams/keys';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { startTestHistory, type TestClickHouse } from '../../../../support/stores/clickhouse.ts';
import { encodeRows } from '../../../../support/stores/encoded.ts';
import { rowItem, rowRequest } from '../../../../support/stores/history.ts';
import { insertRows } from '../../../../support/stores/insert.ts';
import { startTestRedis, type TestRedis } from '../../../../support/stores/redis.ts';
import { type Ran, weir } from '../../support.ts';

describe('weir erase', () => {
  let server: TestClickHouse;
  let redisServer: TestRedis;
  let redis: Redis;
  let client: HistoryClient;
  const environment = { ...process.env };

  before(async () => {
    [server, redisServer] = await Promise.all([startTestHistory(), startTestRedis()]);
    client = createHistoryClient({ url: server.url, database: 'weir' });
    redis = new Redis(redisServer.port, '127.0.0.1');
    await redis.set(keys.partitions(), '1');
    const configured = (scopes: string[]) =>
      JSON.stringify({
        teams: [{ id: 'acme' }, { id: 'globex' }],
        environments: [...scopes.map((id) => ({ id, team: 'acme' })), { id: 'theirs', team: 'globex' }],
        deployments: [{ id: 'chat', team: 'acme' }],
      });
    await redis.hset(keys.configVersions(), { 1: configured(['prod', 'old']), 2: configured(['prod', 'test']) });
    await redis.hset(keys.configContents(), { 1: 'a', 2: 'b' });
    await redis.set(keys.configActive(), '2');
    Object.assign(process.env, {
      WEIR_CLICKHOUSE_URL: server.url,
      WEIR_REDIS_URL: `redis://127.0.0.1:${redisServer.port}`,
    });
  });
  after(async () => {
    process.env = environment;
    redis?.disconnect();
    await client?.close();
    await Promise.all([server?.close(), redisServer?.close()]);
  });

  const erase = (...args: string[]): Promise<Ran> => weir('erase', '--team', 'acme', '--no-wait', ...args);
  const subjects = async (): Promise<string[]> => (await listErasures(redis)).map(({ subject }) => subject);
  async function store(fields: Parameters<typeof rowRequest>[0] = {}, external = ''): Promise<string> {
    const request = rowRequest(fields);
    const item = rowItem(1, { content: 'x', externalSessionId: external });
    await insertRows(client, unpackRows('1', encodeRows(request, [item])).bytes);
    return itemId(request.id, 1);
  }

  it('refuses what the interface refuses, in a sentence, and begins nothing [erase.command]', async () => {
    const elsewhere = await store({ scope: 'test' });
    const theirs = await store({ team: 'globex', scope: 'theirs' });
    const [none, other] = [itemId(newRequestId(0), 1), '3f2c1a88-0000-4000-8000-000000000001'];
    const cases: [args: string[], code: number, message: RegExp][] = [
      [['--user', ''], 2, /--user: expected what names it/],
      [['--email', ' '], 2, /--email: expected what names it/],
      [['--user', 'x'.repeat(300)], 2, /--user: expected at most 256 characters/],
      [['--email', 'x'.repeat(300)], 2, /--email: expected at most 256 characters/],
      [['--user', 'u', '--environment', 'prod'], 2, /--environment: expected none beside --user/],
      [['--run', '', '--environment', 'prod'], 2, /--run: expected what names it/],
      [['--run', 'a b', '--environment', 'prod'], 2, /--run: expected 1 to 128 characters out of letters/],
      [['--run', 'r'], 2, /--run: expected --environment, too/],
      [['--run', 'r', '--environment', ''], 2, /--run: expected --environment, too/],
      [['--run', 'r', '--environment', 'nope'], 2, /expected one of team "acme": prod, test; got "nope"/],
      [['--run', 'r', '--environment', 'theirs'], 2, /expected one of team "acme": prod, test; got "theirs"/],
      [['--run', 'r', '--environment', 'chat'], 2, /--environment: expected one of/],
      [['--session', '', '--deployment', 'chat'], 2, /--session: expected what names it/],
      [['--session', 's', '--deployment', 'prod'], 2, /--deployment: expected one of team "acme": chat; got "prod"/],
      [['--event', 'e1', '--environment', 'prod'], 2, /--event: expected an internal id, a UUID/],
      [['--event', elsewhere, '--environment', 'prod'], 1, /the environment "prod" has no event/],
      [['--event', theirs, '--environment', 'prod'], 1, /the environment "prod" has no event/],
      [['--event', none, '--environment', 'prod'], 1, /the environment "prod" has no event/],
      [['--event', other, '--environment', 'prod'], 1, /the environment "prod" has no event/],
    ];
    for (const [args, code, message] of cases) {
      const ran = await erase(...args);
      assert.equal(ran.code, code, `${args.join(' ')}: ${ran.err}`);
      assert.match(ran.err, message);
      assert.equal(ran.out, '');
    }
    const nobody = await weir('erase', '--no-wait', '--team', 'nope', '--user', 'u');
    assert.deepEqual([nobody.code, /--team: expected one of: acme, globex; got "nope"/.test(nobody.err)], [2, true]);
    assert.deepEqual(await subjects(), []);
    const away = process.env.WEIR_CLICKHOUSE_URL;
    process.env.WEIR_CLICKHOUSE_URL = 'http://127.0.0.1:1';
    const unknown = await erase('--event', none, '--environment', 'prod');
    process.env.WEIR_CLICKHOUSE_URL = away;
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /cannot be told: ClickHouse is away/);
    assert.deepEqual(await subjects(), []);
  });

  it('takes what is there, and what nobody knows of a user or a run [erase.command]', async () => {
    const event = await store();
    const check = await store({ kind: 'session', scope: 'chat' }, 'chat-7');
    for (const args of [
      ['--user', 'u'],
      ['--email', ' A@Example.com '],
      ['--run', 'run-1', '--environment', 'old'],
      ['--event', event.toUpperCase(), '--environment', 'prod'],
      ['--session', 'chat-7', '--deployment', 'chat'],
      ['--session', check, '--deployment', 'chat'],
    ]) {
      const ran = await erase(...args);
      assert.equal(ran.code, 0, ran.err);
      assert.equal(JSON.parse(ran.out).state, 'waiting');
    }
    const all = await listErasures(redis);
    assert.deepEqual(all.map(({ subject }) => subject).sort(), ['event', 'run', 'session', 'session', 'user', 'user']);
    assert.equal(all.find(({ subject }) => subject === 'event')!.internal, event);
    const sessions = all.filter(({ subject }) => subject === 'session').map(({ marks }) => marks);
    assert.deepEqual(sessions[0], sessions[1], 'a check says which session is meant');
  });
});
