/** What a team is shown of the configuration by a key of the scope `configure`: its own part, whoever else is in it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ConfigurationVersions, ConfiguredPolicies, VersionChanges } from '#weir/shared/api/configuration';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { keys } from '#weir/shared/streams/keys';
import { until } from '../support/wait.ts';
import { configuration, KEY, POLICY } from './configuration.ts';
import { type Answer, type System, startSystem } from './system.ts';

const VERSIONS = '/api/configuration/versions';
const POLICIES = '/api/configuration/policies';
const WORDS = Array.from({ length: 3000 }, (_, n) => `word number ${n}`);
const LONG = 'aaaaaaaa-0000-4000-8000-0000000000aa';
const GLOBEX = createKey();
/** What no answer may have: of the other team, of keys, of backends and of webhooks. */
const SECRET = /globex|bbbbbbbb|secret|127\.0\.0\.9|GUARDED|[0-9a-f]{64}/i;

const withMore = (text: string, { port = 1, other = '' } = {}): string =>
  text
    .replace(
      'keys:\n',
      `backends:
- {id: judge, team: acme, url: "http://127.0.0.9:${port}/secret", model: m, api_key_env: GUARDED}
- {id: globex, team: globex, url: "http://127.0.0.9:1/globex", model: m}
notify:
- {id: hook, team: acme, url: "https://127.0.0.9:${port}/secret", on: [flagged], secret_env: GUARDED}
keys:
- {id: other${other}, team: globex, sha256: ${hashKey(GLOBEX)}, environments: [prod], scopes: [configure]}
`,
    )
    .replace(
      'policies:\n',
      `policies:\n- {id: ${LONG}, team: acme, name: Long, mode: shadow, detect: {terms: {list: ${JSON.stringify(WORDS)}}}}\n`,
    );

