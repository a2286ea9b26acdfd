import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { environmentOf, noteAddresses, passwordsOf } from '#weir/deploy/local/credentials';
import { loadSettings } from '#weir/shared/settings';

describe('the passwords of a data folder', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-passwords-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const mode = (name: string): number => statSync(join(folder, name)).mode & 0o777;

  it('are drawn once, all different, and readable only by the owner of the folder', () => {
    const first = passwordsOf(folder);
    assert.equal(new Set(Object.values(first)).size, 3);
    for (const password of Object.values(first)) assert.match(password, /^[0-9a-f]{64}$/);
    assert.deepEqual([mode('passwords.json'), mode('reader.netrc')], [0o600, 0o600]);
    chmodSync(join(folder, 'passwords.json'), 0o644);
    assert.deepEqual(passwordsOf(folder), first);
    assert.equal(mode('passwords.json'), 0o600);
    const netrc = readFileSync(join(folder, 'reader.netrc'), 'utf8');
    assert.equal(netrc, `machine 127.0.0.1 login reader password ${first.reader}\n`);
  });

  it('are found by commands, together with the addresses, while an installation runs', () => {
    const { redis, writer } = passwordsOf(folder);
    assert.deepEqual(environmentOf(folder), {});
    const at = { redis: 'redis://127.0.0.1:7001', clickhouse: 'http://127.0.0.1:7002', database: 'mine' };
    const forget = noteAddresses(folder, at);
    assert.deepEqual(loadSettings(environmentOf(folder), ['redisUrl', 'clickhouseUrl', 'clickhouseDatabase']), {
      redisUrl: `redis://:${redis}@127.0.0.1:7001`,
      clickhouseUrl: `http://weir:${writer}@127.0.0.1:7002`,
      clickhouseDatabase: 'mine',
    });
    forget();
    assert.deepEqual(environmentOf(folder), {});
  });
});
