/** What all tests before have stored, evaluated again: the verdicts are those that the service gave. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backtest } from '#weir/deploy/cli/backtest/run';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { configuration } from '../../e2e/configuration.ts';
import type { System } from '../../e2e/system.ts';

export function rejudged(system: () => System): void {
  describe('everything that was checked', () => {
    it('is judged the same by a backtest with the same configuration', async () => {
      const s = system();
      await s.archived();
      const loaded = loadConfiguration(configuration());
      assert.ok(loaded.ok);
      const { result } = await backtest({
        history: { url: s.stack.clickhouseUrl, database: 'weir' },
        configuration: loaded.configuration,
        models: new Map(),
        window: { since: Date.now() - 3_600_000, until: Date.now() },
        examples: 20,
        threadCount: 1,
      });
      assert.deepEqual(result.examples, []);
      const { items, evaluated, changed, expired } = result.counts;
      assert.deepEqual([changed, expired], [0, 0], JSON.stringify(result.counts));
      assert.ok(evaluated > 100 && evaluated > items / 2, JSON.stringify(result.counts));
    });
  });
}
