import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { weir } from '../../support.ts';

describe('weir check-config', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('prints a summary of a right file', async () => {
    const { code, out, err } = await weir('check-config', 'deploy/local/weir.yaml');
    assert.deepEqual([code, err], [0, '']);
    const [summary, ...packs] = out.split('\n');
    assert.equal(summary, 'deploy/local/weir.yaml: ok (1 team, 1 key, 18 policies, 1 deployment, 1 environment)');
    const heads = packs.filter((line) => line.startsWith('pack '));
    assert.equal(heads.length, 2);
    for (const head of heads) assert.match(head, / of team acme, in deployment chat, environment prod:$/);
    assert.equal(packs.length - heads.length, 10);
  });
  it('prints what is wrong, with file, line and column', async () => {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'version: 1\nteams:\n- id: acme\n  fail_close: true\n- id: acme\n  fail_closed: maybe\n');
    const { code, out, err } = await weir('check-config', file);
    assert.deepEqual([code, out], [1, '']);
    assert.deepEqual(err.split('\n'), [
      `${file}:4:3: teams[0].fail_close: unknown key "fail_close"; did you mean "fail_closed"?`,
      `${file}:6:16: teams[1].fail_closed: expected true or false`,
    ]);
  });
  it('warns of what has no effect, with file, line and column, and still exits with 0', async () => {
    const file = join(folder, 'idle.yaml');
    const policy = '00000000-0000-4000-8000-000000000001';
    writeFileSync(
      file,
      `version: 1\nteams: [{id: t}]\npolicies:\n- id: ${policy}\n  team: t\n  name: P\n  detect: {terms: {list: [x]}}\nkeys: []\nenvironments: []\n`,
    );
    const { code, out, err } = await weir('check-config', file);
    const summary = 'ok (1 team, 0 keys, 1 policy, 0 deployments, 0 environments), 1 warning';
    assert.deepEqual([code, out], [0, `${file}: ${summary}`]);
    const message = 'no deployment or condition lists it, so nothing is checked against this policy';
    assert.equal(err, `${file}:4:7: policies[0].id: warning: ${message}`);
  });
  it('warns of webhooks whose secret is not in its environment, and counts webhooks', async () => {
    const file = join(folder, 'hooks.yaml');
    const hook = '{id: h, team: t, url: "https://h/", on: [flagged], secret_env: NO_SUCH_VARIABLE}';
    writeFileSync(file, `version: 1\nteams: [{id: t}]\nnotify:\n- ${hook}\nkeys: []\nenvironments: []\n`);
    const { code, out, err } = await weir('check-config', file);
    assert.equal(code, 0);
    assert.match(out, /0 environments, 1 webhook\), 1 warning$/);
    assert.match(
      err,
      /:4:66: notify\[0\]\.secret_env: warning: NO_SUCH_VARIABLE is not set here; workers with the role hooks need it/,
    );
  });
  it('says what backends may be asked', async () => {
    const file = join(folder, 'budget.yaml');
    const backend = (rest: string): string => `{team: t, url: "http://h", model: m, ${rest}}`;
    const both = backend('id: b, budget: {requests_per_minute: 1, tokens_per_day: 2000000}');
    writeFileSync(
      file,
      `version: 1\nteams: [{id: t}]\nbackends: [${both}, ${backend('id: c, budget: {tokens_per_day: 5}')}, ${backend('id: d')}]\n`,
    );
    const { code, out } = await weir('check-config', file);
    const rest = 'of all workers; beyond it, its policies could not be evaluated';
    assert.deepEqual(out.split('\n').slice(1), [
      `backend b of team t: at most 1 call a minute and 2000000 tokens a day, ${rest}`,
      `backend c of team t: at most 5 tokens a day, ${rest}`,
    ]);
    assert.equal(code, 0);
  });
  it('says what packs have become', async () => {
    const file = join(folder, 'packs.yaml');
    writeFileSync(
      file,
      `version: 1
teams: [{id: t}]
policies: [{id: 00000000-0000-4000-8000-000000000001, team: t, extends: pii-gate/health-ids, threshold: 0.8}]
environments: [{id: prod, team: t}]
packs: [pii-gate]
keys: []
`,
    );
    const { code, out, err } = await weir('check-config', file);
    assert.deepEqual([code, err], [0, '']);
    const [summary, head, ...policies] = out.split('\n');
    assert.equal(summary, `${file}: ok (1 team, 0 keys, 4 policies, 0 deployments, 1 environment)`);
    assert.match(head!, /^pack pii-gate \(version \d+\) of team t, in environment prod:$/);
    const uuid = /^ {2}[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-/;
    assert.deepEqual(
      policies.map((line) => (uuid.test(line) ? line.slice(40) : line.slice(2))),
      [
        'Payment data',
        'Numbers of persons',
        '00000000-0000-4000-8000-000000000001  Numbers of health insurance (extends pii-gate/health-ids)',
        'Contact data in answers',
      ],
    );
  });
  it('reports a file that cannot be read', async () => {
    const file = join(folder, 'none.yaml');
    const { code, err } = await weir('check-config', file);
    assert.equal(code, 1);
    assert.match(err, /none\.yaml: cannot be read: there is no such file/);
  });
  it('needs exactly one file', async () => {
    assert.equal((await weir('check-config')).code, 2);
    assert.equal((await weir('check-config', 'a', 'b')).code, 2);
  });
});
