/** Declared causes when they are written (2.7): what does not resolve is kept, and noted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pluck } from '../../support/pluck.ts';
import { newRun, type System } from '../system.ts';
import { graphOf } from './graph.ts';

export function causes(system: () => System): void {
  describe('declared causes', { concurrency: 8 }, () => {
    it('resolve to earlier events of the batch, to hot and to archived ones, and else are noted [event.link-unresolved] [2.7.parent] [2.7.links] [event.link-run]', async () => {
      const s = system();
      const [run, other] = [newRun(), newRun('other')];
      const stored = await s.events(
        [
          { type: 'tool', event_id: 'a', output: 'x' },
          { type: 'tool', event_id: 'b', output: 'x', run_id: other },
        ],
        { run_id: run },
      );
      const id = stored.json.order[1].internal_event_id;
      const declare = async (): Promise<(string | undefined)[]> => {
        const { json } = await s.events(
          [
            { type: 'agent', event_id: 'one', input: 'x', parent: { event_id: 'a' } },
            { type: 'agent', event_id: 'two', input: 'x', links: [{ event_id: 'b', run_id: other }] },
            { type: 'agent', event_id: 'three', input: 'x', links: [{ internal_event_id: id }, { event_id: 'two' }] },
            { type: 'agent', event_id: 'four', input: 'x', parent: { event_id: 'later' } },
            { type: 'agent', event_id: 'later', input: 'x', links: [{ event_id: 'b' }, { event_id: 'a' }] },
          ],
          { run_id: run },
        );
        return ['one', 'two', 'three', 'four', 'later'].map((event) => json.results.agent[event].note);
      };
      const unresolved = (count: number, all: number): string => `${count} of ${all} declared causes did not resolve`;
      const expected = [undefined, undefined, undefined, unresolved(1, 1), unresolved(1, 2)];
      assert.deepEqual(await declare(), expected);
      assert.ok(await s.isHot(id), 'the result was still in Redis');
      await s.cold(id);
      // "later" is there by now.
      assert.deepEqual(await declare(), [...expected.slice(0, 3), undefined, expected[4]]);
    });

    it('are noted beside another note, in every look-up, and never change status or verdict [event.link-unresolved]', async () => {
      const s = system();
      const run = newRun();
      const event = { type: 'reasoning', event_id: 'e', content: 'x', parent: { event_id: 'no' } };
      const body = { environment_id: 'staging', run_id: run, event };
      const posted = await s.post('/api/event', body);
      assert.equal(posted.status, 200);
      const note = 'no active condition matched; 1 of 1 declared causes did not resolve';
      assert.deepEqual([posted.json.note, posted.json.event.status, posted.json.flagged], [note, 'completed', false]);
      const path = `/api/event?environment_id=staging&run_id=${run}&event_id=e`;
      assert.equal((await s.get(path)).json.note, note);
      await s.cold(posted.json.event.internal_event_id);
      assert.equal((await s.get(path)).json.note, note);
      const [row] = await s.sql(`SELECT note, link.event_id AS causes FROM results WHERE run_id = '${run}'`);
      assert.deepEqual(row, { note, causes: ['no'] });
    });

    it('may be 500 in a batch, hot, archived and absent together', async () => {
      const s = system();
      const run = newRun();
      const make = (name: string, count: number) =>
        s.events(
          Array.from({ length: count }, (_, i) => ({ type: 'tool', event_id: `${name}-${i}`, output: 'x' })),
          { run_id: run },
        );
      await s.cold((await make('old', 50)).json.order[0].internal_event_id);
      await make('new', 50);
      const names = ['old', 'new', 'no'].flatMap((name) => Array.from({ length: 50 }, (_, i) => `${name}-${i}`));
      const events = Array.from({ length: 10 }, (_, i) => ({
        type: 'agent',
        event_id: `e-${i}`,
        input: 'x',
        links: Array.from({ length: 50 }, (_, k) => ({ event_id: names[(i * 50 + k) % 150] })),
      }));
      const { json } = await s.events(events, { run_id: run });
      for (const [i, { event_id: id }] of json.order.entries()) {
        const third = i % 3 === 2;
        const note = third ? '50 of 50 declared causes did not resolve' : undefined;
        assert.equal(json.results.agent[id].note, note, id);
      }
      const { edges } = await graphOf(s, run, '&limit=1000');
      assert.equal(edges.length, 500);
      assert.equal(edges.filter(({ resolved }) => resolved).length, 350);
    });

    it('of an event whose run is generated are looked for in its batch', async () => {
      const s = system();
      const { json } = await s.events([
        { type: 'tool', event_id: 'a', output: 'x' },
        { type: 'tool', event_id: 'b', output: 'x', parent: { event_id: 'a' }, links: [{ event_id: 'c' }] },
      ]);
      assert.equal(json.results.tool.b.note, '1 of 2 declared causes did not resolve');
      const { edges } = await graphOf(s, json.run_id);
      assert.deepEqual(pluck(edges, 'source', 'resolved'), [
        [json.order[0].internal_event_id, true],
        ['c', false],
      ]);
    });
  });
}
