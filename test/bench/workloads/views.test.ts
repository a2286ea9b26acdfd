import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askViews, fillViolations } from '#weir/bench/workloads/history/views';
import { sharedHistory } from '../../support/stores/clickhouse.ts';

const { client, queries } = await sharedHistory();

describe('the views that the benchmark of history asks', () => {
  it('find something of what it has filled in, each', async () => {
    const end = await fillViolations(client, 2000, () => {});
    const said: string[] = [];
    const times = await askViews(
      queries,
      end,
      () => 0,
      (line) => said.push(line),
    );
    assert.equal(times.length, 5 * 7);
    assert.equal(said.length, times.length);
  });
});
