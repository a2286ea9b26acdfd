/** Looks for a text in everything that both stores hold. */
import assert from 'node:assert/strict';
import type { System } from '../../e2e/system.ts';

/** Keys that have it in their names or values. */
export async function inRedis({ redis }: Pick<System, 'redis'>, text: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', 1000);
    cursor = next;
    const types = await Promise.all(keys.map((key) => redis.type(key)));
    const values = await Promise.all(keys.map((key, i) => read(redis, key, types[i]!)));
    for (const [i, value] of values.entries()) {
      if (keys[i]!.includes(text) || value.includes(text)) found.push(keys[i]!);
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

/** Tables that have it. */
export async function inClickHouse({ sql }: Pick<System, 'sql'>, text: string): Promise<string[]> {
  const tables = await sql(
    "SELECT name FROM system.tables WHERE database = 'weir' AND endsWith(engine, 'MergeTree') ORDER BY name",
  );
  assert.ok(tables.length >= 4);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = `SELECT count() AS n FROM weir.${name} WHERE position(formatRowNoNewline('JSONEachRow', *), '${text}') > 0`;
    const [row] = await sql(rows);
    if (Number(row!.n) > 0) found.push(String(name));
  }
  return found;
}
