/** Configuration at run time: it takes effect everywhere without a restart; what is wrong changes nothing. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { configuration, KEY, POLICY } from '../../e2e/configuration.ts';
import { newRun, type System } from '../../e2e/system.ts';
import { until } from '../../support/wait.ts';

export function changes(system: () => System): void {
  describe('a configuration', () => {
    const flagged = async (content: string, run = newRun()): Promise<boolean> =>
      (await system().events([{ type: 'reasoning', event_id: 'e', content }], { run_id: run })).json.flagged;
    // Several ingress processes may share the port: in force means that none of them answers otherwise any more.
    const everywhere = (what: string, holds: () => Promise<boolean>): Promise<void> =>
      until(what, async () => {
        for (let i = 0; i < 12; i++) if (!(await holds())) return false;
        return true;
      });
    const status = async (key: string): Promise<number> =>
      (
        await system().get('/api/event?environment_id=prod&run_id=r&event_id=e', {
          key,
          headers: { connection: 'close' },
        })
      ).status;
    after(() => system().apply(configuration()));

    it('that is applied judges every request from then on, and its version is on every result [config.applied] [config.versioned]', async () => {
      const s = system();
      const [before, later] = [newRun(), newRun()];
      const version = await s.apply(configuration());
      assert.equal(await flagged('open sesame', before), true);
      const next = await s.apply(configuration({ sesame: 'abracadabra' }));
      assert.equal(next, version + 1);
      await everywhere('the new words are looked for', () => flagged('abracadabra'));
      assert.equal(await flagged('open sesame', later), false);
      await s.archived();
      const rows = await s.sql(
        `SELECT run_id, config, flagged FROM results WHERE run_id IN ('${before}', '${later}') ORDER BY config`,
      );
      assert.deepEqual(rows, [
        { run_id: before, config: version, flagged: true },
        { run_id: later, config: next, flagged: false },
      ]);
      assert.equal(await s.apply(configuration({ sesame: 'abracadabra' })), next, 'the same again is no new version');
    });

    it('that is wrong changes nothing, and says where it is wrong [config.checked] [1.7]', async () => {
      const s = system();
      const right = configuration({ sesame: 'abracadabra' });
      const wrong = right.replace(
        `policies: [${POLICY.globex}]}\nenvironments`,
        `policies: [${POLICY.card}]}\nenvironments`,
      );
      assert.notEqual(wrong, right);
      await assert.rejects(s.apply(wrong), /^[^:]*: ?test\.yaml:\d+:\d+: .|^NotApplied|test\.yaml:\d+:\d+: ./);
      for (const text of ['', 'version: 2', '{', right.replace('when: "true"', 'when: "metadata.("')]) {
        await assert.rejects(s.apply(text), /test\.yaml:\d+:\d+: ./);
      }
      await new Promise((resolve) => setTimeout(resolve, 700));
      assert.equal(await flagged('abracadabra'), true);
      assert.equal(await s.apply(right), await s.apply(right));
    });

    it('that leaves a key out, or lets it expire, ends that key everywhere [config.key-expiry] [error.invalid_api_key] [5.5]', async () => {
      const s = system();
      assert.deepEqual([await status(KEY.spare), await status(KEY.lapsing)], [404, 404]);
      await s.apply(configuration({ spare: false, lapses: new Date(Date.now() + 2500).toISOString() }));
      await everywhere('the key is refused', async () => (await status(KEY.spare)) === 401);
      await everywhere('the other key is refused', async () => (await status(KEY.lapsing)) === 401);
      assert.equal(await status(KEY.acme), 404);
      const unknown = await s.get('/api/session/x', { key: KEY.spare, headers: { 'x-request-id': 'same' } });
      const expired = await s.get('/api/session/x', { key: KEY.lapsing, headers: { 'x-request-id': 'same' } });
      assert.equal(unknown.text, expired.text, 'revoked and expired look alike');
      await s.apply(configuration());
      await everywhere('both are back', async () => (await status(KEY.spare)) + (await status(KEY.lapsing)) === 808);
    });
  });
}
