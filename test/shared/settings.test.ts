import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadSettings, SettingsError } from '#weir/shared/settings';
import { withoutPassword } from '#weir/shared/streams/client';

describe('WEIR_REDIS_MAXMEMORY', () => {
  const load = (size: string): string =>
    loadSettings({ WEIR_REDIS_MAXMEMORY: size }, ['redisMaxMemory']).redisMaxMemory;

  it('takes the sizes that redis-server takes', () => {
    for (const size of ['4gb', '512MB', '100000000', '64m', '1000b']) assert.equal(load(size), size);
  });

  it('refuses other texts, and 0, which would mean no limit', () => {
    for (const size of ['lots', '0', '0gb', '-1', '4 gb', '1gb\nsave 60 1', '50%']) {
      assert.throws(() => load(size), SettingsError, size);
    }
  });
});

describe('the address of Redis in a message', () => {
  it('has neither user nor password, also when the slashes are missing', () => {
    assert.equal(withoutPassword('redis://me:secret@host:6379/0'), 'redis://host:6379/0');
    for (const misspelt of ['redis:me:secret@host', 'me:secret@host:6379', 'redis:/:secret@host', 'secret@host']) {
      assert.doesNotMatch(withoutPassword(misspelt), /secret/, misspelt);
    }
  });
});
