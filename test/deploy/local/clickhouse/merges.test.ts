import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createHistoryClient } from '#weir/shared/history/client';
import { createHistoryQueries } from '#weir/shared/history/read/queries';
import { newRequestId } from '#weir/shared/ids';
import { startTestClickHouse } from '../../../support/stores/clickhouse.ts';
import { until } from '../../../support/wait.ts';

/** Niceness of the threads of a process that have this name. */
function nicenessOf(pid: number, thread: string): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1');
      const end = stat.lastIndexOf(')');
      return stat.slice(stat.indexOf('(') + 1, end) === thread ? [Number(stat.slice(end + 2).split(' ')[16])] : [];
    } catch {
      // The thread has ended.
      return [];
    }
  });
}

test('merges have a lower priority than look-ups and inserts', { skip: process.platform !== 'linux' }, async () => {
  const engine = await startTestClickHouse();
  const client = createHistoryClient({ url: engine.url, database: 'weir' });
  try {
    await client.command({ query: 'CREATE TABLE some (n UInt64) ENGINE = MergeTree ORDER BY n' });
    let merging = true;
    const merges = (async () => {
      while (merging) {
        for (let i = 0; i < 2; i++) {
          await client.command({ query: 'INSERT INTO some SELECT number FROM numbers(100000)' });
        }
        await client.command({ query: 'OPTIMIZE TABLE some FINAL' });
      }
    })();
    let seen: number[] = [];
    await until('a merge is under way with a lower priority', () => {
      seen = nicenessOf(engine.pid, 'MergeMutate');
      return seen.includes(10);
    }).finally(() => {
      merging = false;
    });
    await merges;
  } finally {
    await client.close();
    await engine.close();
  }
});

test('inserts, and what reads many rows, have a lower priority than look-ups, and tables are merged as seldom as can be', async () => {
  const engine = await startTestClickHouse();
  const client = createHistoryClient({ url: engine.url, database: 'weir' });
  const niceness = ['query', 'materialized_view'].map((of) => `getSetting('os_threads_nice_value_${of}')`).join();
  try {
    await client.command({ query: 'CREATE TABLE inserts (niceness Array(Int32)) ENGINE = MergeTree ORDER BY tuple()' });
    await client.command({ query: `INSERT INTO inserts SELECT [${niceness}]` });
    const result = await client.query({
      query: `SELECT niceness AS inserted, [${niceness}] AS asked FROM inserts`,
      format: 'JSONEachRow',
    });
    assert.deepEqual(await result.json(), [{ inserted: [5, 5], asked: [0, 0] }]);
    const told: unknown[] = [];
    const queries = createHistoryQueries({
      async query(question) {
        const { clickhouse_settings = {} } = question;
        const answer = await client.query({
          query: `SELECT [${niceness}] AS asked`,
          format: 'JSONEachRow',
          clickhouse_settings,
        });
        told.push(...(await answer.json()));
        return await client.query(question);
      },
    });
    // There are no tables that these could ask.
    await assert.rejects(queries.pastUsers({ team: 'acme', since: 0, weights: new Map(), least: 4, limit: 1 }));
    await assert.rejects(queries.stated({ team: 'acme', scope: 'prod' }, newRequestId(0), 'ann'));
    assert.deepEqual(told, [{ asked: [5, 5] }, { asked: [0, 0] }]);
    const tables = await client.query({
      query: `SELECT name, value FROM system.merge_tree_settings
        WHERE name IN ('auto_statistics_types', 'merge_selector_base', 'write_marks_for_substreams_in_compact_parts') ORDER BY name`,
      format: 'JSONEachRow',
    });
    assert.deepEqual(await tables.json(), [
      { name: 'auto_statistics_types', value: '' },
      { name: 'merge_selector_base', value: '9' },
      { name: 'write_marks_for_substreams_in_compact_parts', value: '0' },
    ]);
  } finally {
    await client.close();
    await engine.close();
  }
});
