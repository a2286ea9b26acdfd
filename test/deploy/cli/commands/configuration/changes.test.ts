import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { policyIdOf } from '#weir/shared/configuration/read/derived-ids';
import { activeVersion } from '#weir/shared/streams/configuration';
import { sharedRedis } from '../../../../support/stores/redis.js';
import { weirWith } from '../../support.ts';

const { server, redis } = await sharedRedis();
const folder = mkdtempSync(join(tmpdir(), 'weir-changes-'));
after(() => rmSync(folder, { recursive: true }));
beforeEach(() => redis.flushall());

const path = join(folder, 'weir.yaml');
const weir = (...args: string[]) => weirWith({ WEIR_REDIS_URL: server.url, WEIR_DATA_DIR: folder }, ...args);
const apply = (text: string, ...more: string[]) => {
  writeFileSync(path, text);
  return weir('apply', path, ...more);
};

const KEY = `keys: [{id: k, sha256: "${'a'.repeat(64)}", environments: [default]}]\n`;
const policy = (name: string, word = 'heron'): string => `- {name: ${name}, detect: {terms: {list: [${word}]}}}\n`;
const text = (policies: string, keys = KEY): string => `version: 1\n${keys}policies:\n${policies}`;

describe('weir apply', () => {
  it('says what it changes, always: also the first time, and in words [config.drops]', async () => {
    const first = await apply(text(policy('One')));
    assert.deepEqual([first.code, first.err], [0, '']);
    const [summary, ...lines] = first.out.split('\n');
    const counts = ['teams', 'keys', 'policies', 'deployments', 'environments'].map((kind) => `${kind}: 1 added`);
    assert.equal(summary, counts.join('; '));
    assert.ok(lines.includes(`  added "One" (${policyIdOf('default', 'One')})`), first.out);
    assert.equal(lines.at(-1), 'Version 1 is active.');

    const second = await apply(text(policy('One', 'stork') + policy('Two')));
    assert.match(second.out, /^policies: 1 added, 1 changed; deployments: 1 changed; environments: 1 changed$/m);
    assert.match(second.out, /^ {4}detect\.terms\.list: added "stork"; removed "heron"$/m);
    assert.deepEqual(
      (await apply(text(policy('One', 'stork') + policy('Two')))).out,
      'Nothing to do: version 2 is active and the same.',
    );
  });

  it('says of many changes the first ones, and how many more there are', async () => {
    const many = Array.from({ length: 300 }, (_, n) => policy(`P${n}`)).join('');
    const { out } = await apply(text(many));
    const lines = out.split('\n');
    assert.ok(lines.length < 60, String(lines.length));
    assert.match(lines.at(-2)!, /^… and \d+ more lines$/);
  });

  it('refuses to drop all that a team has of a kind, unless it is told so [config.drops]', async () => {
    assert.equal((await apply(text(policy('One')))).code, 0);
    const dropping: [string, RegExp][] = [
      [text(policy('One'), 'keys: []\n'), /^ {2}team default: its only one of keys \(k\)$/m],
      [
        `version: 1\n${KEY.replace('[default]', '[]')}policies: []\n`,
        /^ {2}team default: its only one of policies \(One\)$/m,
      ],
      [
        `${text(policy('One'), KEY.replace('[default]', '[]'))}environments: []\n`,
        /team default: its only one of environments \(default\)\n.*of deployments/,
      ],
      [
        `version: 1\nteams: [{id: other}]\n${KEY}policies:\n${policy('One')}`,
        /of keys \(k\)\n.*of environments.*\n.*of deployments.*\n.*of policies/,
      ],
    ];
    for (const [file, expected] of dropping) {
      const refused = await apply(file);
      assert.deepEqual([refused.code, refused.out], [1, '']);
      assert.match(refused.err, /drops all that a team has of a kind/);
      assert.match(refused.err, expected);
      assert.match(refused.err, /Give --yes if that is meant\. Nothing has changed\.$/);
      assert.equal(await activeVersion(redis), 1);
      assert.match((await apply(file, '--dry-run')).err, /^warning: weir apply needs --yes for this: team default: /m);
    }
    const meant = await apply(dropping[0]![0], '--yes');
    assert.equal(meant.code, 0);
    assert.match(meant.out, /^ {2}removed k$/m);
    const back = await weir('config', 'rollback', '1');
    assert.deepEqual([back.code, back.out.split('\n').at(-1)], [0, 'Version 3 is active.']);
    const away = await weir('config', 'rollback', '2');
    assert.deepEqual([away.code, away.out], [1, '']);
    assert.equal((await weir('config', 'rollback', '2', '--yes')).code, 0);
  });

  it('refuses a file without keys, which check-config warns of, and takes one that says there are none [config.short-keys]', async () => {
    const refused = await apply(text(policy('One'), ''));
    assert.equal(refused.code, 1);
    assert.match(refused.err, /weir\.yaml: it has no keys, so nobody could use it\. weir keys create/);
    assert.equal((await apply(text(policy('One'), ''), '--dry-run')).code, 1);
    const checked = await weir('check-config', path);
    assert.deepEqual([checked.code, /warning: it has no keys/.test(checked.err)], [0, true]);
    const cases = join(folder, 'tests.yaml');
    writeFileSync(cases, 'cases:\n- {name: A bird, text: a heron, expect: {policies: [One]}}\n');
    assert.equal((await weir('test', path, cases)).code, 0);
    assert.match((await weir('check', 'a heron', '--config', path, '--environment', 'default')).out, /^flagged$/m);
    assert.equal((await apply(text(policy('One'), 'keys: []\n'))).code, 0);
  });

  it('warns where a new name makes another policy [config.short-rename]', async () => {
    await apply(text(policy('One') + policy('Other', 'stork')));
    const renamed = await apply(text(policy('Uno') + policy('Other', 'stork')));
    assert.equal(renamed.code, 0);
    const id = policyIdOf('default', 'One');
    assert.equal(
      renamed.err,
      `warning: policy "Uno" has another id than "One" had, since ids follow from names: results so far stay with ${id}. To keep that, give it "id: ${id}"`,
    );
    const kept = await apply(
      text(policy('Uno').replace('{', `{id: ${policyIdOf('default', 'Uno')}, `) + policy('Last', 'owl')),
    );
    assert.match(
      kept.err,
      /"Last" has another id than "Other" had/,
      'the only one that went, and the only one that came',
    );
    assert.equal((await apply(text(policy('Uno')))).err, '', 'one that is gone is no rename');
  });
});

it('check-config shows the ids that follow from names [config.short-ids]', async () => {
  writeFileSync(path, text(policy('One') + policy('Two').replace('{', '{id: 00000000-0000-4000-8000-000000000001, ')));
  const { out } = await weir('check-config', path);
  assert.deepEqual(out.split('\n').slice(1), ['ids that follow from names:', `  ${policyIdOf('default', 'One')}  One`]);
});
