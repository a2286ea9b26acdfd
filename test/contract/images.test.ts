/** What the contract says of images, through the whole system. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { itemId, partsOf } from '#weir/shared/ids';
import { pdq, pdqToHex } from '#weir/shared/pdq/pdq';
import { type Answer, newFolder, newRun, type System, startSystem } from '../e2e/system.ts';
import { withScreen } from '../support/images/images.ts';
import { picture, pixelsOf } from '../support/images/pictures.ts';
import { type Origin, startOrigin } from '../support/network/origin.ts';
import { pluck } from '../support/pluck.ts';
import { until } from '../support/wait.ts';

const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
const POLICY = { text: id(1), both: id(2), wide: id(3), strip: id(4), output: id(5), messages: id(6), known: id(7) };
const key = createKey();
const policy = (of: string, name: string, rest: string): string => `- {id: ${of}, team: acme, name: ${name}, ${rest}}`;
const ALL = Object.values(POLICY).filter((of) => of !== POLICY.known);
const CONFIGURATION = `version: 1
teams: [{id: acme}]
keys:
- {id: acme, team: acme, sha256: ${hashKey(key)}, deployments: [chat, closed, lists], default_deployment: chat, environments: [prod, quiet], scopes: [check, read, risk]}
policies:
${policy(POLICY.text, 'Text', 'sources: [text], detect: {terms: {list: [secret]}}')}
${policy(POLICY.both, 'Both', 'detect: {any: [{terms: {list: [secret]}}, {image_properties: {min_width: 600}}]}')}
${policy(POLICY.wide, 'Wide', 'sources: [image], events: [artifact.image], detect: {image_properties: {min_width: 600}}')}
${policy(POLICY.strip, 'Strip', 'sources: [image], detect: {all: [{image_properties: {min_width: 600}}, {image_properties: {max_height: 50}}]}')}
${policy(POLICY.output, 'Output', 'sources: [image], direction: output, detect: {image_properties: {min_width: 1}}')}
${policy(POLICY.messages, 'Messages', 'events: [message], detect: {any: [{terms: {list: [secret]}}, {image_properties: {min_width: 1}}]}')}
${policy(POLICY.known, 'Known', 'severity: high, sources: [image], detect: {image_hash: {list: known.txt}}')}
deployments:
- {id: chat, team: acme, name: Chat, policies: [${ALL.filter((of) => of !== POLICY.messages)}]}
- {id: closed, team: acme, name: Closed, policies: [${POLICY.text}]}
- {id: lists, team: acme, name: Lists, policies: [${POLICY.known}]}
environments:
- {id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${ALL}]}]}
- {id: quiet, team: acme, conditions: [{id: never, name: Never, when: "false", policies: [${ALL}]}]}
`;

let system: System;
let origin: Origin;
let wide: Buffer;
let small: Buffer;
let known: Buffer;
let hash: string;
/** whether the origin has what it had not before */
let back = false;
const folder = newFolder();

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3a6ea5' } });
const inline = (bytes: Buffer, more: object = {}): Record<string, unknown> => ({
  kind: 'image',
  data: bytes.toString('base64'),
  ...more,
});
const from = (path: string): Record<string, unknown> => ({
  kind: 'image',
  url: `http://127.0.0.1:${origin.port}${path}`,
});
const post = (path: string, body: unknown): Promise<Answer> => system.post(path, body, { key });
const get = (path: string): Promise<Answer> => system.get(path, { key });
const artifact = (content: unknown, more: object = {}): Promise<Answer> => post('/api/artifact', { content, ...more });
const find = (query: string): Promise<Answer> => get(`/api/artifact/get_by_id?${query}`);
const part = (content: unknown, more: object = {}): object => ({ type: 'artifact', content, ...more });
const session = (content: unknown, more: object = {}, role = 'user'): object => ({
  messages: [{ role, content }],
  ...more,
});
const events = (list: object[], environment_id = 'prod'): Promise<Answer> =>
  post('/api/events', { environment_id, run_id: newRun(), events: list });

