/** Images through the whole system: in sessions and events, over HTTP, in look-ups and in SQL. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { itemId, partsOf } from '#weir/shared/ids';
import { pdq, pdqToHex } from '#weir/shared/pdq/pdq';
import { withScreen } from '../support/images.ts';
import { type Origin, startOrigin } from '../support/origin.ts';
import { picture, pixelsOf } from '../support/pictures.ts';
import { until } from '../support/wait.ts';
import { newFolder, newRun, type System, startSystem } from './system.ts';

const [TEXT, IMAGE] = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'];
const key = createKey();
const CONFIGURATION = `version: 1
teams: [{id: acme}]
keys:
- {id: acme, team: acme, sha256: ${hashKey(key)}, deployments: [chat], default_deployment: chat, environments: [prod], scopes: [check, read, risk]}
policies:
- {id: ${TEXT}, team: acme, name: Text, sources: [text], detect: {terms: {list: [secret]}}}
- {id: ${IMAGE}, team: acme, name: Image, severity: high, sources: [image], detect: {image_hash: {list: known.txt}}}
deployments: [{id: chat, team: acme, name: Chat, policies: [${TEXT}, ${IMAGE}]}]
environments:
- {id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${TEXT}, ${IMAGE}]}]}
`;

let system: System;
let origin: Origin;
let known: Buffer;
let hash: string;
/** whether the origin has what it had not before */
let back = false;
const folder = newFolder();

const options = { key };
const check = (body: unknown, more: object = {}) => system.post('/api/session/check', body, { ...options, ...more });
const inline = (bytes: Buffer): object => ({ kind: 'image', data: bytes.toString('base64'), name: 'a picture' });
const from = (path: string): object => ({ kind: 'image', url: `http://127.0.0.1:${origin.port}${path}` });
const session = (text: string, contents: object[], more: object = {}): object => ({
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text }, ...contents.map((content) => ({ type: 'artifact', content }))],
    },
  ],
  ...more,
});

