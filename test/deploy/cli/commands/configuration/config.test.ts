import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { parse } from 'yaml';
import { run } from '#weir/deploy/cli/main';
import { modelsNamedBy, readVersion, storeVersion } from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { textModel } from '../../../../support/models/text-model.ts';
import { sharedRedis } from '../../../../support/stores/redis.js';

const { server, redis } = await sharedRedis();
const folder = mkdtempSync(join(tmpdir(), 'weir-config-'));
const before = { ...process.env };
Object.assign(process.env, { WEIR_REDIS_URL: server.url, WEIR_DATA_DIR: folder, WEIR_OPERATOR: 'ann' });
after(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});
beforeEach(() => redis.flushall());

const textOf = (severe: number): string => `version: 1\nteams: [{id: acme}]\nkeys: []\nrisk: {severe: ${severe}}\n`;

async function weir(...args: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const [out, err]: string[][] = [[], []];
  const code = await run(args, { out: (line) => out!.push(line), err: (line) => err!.push(line) });
  return { code, out: out!, err: err! };
}

function file(severe: number): string {
  const path = join(folder, `${severe}.yaml`);
  writeFileSync(path, textOf(severe));
  return path;
}

/** Applies these, one after the other. */
async function applied(...severe: number[]): Promise<void> {
  for (const each of severe) assert.equal((await weir('apply', file(each), '--message', `severe ${each}`)).code, 0);
}

describe('weir config', () => {
  it('list says when, by whom and why each version was applied, and which is active', async () => {
    assert.deepEqual((await weir('config', 'list')).out, ['There is no configuration: nothing was applied yet.']);
    const start = Date.now();
    await applied(11, 12);
    await storeVersion(redis, '{}');
    const { out } = await weir('config', 'list');
    assert.match(out[0]!, /^VERSION +APPLIED +BY +MESSAGE$/);
    const rows = out.slice(1).map((line) => line.split(/ {2,}/));
    assert.deepEqual(
      rows.map(([version, , by, message]) => [version, by, message]),
      [
        ['1', `ann@${hostname()}`, 'severe 11'],
        ['2 (active)', `ann@${hostname()}`, 'severe 12'],
        ['3', '-', undefined],
      ],
    );
    const at = Date.parse(rows[1]![1]!);
    assert.ok(at >= start - 60_000 && at <= Date.now() + 60_000, rows[1]![1]);
  });

  it('list prints a message on one line, whatever it holds', async () => {
    await weir('apply', file(11), '--message', 'two\nlines \u001b[31mred\u202e');
    assert.match((await weir('config', 'list')).out[1]!, / two\\nlines \\u001b\[31mred\\u202e$/);
    const long = await weir('apply', file(12), '--message', 'x'.repeat(501));
    assert.deepEqual([long.code, long.err[0]], [2, 'weir apply: --message: expected at most 500 characters, got 501']);
  });

  it('show prints a version as it can be applied again', async () => {
    await applied(11, 12);
    const { out } = await weir('config', 'show', '1');
    assert.equal(parse(out.join('\n')).risk.severe, 11);
    const active = await weir('config', 'show', '--json');
    assert.deepEqual(JSON.parse(active.out.join('\n')), JSON.parse((await readVersion(redis, 2))!));
    const path = join(folder, 'shown.yaml');
    writeFileSync(path, out.join('\n'));
    assert.deepEqual((await weir('config', 'diff', '1', path)).out, ['Nothing changes.']);
  });

  it('diff compares versions and files', async () => {
    await applied(11, 12);
    const expected = ['risk changed', 'risk', '  severe: 11 → 12'];
    assert.deepEqual((await weir('config', 'diff', '1', '2')).out, expected);
    assert.deepEqual((await weir('config', 'diff', '1')).out, expected);
    assert.deepEqual((await weir('config', 'diff', file(11), '2')).out, expected);
    const missing = await weir('config', 'diff', '1', join(folder, 'none.yaml'));
    assert.equal(missing.code, 1);
    assert.match(missing.err[0]!, /none\.yaml: cannot be read/);
  });

  it('rollback applies an earlier version under a new number', async () => {
    await applied(11, 12);
    const back = ['risk changed', 'risk', '  severe: 12 → 11', 'Version 3 is active.'];
    assert.deepEqual((await weir('config', 'rollback', '1')).out, back);
    assert.equal(await readVersion(redis, 3), await readVersion(redis, 1));
    assert.match((await weir('config', 'list')).out[3]!, /^3 \(active\) .* back to 1$/);
    assert.deepEqual((await weir('config', 'rollback', '3')).out, ['Nothing to do: version 3 is active and the same.']);
  });

  it('rollback needs no file of a model that Redis has', async () => {
    const model = textModel({ spam: 'lottery' });
    writeFileSync(join(folder, 'spam.bin'), model.bytes);
    const path = join(folder, 'spam.yaml');
    const policy = `{id: ${randomUUID()}, team: acme, name: Spam, detect: {classifier: {file: spam.bin, label: spam}}}`;
    writeFileSync(path, `${textOf(11)}policies: [${policy}]\n`);
    assert.equal((await weir('apply', path)).code, 0);
    rmSync(join(folder, 'spam.bin'));
    assert.equal((await weir('apply', file(12), '--yes')).code, 0);
    assert.equal((await weir('config', 'rollback', '1')).out.at(-1), 'Version 3 is active.');
    assert.deepEqual(await modelsNamedBy(redis, 3), [model.sha256]);
    assert.equal((await weir('apply', file(13), '--yes')).code, 0);
    await redis.del(keys.configModels());
    const { code, err } = await weir('config', 'rollback', '3');
    assert.equal(code, 1);
    assert.match(err[0]!, /Redis has lost a model of version 3 \([0-9a-f]{64}\); apply its file instead$/);
  });

  it('says which versions there are when it is asked for another, and what is a version', async () => {
    const nothing = await weir('config', 'show');
    assert.deepEqual(
      [nothing.code, nothing.err[0]],
      [1, 'weir config show: no configuration is active; apply one with weir apply FILE'],
    );
    await applied(11, 12);
    for (const command of [
      ['show', '9'],
      ['diff', '9'],
      ['rollback', '9'],
    ]) {
      const { code, err } = await weir('config', ...command);
      assert.equal(code, 1);
      assert.equal(err[0], `weir config ${command[0]}: version 9 is not kept; there are 1, 2`);
    }
    assert.equal((await weir('config', 'show', 'x')).code, 2);
    assert.equal((await weir('config', 'rollback')).code, 2);
  });
});

describe('weir apply --dry-run', () => {
  it('says what would change, and changes nothing', async () => {
    const first = await weir('apply', file(11), '--dry-run');
    assert.deepEqual(first, { code: 0, out: ['No configuration is active: all of the file would be new.'], err: [] });
    assert.equal(await redis.dbsize(), 0);
    await applied(11);
    const { code, out } = await weir('apply', file(12), '--dry-run');
    assert.deepEqual([code, out], [0, ['risk changed', 'risk', '  severe: 11 → 12']]);
    assert.equal(await readVersion(redis, 2), undefined);
    assert.deepEqual((await weir('apply', file(11), '--dry-run')).out, ['Nothing changes.']);
  });

  it('prints what is wrong with the file', async () => {
    const path = join(folder, 'wrong.yaml');
    writeFileSync(path, 'version: 2\n');
    const { code, err } = await weir('apply', path, '--dry-run');
    assert.equal(code, 1);
    assert.match(err[0]!, /wrong\.yaml:1:/);
  });
});
