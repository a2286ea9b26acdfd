import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createAuditTrail } from '#weir/ingress/audit/trail';
import type { KeyConfiguration } from '#weir/shared/configuration/types';
import { createHistoryClient } from '#weir/shared/history/client';
import { newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import {
  type AuditedAct,
  type AuditLogRow,
  addAudit,
  addOneAudit,
  auditId,
  auditRow,
  dropAudit,
  MOST_AUDITED,
  oldestAudit,
} from '#weir/shared/streams/audit';
import { activate, storeVersion } from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { createAuditRows } from '#weir/workers/archiver/audit';
import { createConfigurationRows } from '#weir/workers/archiver/configurations';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { sharedRedis } from '../../support/stores/redis.ts';

const { redis } = await sharedRedis();
const { client } = await sharedHistory();
const logger = createLogger('archiver', 'silent');

const ACTOR = { kind: 'key', id: 'desk', address: '10.0.0.7', request: 'r-1' } as const;

function actOf(subject: string, team = 'acme'): AuditedAct {
  const what = { kind: 'event', id: subject } as const;
  return { team, action: 'content.read', actor: ACTOR, scope: 'prod', subject: what };
}

function rowOf(subject: string, team?: string): AuditLogRow {
  const ms = Date.now();
  return auditRow(actOf(subject, team), ms, newRequestId(0, ms));
}

async function stored(where: string): Promise<Record<string, unknown>[]> {
  const query = `SELECT ts, toString(id) AS id, team, action, actor_kind, actor, address, subject, details
    FROM audit FINAL WHERE ${where} ORDER BY ts, team, subject, action`;
  return await (await client.query({ query, format: 'JSONEachRow' })).json<Record<string, unknown>>();
}

describe('the audit log', () => {
  it('leaves Redis once ClickHouse has it, however often it is stored', async () => {
    const rows = [rowOf('first'), rowOf('second')];
    await addAudit(redis, rows);
    const insert = client.insert.bind(client);
    // Another archiver stores the same at the same time.
    await insert({ table: 'audit', values: rows, format: 'JSONEachRow' });
    await createAuditRows({ redis, clickhouse: client, logger }).store();
    assert.equal(await redis.xlen(keys.audit()), 0);
    const found = await stored("subject IN ('first', 'second')");
    assert.deepEqual(
      found.map(({ id, subject, actor, address }) => ({ id, subject, actor, address })),
      rows.map(({ id, subject }) => ({ id, subject, actor: 'desk', address: '10.0.0.7' })),
    );
  });

  it('waits in Redis while ClickHouse is away, and is stored in whole then [audit.kept]', async () => {
    const away = createHistoryClient({ url: 'http://127.0.0.1:1', database: 'weir' });
    const many = Array.from({ length: 4500 }, (_, i) => rowOf(`late-${i}`));
    for (let i = 0; i < many.length; i += 500) await addAudit(redis, many.slice(i, i + 500));
    await assert.rejects(createAuditRows({ redis, clickhouse: away, logger }).store());
    await away.close();
    assert.equal(await redis.xlen(keys.audit()), 4500);
    await createAuditRows({ redis, clickhouse: client, logger }).store();
    assert.equal(await redis.xlen(keys.audit()), 0);
    assert.equal((await stored("startsWith(subject, 'late-')")).length, 4500);
  });

  it('takes no entry without room, and leaves room for other teams [audit.first]', async () => {
    const fill = async (team: string): Promise<void> => {
      const rows = Array.from({ length: 500 }, () => rowOf('fill', team));
      while ((await addAudit(redis, rows)).every(Boolean));
    };
    await fill('acme');
    assert.equal(await redis.xlen(keys.audit()), MOST_AUDITED / 2);
    await assert.rejects(addOneAudit(redis, actOf('one more')), /no room/);
    // Of several teams, only the entries of that which holds too many are refused.
    const mixed = [rowOf('a'), rowOf('b', 'globex'), rowOf('c')];
    assert.deepEqual(await addAudit(redis, mixed), [false, true, false]);
    // Told together, each is answered for itself.
    const trail = createAuditTrail(redis, logger);
    const first = trail.tell([actOf('d', 'globex')]);
    const [full, free] = await Promise.allSettled([trail.tell([actOf('e')]), trail.tell([actOf('f', 'globex')])]);
    await first;
    assert.equal(free.status, 'fulfilled');
    assert.equal((full as PromiseRejectedResult).reason.code, 'unavailable');
    await fill('globex');
    assert.equal(await redis.xlen(keys.audit()), MOST_AUDITED * 0.75);

    const some = (await oldestAudit(redis, 300)).filter(({ row }) => row.team === 'acme');
    // Two archivers take the same out.
    for (let i = 0; i < 2; i++) await dropAudit(redis, some);
    const left = { acme: String(MOST_AUDITED / 2 - some.length), globex: String(MOST_AUDITED / 4) };
    assert.deepEqual(await redis.hgetall(keys.auditTeams()), left);

    // As a process does that does not count.
    await redis.del(keys.audit());
    await addOneAudit(redis, actOf('first again'));
    assert.deepEqual(await redis.hgetall(keys.auditTeams()), { acme: '1' });
    await dropAudit(redis, await oldestAudit(redis, 300));
    assert.equal(await redis.exists(keys.auditTeams()), 0);
  });

  it('has ids that follow from what is told', () => {
    const id = auditId(1_790_000_000_000, 'a');
    assert.match(id, /^01a0c450-6c00-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(auditId(1_790_000_000_000, 'a'), id);
    assert.notEqual(auditId(1_790_000_000_000, 'b'), id);
  });
});

describe('the audit log of configurations', () => {
  const key = (id: string, more: Partial<KeyConfiguration> = {}): object => ({
    id,
    team: 'acme',
    sha256: `secret of ${id}`,
    scopes: ['read'],
    expires_at: null,
    ...more,
  });

  async function apply(some: object[], message = ''): Promise<void> {
    const text = JSON.stringify({ version: 1, keys: some, policies: [] });
    // Of two versions in a millisecond, the rows would be in any order.
    const last = Date.now();
    while (Date.now() === last) await setImmediate();
    await activate(redis, await storeVersion(redis, text), { user: 'ann', host: 'desk', message });
  }

  const told = async (): Promise<Record<string, unknown>[]> =>
    (await stored("actor_kind != 'key'")).map(({ team, action, actor, address, subject, details }) => ({
      team,
      action,
      ...(actor === '' ? {} : { by: `${actor} of ${address}` }),
      subject,
      ...(JSON.parse(String(details)) as object),
    }));

  it('tells of versions, who applied them, and how keys changed, without secrets [audit.keys]', async () => {
    const first = [key('a'), key('b')];
    await apply(first, 'first');
    await apply([
      key('a', { sha256: 'another secret', scopes: ['read', 'content'] }),
      key('c'),
      key('op', { team: null }),
    ]);
    await apply(first);
    // Two archivers, and each looks again.
    for (let i = 0; i < 2; i++) {
      const one = createConfigurationRows({ redis, clickhouse: client, logger });
      await one.writeNew();
      await one.writeNew();
    }
    const by = 'ann@desk of desk';
    const changed = ['sha256', 'scopes'];
    const expected = [
      { team: '', action: 'configuration.applied', by, subject: '1', message: 'first' },
      { team: 'acme', action: 'key.added', by, subject: 'a' },
      { team: 'acme', action: 'key.added', by, subject: 'b' },
      { team: '', action: 'configuration.applied', by, subject: '2' },
      { team: '', action: 'key.added', by, subject: 'op' },
      { team: 'acme', action: 'key.changed', by, subject: 'a', changed },
      { team: 'acme', action: 'key.removed', by, subject: 'b' },
      { team: 'acme', action: 'key.added', by, subject: 'c' },
      { team: '', action: 'configuration.rolled_back', by, subject: '3', rolled_back_to: 1 },
      { team: '', action: 'key.removed', by, subject: 'op' },
      { team: 'acme', action: 'key.changed', by, subject: 'a', changed },
      { team: 'acme', action: 'key.added', by, subject: 'b' },
      { team: 'acme', action: 'key.removed', by, subject: 'c' },
    ];
    assert.deepEqual(await told(), expected);
    const text = JSON.stringify(await stored('true'));
    assert.doesNotMatch(text, /secret/);
  });

  it('tells once when a key has expired, also where another version was applied meanwhile', async () => {
    const soon = new Date(Date.now() + 50).toISOString();
    const later = new Date(Date.now() + 60).toISOString();
    await apply([key('soon', { expires_at: soon }), key('later', { expires_at: later })]);
    const long = key('long', { expires_at: '2020-01-01T00:00:00.000Z' });
    const one = createConfigurationRows({ redis, clickhouse: client, logger });
    while (Date.now() <= Date.parse(later) + 1) await one.writeNew();
    await apply([key('soon', { expires_at: soon }), long]);
    for (let i = 0; i < 2; i++) await createConfigurationRows({ redis, clickhouse: client, logger }).writeNew();
    const expired = (await told()).filter(({ action }) => action === 'key.expired');
    assert.deepEqual(expired, [
      { team: 'acme', action: 'key.expired', subject: 'soon' },
      { team: 'acme', action: 'key.expired', subject: 'later' },
    ]);
  });
});
