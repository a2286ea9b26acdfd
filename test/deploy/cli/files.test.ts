import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sharedRedis } from '../../support/stores/redis.js';
import { weir } from './support.ts';

const { server } = await sharedRedis();
const folder = mkdtempSync(join(tmpdir(), 'weir-cli-files-'));
const before = { ...process.env };
Object.assign(process.env, { WEIR_REDIS_URL: server.url, WEIR_DATA_DIR: folder });
after(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});
const at = (name: string): string => join(folder, name);
const file = (name: string, content: string | Uint8Array = ''): string => {
  writeFileSync(at(name), content);
  return at(name);
};

const detecting = (detect: object): string =>
  JSON.stringify({
    version: 1,
    teams: [{ id: 't' }],
    policies: [{ id: '6f1c0f0e-0000-4000-8000-000000000001', team: 't', name: 'P', detect }],
    deployments: [{ id: 'd', team: 't', name: 'D', policies: ['6f1c0f0e-0000-4000-8000-000000000001'] }],
  });
const right = file('right.json', detecting({ pii: { entities: ['CREDIT_CARD'] } }));
const listed = file('listed.json', detecting({ terms: { file: 'beside' } }));
const scored = file('scored.json', detecting({ classifier: { file: 'beside', label: 'x' } }));

spawnSync('mkfifo', [at('pipe')]);
truncateSync(file('huge'), 2 ** 40);
const NONE: readonly [string, RegExp][] = [
  ['/dev/zero', /expected a file, found a device/],
  [at('pipe'), /expected a file, found a pipe/],
  [folder, /expected a file, found a folder/],
  [at('huge'), /expected at most \d+ bytes, found 1099511627776/],
  [at('none'), /there is no such file/],
];

const COMMANDS: readonly (readonly [name: string, args: (path: string) => string[]])[] = [
  ['check-config', (path) => ['check-config', path]],
  ['apply', (path) => ['apply', path]],
  ['apply --dry-run', (path) => ['apply', path, '--dry-run']],
  ['config diff', (path) => ['config', 'diff', right, path]],
  ['check', (path) => ['check', 'x', '--config', path]],
  ['test', (path) => ['test', path, right]],
  ['test of cases', (path) => ['test', right, path]],
  ['eval', (path) => ['eval', path, '--config', right, '--policy', 'P']],
  ['eval --config', (path) => ['eval', right, '--config', path, '--policy', 'P']],
  ['backtest', (path) => ['backtest', path]],
  ['train', (path) => ['train', path, '--label', 'x', '--out', at('out')]],
  ['hash', (path) => ['hash', path]],
  ['hashes list', (path) => ['hashes', 'list', path]],
  ['hashes add --from', (path) => ['hashes', 'add', at('list'), '--from', path]],
  ['migrate', (path) => ['migrate', '--config', path]],
];

describe('what is no file that can be read', () => {
  for (const [name, args] of COMMANDS) {
    it(`ends weir ${name} at once, with what was expected`, async () => {
      for (const [path, why] of NONE) {
        const { code, out, err } = await weir(...args(path));
        assert.deepEqual([code, out], [1, ''], path);
        assert.match(err, why);
        assert.ok(err.includes(`${path}: cannot be read: `), err);
      }
    });
  }
  it('ends it also beside a configuration: terms, a model, an image of a case', async () => {
    for (const [path, why] of NONE.slice(0, 4)) {
      rmSync(at('beside'), { force: true });
      spawnSync('ln', ['-s', path, at('beside')]);
      for (const config of [listed, scored]) {
        const { code, err } = await weir('check-config', config);
        assert.equal(code, 1, `${path} ${config}`);
        assert.match(err, why);
      }
      const cases = file(
        'cases.json',
        JSON.stringify({ cases: [{ name: 'a', deployment: 'd', image: 'beside', expect: {} }] }),
      );
      const { code, err } = await weir('test', right, cases);
      assert.equal(code, 1);
      assert.match(err, why);
    }
  });
  it('is a line without an end, too', async () => {
    const long = file('long.jsonl', `{"text":"${'x'.repeat(17 * 1024 * 1024)}","labels":{"x":1}}`);
    const { code, err } = await weir('eval', long, '--config', right, '--policy', 'P');
    assert.deepEqual([code, err], [1, `weir eval: ${long}:1: expected a line of at most 16777216 bytes, got 17825820`]);
  });
});

