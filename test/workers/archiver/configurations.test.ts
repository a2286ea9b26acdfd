import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHistoryClient } from '#weir/shared/history/client';
import { createLogger } from '#weir/shared/log';
import { activate, activeIdentity, storeVersion } from '#weir/shared/streams/configuration';
import { createConfigurationRows } from '#weir/workers/archiver/configurations';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { sharedRedis } from '../../support/stores/redis.ts';

const { redis } = await sharedRedis();
const { client } = await sharedHistory();
const logger = createLogger('archiver', 'silent');
const writer = () => createConfigurationRows({ redis, clickhouse: client, logger });

const POLICY = {
  id: '11111111-1111-4111-8111-111111111111',
  team: 'acme',
  name: 'Cards',
  severity: 'high',
  detect: { pii: { entities: ['CREDIT_CARD'] } },
};

async function applied(policies: object[], message = ''): Promise<{ version: number; id: string }> {
  const text = JSON.stringify({ version: 1, keys: [{ id: 'k', sha256: 'secret' }], policies });
  await activate(redis, await storeVersion(redis, text), { user: 'ann', host: 'desk', message });
  return (await activeIdentity(redis))!;
}

async function rows<T>(query: string): Promise<T[]> {
  return await (await client.query({ query, format: 'JSONEachRow' })).json<T>();
}

describe('configurations in history', () => {
  it('are there once each, with when, by whom and why, and without keys', async () => {
    const first = await applied([POLICY], 'first');
    await writer().writeNew();
    const second = await applied([POLICY, { ...POLICY, id: '22222222-2222-4222-8222-222222222222', name: 'Other' }]);
    // Two archivers, one of which knows nothing of the other; and each looks again.
    for (const each of [writer(), writer()]) for (let i = 0; i < 2; i++) await each.writeNew();
    const all = await rows<Record<string, unknown>>('SELECT * FROM configurations ORDER BY number');
    assert.deepEqual(
      all.map(({ number, id, user, host, message }) => ({ number, id, user, host, message })),
      [
        { number: first.version, id: first.id, user: 'ann', host: 'desk', message: 'first' },
        { number: second.version, id: second.id, user: 'ann', host: 'desk', message: '' },
      ],
    );
    assert.deepEqual(JSON.parse(String(all[0]!.configuration)), { version: 1, policies: [POLICY] });
    assert.ok(Math.abs(Date.parse(`${all[0]!.applied}Z`) - Date.now()) < 3_600_000, String(all[0]!.applied));
    const policies = await rows(
      'SELECT number, policy_id, team, name, severity FROM configuration_policies ORDER BY number, name',
    );
    assert.deepEqual(policies, [
      { number: first.version, policy_id: POLICY.id, team: 'acme', name: 'Cards', severity: 'high' },
      { number: second.version, policy_id: POLICY.id, team: 'acme', name: 'Cards', severity: 'high' },
      {
        number: second.version,
        policy_id: '22222222-2222-4222-8222-222222222222',
        team: 'acme',
        name: 'Other',
        severity: 'high',
      },
    ]);
  });

  it('are written once ClickHouse can be asked again', async () => {
    const away = createHistoryClient({ url: 'http://127.0.0.1:1', database: 'weir' });
    const identity = await applied([{ ...POLICY, name: 'Late' }]);
    let client_ = away;
    const switching = new Proxy(client, { get: (_, name) => Reflect.get(client_, name, client_) });
    const one = createConfigurationRows({ redis, clickhouse: switching, logger });
    await assert.rejects(one.writeNew());
    client_ = client;
    await one.writeNew();
    const found = await rows<{ number: number }>(`SELECT number FROM configurations WHERE id = '${identity.id}'`);
    assert.deepEqual(found, [{ number: identity.version }]);
    await away.close();
  });

  it('are not held up by one that is refused, which is logged once and without a word of it', async () => {
    const refused = await applied([{ ...POLICY, name: 'Refused' }]);
    const taken = await applied([{ ...POLICY, name: 'Taken' }]);
    const insert = (asked: Parameters<typeof client.insert>[0]) =>
      client.insert(
        JSON.stringify(asked.values).includes(refused.id) ? { ...asked, values: [{ number: 'Refused' }] } : asked,
      );
    const strict = new Proxy(client, {
      get: (target, name) => (name === 'insert' ? insert : Reflect.get(target, name)),
    });
    const lines: string[] = [];
    const log = createLogger('archiver', 'warn', { write: (line: string) => lines.push(line) });
    const one = createConfigurationRows({ redis, clickhouse: strict, logger: log });
    for (let i = 0; i < 2; i++) await assert.rejects(one.writeNew());
    const found = await rows<{ number: number }>(
      `SELECT number FROM configurations WHERE id IN ('${refused.id}', '${taken.id}')`,
    );
    assert.deepEqual(found, [{ number: taken.version }]);
    assert.equal(lines.length, 1, lines.join(''));
    assert.match(lines[0]!, /configurations were not written to ClickHouse; trying again/);
    assert.doesNotMatch(lines[0]!, /Refused/);
  });
});