describe('the configuration as a team sees it', () => {
  let system: System;
  before(async () => {
    system = await startSystem({ configuration: { text: withMore(configuration()), file: 'test.yaml' } });
    // Of the other team alone, then of this one, with a note of who did it.
    await system.apply(withMore(configuration(), { other: '-2' }));
    await system.apply(withMore(configuration({ sesame: 'open barley' }), { port: 2, other: '-2' }));
    for (const version of [2, 3]) {
      const who = { user: `user ${version}`, host: 'desk', message: `why ${version}` };
      await system.redis.hset(keys.configApplied(), String(version), `1790000000000 ${JSON.stringify(who)}`);
    }
  });
  after(() => system?.close());

  const get = (path: string, key = KEY.acme): Promise<Answer> => system.get(path, { key });

  it('lists versions, with who has applied those that are about the team [configure.versions] [configure.own]', async () => {
    const all: ConfigurationVersions = (await get(VERSIONS)).json;
    assert.deepEqual(
      all.versions.map(({ version, active, changes }) => [version, active, changes]),
      [
        [3, true, 3],
        [2, false, 0],
        [1, false, all.versions[2]!.changes],
      ],
    );
    assert.ok(all.versions[2]!.changes! > 10);
    assert.equal(all.next, undefined);
    const [third, second] = all.versions;
    assert.deepEqual(
      [third!.by, third!.host, third!.message, third!.summary],
      ['user 3', 'desk', 'why 3', 'backends: 1 changed; policies: 1 changed; notify: 1 changed'],
    );
    assert.deepEqual(second, { version: 2, active: false, applied_at: '2026-09-21T14:13:20.000Z', changes: 0 });
    assert.doesNotMatch(JSON.stringify(all), SECRET);
    // The other team is told of the second one.
    const theirs: ConfigurationVersions = (await get(VERSIONS, GLOBEX)).json;
    assert.deepEqual(theirs.versions.map(({ version, changes, by }) => [version, changes, by]).slice(0, 2), [
      [3, 0, undefined],
      [2, 2, 'user 2'],
    ]);
    const pages: number[] = [];
    for (let next: number | undefined = 999; next !== undefined; ) {
      const page: ConfigurationVersions = (await get(`${VERSIONS}?limit=1&before=${next}`)).json;
      pages.push(...page.versions.map(({ version }) => version));
      next = page.next;
    }
    assert.deepEqual(pages, [3, 2, 1]);
  });

  it('compares a version with the one that was active before, not with one that never was [configure.versions]', async () => {
    const { redis } = system;
    const second = (await redis.hget(keys.configApplied(), '2'))!;
    await redis.hset(keys.configApplied(), '1', second);
    await redis.hdel(keys.configApplied(), '2');
    try {
      const { versions }: ConfigurationVersions = (await get(VERSIONS, GLOBEX)).json;
      assert.deepEqual(versions.map(({ version, changes }) => [version, changes]).slice(0, 2), [
        [3, 2],
        [2, 2],
      ]);
      const changes: VersionChanges = (await get(`${VERSIONS}/3`, GLOBEX)).json;
      assert.deepEqual([changes.from, changes.changes.length], [1, 2]);
    } finally {
      await redis.hset(keys.configApplied(), '2', second);
      await redis.hdel(keys.configApplied(), '1');
    }
  });

  it('does not say what a version has changed where the one before it is not kept [configure.versions]', async () => {
    const { redis } = system;
    const [text, content] = await Promise.all([
      redis.hget(keys.configVersions(), '1'),
      redis.hget(keys.configContents(), '1'),
    ]);
    await redis.hdel(keys.configContents(), '1');
    try {
      const { versions }: ConfigurationVersions = (await get(VERSIONS)).json;
      assert.deepEqual(versions.at(-1), {
        version: 2,
        active: false,
        applied_at: '2026-09-21T14:13:20.000Z',
        changes: null,
      });
      const changes: VersionChanges = (await get(`${VERSIONS}/2`)).json;
      assert.equal(changes.from, null);
      assert.ok(changes.changes.every(({ what }) => what === 'added'));
    } finally {
      await redis.hset(keys.configContents(), '1', content!);
      await redis.hset(keys.configVersions(), '1', text!);
    }
  });

  it('says in words what a version has changed, without secrets and addresses [configure.changes] [configure.own]', async () => {
    const third: VersionChanges = (await get(`${VERSIONS}/3`)).json;
    assert.deepEqual(third, {
      version: 3,
      from: 2,
      summary: 'backends: 1 changed; policies: 1 changed; notify: 1 changed',
      changes: [
        { section: 'backends', what: 'changed', title: 'judge', fields: ['url: another value'] },
        {
          section: 'policies',
          what: 'changed',
          title: `"Sesame" (${POLICY.sesame})`,
          fields: ['detect.terms.list: added "open barley"; removed "open sesame"'],
        },
        { section: 'notify', what: 'changed', title: 'hook', fields: ['url: another value'] },
      ],
      left_out: 0,
    });
    assert.deepEqual((await get(`${VERSIONS}/2`)).json.changes, []);
    const back: VersionChanges = (await get(`${VERSIONS}/1?from=3`)).json;
    assert.equal(back.changes.length, 3);
    for (const version of [1, 2, 3])
      assert.doesNotMatch((await get(`${VERSIONS}/${version}`)).text, SECRET, `${version}`);
    assert.match((await get(`${VERSIONS}/2`, GLOBEX)).text, /other-2/);
  });

  it('lists policies with their detectors, and cuts what is long [configure.policies] [configure.own]', async () => {
    const first: ConfiguredPolicies = (await get(`${POLICIES}?limit=3`)).json;
    const rest: ConfiguredPolicies = (await get(`${POLICIES}?after=${first.next}&version=3`)).json;
    const all = [...first.policies, ...rest.policies];
    assert.deepEqual([first.policies.length, first.version, rest.next], [3, 3, undefined]);
    const ids = all.map((policy) => policy.policy_id);
    assert.deepEqual(ids.toSorted(), [LONG, ...Object.values(POLICY).filter((id) => id !== POLICY.globex)].sort());
    const [long, cards] = all;
    assert.deepEqual([long!.mode, long!.cut], ['shadow', true]);
    assert.ok(JSON.stringify(long!.detect).length < 10_000);
    assert.match(JSON.stringify(long!.detect), /word number 0.*… and \d+ more/);
    assert.deepEqual(
      [cards!.policy_name, cards!.severity, cards!.mode, cards!.events, cards!.cut],
      ['Cards', 'high', 'live', null, false],
    );
    assert.match(JSON.stringify(cards!.detect), /CREDIT_CARD/);
    assert.doesNotMatch(JSON.stringify(all), SECRET);
    const before: ConfiguredPolicies = (await get(`${POLICIES}?version=1`)).json;
    assert.match(JSON.stringify(before), /open sesame/);
    const theirs: ConfiguredPolicies = (await get(POLICIES, GLOBEX)).json;
    assert.deepEqual(
      theirs.policies.map((policy) => policy.policy_id),
      [POLICY.globex],
    );
  });

  it('says what is wrong with a question, and what is not there [configure.wrong]', async () => {
    for (const [path, status, param] of [
      [`${VERSIONS}?before=0`, 400, 'before'],
      [`${VERSIONS}?limit=21`, 400, 'limit'],
      [`${VERSIONS}/x`, 400, 'version'],
      [`${VERSIONS}/0`, 400, 'version'],
      [`${VERSIONS}/3?from=-1`, 400, 'from'],
      [`${VERSIONS}/99`, 404, 'version'],
      [`${VERSIONS}/3?from=99`, 404, 'from'],
      [`${POLICIES}?version=99`, 404, 'version'],
      [`${POLICIES}?after=7`, 400, 'after'],
      [`${POLICIES}?after=${POLICY.globex}`, 404, 'after'],
    ] as const) {
      const { status: got, json } = await get(path);
      assert.deepEqual([got, json.error.param], [status, param], path);
    }
    assert.equal((await get(VERSIONS, KEY.narrow)).status, 403);
  });

  it('answers 503 while Redis does not answer, and again once it does [configure.bounded]', async () => {
    const { pid } = system.stack.redis;
    process.kill(pid, 'SIGSTOP');
    try {
      const answers = await Promise.all([get(VERSIONS), get(`${VERSIONS}/3`), get(POLICIES)]);
      assert.deepEqual(
        answers.map(({ status, json }) => [status, json.error.code]),
        Array.from({ length: 3 }, () => [503, 'unavailable']),
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    for (const path of [VERSIONS, `${VERSIONS}/3`, POLICIES])
      await until(`${path} is answered`, async () => (await get(path)).status === 200);
  });
});