before(async () => {
  [wide, small] = await Promise.all([image(640, 480).png().toBuffer(), image(16, 12).png().toBuffer()]);
  origin = await startOrigin((request, response) => {
    const path = request.url ?? '';
    const left = /^\/hops\/(\d+)$/.exec(path)?.[1];
    if (path === '/wide.png') response.end(wide);
    else if (path === '/known' || (path === '/back' && back)) response.end(known);
    else if (path === '/back') response.destroy();
    else if (path === '/inside') response.writeHead(302, { location: 'http://127.0.0.2:9/secret.png' }).end();
    else if (left === '0') response.end(wide);
    else if (left) response.writeHead(302, { location: `/hops/${Number(left) - 1}` }).end();
    else response.writeHead(404).end();
  });
  known = await picture('photo', 11, 700, 500);
  hash = pdqToHex(pdq(await pixelsOf(known)).hash);
  const lists = join(folder, 'hashes');
  mkdirSync(lists);
  writeFileSync(join(lists, 'known.txt'), `${hash} evidence\n`);
  const configuration = { text: CONFIGURATION, file: 'images.yaml' };
  const env = { WEIR_FETCH_ALLOW: `127.0.0.1:${origin.port}`, WEIR_HASH_LISTS: lists, WEIR_DECODERS: '1' };
  system = await startSystem({ configuration, env });
});
after(async () => {
  await system?.close();
  await origin?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a standalone image', () => {
  it('is judged by the policies of the deployment, of those that look at images, and is found by both of its ids [1.1.artifact] [1.2.image] [2.5.status] [2.5.flagged] [2.5.policies] [2.5.external_artifact_id] [2.5.created_at] [2.5.updated_at] [4.5.stored] [artifact.policies]', async () => {
    const external = newRun('artifact');
    const started = Date.now();
    const checked = await artifact(inline(wide, { name: 'wide.png' }), { external_artifact_id: external });
    assert.equal(checked.status, 200, checked.text);
    const { json } = checked;
    assert.deepEqual([json.status, json.flagged, json.kind, json.note], ['completed', true, 'image', null]);
    assert.deepEqual(json.policies, {
      [POLICY.both]: { name: 'Both', flagged: true, flagged_source: ['image'] },
      [POLICY.wide]: { name: 'Wide', flagged: true, flagged_source: ['image'] },
      [POLICY.strip]: { name: 'Strip', flagged: false, flagged_source: [] },
    });
    assert.deepEqual([json.internal_session_id, json.external_session_id], [null, null]);
    assert.equal(json.external_artifact_id, external);
    const [created, updated] = [Date.parse(json.created_at), Date.parse(json.updated_at)];
    assert.ok(started - 1000 <= created && created <= updated && updated <= Date.now() + 1000);
    const look = async () => {
      assert.deepEqual((await find(`internal_artifact_id=${json.internal_artifact_id}`)).json, json);
      assert.deepEqual((await find(`external_artifact_id=${external}`)).json, json);
      assert.equal((await find(`external_artifact_id=${external}&deployment_id=closed`)).status, 404);
    };
    await look();
    await system.cold(json.internal_artifact_id);
    await look();
  });

  it('is judged by its role and never by conditions, and only by the policies it is restricted to [artifact.looks-none] [session.policies-none] [4.5.no-conditions] [4.5.body]', async () => {
    const answer = await artifact(inline(small), { role: 'assistant' });
    assert.deepEqual(answer.json.policies[POLICY.output], { name: 'Output', flagged: true, flagged_source: ['image'] });
    const user = await artifact(inline(small), { metadata: { user: { tier: 'free' } } });
    assert.equal(POLICY.output in user.json.policies, false);
    const one = await artifact(inline(wide), { policies: [POLICY.wide] });
    assert.deepEqual([Object.keys(one.json.policies), one.json.note], [[POLICY.wide], null]);
    const some = await artifact(inline(wide), { policies: [POLICY.wide, POLICY.text] });
    assert.match(some.json.note, /^1 of the 2 policies named does not apply/);
    const unfit = await artifact(inline(wide), { policies: [POLICY.text] });
    assert.deepEqual([unfit.json.policies, unfit.json.note], [{}, 'no policy that is named for input looks at images']);
    const none = await artifact(inline(wide), { deployment_id: 'closed' });
    assert.deepEqual([none.json.status, none.json.flagged], ['completed', false]);
    assert.deepEqual([none.json.policies, none.json.note], [{}, 'no policy for input looks at images']);
  });

  it('of an external id is the last that was sent [4.4.latest]', async () => {
    const external_artifact_id = newRun('artifact');
    await artifact(inline(wide), { external_artifact_id });
    const last = await artifact(inline(small), { external_artifact_id });
    assert.deepEqual((await find(`external_artifact_id=${external_artifact_id}`)).json, last.json);
  });

  it('is taken as base64, as a data URI and by address, in four formats, whatever type is stated, and its name is shown [2.6.name] [2.6.url] [2.6.data] [2.6.mime_type] [artifact.limits]', async () => {
    const formats = {
      jpeg: await image(640, 480).jpeg().toBuffer(),
      png: wide,
      webp: await image(640, 480).webp().toBuffer(),
      gif: await image(640, 480).gif().toBuffer(),
    };
    for (const [format, bytes] of Object.entries(formats)) {
      const uri = { kind: 'image', data: `data:image/${format};base64,${bytes.toString('base64')}` };
      for (const content of [inline(bytes), inline(bytes, { mime_type: 'image/tiff' }), uri]) {
        const { json } = await artifact(content);
        assert.deepEqual([json.status, json.flagged], ['completed', true], format);
      }
    }
    assert.equal((await artifact(from('/wide.png'))).json.flagged, true);
    const [row] = await shown((await artifact(inline(wide, { name: 'for people' }))).json.internal_artifact_id);
    assert.equal(JSON.parse(String(row!.content)).name, 'for people');
  });

  it('that cannot be fetched, read or is too large is failed, and says why, without a verdict [3.artifact-failed] [7.artifact-failed] [2.5.note] [failure.artifact] [8.image] [artifact.limits]', async () => {
    const tooWide = await image(16_385, 1).png().toBuffer();
    const tooMany = await image(7_100, 7_100).png().toBuffer();
    const tooLong = Buffer.concat([wide, Buffer.alloc(10 * 1024 * 1024)]);
    for (const [name, content] of Object.entries({
      absent: from('/none'),
      'no image': inline(Buffer.from('hello')),
      'no base64': { kind: 'image', data: '*' },
      'cut off': inline(wide.subarray(0, 60)),
      'a side': inline(tooWide),
      pixels: inline(tooMany),
      bytes: inline(tooLong),
    })) {
      const { status, json } = await artifact(content);
      assert.equal(status, 200, name);
      assert.deepEqual([json.status, json.flagged, json.policies], ['failed', null, {}], name);
      assert.ok(json.note.length > 0, name);
      assert.deepEqual((await find(`internal_artifact_id=${json.internal_artifact_id}`)).json, json);
    }
  });

  it('is fetched over three redirects and not four, and nothing tells a private address from one that is not there [artifact.fetch]', async () => {
    assert.equal((await artifact(from('/hops/3'))).json.status, 'completed');
    assert.equal((await artifact(from('/hops/4'))).json.status, 'failed');
    assert.equal((await artifact({ kind: 'image', url: 'file:///etc/passwd' })).status, 400);
    const notes = new Set<string>();
    for (const url of [
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://169.254.169.254/latest',
      'http://nowhere.invalid/',
    ]) {
      const { json } = await artifact({ kind: 'image', url });
      assert.equal(json.status, 'failed', url);
      notes.add(json.note);
    }
    notes.add((await artifact(from('/inside'))).json.note);
    assert.equal(notes.size, 1, [...notes].join());
  });

  it('belongs to a session by either id of it, also to one that comes later, and stands in its envelope [4.5.session] [2.5.internal_session_id] [2.5.external_session_id] [2.4.artifacts] [artifact.body]', async () => {
    const external_session_id = newRun('chat');
    const early = (await artifact(inline(small), { external_session_id })).json;
    assert.deepEqual([early.internal_session_id, early.external_session_id], [null, external_session_id]);
    const body = session([part(inline(wide), { external_artifact_id: 'in the chat' })], { external_session_id });
    const { json } = await post('/api/session', body);
    const own: string = json.session.internal_session_id;
    const late = (await artifact(inline(small), { internal_session_id: own })).json;
    assert.deepEqual([late.internal_session_id, late.external_session_id], [own, external_session_id]);
    const found = await find(`internal_artifact_id=${early.internal_artifact_id}`);
    assert.equal(found.json.internal_session_id, own);
    const inChat = json.artifacts[0];
    assert.deepEqual([inChat.external_artifact_id, inChat.internal_session_id], ['in the chat', own]);
    assert.equal(json.artifacts.length, 2, 'the early one is there at once');
    const expected = [late, inChat, early].map((one) => one.internal_artifact_id);
    for (const cold of [false, true]) {
      if (cold) for (const one of expected) await system.cold(one);
      for (const path of [`/api/session/${own}`, `/api/session?external_session_id=${external_session_id}`]) {
        const envelope = (await get(path)).json;
        assert.deepEqual(pluck(envelope.artifacts, 'internal_artifact_id'), expected);
        assert.ok(envelope.artifacts.every((one: { internal_session_id: string }) => one.internal_session_id === own));
      }
      assert.deepEqual((await find(`internal_artifact_id=${expected[1]}`)).json, inChat);
    }
    const foreign = await artifact(inline(small), { internal_session_id: early.internal_artifact_id });
    assert.equal(foreign.status, 404, 'an artifact is no session');
  });
});