before(async () => {
  known = await picture('photo', 11, 700, 500);
  const measured = pdq(await pixelsOf(known));
  hash = pdqToHex(measured.hash);
  mkdirSync(join(folder, 'hashes'));
  writeFileSync(join(folder, 'hashes/known.txt'), `${hash} evidence\n`);
  origin = await startOrigin((request, response) => {
    if (request.url === '/known') response.end(known);
    else if (request.url === '/broken' || (request.url === '/back' && !back)) response.destroy();
    else if (request.url === '/back') response.end(known);
    else response.writeHead(404).end();
  });
  system = await startSystem({
    dataDir: join(folder, 'data'),
    configuration: { text: CONFIGURATION, file: 'images.yaml' },
    env: { WEIR_FETCH_ALLOW: `127.0.0.1:${origin.port}`, WEIR_HASH_LISTS: join(folder, 'hashes'), WEIR_DECODERS: '1' },
  });
});
after(async () => {
  await system?.close();
  await origin?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a session with images, over HTTP', () => {
  it('is flagged by what is seen in an image, however it is sent and turned [2.3.content-artifact] [2.6.url] [2.6.data]', async () => {
    const edited = await sharp(known).rotate(90).resize(300).jpeg({ quality: 70 }).toBuffer();
    for (const content of [inline(known), from('/known'), inline(edited)]) {
      const { status, json } = await check(session('look', [content]));
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(json.flagged, true);
      assert.deepEqual(json.policies[IMAGE], { name: 'Image', flagged: true, flagged_source: ['image'] });
      assert.deepEqual(json.policies[TEXT], { name: 'Text', flagged: false, flagged_source: [] });
    }
  });

  it('is clean when all of it was looked at', async () => {
    const other = await picture('gradients', 5, 300, 300);
    const { json } = await check(session('look', [inline(other)]));
    assert.deepEqual([json.flagged, Object.keys(json.policies)], [false, [TEXT, IMAGE]]);
  });

  it('is a 400 with the path of the part where its bytes or address are at fault, and a 503 where its origin is [session.image-fault]', async () => {
    const broken = await check(session('look', [inline(known), inline(Buffer.from('no image'))]));
    // One image is known, so the session is flagged whatever becomes of the other.
    assert.deepEqual([broken.status, broken.json.flagged], [200, true]);
    assert.match(broken.json.note, /1 of 2 images could not be looked at/);
    for (const [content, message] of [
      [inline(Buffer.from('no image')), /not an image/],
      [from('/none'), /status 200/],
    ] as const) {
      const { status, json } = await check(session('look', [content]));
      const said = [status, json.error.code, json.error.param];
      assert.deepEqual(said, [400, 'validation_failed', 'messages[0].content[1]']);
      assert.match(json.error.message, message);
    }
    for (const content of [from('/broken'), { kind: 'image', url: 'http://10.0.0.1/a.png' }]) {
      const { status, json, headers } = await check(session('look', [content]));
      assert.deepEqual([status, json.error.code], [503, 'unavailable']);
      assert.ok(headers.get('retry-after'));
    }
  });

  it('is found by its own id alone, hot and cold, and its images are no sessions', async () => {
    const external = newRun('chat');
    const { json } = await check(session('a secret', [inline(known)], { external_session_id: external }));
    const id: string = json.internal_session_id;
    const image = itemId(partsOf(id)!.requestId, 2);
    const look = (of: string) => system.get(`/api/session/${of}?deployment_id=chat`, options);
    const latest = () => system.get(`/api/session?external_session_id=${external}&deployment_id=chat`, options);
    for (const cold of [false, true]) {
      if (cold) await system.cold(id);
      const found = await look(id);
      assert.deepEqual([found.status, found.json.session.policies[IMAGE].flagged_source], [200, ['image']]);
      assert.equal((await look(image)).status, 404);
      assert.equal((await latest()).json.session.internal_session_id, id);
    }
  });

  it('counts in the risk of its user, and names its source as a violation [2.9.violation_source-image]', async () => {
    const user = randomUUID();
    const body = session('look', [inline(known)], { metadata: { user: { id: user } } });
    const { json } = await check(body);
    const risk = await system.get(`/api/radar/risk?id=${user}`, options);
    assert.equal(risk.json.risk_level, 'elevated');
    const shown = await system.get(
      `/api/protect/get_by_id?deployment_id=chat&internal_id=${json.internal_session_id}`,
      options,
    );
    assert.deepEqual(shown.json.list[0].violations[IMAGE].violation_source, ['image']);
  });

  it('is answered again to a retry with its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = session('look', [inline(known)]);
    const first = await check(body, { headers });
    const again = await check(body, { headers });
    assert.deepEqual(again.json, first.json);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  it('is judged by a retry with its Idempotency-Key once its image can be had, corrected or as it was [idempotency.accepted]', async () => {
    for (const [path, status, corrected] of [
      ['/back', 503, '/back'],
      ['/none', 400, '/known'],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() };
      const external = newRun('chat');
      const body = (path_: string): object => session('look', [from(path_)], { external_session_id: external });
      assert.equal((await check(body(path), { headers })).status, status);
      const looked = await system.get(`/api/session?external_session_id=${external}&deployment_id=chat`, options);
      // It has no verdict, and so is not what the external id leads to.
      assert.deepEqual([looked.status, looked.json.error.code], [404, 'not_found']);
      back = true;
      const first = await check(body(corrected), { headers });
      assert.deepEqual([first.status, first.json.flagged], [200, true]);
      const again = await check(body(corrected), { headers });
      assert.deepEqual([again.json, again.headers.get('idempotency-replayed')], [first.json, 'true']);
    }
  });
});

describe('artifact events, over HTTP', () => {
  it('have verdicts of their own beside texts, and can be looked up', async () => {
    const run = newRun();
    const events = [
      { type: 'artifact', event_id: 'a', content: from('/known') },
      { type: 'reasoning', event_id: 'b', content: 'nothing' },
      { type: 'artifact', event_id: 'c', content: from('/none'), external_artifact_id: 'mine' },
    ];
    const { status, json } = await system.post('/api/events', { environment_id: 'prod', run_id: run, events }, options);
    assert.equal(status, 200, JSON.stringify(json));
    const { a, c } = json.results.artifact;
    assert.deepEqual([a.flagged, a.event.status, Object.keys(a.policies)], [true, 'completed', [IMAGE]]);
    assert.deepEqual(Object.keys(json.results.reasoning.b.policies), [TEXT]);
    assert.deepEqual([c.flagged, c.event.status], [false, 'failed']);
    assert.match(c.note, /status 200/);
    const path = `/api/event/${a.event.internal_event_id}?environment_id=prod`;
    assert.equal((await system.get(path, options)).json.flagged, true);
  });
});

describe('images in history', () => {
  it('are rows with what was measured of them, and no data [2.6.name]', async () => {
    const name = newRun('chat');
    const drawn = await sharp(await picture('photo', 12, 320, 240))
      .gif()
      .toBuffer();
    const lying = withScreen(drawn, 5000, 4000);
    const contents = [inline(known), from('/none'), inline(lying)];
    const { json } = await check(session('look', contents, { external_session_id: name }));
    const { requestId } = partsOf(json.internal_session_id)!;
    const ids = [2, 3, 4].map((item) => `'${itemId(requestId, item)}'`).join();
    await system.archived();
    let rows: Record<string, unknown>[] = [];
    await until('the rows are there', async () => {
      rows = await system.sql(
        `SELECT kind, width, height, bytes, hash, quality, toString(session_id) AS session FROM images WHERE id IN (${ids}) ORDER BY toString(id)`,
      );
      return rows.length === 3;
    });
    assert.deepEqual(rows, [
      {
        kind: 'png',
        width: 700,
        height: 500,
        bytes: known.length,
        hash,
        quality: 100,
        session: json.internal_session_id,
      },
      { kind: '', width: 0, height: 0, bytes: 0, hash: '', quality: 0, session: json.internal_session_id },
      {
        kind: 'gif',
        width: 320,
        height: 240,
        bytes: lying.length,
        hash: pdqToHex(pdq(await pixelsOf(drawn)).hash),
        quality: 100,
        session: json.internal_session_id,
      },
    ]);
    const [shown] = await system.sql(`SELECT name FROM results WHERE id = '${itemId(requestId, 2)}'`);
    assert.equal(shown!.name, 'a picture');
    const kept = await system.sql(`SELECT content FROM contents WHERE id IN (${ids}) ORDER BY toString(id)`);
    assert.equal(kept[0]!.content, '{"kind":"image","name":"a picture"}');
    const named = await system.sql(
      `SELECT kind, toString(id) AS id FROM names WHERE name = '${name}' ORDER BY kind, id`,
    );
    assert.deepEqual(named, [
      { kind: 'session', id: json.internal_session_id },
      { kind: 'session_artifact', id: itemId(requestId, 2) },
      { kind: 'session_artifact', id: itemId(requestId, 3) },
      { kind: 'session_artifact', id: itemId(requestId, 4) },
    ]);
  });
});

describe('an artifact by itself', () => {
  it('is linked to the session that it names by the id of the caller, hot and cold, in its answer and in its row [4.5.session]', async () => {
    const external = newRun('chat');
    const { json } = await check(session('hello', [], { external_session_id: external }));
    const id: string = json.internal_session_id;
    const linked = async (): Promise<boolean> => {
      const body = { content: inline(known), external_session_id: external };
      const { json: answer } = await system.post('/api/artifact', body, options);
      assert.equal(answer.status, 'completed');
      if (answer.internal_session_id === null) return false;
      assert.equal(answer.internal_session_id, id);
      const rows = `SELECT toString(session_id) AS session FROM images WHERE id = '${answer.internal_artifact_id}'`;
      await until('its row is there', async () => (await system.sql(rows))[0]?.session === id);
      return true;
    };
    assert.ok(await linked());
    await system.cold(id);
    // An answer waits only a moment for a session that must be asked of ClickHouse.
    await until('ClickHouse tells in time', linked);
  });
});

describe('lists of known images', () => {
  it('take effect when their file changes, without a restart', async () => {
    const fresh = await picture('gradients', 77, 400, 400);
    assert.equal((await check(session('look', [inline(fresh)]))).json.flagged, false);
    const more = pdqToHex(pdq(await pixelsOf(fresh)).hash);
    writeFileSync(join(folder, 'hashes/known.txt'), `${hash} evidence\n${more} more\n`);
    await until('it is known', async () => (await check(session('look', [inline(fresh)]))).json.flagged === true);
  });
});
