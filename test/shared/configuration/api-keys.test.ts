import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { createKey, DEMO_KEY, DEMO_KEY_SHA256, hashKey } from '#weir/shared/configuration/api-keys';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base62 = (text: string): number => [...text].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);

describe('an API key', () => {
  it('has its prefix, 43 characters of randomness and 6 of checksum [config.keys]', () => {
    const key = createKey();
    assert.match(key, /^wk_[0-9A-Za-z]{49}$/);
    assert.equal(base62(key.slice(46)), crc32(key.slice(3, 46)));
    assert.notEqual(createKey(), key);
  });
  it('is a function of its bytes', () => {
    assert.equal(createKey(new Uint8Array(32)).slice(0, 46), `wk_${'0'.repeat(43)}`);
    const most = createKey(new Uint8Array(32).fill(255));
    assert.match(most, /^wk_[0-9A-Za-z]{49}$/);
    assert.notEqual(most[3], '0');
    assert.throws(() => createKey(new Uint8Array(31)), /32 bytes/);
  });
  it('is known by its SHA-256 [config.keys] [config.key-lookup]', () => {
    assert.equal(hashKey('wk_x'), createHash('sha256').update('wk_x').digest('hex'));
    assert.equal(DEMO_KEY_SHA256, hashKey(DEMO_KEY));
    assert.equal(base62(DEMO_KEY.slice(46)), crc32(DEMO_KEY.slice(3, 46)));
  });
});