describe('an image in a session', () => {
  it('comes in an artifact part of the last message, and its source is said beside that of the text [2.3.content-artifact] [session.artifact-part] [2.1.image] [2.9.violation_source-image]', async () => {
    const cases: [content: unknown[], source: string[]][] = [
      [[{ type: 'text', text: 'fine' }, part(inline(small))], []],
      [[{ type: 'text', text: 'secret' }, part(inline(small))], ['text']],
      [[{ type: 'text', text: 'fine' }, part(inline(wide))], ['image']],
      [
        [{ type: 'text', text: 'secret' }, part(inline(small)), part(inline(wide))],
        ['text', 'image'],
      ],
    ];
    for (const [content, source] of cases) {
      const { status, json } = await post('/api/session/check', session(content));
      assert.equal(status, 200, JSON.stringify(json));
      assert.deepEqual(json.policies[POLICY.both].flagged_source, source);
      const path = `/api/protect/get_by_id?deployment_id=chat&internal_id=${json.internal_session_id}`;
      const [shown] = (await get(path)).json.list;
      assert.deepEqual(shown.violations[POLICY.both].violation_source, json.policies[POLICY.both].flagged_source);
    }
    const earlier = {
      messages: [
        { role: 'user', content: [part(inline(wide))] },
        { role: 'user', content: 'fine' },
      ],
    };
    const { json } = await post('/api/session/check', earlier);
    assert.deepEqual([json.flagged, json.policies[POLICY.wide]], [false, undefined], 'it is context');
  });

  it('is judged alone, by each policy [config.detect-image]', async () => {
    const [broad, flat, strip] = await Promise.all(
      [image(700, 400), image(100, 40), image(700, 40)].map((one) => one.png().toBuffer()),
    );
    const both = await post('/api/session/check', session([part(inline(broad!)), part(inline(flat!))]));
    assert.equal(both.json.policies[POLICY.strip].flagged, false);
    const one = await post('/api/session/check', session([part(inline(strip!))]));
    assert.equal(one.json.policies[POLICY.strip].flagged, true);
  });

  it('is one of at most 16 [session.artifacts]', async () => {
    const most = Array.from({ length: 16 }, () => part(inline(small)));
    const { status, json } = await post('/api/session', session(most, { external_session_id: newRun('chat') }));
    assert.deepEqual([status, json.artifacts.length], [200, 16]);
    const more = await post('/api/session', session([...most, part(inline(small))]));
    assert.deepEqual([more.status, more.json.error.param], [400, 'messages[0].content']);
  });

  it('that fails leaves the session flagged by what else is, or an error, and is itself failed [session.image-fault]', async () => {
    const broken = part(inline(Buffer.from('hello')));
    const flagged = await post('/api/session', session([{ type: 'text', text: 'secret' }, broken]));
    assert.deepEqual([flagged.status, flagged.json.session.flagged], [200, true]);
    assert.deepEqual([flagged.json.artifacts[0].status, flagged.json.artifacts[0].flagged], ['failed', null]);
    const faulty = await post('/api/session/check', session([{ type: 'text', text: 'fine' }, broken]));
    assert.deepEqual([faulty.status, faulty.json.error.param], [400, 'messages[0].content[1]']);
    const gone = part({ kind: 'image', url: 'http://nowhere.invalid/a.png' });
    const unreachable = await post('/api/session/check', session([gone]));
    assert.deepEqual([unreachable.status, unreachable.json.error.code], [503, 'unavailable']);
  });

  it('is looked at wherever LiteLLM sends one, and faults are told of its own fields [adapter.litellm-images]', async () => {
    const ask = (body: object): Promise<Answer> => post('/beta/litellm_basic_guardrail_api', body);
    const [w, s] = [wide.toString('base64'), small.toString('base64')];
    assert.deepEqual((await ask({ texts: ['fine'], images: [s] })).json, { action: 'NONE' });
    for (const images of [[s, w], [s, `data:image/png;base64,${w}`], [String(from('/wide.png').url)]]) {
      const { json } = await ask({ texts: ['fine'], images, input_type: 'request' });
      assert.deepEqual(json, { action: 'BLOCKED', blocked_reason: 'The content violates: Both, Wide.' });
    }
    const broken = await ask({ texts: ['fine'], images: [s, 'AAAA'] });
    assert.deepEqual([broken.status, broken.json.error.param], [400, 'images[1]']);
    assert.match(broken.json.error.message, /^images\[1\]: /);
  });
});