describe('a file in another encoding than UTF-8', () => {
  const text = 'version: 1\nteams: [{id: acme}]\n# Größe\n';
  const FILES: readonly [name: string, bytes: Uint8Array, why: string][] = [
    ['latin1', Buffer.from(text, 'latin1'), 'expected UTF-8; line 3 has bytes of another encoding, such as Latin-1'],
    ['utf16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'expected UTF-8, found UTF-16 by its byte order mark'],
    [
      'utf16be',
      Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      'expected UTF-8, found UTF-16 by its byte order mark',
    ],
    [
      'unmarked',
      Buffer.from(text, 'utf16le'),
      'expected a text in UTF-8; line 1 has a byte 0, as UTF-16 has and files that are no texts',
    ],
  ];
  it('is refused as a configuration, by name where a mark tells it', async () => {
    for (const [name, bytes, why] of FILES) {
      const path = file(`${name}.yaml`, bytes);
      for (const command of ['check-config', 'apply']) {
        const { code, out, err } = await weir(command, path);
        assert.deepEqual([code, out], [1, '']);
        assert.ok(err.endsWith(`${path}: cannot be read: ${why}`), err);
      }
    }
  });
  it('is refused as cases and as terms', async () => {
    for (const [name, bytes, why] of FILES) {
      const cases = await weir('test', right, file(name, bytes));
      assert.ok(cases.err.includes(why), cases.err);
      rmSync(at('beside'), { force: true });
      file('beside', bytes);
      const terms = await weir('check-config', listed);
      assert.ok(terms.err.includes(why), terms.err);
    }
  });
  it('is none with a byte order mark of UTF-8', async () => {
    const { code, out } = await weir('check-config', file('marked.yaml', `\ufeff${text}`));
    assert.equal(code, 0, out);
  });
});

describe('a file that is nested deeply', () => {
  const DEEP: readonly [name: string, text: string][] = [
    ['lists', '['.repeat(100_000)],
    ['closed lists', `version: 1\nteams: ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['objects', '{a: '.repeat(100_000)],
    ['JSON', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['lists in JSON', `{"version":1,"teams":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['lists of dashes', '- '.repeat(100_000)],
    ['keys', '? '.repeat(100_000)],
    ['lines', Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ];
  it('is refused in a sentence, whatever it is nested of', async () => {
    for (const [name, text] of DEEP) {
      const path = file('deep', text);
      for (const args of [
        ['check-config', path],
        ['apply', path],
        ['test', right, path],
      ]) {
        const { code, err } = await weir(...args);
        assert.equal(code, 1, name);
        assert.match(err, /deep:\d+:\d+: it has more than 200 levels of lists and objects within each other$/, name);
      }
    }
  });
  it('is refused as labelled texts in a sentence', async () => {
    for (const [name, text] of DEEP.slice(0, 4)) {
      const { code, err } = await weir(
        'eval',
        file('deep', text.replaceAll('\n', ' ')),
        '--config',
        right,
        '--policy',
        'P',
      );
      assert.equal(code, 1, name);
      assert.match(err, /deep:1: (expected a JSON object|"text": expected a string that is not empty)$/, name);
    }
  });
  it('may have as many levels as policies need', async () => {
    let detect: object = { pii: { entities: ['CREDIT_CARD'] } };
    for (let level = 0; level < 15; level++) detect = level % 2 === 0 ? { any: [detect, detect] } : { not: detect };
    const { code, err } = await weir(
      'check-config',
      file('nested.json', JSON.stringify(JSON.parse(detecting(detect)), null, 1)),
    );
    assert.equal(code, 0, err);
  });
});
