import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { itemId } from '#weir/shared/ids';
import { keys } from '#weir/shared/streams/keys';
import { record, recordItem } from '../../../../ingress/support.ts';
import { encodeRecord } from '../../../../support/stores/encoded.ts';
import { sharedRedis } from '../../../../support/stores/redis.js';
import { weir } from '../../support.ts';

const { server, redis } = await sharedRedis();
const before = { ...process.env };
process.env.WEIR_REDIS_URL = server.url;
after(() => {
  process.env = before;
});

describe('weir record', () => {
  it('prints the record that an internal id belongs to', async () => {
    const items = [recordItem(1, { flagged: true }), recordItem(2, { metadata: 1 })];
    const stored = record({ items, fragments: ['{"p":{"flagged":true}}', '{"n":1}'] });
    await redis.set(keys.result(0, stored.id), encodeRecord(stored));
    const { code, out } = await weir('record', itemId(stored.id, 2));
    assert.equal(code, 0);
    const printed = JSON.parse(out);
    assert.deepEqual(printed, {
      ...JSON.parse(JSON.stringify(stored)),
      fragments: [{ p: { flagged: true } }, { n: 1 }],
    });
  });

  it('says that there is none, and what is no id', async () => {
    const absent = await weir('record', record().id);
    assert.deepEqual([absent.code, absent.out], [1, '']);
    assert.match(absent.err, /Redis has no record of/);
    for (const args of [[], ['x'], [record().id, record().id]]) {
      const { code, err } = await weir('record', ...args);
      assert.equal(code, 2);
      assert.match(err, /expected an internal id/);
    }
  });
});