describe('an artifact event', () => {
  it('has its image judged by the policies that select artifacts of its kind [2.7.artifact] [4.6.artifact] [6.3.artifact] [event.selector-image]', async () => {
    const single = await post('/api/event', {
      environment_id: 'prod',
      run_id: newRun(),
      event: { type: 'artifact', event_id: 'artifact.m1', content: inline(wide) },
    });
    assert.equal(single.status, 200, single.text);
    const { json } = single;
    assert.deepEqual([json.flagged, json.event.type, json.event.status], [true, 'artifact', 'completed']);
    assert.deepEqual(Object.keys(json.policies), [POLICY.both, POLICY.wide, POLICY.strip, POLICY.output]);
    assert.equal(json.policies[POLICY.wide].flagged, true);
    const batch = await events([
      { type: 'artifact', event_id: 'artifact.m1', content: inline(wide) },
      { type: 'message', role: 'user', event_id: 'm1', content: 'secret' },
    ]);
    const { artifact: images, message } = batch.json.results;
    assert.deepEqual(images['artifact.m1'].policies, json.policies);
    assert.deepEqual(Object.keys(message.m1.policies), [POLICY.text, POLICY.both, POLICY.messages]);
  });

  it('that matches no condition is not judged', async () => {
    const { json } = await events([{ type: 'artifact', event_id: 'a', content: inline(wide) }], 'quiet');
    const { flagged, policies, event, note } = json.results.artifact.a;
    assert.deepEqual([flagged, policies, event.status], [false, {}, 'completed']);
    assert.equal(note, 'no active condition matched');
  });

  it('that cannot be fetched or validated is failed, its address is not read as text, and the others are judged [6.6] [3.event-failed-image] [7.event-failed]', async () => {
    const { status, json } = await events([
      { type: 'artifact', event_id: 'gone', content: from('/secret') },
      { type: 'artifact', event_id: 'broken', content: inline(Buffer.from('secret')) },
      { type: 'message', role: 'user', event_id: 'm1', content: 'secret' },
      { type: 'artifact', event_id: 'good', content: from('/wide.png') },
    ]);
    assert.equal(status, 200);
    for (const event of ['gone', 'broken']) {
      const { flagged, policies, note, event: shown } = json.results.artifact[event];
      assert.deepEqual([flagged, policies, shown.status], [false, {}, 'failed'], event);
      assert.ok(note.length > 0);
    }
    assert.equal(json.results.message.m1.flagged, true);
    assert.equal(json.results.artifact.good.flagged, true);
  });

  it('carries at most 256 KiB of data [event.image-size]', async () => {
    const padded = (length: number): object => ({ kind: 'image', data: 'A'.repeat(length) });
    const most = await events([{ type: 'artifact', event_id: 'a', content: padded(256 * 1024) }]);
    assert.deepEqual([most.status, most.json.results.artifact.a.event.status], [200, 'failed']);
    const more = await events([{ type: 'artifact', event_id: 'a', content: padded(256 * 1024 + 1) }]);
    assert.deepEqual([more.status, more.json.error.code], [400, 'content_too_large']);
    assert.equal(more.json.error.param, 'events[0].content.data');
  });

  it('is found as an event, and as an artifact only what came as one [6.7] [event.external-artifact]', async () => {
    const external_artifact_id = newRun('artifact');
    const run_id = newRun();
    const event = { type: 'artifact', event_id: 'e', external_artifact_id, content: inline(small) };
    const { json } = await post('/api/event', { environment_id: 'prod', run_id, event });
    const internal = json.event.internal_event_id;
    const query = `/api/event?environment_id=prod&run_id=${run_id}&event_id=e&type=artifact`;
    for (const cold of [false, true]) {
      if (cold) await system.cold(internal);
      assert.equal((await get(query)).json.event.internal_event_id, internal);
      assert.equal((await get(`/api/event/${internal}?environment_id=prod`)).status, 200);
      assert.equal((await find(`external_artifact_id=${external_artifact_id}`)).status, 404);
      assert.equal((await find(`internal_artifact_id=${internal}`)).status, 404);
    }
    const [row] = await shown(internal);
    assert.equal(row!.external_artifact_id, external_artifact_id);
    const { json: alone } = await artifact(inline(small), { external_artifact_id });
    assert.equal((await get(`/api/event/${alone.internal_artifact_id}?environment_id=prod`)).status, 404);
  });
});

