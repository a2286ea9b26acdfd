import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFetchCache } from '#weir/workers/images/fetch/cache';

describe('cache of fetched images', () => {
  it('keeps an image with its validator, preferably the ETag', () => {
    const cache = createFetchCache({ entries: 10, bytes: 100 });
    cache.set('a', Buffer.from('1'), { etag: '"x"', lastModified: 'Mon' });
    cache.set('b', Buffer.from('2'), { lastModified: 'Tue' });
    assert.deepEqual(cache.get('a'), { bytes: Buffer.from('1'), validators: { 'if-none-match': '"x"' } });
    assert.deepEqual(cache.get('b'), { bytes: Buffer.from('2'), validators: { 'if-modified-since': 'Tue' } });
    assert.equal(cache.get('c'), undefined);
  });

  it('keeps nothing that a shared cache must not keep, and drops the image before', () => {
    const cache = createFetchCache({ entries: 10, bytes: 100 });
    const etag = '"x"';
    const refused = [
      ...[{ etag, cacheControl: 'max-age=5, No-Store' }, { etag, cacheControl: 'private' }, { etag, vary: '*' }, {}],
      ...[{ etag, cacheControl: 'private="x"' }, { etag: 'e'.repeat(2000) }],
    ];
    for (const headers of refused) {
      cache.set('a', Buffer.from('1'), { etag });
      cache.set('a', Buffer.from('2'), headers);
      assert.equal(cache.get('a'), undefined, JSON.stringify(headers));
    }
    cache.set('a', Buffer.from('1'), { etag, cacheControl: 'no-cache, max-age=0' });
    assert.ok(cache.get('a'));
  });

  it('stays within its bounds and drops the least recently used first', () => {
    const cache = createFetchCache({ entries: 3, bytes: 10 });
    for (const url of ['a', 'b', 'c']) cache.set(url, Buffer.alloc(2), { etag: url });
    cache.get('a');
    cache.set('d', Buffer.alloc(2), { etag: 'd' });
    assert.equal(cache.get('b'), undefined);
    assert.ok(cache.get('a') && cache.get('c') && cache.get('d'));
    cache.set('e', Buffer.alloc(9), { etag: 'e' });
    assert.deepEqual(cache.size(), { entries: 1, bytes: 9 });
    cache.set('f', Buffer.alloc(11), { etag: 'f' });
    assert.deepEqual(cache.size(), { entries: 1, bytes: 9 });
    cache.delete('e');
    assert.deepEqual(cache.size(), { entries: 0, bytes: 0 });
    createFetchCache({ entries: 0, bytes: 10 }).set('a', Buffer.alloc(1), { etag: 'a' });
  });
});
