import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { parse } from 'yaml';
import { tableLines } from '#weir/deploy/cli/backtest/report';
import { outputTo } from '#weir/deploy/cli/command';
import { filesBeside } from '#weir/deploy/cli/configuration/file';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { packageRoot } from '#weir/shared/paths';
import { keys } from '#weir/shared/streams/keys';
import { sharedRedis } from '../../support/stores/redis.js';
import { type Ran, weir } from './support.ts';

const { server, redis } = await sharedRedis();
const folder = mkdtempSync(join(tmpdir(), 'weir-terminal-'));
const before = { ...process.env };
Object.assign(process.env, { WEIR_REDIS_URL: server.url, WEIR_DATA_DIR: folder, WEIR_OPERATOR: 'ann\u001b[8m' });
after(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});
beforeEach(() => redis.flushall());

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** A colour, the title of the window, the same in C1, a bell, a line of its own, another direction, nothing to be seen. */
const HOSTILE = 'x\u001b[31m\u001b]0;t\u0007\u009b31m\r\nok      faked\u2028\u202ey\u200b\ufeffz';
/** What of {@link HOSTILE} a terminal or a pager would act on. */
const ACTS = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

const policy = (name: string): object => ({
  id: '6f1c0f0e-0000-4000-8000-000000000001',
  team: 't',
  name,
  detect: { pii: { entities: ['CREDIT_CARD'] } },
});
const configuration = (name: string, more: object = {}): string =>
  JSON.stringify({ version: 1, teams: [{ id: 't' }], keys: [], policies: [policy(name)], ...more });

function shows({ out, err }: Ran, said: RegExp): void {
  const text = `${out}\n${err}`;
  assert.match(text, said);
  assert.doesNotMatch(text, ACTS);
  assert.doesNotMatch(text, /^ok {6}faked/m);
}

