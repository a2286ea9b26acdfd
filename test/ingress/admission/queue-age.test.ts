import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAges } from '#weir/ingress/admission/queue-age';
import type { Pressure } from '#weir/shared/streams/pressure';

/** Unread entries whose ids lie ahead of the clock: `unread` of them, the oldest with this number. */
const ahead = (number: number, unread: number, ms = 9): Pressure => ({
  oldestUnread: 0,
  entries: unread + 3,
  pending: 3,
  oldest: { ms, number, ahead: true },
});

describe('the age of the oldest unread entry', () => {
  it('follows from its id when the clock is past that', () => {
    const ages = createAges();
    const read = { entries: 0, pending: 0 };
    assert.equal(ages('s', { oldestUnread: 0, ...read }, 5), 0);
    assert.equal(ages('s', { oldestUnread: 70, ...read, oldest: { ms: 1, number: 0, ahead: false } }, 5), 70);
  });

  it('counts from the first sample that had it, when ids lie ahead of the clock', () => {
    const ages = createAges();
    assert.equal(ages('s', ahead(10, 1), 1000), 0);
    assert.equal(ages('s', ahead(10, 5), 1200), 200);
    assert.equal(ages('other', ahead(10, 5), 1200), 0, 'of each stream by itself');
    // The queue moves on, and is as far behind as before: 11 to 14 were there at 1200.
    assert.equal(ages('s', ahead(13, 20), 1400), 200);
    assert.equal(ages('s', ahead(14, 20), 1600), 400);
    assert.equal(ages('s', ahead(15, 30), 1800), 400, 'there since 1400');
    // Everything was read meanwhile.
    assert.equal(ages('s', { oldestUnread: 0, entries: 3, pending: 3 }, 2000), 0);
    assert.equal(ages('s', ahead(90, 1), 2200), 0);
  });

  it('starts anew with ids of another time, and keeps few samples of a queue that stands still', () => {
    const ages = createAges();
    ages('s', ahead(10, 5, 1), 1000);
    assert.equal(ages('s', ahead(3, 1, 2), 3000), 0);
    for (let i = 0; i < 5000; i++) assert.equal(ages('s', ahead(3, i + 1, 2), 3000 + i), i);
  });
});
