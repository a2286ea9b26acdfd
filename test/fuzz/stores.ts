/** Looks for a marker in everything that both stores hold. */
import assert from 'node:assert/strict';
import type { System } from '../e2e/system.ts';
import { KEPT, UNKNOWN } from './values.ts';

/** Nothing holds what the service does not know; what it keeps as sent is where it belongs. */
export async function searchStores(system: System): Promise<void> {
  await system.archived();
  assert.deepEqual(await inRedis(system, UNKNOWN), []);
  assert.deepEqual(await inClickHouse(system, UNKNOWN), []);
  // The search itself works: it finds what is there.
  await system.redis.hset('fuzz:control', 'field', `a ${UNKNOWN}`);
  assert.deepEqual(await inRedis(system, UNKNOWN), ['fuzz:control']);
  await system.redis.del('fuzz:control');
  assert.ok((await inClickHouse(system, KEPT)).includes('contents'));
}

async function inRedis({ redis }: System, marker: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', 1000);
    cursor = next;
    const types = await Promise.all(keys.map((key) => redis.type(key)));
    const values = await Promise.all(keys.map((key, i) => read(redis, key, types[i]!)));
    for (const [i, value] of values.entries()) {
      if (keys[i]!.includes(marker) || value.includes(marker)) found.push(keys[i]!);
    }
  } while (cursor !== '0');
  return found;
}

async function read(redis: System['redis'], key: string, type: string): Promise<string> {
  switch (type) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'zset':
      return (await redis.zrange(key, '0', '-1')).join('\n');
    case 'set':
      return (await redis.smembers(key)).join('\n');
    case 'list':
      return (await redis.lrange(key, 0, -1)).join('\n');
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      // Gone since it was listed.
      return '';
  }
}

async function inClickHouse(system: System, marker: string): Promise<string[]> {
  const tables = await system.sql(
    "SELECT name FROM system.tables WHERE database = 'weir' AND endsWith(engine, 'MergeTree') ORDER BY name",
  );
  assert.ok(tables.length >= 4);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = `SELECT count() AS n FROM weir.${name} WHERE position(formatRowNoNewline('JSONEachRow', *), '${marker}') > 0`;
    const [row] = await system.sql(rows);
    if (Number(row!.n) > 0) found.push(String(name));
  }
  return found;
}
