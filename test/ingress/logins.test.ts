/** People who sign in to the console, with a provider, Redis and the HTTP edge as they are. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildDirectory, type Directory } from '#weir/ingress/admission/directory';
import { createLogins, type LoginSettings } from '#weir/ingress/logins/logins';
import { hashKey } from '#weir/shared/configuration/api-keys';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { createLogger } from '#weir/shared/log';
import { SettingsError } from '#weir/shared/settings';
import { endLogin } from '#weir/shared/streams/logins';
import { CLIENT, startProvider, type TestProvider } from '../support/api/identity-provider.ts';
import { sharedRedis } from '../support/stores/redis.ts';
import { type Answer, assertError, type Call, type Ingress, startIngress, storedItem } from './support.ts';

const REDIRECT = 'https://weir.example.com/console/callback';
const SESSION = '__Host-weir-session';
const { redis } = await sharedRedis();
const logger = createLogger('ingress', 'silent');

const directoryOf = (logins: string): Directory => {
  const loaded = loadConfiguration(
    `version: 1
teams: [{id: acme}, {id: globex}]
keys: [{id: good, team: acme, sha256: ${hashKey('good')}, scopes: [check, read], environments: [prod]}]
policies: [{id: 6f1c0f0e-3a52-4a52-9a0c-6d1f0a1b2c3d, team: acme, name: Hate, detect: {terms: {list: [x]}}}]
deployments: [{id: chat, team: acme, name: Chat}]
environments: [{id: prod, team: acme}, {id: staging, team: acme}, {id: prod, team: globex}]
${logins}`,
    'f.yaml',
  );
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return buildDirectory(loaded.configuration, { version: 1, id: '1-a@b' });
};

const LOGINS = `logins:
- {group: looks, team: acme, role: viewer, environments: [prod]}
- {group: judges, team: acme, role: reviewer, environments: [prod], deployments: [chat]}
- {group: writes, team: globex, role: editor, environments: [prod]}
- {group: runs, role: operator}
`;

describe('people who sign in', { timeout: 120_000 }, () => {
  let provider: TestProvider;
  let ingress: Ingress;
  let settings: LoginSettings;
  let folder: string;
  let directory = directoryOf(LOGINS);
  before(async () => {
    provider = await startProvider(REDIRECT);
    for (const group of ['looks', 'judges', 'writes', 'runs']) provider.people.set(group, ['staff', group]);
    folder = mkdtempSync(join(tmpdir(), 'weir-logins-'));
    const secret = join(folder, 'secret');
    writeFileSync(secret, `${CLIENT.secret}\n`);
    settings = {
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecretFile: secret,
      oidcRedirectUrl: REDIRECT,
      oidcScopes: 'openid email profile',
      oidcGroupsClaim: 'groups',
      oidcUserClaim: 'email',
      loginIdleMinutes: 30,
      loginHours: 8,
    };
    const logins = createLogins(redis, settings, { logger, directory: () => directory });
    ingress = await startIngress({}, { ...(logins ? { logins } : {}), directory: () => directory });
  });
  after(async () => {
    await ingress?.server.close();
    await provider?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a browser would send: no key, and its cookies. */
  const ask = (path: string, cookie: string, more: Partial<Call> = {}): Promise<Answer> =>
    ingress.call({
      method: 'GET',
      path,
      ...more,
      headers: { authorization: undefined, 'content-type': undefined, cookie, ...more.headers },
    });
  const cookiesOf = ({ headers }: Answer): string => headers['set-cookie']!;
  const pairIn = (cookie: string): string => cookie.split(';', 1)[0]!;

  /** From the page to the provider and back. */
  async function comeBack(person: string): Promise<{ path: string; cookie: string }> {
    const sent = await ask('/console/login', '');
    assert.equal(sent.status, 303, sent.text);
    const back = await provider.visit(sent.headers.location!, person);
    return { path: `${back.pathname}${back.search}`, cookie: pairIn(cookiesOf(sent)) };
  }
  /** The cookie of the session, as it is set. */
  async function signIn(person: string): Promise<string> {
    const { path, cookie } = await comeBack(person);
    const answer = await ask(path, cookie);
    assert.equal(answer.status, 303, answer.text);
    assert.equal(answer.headers.location, '../console');
    return cookiesOf(answer);
  }
  const csrfOf = async (cookie: string): Promise<string> => (await ask('/console/session', cookie)).json.csrf_token;

  it('come by code, state, nonce and PKCE, and have what the first entry of their groups says [login.flow] [login.mapping]', async () => {
    const sent = await ask('/console/login', '');
    const { searchParams } = new URL(sent.headers.location!);
    assert.equal(searchParams.get('response_type'), 'code');
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(searchParams.get(name)!.length >= 43, name);
    assert.match(cookiesOf(sent), /^__Host-weir-login=\S+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/);

    const cases = {
      looks: ['acme', ['read', 'risk'], ['prod'], []],
      judges: ['acme', ['read', 'risk', 'content', 'review'], ['prod'], ['chat']],
      writes: ['globex', ['read', 'risk', 'content', 'review', 'try', 'configure', 'audit'], ['prod'], []],
      runs: [undefined, ['operate'], [], []],
    };
    for (const [person, expected] of Object.entries(cases)) {
      const cookie = pairIn(await signIn(person));
      const { json } = await ask('/api/key', cookie);
      assert.deepEqual([json.team, json.scopes, json.environments, json.deployments], expected);
      assert.equal(json.key_id, `${person}@example.com`);
    }
  });

  it('have a cookie that no script and no other site gets, and of which Redis has the hash [login.cookie]', async () => {
    const set = await signIn('looks');
    assert.match(
      set,
      /__Host-weir-session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800; Secure$/,
    );
    const token = pairIn(set).slice(SESSION.length + 1);
    for (const key of await redis.keys('*')) {
      assert.ok(!key.includes(token), key);
      if ((await redis.type(key)) === 'string') assert.ok(!(await redis.get(key))!.includes(token), key);
    }
    const ttl = await redis.pttl((await redis.keys('login:{weir}:*'))[0]!);
    assert.ok(ttl > 0 && ttl <= 30 * 60_000, `${ttl}`);
  });

  it('are refused without a group that is named, and the audit log tells it [login.mapping] [login.audit]', async () => {
    provider.people.set('stranger', ['staff']);
    const { path, cookie } = await comeBack('stranger');
    const answer = await ask(path, cookie);
    assertError(answer, { status: 403, code: 'permission_denied' });
    assert.equal(answer.headers['set-cookie'], undefined);
    const { action, actor, team } = ingress.told.at(-1)!;
    assert.deepEqual([action, actor.kind, actor.id, team], ['login.refused', 'login', 'stranger@example.com', '']);
    assert.equal(actor.address, '127.0.0.1');
  });

  it('come back in the browser that began, once, and with what the provider said [login.flow]', async () => {
    const { path, cookie } = await comeBack('looks');
    const other = pairIn(cookiesOf(await ask('/console/login', '')));
    const forged = path.replace(/state=[^&]+/, 'state=forged');
    for (const [asked, sent] of [
      [path, ''],
      [path, other],
      [forged, cookie],
      ['/console/callback?error=access_denied&state=x', cookie],
      [path.replace(/code=[^&]+/, 'code=forged'), cookie],
    ] as const) {
      const answer = await ask(asked, sent);
      assertError(answer, { status: 403, code: 'permission_denied' }, asked);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
    // The provider takes the code of a failed attempt back, so this one comes anew.
    const again = await comeBack('looks');
    assert.equal((await ask(again.path, again.cookie)).status, 303);
    assertError(await ask(again.path, again.cookie), { status: 403, code: 'permission_denied' });
  });

  it('need a token in a header to change something, and none to look [login.csrf]', async () => {
    const cookie = pairIn(await signIn('judges'));
    const id = '01890000-0000-7000-8000-000000000001';
    const map = JSON.stringify({ '6f1c0f0e-3a52-4a52-9a0c-6d1f0a1b2c3d': { flagged: true, name: 'Hate' } });
    ingress.found = { status: 'found', item: storedItem({ flagged: true, policies: map }) };
    const body = { internal_event_id: id, environment_id: 'prod', policy: 'Hate', label: 'true_alarm' };
    const label = (headers: Record<string, string>) =>
      ask('/api/label', cookie, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
    const foreign = await csrfOf(pairIn(await signIn('judges')));
    const before = ingress.labels.length;
    for (const headers of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': foreign }, { 'x-csrf-token': cookie }])
      assertError(await label(headers as Record<string, string>), {
        status: 403,
        code: 'permission_denied',
        param: 'x-csrf-token',
      });
    assert.equal(ingress.labels.length, before);
    const token = await csrfOf(cookie);
    assert.equal((await label({ 'x-csrf-token': token })).status, 200);
    assert.equal(ingress.labels.at(-1)!.reviewer, 'judges@example.com');
    const { action, actor } = ingress.told.at(-1)!;
    assert.deepEqual([action, actor.kind, actor.id], ['label.set', 'login', 'judges@example.com']);
    assertError(await ask('/console/session', cookie, { method: 'DELETE' }), {
      status: 403,
      code: 'permission_denied',
    });
    assert.equal((await ask(`/api/event/${id}?environment_id=prod`, cookie)).status, 200);
  });

  it('have what a key of their scopes has, and nothing else [login.routes]', async () => {
    const cookie = pairIn(await signIn('looks'));
    const id = '01890000-0000-7000-8000-000000000001';
    ingress.found = { status: 'found', item: storedItem() };
    const headers = { 'x-csrf-token': await csrfOf(cookie), 'content-type': 'application/json' };
    const label = { internal_event_id: id, policy: 'Hate', label: 'true_alarm' };
    assertError(await ask('/api/label', cookie, { method: 'POST', body: label, headers }), { status: 403 } as never);
    assert.equal((await ask(`/api/event/${id}?environment_id=staging`, cookie)).status, 404);
    assertError(await ask(`/api/event/${id}?environment_id=prod&matched=true`, cookie), { status: 403 } as never);
    assert.equal((await ask('/api/operation/status', cookie)).status, 403);
    assert.equal((await ask('/api/key', cookie, { headers: { 'service-version': undefined } })).status, 400);
    // No check is made by a cookie, and none counts beside a key.
    const event = { environment_id: 'prod', event: { type: 'message', role: 'user', content: 'x' } };
    assertError(await ask('/api/event', cookie, { method: 'POST', body: event, headers }), {
      status: 401,
      code: 'missing_api_key',
    });
    const { json } = await ask('/api/key', cookie, { headers: { authorization: 'Bearer good' } });
    assert.equal(json.key_id, 'good');
    assertError(await ask('/api/key', cookie, { headers: { authorization: 'Bearer wrong' } }), {
      status: 401,
      code: 'invalid_api_key',
    });
    assertError(await ask('/api/key', `${cookie}; ${cookie}`), { status: 401, code: 'missing_api_key' });
    assertError(await ask('/api/key', `${SESSION}=${'A'.repeat(43)}`), { status: 401, code: 'invalid_api_key' });
  });

  it('sign out, and are out where Redis or the configuration knows them no more [login.ends] [login.audit]', async () => {
    const cookie = pairIn(await signIn('looks'));
    const headers = { 'x-csrf-token': await csrfOf(cookie) };
    const left = await ask('/console/session', cookie, { method: 'DELETE', headers });
    assert.deepEqual([left.status, left.json], [200, { sign_in: true }]);
    assert.match(cookiesOf(left), new RegExp(`^${SESSION}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure$`));
    assert.equal(ingress.told.at(-1)!.action, 'login.ended');
    assertError(await ask('/api/key', cookie), { status: 401, code: 'invalid_api_key' });
    assert.deepEqual((await ask('/console/session', cookie)).json, { sign_in: true });

    const idle = pairIn(await signIn('looks'));
    await endLogin(redis, idle.slice(SESSION.length + 1));
    assertError(await ask('/api/key', idle), { status: 401, code: 'invalid_api_key' });

    const mapped = pairIn(await signIn('judges'));
    directory = directoryOf(LOGINS.replace('role: reviewer, ', 'role: viewer, '));
    assert.deepEqual((await ask('/api/key', mapped)).json.scopes, ['read', 'risk']);
    directory = directoryOf(LOGINS.replace('group: judges', 'group: others'));
    assertError(await ask('/api/key', mapped), { status: 401, code: 'invalid_api_key' });
    directory = directoryOf(LOGINS);
    assertError(await ask('/api/key', mapped), { status: 401, code: 'invalid_api_key' });
  });

  it('are out after some hours, however much they do [login.ends]', async () => {
    const cookie = pairIn(await signIn('looks'));
    const token = cookie.slice(SESSION.length + 1);
    const key = `login:{weir}:${hashKey(token)}`;
    const login = JSON.parse((await redis.get(key))!);
    assert.ok(Math.abs(login.ends - Date.now() - 8 * 3_600_000) < 600_000);
    await redis.set(key, JSON.stringify({ ...login, ends: Date.now() - 1 }), 'KEEPTTL');
    assertError(await ask('/api/key', cookie), { status: 401, code: 'invalid_api_key' });
  });

  it('are told when the provider cannot be asked', async () => {
    const away = { ...settings, oidcIssuer: 'http://127.0.0.1:1' };
    const logins = createLogins(redis, away, { logger, directory: () => directory })!;
    await assert.rejects(logins.begin(), /The identity provider cannot be asked at the moment/);
  });

  it('need settings that fit together', () => {
    const make = (change: Partial<LoginSettings>) => () =>
      createLogins(redis, { ...settings, ...change }, { logger, directory: () => directory });
    assert.equal(make({ oidcIssuer: '' })(), undefined);
    for (const change of [
      { oidcClientId: '' },
      { oidcClientSecretFile: '' },
      { oidcRedirectUrl: '' },
      { oidcIssuer: 'http://id.example.com' },
    ])
      assert.throws(make(change), SettingsError, JSON.stringify(change));
  });
});

describe('logins of a configuration', () => {
  const problems = (logins: string): string[] => {
    const loaded = loadConfiguration(
      `version: 1\nteams: [{id: t}, {id: u}]\nenvironments: [{id: e, team: t}]\nlogins:\n- ${logins}\n`,
      'f.yaml',
    );
    return loaded.ok ? [] : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
  };

  it('name what there is, and an operator has nothing of a team', () => {
    assert.deepEqual(problems('{group: g, team: t, role: viewer, environments: [e]}'), []);
    assert.deepEqual(problems('{group: g, role: operator}'), []);
    for (const [logins, expected] of [
      ['{group: g, team: v, role: viewer}', /^logins\[0\]\.team: there is no team "v"/],
      [
        '{group: g, team: u, role: viewer, environments: [e]}',
        /^logins\[0\]\.environments\[0\]: team "u" has no environment "e"$/,
      ],
      [
        '{group: g, team: t, role: viewer, deployments: [d]}',
        /^logins\[0\]\.deployments\[0\]: team "t" has no deployment "d"$/,
      ],
      ['{group: g, team: t, role: reader}', /^logins\[0\]\.role: expected one of viewer, reviewer, editor, operator/],
      ['{group: g, team: t}', /^logins\[0\]\.role: expected one of viewer/],
      ['{team: t, role: viewer}', /^logins\[0\]\.group: is required/],
      ['{group: g, team: t, role: operator}', /^logins\[0\]\.team: expected nothing here/],
      [
        '{group: g, team: t, role: viewer}\n- {group: g, role: operator}',
        /^logins\[1\]\.group: group "g" is used twice$/,
      ],
    ] as const) {
      const found = problems(logins);
      assert.ok(found.length > 0 && expected.test(found[0]!), `${logins}: ${found.join(' | ')}`);
    }
  });
});
