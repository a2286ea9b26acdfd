import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  activate,
  activeIdentity,
  activeVersion,
  modelsNamedBy,
  readConfiguration,
  readPackedModel,
  readVersion,
  restoreModels,
  storeVersion,
} from '#weir/shared/streams/configuration';
import { heartbeat } from '#weir/shared/streams/fleet';
import { keys } from '#weir/shared/streams/keys';
import { sharedRedis } from '../../support/stores/redis.js';

const { redis } = await sharedRedis();

describe('configuration versions', () => {
  it('are numbered and stored in one step, and the oldest are dropped but for the active one', async () => {
    assert.equal(await storeVersion(redis, 'first'), 1);
    await activate(redis, 1);
    for (let i = 2; i <= 25; i++) assert.equal(await storeVersion(redis, `text ${i}`), i);
    assert.equal(await readVersion(redis, 1), 'first');
    assert.equal(await readVersion(redis, 5), undefined);
    assert.equal(await readVersion(redis, 6), 'text 6');
    assert.equal(await redis.hlen(keys.configVersions()), 21);
    assert.equal(await redis.hlen(keys.configContents()), 21);
  });

  it('are there before a worker hears of their number', async () => {
    let open = true;
    const seen = (async () => {
      while (open) {
        const { newest } = await heartbeat(redis, { kind: 'worker', name: 'worker' });
        if (newest > 0) assert.notEqual(await readVersion(redis, newest), undefined);
      }
    })();
    for (let i = 0; i < 10; i++) await storeVersion(redis, `text ${i}`);
    open = false;
    await seen;
  });

  it('become active in their order only', async () => {
    for (let i = 0; i < 3; i++) await storeVersion(redis, '{}');
    assert.equal(await activate(redis, 3), 3);
    assert.equal(await activate(redis, 2), 3);
    assert.equal(await activeVersion(redis), 3);
  });

  it('do not become active once Redis has lost them', async () => {
    const version = await storeVersion(redis, '{}');
    await redis.flushall();
    assert.equal(await activate(redis, version), 0);
    assert.equal(await activeVersion(redis), 0);
  });

  it('keep the models that they name, byte by byte, and those go with the last version that names them', async () => {
    const [a, b] = [Buffer.from([0, 255, 10, 13, 0]), Buffer.from('b')];
    const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
    await activate(redis, await storeVersion(redis, '1', 0, new Map([[first, a]])));
    await storeVersion(redis, '2', 0, new Map([[second, b]]));
    await storeVersion(
      redis,
      '3',
      0,
      new Map([
        [first, a],
        [second, b],
      ]),
    );
    assert.deepEqual(await modelsNamedBy(redis, 3), [first, second]);
    assert.deepEqual(await readPackedModel(redis, first), a);
    for (let i = 4; i <= 30; i++) await storeVersion(redis, `${i}`);
    assert.deepEqual(await modelsNamedBy(redis, 30), []);
    assert.deepEqual(await redis.hkeys(keys.configModels()), [first], 'the active version names it');
    assert.deepEqual(await redis.hkeys(keys.configModelUses()), ['1']);
    await activate(redis, 30);
    await storeVersion(redis, '31');
    assert.equal(await redis.exists(keys.configModels(), keys.configModelUses()), 0);
  });

  it('get models back that Redis has lost', async () => {
    const models = new Map([['a'.repeat(64), Buffer.from('a')]]);
    const version = await storeVersion(redis, '1', 0, models);
    await redis.del(keys.configModels(), keys.configModelUses());
    await restoreModels(redis, version, models);
    assert.deepEqual(await modelsNamedBy(redis, version), ['a'.repeat(64)]);
    assert.deepEqual(await readPackedModel(redis, 'a'.repeat(64)), Buffer.from('a'));
  });

  it('are numbered on from what is known to be used', async () => {
    assert.equal(await storeVersion(redis, '{}', 7), 8);
    assert.equal(await storeVersion(redis, '{}', 7), 9);
  });
});

describe('the identity of a configuration', () => {
  async function applied(text: string): Promise<string> {
    await activate(redis, await storeVersion(redis, text));
    return (await activeIdentity(redis))!.id;
  }

  it('is there with the first configuration, and not before', async () => {
    assert.equal(await activeIdentity(redis), undefined);
    const id = await applied('{}');
    assert.deepEqual(await readConfiguration(redis, 1), { version: 1, id, text: '{}' });
  });

  it('is another one for another number, another content and another installation', async () => {
    const first = await applied('{}');
    const second = await applied('{}');
    await redis.flushall();
    const elsewhere = await applied('{}');
    // An older copy was restored: the number is used again, for another text.
    await redis.del(keys.configNext(), keys.configActive(), keys.configVersions(), keys.configContents());
    const again = await applied('{"version":1}');
    assert.equal(new Set([first, second, elsewhere, again]).size, 4);
    for (const id of [first, elsewhere, again]) assert.match(id, /^1-[0-9a-f]{16}@[0-9a-f]{12}$/);
  });
});
