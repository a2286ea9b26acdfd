/** The command that reads the audit log, over rows in the real engine. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { AuditEntry } from '#weir/shared/api/audit';
import { newRequestId } from '#weir/shared/ids';
import { type AuditedAct, auditRow } from '#weir/shared/streams/audit';
import { sharedHistory } from '../../../../support/stores/clickhouse.ts';
import { weir } from '../../support.ts';

const { engine, client } = await sharedHistory();
const before = { ...process.env };
process.env.WEIR_CLICKHOUSE_URL = engine.url;
after(() => {
  process.env = before;
});

const now = Date.now();
const EVENT = newRequestId(0, now - 60_000);
const ann = { kind: 'command', id: 'ann@desk', address: 'desk', request: '' } as const;
const key = { kind: 'key', id: 'acme-desk', address: '10.0.0.7', request: 'r-1' } as const;
const ofEvent = { team: 'acme', actor: key, scope: 'prod', subject: { kind: 'event', id: EVENT } } as const;
const label = { policy_id: '6f1c0f0e-1111-4222-8333-444444444440', label: 'false_alarm' } as const;
/** The oldest first. */
const ACTS: AuditedAct[] = [
  {
    team: '',
    action: 'configuration.applied',
    actor: ann,
    scope: '',
    subject: { kind: 'configuration', id: '12' },
    details: { message: 'as asked\n2026-01-01 faked' },
  },
  {
    team: 'acme',
    action: 'key.changed',
    actor: { kind: 'weir', id: '', address: '', request: '' },
    scope: '',
    subject: { kind: 'key', id: 'desk' },
    details: { changed: ['sha256', 'scopes'] },
  },
  { ...ofEvent, action: 'content.read' },
  { ...ofEvent, action: 'label.set', details: label },
  { ...ofEvent, team: 'beta', action: 'content.read' },
];
const HOUR_MS = 3_600_000;
const rows = ACTS.map((act, n) => {
  const ms = now - (ACTS.length - n) * HOUR_MS;
  return auditRow(act, ms, newRequestId(0, ms));
});
await client.insert({ table: 'audit', values: rows, format: 'JSONEachRow' });

describe('weir audit', () => {
  const lines = async (...args: string[]): Promise<string[]> => {
    const { code, out, err } = await weir('audit', ...args);
    assert.equal(code, 0, err);
    return out.split('\n').filter((line) => line !== '');
  };
  const entries = async (...args: string[]): Promise<AuditEntry[]> =>
    (await lines('--json', ...args)).map((line) => JSON.parse(line) as AuditEntry);

  it('lists who did what, the newest first, a line each', async () => {
    const at = (n: number): string => rows[n]!.ts;
    assert.deepEqual(await lines(), [
      `${at(4)}  content.read  key acme-desk  event ${EVENT}  beta/prod  from 10.0.0.7`,
      `${at(3)}  label.set  key acme-desk  event ${EVENT}  acme/prod  from 10.0.0.7  (false_alarm, policy ${label.policy_id})`,
      `${at(2)}  content.read  key acme-desk  event ${EVENT}  acme/prod  from 10.0.0.7`,
      `${at(1)}  key.changed  weir  key desk  acme  (sha256, scopes)`,
      `${at(0)}  configuration.applied  command ann@desk  configuration 12  from desk  (as asked\\n2026-01-01 faked)`,
    ]);
  });

  it('has the entries of the interface as JSON', async () => {
    const [entry] = await entries('--action', 'label.set');
    assert.deepEqual(entry, {
      audit_id: rows[3]!.id,
      at: `${rows[3]!.ts.replace(' ', 'T')}Z`,
      action: 'label.set',
      actor_kind: 'key',
      actor: 'acme-desk',
      address: '10.0.0.7',
      request_id: 'r-1',
      team: 'acme',
      scope: 'prod',
      subject_kind: 'event',
      subject: EVENT,
      ...label,
    });
  });

  it('is of a time, a team, an action, an actor and a subject, and goes on where a list has ended', async () => {
    const found = async (...args: string[]): Promise<number[]> =>
      (await entries(...args)).map((one) => rows.findIndex(({ id }) => id === one.audit_id));
    assert.deepEqual(await found('--team', 'acme'), [3, 2, 1, 0]);
    assert.deepEqual(await found('--team', 'beta', '--action', 'content.read'), [4]);
    assert.deepEqual(await found('--actor', 'ann@desk'), [0]);
    assert.deepEqual(await found('--subject', EVENT, '--limit', '2'), [4, 3]);
    assert.deepEqual(await found('--since', '150m'), [4, 3]);
    assert.deepEqual(await found('--since', '6h', '--until', '210m'), [1, 0]);
    const first = await weir('audit', '--limit', '3');
    const next = /--before (\S+)/.exec(first.err)![1]!;
    assert.equal(next, rows[2]!.id);
    assert.deepEqual(await found('--before', next), [1, 0]);
    assert.equal((await weir('audit', '--before', next)).err, '');
    assert.match((await weir('audit', '--team', 'nobody', '--action', 'key.added')).out, /^Nothing was done/);
  });

  it('says what is wrong', async () => {
    for (const args of [
      ['x'],
      ['--action', 'read'],
      ['--before', 'x'],
      ['--limit', '1001'],
      ['--since', 'soon'],
      ['--since', '1h', '--until', '2h'],
    ])
      assert.equal((await weir('audit', ...args)).code, 2, args.join(' '));
    process.env.WEIR_CLICKHOUSE_URL = 'http://127.0.0.1:1';
    const { code, err } = await weir('audit');
    process.env.WEIR_CLICKHOUSE_URL = engine.url;
    assert.equal(code, 1);
    assert.match(err, /ClickHouse could not be asked/);
  });
});