describe('what people read of weir', () => {
  const right = file('right.json', configuration('Cards'));

  it('has no content that acts on a terminal: texts that weir eval shows, and names of labels', async () => {
    const rows = [
      { text: `${HOSTILE} 4111 1111 1111 1111`, labels: { [HOSTILE]: 0 } },
      { text: HOSTILE, labels: { [HOSTILE]: 1 } },
    ];
    const data = file('data.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    shows(await weir('eval', data, '--config', right, '--policy', 'Cards'), /missed\n.+x\\u001b\[31m/);
  });

  it('has none of what a backtest names as examples', () => {
    const example = { policy: 'p', change: 'newly_flagged', id: 'i', time: 't', type: HOSTILE, text: HOSTILE };
    const result = {
      counts: { items: 1, evaluated: 1, changed: 1 },
      versions: {},
      tallies: [],
      examples: [example],
      microseconds: 0,
    };
    const out: string[] = [];
    const output = outputTo({ out: (text) => out.push(text), err: (text) => out.push(text) });
    for (const line of tableLines({ since: 0, until: 0, result, costs: new Map() } as never)) output.out(line);
    shows({ code: 0, out: out.join('\n'), err: '' }, /^ {4}x\\u001b\[31m/m);
  });

  it('has none of a text that is redacted, which keeps its lines as the end of the output', () => {
    const text = `${HOSTILE}\n\tcard 4111 1111 1111 1111\r\nend`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['deploy/cli/weir.mjs', 'check', '-', '--redact', '--config', right],
      { encoding: 'utf8', cwd: packageRoot, input: text },
    );
    assert.equal(stderr, '');
    const [, redacted] = stdout.split('\nredacted:\n');
    assert.equal(
      redacted,
      'x\\u001b[31m\\u001b]0;t\\u0007\\u009b31m\r\nok      faked\\u2028\\u202ey\\u200b\\ufeffz\n\tcard [CREDIT_CARD]\r\nend\n',
    );
  });

  it('has none of the body of a dead letter', async () => {
    await redis.set(keys.partitions(), '1 even');
    const header = JSON.stringify({ v: 1, id: 'a', kind: 'events', team: HOSTILE });
    const body = JSON.stringify({ content: `a${HOSTILE}` });
    await redis.xadd(keys.dead(0), '1-1', 'header', header, 'body', body, 'reason', HOSTILE, 'attempts', '3');
    const ran = await weir('dead-letters', 'show', '0/1-1', '--body');
    shows(ran, /"content":"ax\\u001b/);
    const shown = JSON.parse(ran.out.split('\n').at(-1)!) as object;
    assert.deepEqual(shown, JSON.parse(body));
  });

  it('has none of what names a version, which names a user and a message', async () => {
    const keyed = file('keyed.json', configuration('Cards', { keys: [] }));
    await weir('apply', keyed, '--message', HOSTILE);
    shows(await weir('config', 'list'), /ann\\u001b\[8m@\S+ +x\\u001b\[31m/);
  });

  it('has none of a name or key that a file has and none of what a message quotes of it', async () => {
    const wrong = file('wrong.yaml', `version: 1\n${JSON.stringify(HOSTILE)}: 1\n`);
    shows(await weir('check-config', wrong), /unknown key "x\\u001b\[31m/);
    shows(await weir('apply', wrong), /unknown key "x\\u001b\[31m/);
    shows(await weir(HOSTILE), /there is no command "x\\u001b/);
    shows(await weir('check-config', join(folder, HOSTILE)), /x\\u001b\[31m\S*/);
  });

  it('cannot be faked by a name that closes its quotes in a difference', async () => {
    const other = file('other.json', configuration('A" (1)\u200d "B', { risk: { severe: 9 } }));
    const { out } = await weir('config', 'diff', right, other);
    assert.match(out, /changed "A\\" \(1\)\\u200d \\"B" \(6f1c/);
  });

  it('is applied again as it was shown', async () => {
    const name = '👩\u200d🔬 می\u200cخواهم \u{e0041}';
    const applied = file('joined.json', configuration(name));
    await weir('apply', applied);
    for (const form of [[], ['--json']]) {
      const { out } = await weir('config', 'show', ...form);
      assert.doesNotMatch(out, ACTS);
      const shown = parse(out) as { policies: { name: string }[] };
      assert.equal(shown.policies[0]!.name, name);
      const again = loadConfiguration(out, 'shown.yaml');
      assert.ok(again.ok && again.configuration.policies[0]!.name === name);
    }
  });
});

describe('names', () => {
  const WRONG = [
    'a\u001bb',
    'a\nb',
    'a\tb',
    'a\u0085b',
    'a\u009bb',
    'a\u2028b',
    'a\u202eb',
    'a\u2066b',
    'a\u200fb',
    'a\u007fb',
  ];
  const RIGHT = ['Ärger über „Karten“', 'כרטיסי אשראי', '👩\u200d🔬 می\u200cخواهم', 'a — b'];
  const at = (name: string): [string, string][] => [
    ['policies', configuration(name)],
    ['deployments', configuration('P', { deployments: [{ id: 'd', team: 't', name, policies: [] }] })],
    [
      'conditions',
      configuration('P', {
        environments: [{ id: 'e', team: 't', conditions: [{ id: 'c', name, when: 'true', policies: [] }] }],
      }),
    ],
    [
      'metrics',
      configuration('P', {
        metrics: [{ id: '6f1c0f0e-0000-4000-8000-000000000002', team: 't', name, kind: 'language' }],
      }),
    ],
  ];
  const EXPECTED = /name: expected a text of 1 to 256 characters on one line, without control characters/;

  it('of a configuration have no control character, line end or character that turns the direction', () => {
    for (const name of WRONG) {
      for (const [where, text] of at(name)) {
        const loaded = loadConfiguration(text, 'weir.yaml', filesBeside(join(folder, 'weir.yaml')));
        assert.ok(!loaded.ok, `${where}: ${JSON.stringify(name)}`);
        assert.match(loaded.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'), EXPECTED, where);
        // One that is stored was taken under the rules of its time. A fleet that could not read it would stand still.
        assert.ok(loadConfiguration(text).ok, where);
      }
    }
  });
  it('of a configuration may have what languages and emoji need', () => {
    for (const name of RIGHT) {
      for (const [where, text] of at(name)) {
        const loaded = loadConfiguration(text, 'weir.yaml');
        const problems = loaded.ok ? [] : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
        assert.ok(!problems.some((problem) => problem.includes('name')), `${where}: ${problems.join('; ')}`);
      }
    }
  });
  it('of cases have none either', async () => {
    const config = file(
      'weir.json',
      configuration('P', { deployments: [{ id: 'd', team: 't', name: 'D', policies: [] }] }),
    );
    for (const name of WRONG) {
      const cases = file(
        'cases.json',
        JSON.stringify({ cases: [{ name, deployment: 'd', text: 'x', expect: 'clean' }] }),
      );
      const { code, err } = await weir('test', config, cases);
      assert.equal(code, 1);
      assert.match(err, /cases\[0\]\.name: expected a text of 1 to 256 characters on one line/);
    }
  });
});