describe('an image that is on a list', () => {
  const deployment_id = 'lists';
  const say = (text: string, contents: object[], more: object = {}): object =>
    session([{ type: 'text', text }, ...contents.map((content) => part(content))], { deployment_id, ...more });
  const check = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    system.post('/api/session/check', body, { key, headers });

  it('is found however it is sent and turned, and once it is added to the file [2.3.content-artifact] [2.6.url] [2.6.data]', async () => {
    const edited = await sharp(known).rotate(90).resize(300).jpeg({ quality: 70 }).toBuffer();
    for (const content of [inline(known), from('/known'), inline(edited)]) {
      const { status, json } = await check(say('look', [content]));
      assert.deepEqual([status, json.flagged], [200, true], JSON.stringify(json));
      assert.deepEqual(json.policies, { [POLICY.known]: { name: 'Known', flagged: true, flagged_source: ['image'] } });
    }
    const fresh = await picture('gradients', 77, 400, 400);
    assert.equal((await check(say('look', [inline(fresh)]))).json.flagged, false);
    const more = pdqToHex(pdq(await pixelsOf(fresh)).hash);
    writeFileSync(join(folder, 'hashes/known.txt'), `${hash} evidence\n${more} more\n`);
    await until('it is known', async () => (await check(say('look', [inline(fresh)]))).json.flagged === true);
  });

  it('is found by a retry with its Idempotency-Key once its image can be had, corrected or as it was [idempotency.accepted]', async () => {
    for (const [path, status, corrected] of [
      ['/back', 503, '/back'],
      ['/none', 400, '/known'],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() };
      const external = newRun('chat');
      const body = (path_: string): object => say('look', [from(path_)], { external_session_id: external });
      assert.equal((await check(body(path), headers)).status, status);
      const looked = await get(`/api/session?external_session_id=${external}&deployment_id=lists`);
      // It has no verdict, and so is not what the external id leads to.
      assert.deepEqual([looked.status, looked.json.error.code], [404, 'not_found']);
      back = true;
      const first = await check(body(corrected), headers);
      assert.deepEqual([first.status, first.json.flagged], [200, true]);
      const again = await check(body(corrected), headers);
      assert.deepEqual([again.json, again.headers.get('idempotency-replayed')], [first.json, 'true']);
    }
  });

  it('is a row with what was measured of it, and no data [2.6.name]', async () => {
    const name = newRun('chat');
    const drawn = await sharp(await picture('photo', 12, 320, 240))
      .gif()
      .toBuffer();
    const lying = withScreen(drawn, 5000, 4000);
    const contents = [inline(known, { name: 'a picture' }), from('/none'), inline(lying)];
    const { json } = await check(say('look', contents, { external_session_id: name }));
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
      {
        kind: null,
        width: null,
        height: null,
        bytes: null,
        hash: null,
        quality: null,
        session: json.internal_session_id,
      },
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

  it('is linked to the session that it names by the id of the caller, hot and cold, in its answer and in its row [4.5.session]', async () => {
    const external = newRun('chat');
    const { json } = await check(say('hello', [], { external_session_id: external }));
    const id: string = json.internal_session_id;
    const linked = async (): Promise<boolean> => {
      const body = { content: inline(known), external_session_id: external, deployment_id };
      const { json: answer } = await post('/api/artifact', body);
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

/** The row of an item as people see it, with its content. */
async function shown(internalId: string): Promise<Record<string, unknown>[]> {
  await system.cold(internalId);
  return await system.sql(
    `SELECT r.external_artifact_id AS external_artifact_id, c.content AS content FROM results AS r JOIN contents AS c ON c.id = r.id WHERE r.id = '${internalId}'`,
  );
}
