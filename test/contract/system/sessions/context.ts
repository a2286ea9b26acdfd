/** Earlier events as context (6, 2 and 5): a policy that looks back sees what was said in other requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newRun, type System } from '../../../e2e/system.ts';

export function context(system: () => System): void {
  const say = async (
    texts: string[],
    rest: Record<string, unknown>,
    each: Record<string, unknown> = {},
  ): Promise<boolean[]> => {
    const events = texts.map((content) => ({ type: 'reasoning', content, ...each }));
    const { json } = await system().events(events, { environment_id: 'support', ...rest });
    return json.order.map(({ flagged }: { flagged: boolean }) => flagged);
  };

  describe('a policy that looks back', { concurrency: 8 }, () => {
    it('sees a phrase that is split over events of a run in different requests, and flags only the last [6.2.context] [6.5] [event.context] [1.6.run]', async () => {
      const run = { run_id: newRun() };
      assert.deepEqual(await say(['the purple'], run), [false]);
      assert.deepEqual(await say(['elephants'], run), [false]);
      assert.deepEqual(await say(['dance tonight'], run), [true]);
      assert.deepEqual(await say(['dance'], run), [false], 'what came before is no longer the phrase');
    });

    it('sees one that is split over events of a batch, and over the batch and what came before it', async () => {
      const run = { run_id: newRun() };
      assert.deepEqual(await say(['purple', 'elephants', 'dance', 'and dance'], run), [false, false, true, false]);
      assert.deepEqual(await say(['purple'], run), [false]);
      assert.deepEqual(await say(['elephants', 'dance', 'x'], run), [false, true, false]);
    });

    it('sees only as many earlier events as it asks for [6.9]', async () => {
      const run = { run_id: newRun() };
      await say(['purple', 'elephants', ''], run);
      assert.deepEqual(await say(['dance'], run), [false]);
    });

    it('keeps runs and sessions apart, and follows a session over its runs [event.context] [6.5] [1.6.run]', async () => {
      const [one, two] = [newRun(), newRun()];
      await say(['purple', 'elephants'], { run_id: one });
      assert.deepEqual(await say(['dance'], { run_id: two }), [false]);
      assert.deepEqual(await say(['dance'], { run_id: one, external_session_id: newRun() }), [false]);
      assert.deepEqual(await say(['dance'], { run_id: one }), [true]);
      const external_session_id = newRun('session');
      await say(['purple', 'elephants'], { run_id: newRun(), external_session_id });
      assert.deepEqual(await say(['dance'], { run_id: newRun(), external_session_id }), [true]);
      assert.deepEqual(await say(['dance'], { run_id: external_session_id }), [false], 'a run of the same name');
    });

    it('sees one that is split over a run that was generated, in its batch and where its id is sent back [event.context-generated] [batch.generated-run]', async () => {
      assert.deepEqual(await say(['purple', 'elephants', 'dance'], {}), [false, false, true]);
      const texts = ['purple', 'elephants'].map((content) => ({ type: 'reasoning', content }));
      const { json } = await system().events(texts, { environment_id: 'support' });
      assert.match(json.run_id, /^run_/);
      assert.deepEqual(await say(['dance'], {}), [false], 'another one is another conversation');
      assert.deepEqual(await say(['dance'], { run_id: json.run_id }), [true]);
      const event = { type: 'reasoning', content: 'purple' };
      const alone = await system().post('/api/event', { environment_id: 'support', event });
      assert.deepEqual(await say(['elephants', 'dance'], { run_id: alone.json.run_id }), [false, true]);
    });

    it('sees a phrase that is split over three runs of a session, and flags only the last event [6.2.context] [event.context]', async () => {
      const external_session_id = newRun('session');
      const next = async (text: string) => (await say([text], { run_id: newRun(), external_session_id }))[0];
      assert.deepEqual([await next('purple'), await next('elephants'), await next('dance')], [false, false, true]);
      assert.equal(await next('dance'), false);
    });

    it('keeps the events of an environment apart from the sessions of a deployment of the same id', async () => {
      const external_session_id = newRun('session');
      const talk = { deployment_id: 'support', external_session_id };
      await system().session({ ...talk, messages: [{ role: 'user', content: 'purple' }] });
      await system().session({ ...talk, messages: [{ role: 'user', content: 'elephants' }] });
      assert.deepEqual(await say(['dance'], { external_session_id }), [false]);
    });

    it('flags an event that holds the whole phrase by itself', async () => {
      assert.deepEqual(await say(['purple elephants dance'], { run_id: newRun() }), [true]);
    });
  });
}
