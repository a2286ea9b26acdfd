import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createKey, DEMO_KEY, DEMO_KEY_SHA256, hashKey, isWellFormedKey } from '#weir/shared/configuration/api-keys';

describe('an API key', () => {
  it('has its prefix, 43 characters of randomness and 6 of checksum [config.keys]', () => {
    const key = createKey();
    assert.match(key, /^wk_[0-9A-Za-z]{49}$/);
    assert.ok(isWellFormedKey(key));
    assert.notEqual(createKey(), key);
  });
  it('is a function of its bytes', () => {
    assert.equal(createKey(new Uint8Array(32)).slice(0, 46), `wk_${'0'.repeat(43)}`);
    const most = createKey(new Uint8Array(32).fill(255));
    assert.match(most, /^wk_[0-9A-Za-z]{49}$/);
    assert.notEqual(most[3], '0');
    assert.throws(() => createKey(new Uint8Array(31)), /32 bytes/);
  });
  it('is not well-formed with a character changed', () => {
    const key = createKey(new Uint8Array(32).fill(7));
    for (const at of [0, 5, 30, 45, 51]) {
      const changed = key[at] === 'x' ? 'y' : 'x';
      assert.ok(!isWellFormedKey(key.slice(0, at) + changed + key.slice(at + 1)), String(at));
    }
    assert.ok(!isWellFormedKey(`${key}0`));
    assert.ok(!isWellFormedKey(''));
  });
  it('is known by its SHA-256 [config.keys] [config.key-lookup]', () => {
    assert.equal(hashKey('wk_x'), createHash('sha256').update('wk_x').digest('hex'));
    assert.equal(DEMO_KEY_SHA256, hashKey(DEMO_KEY));
    assert.ok(isWellFormedKey(DEMO_KEY));
  });
});
