/** What is asked to be forgotten is found nowhere afterwards, and all else is as it was. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { filesWith } from '../support/files.ts';
import { until } from '../support/wait.ts';
import { configuration, KEY } from './configuration.ts';
import { type Answer, newFolder, newRun, type System, startSystem } from './system.ts';

/** 8 × 8 pixels. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAUElEQVR42mNgYOcTlVHWMmTgFZFW0jQwt2OQUtTQN7N18WZQ1zO1cfYKjGAwsXbyDAiPS2Vw9PAPi03JLmLwC41JziqsqGeITsosKK9r7QEA05cRgRJ7RIUAAAAASUVORK5CYII=';

const OWN = { acme: createKey(), globex: createKey() };
const SCOPES = 'scopes: [check, read, risk, content, erase]';

const text = configuration().replace(
  /^keys:\n/m,
  `keys:
- {id: eraser, team: acme, sha256: ${hashKey(OWN.acme)}, deployments: [chat, support], default_deployment: chat, environments: [prod, support], ${SCOPES}}
- {id: foreign, team: globex, sha256: ${hashKey(OWN.globex)}, deployments: [chat], default_deployment: chat, environments: [prod], ${SCOPES}}
`,
);

describe('an erasure', () => {
  const folder = newFolder();
  let system: System;
  const own = { key: OWN.acme };

  before(async () => {
    system = await startSystem({
      dataDir: folder,
      configuration: { text, file: 'test.yaml' },
      partitions: 4,
      env: { WEIR_HOT_SECONDS: '3600' },
    });
    // Replaced parts are kept for eight minutes otherwise, and looked for every half a minute.
    const soon =
      'old_parts_lifetime = 1, cleanup_delay_period = 1, max_cleanup_delay_period = 1, cleanup_delay_period_random_add = 0';
    const tables = await system.sql(
      "SELECT name FROM system.tables WHERE database = 'weir' AND engine LIKE '%MergeTree'",
    );
    for (const { name } of tables) {
      for (const statement of [
        `ALTER TABLE ${name} MODIFY SETTING ${soon}`,
        `DETACH TABLE ${name}`,
        `ATTACH TABLE ${name}`,
      ])
        await system.sql(statement);
    }
    // So that what is searched for in its files stands there as it is.
    await system.sql(
      'ALTER TABLE contents MODIFY COLUMN content String CODEC(NONE), MODIFY COLUMN metadata Nullable(String) CODEC(NONE)',
    );
  });
  after(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const session = async (body: Record<string, unknown>): Promise<string> => {
    const answer = await system.post('/api/session/check', body, own);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.internal_session_id;
  };
  const events = async (run: string, list: unknown[], environment = 'prod'): Promise<string[]> => {
    const body = { environment_id: environment, run_id: run, events: list };
    const answer = await system.post('/api/events', body, own);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.order.map(({ internal_event_id }: { internal_event_id: string }) => internal_event_id);
  };
  const status = async (path: string): Promise<number> => (await system.get(path, own)).status;
  const eventPath = (id: string, environment = 'prod'): string => `/api/event/${id}?environment_id=${environment}`;

  /** Asks for an erasure; resolves to its receipt once nothing of it is found, or also in no file. */
  async function erase(path: string, states = ['erased', 'complete']): Promise<Answer['json']> {
    const asked = await system.remove(path, own);
    assert.equal(asked.status, 202, asked.text);
    let receipt = asked.json;
    await until(`the erasure is ${states[0]}`, async () => {
      receipt = (await system.get(`/api/erasure/${receipt.erasure_id}`, own)).json;
      return states.includes(receipt.state);
    });
    return receipt;
  }

  it('of a user takes all that names it, in every store and file, and nothing else [erase.user]', async () => {
    const [user, other] = [`user-${randomUUID()}`, `user-${randomUUID()}`];
    const email = `${randomUUID()}@example.com`;
    const [secret, kept] = [`secret-${randomUUID()}`, `kept-${randomUUID()}`];
    const run = newRun();
    const message = (content: string, named: Record<string, unknown>) => ({
      type: 'message',
      role: 'user',
      content,
      metadata: { user: named },
    });
    const [ofUser, ofOther] = await events(run, [
      message(`hello ${secret}`, { id: user, email }),
      message(`hello ${kept}`, { id: other }),
    ]);
    const name = `chat-${randomUUID()}`;
    const image = { type: 'artifact', artifact: { kind: 'image', data: PICTURE } };
    const said = [{ role: 'user', content: [{ type: 'text', text: `open sesame ${secret}` }, image] }];
    const first = await session({ messages: said, external_session_id: name, metadata: { user: { id: user } } });
    const byEmail = await session({
      messages: [{ role: 'user', content: `by address ${secret}`, metadata: { user: { email: email.toUpperCase() } } }],
    });
    const shared = await session({
      messages: [{ role: 'user', content: `open sesame ${kept}`, metadata: { user: { id: other, email } } }],
    });
    assert.equal(await status(`/api/radar/risk?id=${user}`), 200);
    await system.archived();
    for (const store of ['redis', 'clickhouse']) {
      for (const marker of [secret, user]) assert.ok(filesWith(join(folder, store), marker).length > 0, store + marker);
    }
    const receipt = await erase(`/api/user?id=${user}`, ['complete']);
    assert.deepEqual(
      { ...receipt, requested_at: 0, erased_at: 0, complete_at: 0, erasure_id: 0 },
      {
        erasure_id: 0,
        subject: 'user',
        state: 'complete',
        waiting_for: null,
        requested_at: 0,
        erased_at: 0,
        complete_at: 0,
        removed: { items: 4, dead_letters: 0, refused_entries: 0, deliveries: 0, streams: 0, context_texts: 0 },
        held_by: [
          {
            store: 'backups',
            what: 'copies of the stores and exports that were made before, as long as you keep them',
          },
        ],
      },
    );
    for (const id of [first, byEmail]) assert.equal(await status(`/api/session/${id}?deployment_id=chat`), 404);
    assert.equal(await status(eventPath(ofUser!)), 404);
    assert.equal(await status(`/api/radar/risk?id=${user}`), 404);
    for (const marker of [secret, user, name]) assert.deepEqual(filesWith(folder, marker), [], marker);
    // The other user has the address, too, and said so.
    assert.equal(await status(eventPath(ofOther!)), 200);
    assert.equal(await status(`/api/session/${shared}?deployment_id=chat`), 200);
    assert.equal(await status(`/api/radar/risk?id=${other}`), 200);
    assert.ok(filesWith(folder, kept).length > 0);
    const again = await session({ messages: [{ role: 'user', content: 'hello', metadata: { user: { id: user } } }] });
    assert.equal(await status(`/api/session/${again}?deployment_id=chat`), 200);
  });

  it('of a session takes all of its checks and their images [erase.session]', async () => {
    const [name, other] = [`chat-${randomUUID()}`, `chat-${randomUUID()}`];
    const say = (external: string, content: unknown) =>
      session({ messages: [{ role: 'user', content }], external_session_id: external });
    const first = await say(name, 'one');
    const image = { type: 'artifact', artifact: { kind: 'image', data: PICTURE } };
    const second = await say(name, [{ type: 'text', text: 'two' }, image]);
    const stays = await say(other, 'three');
    const nameless = await session({ messages: [{ role: 'user', content: 'four' }] });
    const joined = await session({ messages: [{ role: 'user', content: 'five' }], internal_session_id: nameless });
    // An environment and a deployment have the same name, and an event in it the same session.
    const [event] = await events(
      newRun(),
      [{ type: 'message', role: 'user', content: 'six', external_session_id: name }],
      'support',
    );
    const receipt = await erase(`/api/session/${first}?deployment_id=chat`);
    assert.deepEqual([receipt.subject, receipt.removed.items], ['session', 3]);
    for (const id of [first, second]) assert.equal(await status(`/api/session/${id}?deployment_id=chat`), 404);
    assert.equal(await status(`/api/session?external_session_id=${name}&deployment_id=chat`), 404);
    assert.equal(await status(`/api/session/${stays}?deployment_id=chat`), 200);
    assert.equal(await status(eventPath(event!, 'support')), 200);
    assert.equal((await erase(`/api/session/${nameless}?deployment_id=chat`)).removed.items, 2);
    assert.equal(await status(`/api/session/${joined}?deployment_id=chat`), 404);
  });

  it('of a run takes its events, of an event that alone [erase.run] [erase.event]', async () => {
    const [run, other] = [newRun(), newRun()];
    const list = (from: number) =>
      [0, 1, 2].map((i) => ({ type: 'reasoning', event_id: `e${from + i}`, content: `step ${i}` }));
    const ids = await events(run, list(0));
    const stays = await events(other, list(0));
    assert.equal((await erase(eventPath(ids[1]!))).removed.items, 1);
    assert.deepEqual(await Promise.all(ids.map((id) => status(eventPath(id)))), [200, 404, 200]);
    const graph = await system.get(`/api/run/graph?environment_id=prod&run_id=${run}`, own);
    assert.deepEqual(graph.json.nodes.length, 2);
    assert.equal((await erase(`/api/run?environment_id=prod&run_id=${run}`)).removed.items, 2);
    assert.equal(await status(`/api/run/graph?environment_id=prod&run_id=${run}`), 404);
    assert.deepEqual(await Promise.all(stays.map((id) => status(eventPath(id)))), [200, 200, 200]);
  });

  it('needs a key of the scope, and what the key was granted [erase.scope] [erase.foreign]', async () => {
    const [id] = await events(newRun(), [{ type: 'reasoning', content: 'mine' }]);
    const refused = await system.remove('/api/user?id=x', { key: KEY.spare });
    assert.deepEqual([refused.status, refused.json.error.code], [403, 'permission_denied']);
    const foreign = await system.remove(eventPath(id!), { key: OWN.globex });
    const absent = await system.remove(eventPath(randomUUID()), { key: OWN.globex });
    assert.deepEqual([foreign.status, absent.status], [404, 404]);
    assert.equal((await system.remove(eventPath(id!, 'staging'), own)).status, 404);
    const receipt = await system.remove(`/api/user?id=nobody-${randomUUID()}`, own);
    assert.equal(receipt.status, 202);
    const path = `/api/erasure/${receipt.json.erasure_id}`;
    assert.equal((await system.get(path, { key: OWN.globex })).status, 404);
    assert.equal((await system.get('/api/erasure/x', own)).status, 400);
    assert.equal(await status(eventPath(id!)), 200);
    for (const query of ['', '?id=a&email=b', '?id='])
      assert.equal((await system.remove(`/api/user${query}`, own)).status, 400);
  });

  it('of one team leaves what another team says of the same user [erase.teams]', async () => {
    const user = `user-${randomUUID()}`;
    const body = {
      messages: [{ role: 'user', content: 'hi', metadata: { user: { id: user } } }],
      deployment_id: 'chat',
    };
    const theirs = await system.post('/api/session/check', body, { key: OWN.globex });
    const ours = await session(body);
    assert.equal((await erase(`/api/user?id=${user}`)).removed.items, 1);
    assert.equal(await status(`/api/session/${ours}?deployment_id=chat`), 404);
    const path = `/api/session/${theirs.json.internal_session_id}?deployment_id=chat`;
    assert.equal((await system.get(path, { key: OWN.globex })).status, 200);
  });

  it('leaves what is sent again afterwards, also under the same key [erase.again]', async () => {
    const user = `user-${randomUUID()}`;
    const headers = { 'idempotency-key': randomUUID() };
    const body = {
      messages: [{ role: 'user', content: 'once', metadata: { user: { id: user } } }],
      deployment_id: 'chat',
    };
    const first = await system.post('/api/session/check', body, { ...own, headers });
    await erase(`/api/user?id=${user}`);
    const again = await system.post('/api/session/check', body, { ...own, headers });
    assert.deepEqual([first.status, again.status], [200, 200]);
    assert.equal(await status(`/api/session/${again.json.internal_session_id}?deployment_id=chat`), 200);
    await system.archived();
    const rows = await system.sql(`SELECT count() AS n FROM results WHERE user_id = '${user}'`);
    assert.equal(Number(rows[0]!.n), 1);
    // What is noted as erased is deleted whenever it is found.
    const id = again.json.internal_session_id;
    assert.notEqual(id, first.json.internal_session_id);
    assert.deepEqual(await system.sql(`SELECT id FROM erased WHERE id = '${id}'`), []);
  });

  it('of an event of a batch leaves the batch to be sent again under its key [erase.again]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const list = ['erased', 'stays'].map((content) => ({ type: 'reasoning', content }));
    const body = { environment_id: 'prod', run_id: newRun(), events: list };
    const ids = (answer: Answer): string[] =>
      answer.json.order.map(({ internal_event_id }: { internal_event_id: string }) => internal_event_id);
    const first = await system.post('/api/events', body, { ...own, headers });
    await erase(eventPath(ids(first)[0]!));
    const again = await system.post('/api/events', body, { ...own, headers });
    assert.equal(again.status, 200, again.text);
    const stored = [...ids(first), ...ids(again)];
    assert.deepEqual(await Promise.all(stored.map((id) => status(eventPath(id)))), [404, 200, 200, 200]);
  });

  it('goes on where the worker, ClickHouse and Redis are killed in the middle, and takes nothing else [erase.kill]', async () => {
    const [user, other] = [`user-${randomUUID()}`, `user-${randomUUID()}`];
    const check = async (id: string, i: number): Promise<string> =>
      (
        await events(newRun(), [{ type: 'message', role: 'user', content: `${id} ${i}`, metadata: { user: { id } } }])
      )[0]!;
    const mine = await Promise.all(Array.from({ length: 20 }, (_, i) => check(user, i)));
    const theirs = await Promise.all(Array.from({ length: 20 }, (_, i) => check(other, i)));
    const asked = await system.remove(`/api/user?id=${user}`, own);
    assert.equal(asked.status, 202);
    const { redis, clickhouse, archiver } = system.stack;
    for (const part of [archiver, clickhouse, archiver, redis, archiver]) {
      await part.kill();
      await part.restart();
    }
    await until('it is erased', async () => {
      const { json } = await system.get(`/api/erasure/${asked.json.erasure_id}`, own);
      return json.state === 'erased' || json.state === 'complete';
    });
    const found = async (ids: string[]): Promise<Set<number>> =>
      new Set(await Promise.all(ids.map((id) => status(eventPath(id)))));
    assert.deepEqual([await found(mine), await found(theirs)], [new Set([404]), new Set([200])]);
    const rows = await system.sql(`SELECT count() AS n FROM results WHERE user_id IN ('${user}', '${other}')`);
    assert.equal(Number(rows[0]!.n), 20);
  });
});
