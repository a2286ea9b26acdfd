/** Looks for a marker in everything that both stores hold. */
import assert from 'node:assert/strict';
import type { System } from '../e2e/system.ts';
import { inClickHouse, inRedis } from '../support/stores/search.ts';
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
