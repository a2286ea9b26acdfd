/** The audit log of a whole installation: who did what, when and from where. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AuditEntry, AuditPage } from '#weir/shared/api/audit';
import { until } from '../support/wait.ts';
import { configuration, KEY, POLICY } from './configuration.ts';
import { newRun, type System, startSystem } from './system.ts';

const SECRET = 'open sesame by somebody';

describe('the audit log', { timeout: 600_000 }, () => {
  let system: System;
  before(async () => {
    system = await startSystem();
  });
  after(() => system?.close());

  async function page(query: string, key: string = KEY.acme, path = '/api/audit'): Promise<AuditPage> {
    const { status, json, text } = await system.get(`${path}?${query}`, { key });
    assert.equal(status, 200, text);
    return json;
  }
  const of = (id: string, path?: string): Promise<AuditEntry[]> =>
    page(`subject=${id}`, path ? KEY.operator : KEY.acme, path).then(({ entries }) => entries);
  /** Waits until so many entries are of a subject. */
  async function told(id: string, many: number, path?: string): Promise<AuditEntry[]> {
    let entries: AuditEntry[] = [];
    await until(`${many} entries of ${id}`, async () => {
      entries = await of(id, path);
      return entries.length === many;
    });
    return entries;
  }
  async function event(): Promise<string> {
    const { json } = await system.events([{ type: 'message', role: 'user', content: SECRET }], { run_id: newRun() });
    return json.order[0].internal_event_id;
  }

  it('tells who was shown content, from where, and not what it was [audit.content]', async () => {
    const id = await event();
    await system.cold(id);
    const path = `/api/event/${id}?environment_id=prod`;
    await system.get(path);
    await system.get(`${path}&explain=true`);
    const shown = await system.get(`${path}&matched=true`);
    assert.match(shown.text, /"matched":"open sesame"/);
    const [entry] = await told(id, 1);
    assert.ok(Math.abs(Date.parse(entry!.at) - Date.now()) < 600_000);
    const { audit_id: _, at: __, ...rest } = entry!;
    assert.deepEqual(rest, {
      action: 'content.read',
      actor_kind: 'key',
      actor: 'acme',
      address: '127.0.0.1',
      request_id: shown.headers.get('x-request-id'),
      team: 'acme',
      scope: 'prod',
      subject_kind: 'event',
      subject: id,
    });
  });

  it('tells of labels, appeals, tries and erasures [audit.acts]', async () => {
    const id = await event();
    const appeal = { internal_event_id: id, environment_id: 'prod', policy: 'Sesame', note: SECRET, reference: SECRET };
    for (const _ of ['made', 'repeated']) assert.equal((await system.post('/api/appeal', appeal)).status, 200);
    const label = { internal_event_id: id, environment_id: 'prod', policy: 'Sesame', label: 'true_alarm' };
    assert.equal((await system.post('/api/label', { ...label, note: SECRET })).status, 200);
    const tried = { environment_id: 'prod', event: { type: 'message', role: 'user', content: SECRET } };
    // On a machine that does much else it takes too long, and is told all the same.
    const { status } = await system.post('/api/try', tried);
    assert.ok(status === 200 || status === 504, `${status}`);
    assert.equal((await system.remove(`/api/event/${id}?environment_id=prod`)).status, 202);
    assert.equal((await system.remove('/api/user?email=Somebody@example.com')).status, 202);
    const [erased, labelled, appealed] = await told(id, 3);
    const { audit_id: _, at: __, request_id: ___, ...made } = appealed!;
    assert.deepEqual(
      made,
      {
        action: 'appeal.made',
        actor_kind: 'key',
        actor: 'acme',
        address: '127.0.0.1',
        team: 'acme',
        scope: 'prod',
        subject_kind: 'event',
        subject: id,
        policy_id: POLICY.sesame,
      },
      'once, without what was written',
    );
    assert.deepEqual(
      [labelled!.action, labelled!.policy_id, labelled!.label, labelled!.actor, labelled!.subject_kind],
      ['label.set', POLICY.sesame, 'true_alarm', 'acme', 'event'],
    );
    assert.deepEqual(
      [erased!.action, erased!.actor, erased!.address, erased!.scope, erased!.subject_kind],
      ['erasure.requested', 'acme', '127.0.0.1', 'prod', 'event'],
    );
    const { entries } = await page('action=erasure.requested&limit=1');
    assert.equal(entries[0]!.subject_kind, 'user');
    assert.match(entries[0]!.subject, /^[0-9a-f]{64}$/, 'a hash');
    assert.equal((await page('action=policies.tried')).entries[0]!.subject, 'prod');
    // What the erasure takes out of all tables it leaves here.
    await until('it is erased', async () => {
      const { json } = await system.get(`/api/erasure/${erased!.audit_id}`);
      return json.erased_at !== null;
    });
    assert.equal((await of(id)).length, 3);
  });

  it('tells of replays and of configurations [audit.acts]', async () => {
    const key = KEY.operator;
    assert.equal((await system.post('/api/operation/replay', { refused: 'all' }, { key })).status, 200);
    const [entry] = await told('all', 1, '/api/operation/audit');
    assert.deepEqual([entry!.action, entry!.actor, entry!.team], ['replay.requested', 'operator', undefined]);
    const version = await system.apply(`${configuration()}\nrisk: {window_days: 31}\n`);
    const [applied] = await told(String(version), 1);
    assert.deepEqual(
      [applied!.action, applied!.actor, applied!.message],
      ['configuration.applied', 'ann@desk', undefined],
    );
    const [all] = await told(String(version), 1, '/api/operation/audit');
    assert.equal(all!.message, 'as globex asked', 'it may be about any team');
  });

  it('is seen by its own team alone, and by operators [audit.own]', async () => {
    const id = await event();
    await system.cold(id);
    await system.get(`/api/event/${id}?environment_id=prod&matched=true`);
    await told(id, 1);
    assert.equal((await of(id, '/api/operation/audit')).length, 1);
    const others = await page('limit=200', KEY.globex);
    assert.deepEqual(
      others.entries.filter(({ team }) => team !== undefined && team !== 'globex'),
      [],
    );
    assert.deepEqual(
      others.entries.filter(({ subject_kind }) => subject_kind === 'refused'),
      [],
      'what operators do is not for teams',
    );
    assert.ok(others.entries.some(({ action }) => action === 'configuration.applied'));
    assert.equal((await page(`subject=${id}&team=globex`, KEY.operator, '/api/operation/audit')).entries.length, 0);
    const { status } = await system.get('/api/audit', { key: KEY.narrow });
    assert.equal(status, 403);
  });

  it('comes page by page, the newest first, each entry once [audit.pages]', async () => {
    const all = (await page('limit=200')).entries;
    assert.ok(all.length > 5);
    const seen: string[] = [];
    for (let before = ''; ; ) {
      const { entries, next } = await page(`limit=2${before}`);
      seen.push(...entries.map(({ audit_id }) => audit_id));
      if (next === undefined) break;
      before = `&before=${next}`;
    }
    assert.deepEqual(
      seen.slice(-all.length),
      all.map(({ audit_id }) => audit_id),
    );
    const times = all.map(({ at }) => at);
    assert.deepEqual(times, times.toSorted().reverse());
    const until = all[1]!.at;
    const earlier = await page(`limit=200&to=${until}`);
    assert.ok(earlier.entries.every(({ at }) => at < until));
  });

  it('has nothing of what was checked [audit.content]', async () => {
    const rows = await system.sql('SELECT * FROM weir.audit');
    assert.doesNotMatch(JSON.stringify(rows), /sesame by|[Ss]omebody/);
  });

  it('says what is wrong with a question', async () => {
    const cases = {
      'action=read': /action: expected one of configuration\.applied, /,
      'before=1': /before: expected the id of an entry/,
      'limit=201': /limit: expected a whole number from 1 to 200/,
      'from=yesterday': /from: expected a time of RFC 3339/,
      'from=2020-01-01': /from: expected at most 400 days before the end/,
    };
    for (const [query, message] of Object.entries(cases)) {
      const { status, json } = await system.get(`/api/audit?${query}`);
      assert.equal(status, 400, query);
      assert.match(json.error.message, message);
    }
  });
});
