import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startTestClickHouse, type TestClickHouse } from '../../../support/stores/clickhouse.js';
import { fetchSql } from '../../../support/stores/sql.js';

async function ask(engine: TestClickHouse, statement: string, token = ''): Promise<string> {
  const query = token === '' ? '' : `?insert_deduplication_token=${token}`;
  const response = await fetchSql(`${engine.url}/${query}`, { method: 'POST', body: statement });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text.trim();
}

const count = (engine: TestClickHouse): Promise<string> => ask(engine, 'SELECT count() FROM rows');

describe('a block whose INSERT was cut off by a kill', () => {
  it('is stored when it is inserted again, and stored blocks still count as repetitions', async () => {
    let engine = await startTestClickHouse();
    try {
      await ask(
        engine,
        'CREATE TABLE rows (x UInt64) ENGINE = MergeTree ORDER BY x SETTINGS non_replicated_deduplication_window = 100',
      );
      const insert = (token: string): Promise<string> =>
        ask(engine, 'INSERT INTO rows SELECT number FROM numbers(10)', token);
      for (const token of ['a', 'b', 'c']) await insert(token);
      await ask(engine, 'OPTIMIZE TABLE rows FINAL');
      await insert('d');
      await insert('e');
      const path = await ask(
        engine,
        "SELECT path FROM system.parts WHERE table = 'rows' AND active ORDER BY max_block_number DESC LIMIT 1",
      );
      await engine.kill('SIGKILL');
      // Such a kill leaves a token in the log without a part.
      rmSync(join(path), { recursive: true });
      engine = await engine.restart();
      assert.equal(await count(engine), '40');
      for (const token of ['a', 'b', 'c', 'd', 'e']) await insert(token);
      assert.equal(await count(engine), '50');
      await insert('e');
      assert.equal(await count(engine), '50');
      await engine.kill('SIGKILL');
      engine = await engine.restart();
      for (const token of ['a', 'b', 'c', 'd', 'e']) await insert(token);
      assert.equal(await count(engine), '50');
    } finally {
      await engine.close();
    }
  });
});
