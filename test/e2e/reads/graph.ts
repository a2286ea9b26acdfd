/** The graph of a run (4.12): every checked event, and what was declared as its cause. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { RunGraph } from '#weir/shared/api/types';
import { pluck } from '../../support/pluck.ts';
import { CARD, KEY } from '../configuration.ts';
import { type CallOptions, newRun, type System } from '../system.ts';

export const graphPath = (run: string, rest = '', environment = 'prod'): string =>
  `/api/run/graph?environment_id=${environment}&run_id=${run}${rest}`;

export async function graphOf(system: System, run: string, rest = '', options: CallOptions = {}): Promise<RunGraph> {
  const answer = await system.get(graphPath(run, rest), options);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const ids = (answer: { json: { order: { internal_event_id: string }[] } }): string[] =>
  answer.json.order.map((entry) => entry.internal_event_id);

export function graph(system: () => System): void {
  describe('the run graph', { concurrency: 8 }, () => {
    it('has every checked event and declared cause, hot, archived, and half of each [4.12] [graph.answer] [graph.direction] [graph.pinned] [event.links] [event.parent]', async () => {
      const s = system();
      const run = newRun();
      const other = newRun('other');
      const [elsewhere] = ids(await s.events([{ type: 'tool', event_id: 'far', output: 'x' }], { run_id: other }));
      const first = await s.events(
        [
          { type: 'message', role: 'user', event_id: 'ask', content: `card ${CARD}` },
          { type: 'message', role: 'assistant', event_id: 'plan', content: 'x', parent: { event_id: 'ask' } },
          { type: 'tool', event_id: 'ask' },
          {
            type: 'tool',
            event_id: 'call',
            arguments: {},
            parent: { event_id: 'plan' },
            links: [
              { event_id: 'far', run_id: other },
              { internal_event_id: elsewhere!.toUpperCase(), relation: 'é "used" {}' },
              { event_id: 'later', relation: '' },
              { event_id: 'never' },
              { internal_event_id: '00000000-0000-0000-0000-000000000000' },
            ],
          },
        ],
        { run_id: run },
      );
      const [ask, plan, , call] = ids(first);
      const hot = await graphOf(s, run);
      assert.ok(await s.isHot(ask!), 'the result was still in Redis');
      const { created_at: created } = first.json.results.message.ask.event;
      const common = { status: 'completed', created_at: created };
      assert.deepEqual(hot, {
        run_id: run,
        environment_id: 'prod',
        nodes: [
          { internal_event_id: ask, event_id: 'ask', type: 'message', role: 'user', flagged: true, ...common },
          { internal_event_id: plan, event_id: 'plan', type: 'message', role: 'assistant', flagged: false, ...common },
          { internal_event_id: call, event_id: 'call', type: 'tool', flagged: false, ...common },
        ],
        edges: [
          { kind: 'parent', source: ask, target: plan, resolved: true },
          { kind: 'parent', source: plan, target: call, resolved: true },
          { kind: 'link', source: elsewhere, target: call, relation: 'caused_by', resolved: true },
          { kind: 'link', source: elsewhere, target: call, relation: 'é "used" {}', resolved: true },
          { kind: 'link', source: 'later', target: call, relation: '', resolved: false },
          { kind: 'link', source: 'never', target: call, relation: 'caused_by', resolved: false },
          {
            kind: 'link',
            source: '00000000-0000-0000-0000-000000000000',
            target: call,
            relation: 'caused_by',
            resolved: false,
          },
        ],
        next_cursor: null,
      });
      await s.cold(call!);
      await s.cold(elsewhere!);
      assert.deepEqual(await graphOf(s, run), hot);

      const [later, again] = ids(
        await s.events(
          [
            { type: 'reasoning', event_id: 'later', content: 'x', parent: { event_id: 'call' } },
            { type: 'reasoning', event_id: 'plan', content: 'x' },
          ],
          { run_id: run },
        ),
      );
      const mixed = await graphOf(s, run);
      assert.ok(await s.isHot(later!), 'the result was still in Redis');
      assert.deepEqual(pluck(mixed.nodes, 'internal_event_id'), [ask, plan, call, later, again]);
      const sources = mixed.edges.map(({ source, resolved }) => [source, resolved]);
      // What resolved stays that very event, and nothing that came later is a cause.
      assert.deepEqual(sources.slice(0, 2), [
        [ask, true],
        [plan, true],
      ]);
      assert.deepEqual(sources[4], ['later', false]);
      assert.deepEqual(sources[7], [call, true]);
      await s.cold(later!);
      assert.deepEqual(await graphOf(s, run), mixed);
    });

    it('has no event that is its own cause, in one batch or several [graph.resolved] [graph.pinned]', async () => {
      const s = system();
      const run = newRun();
      const self = { type: 'tool', event_id: 'self', output: 'x', parent: { event_id: 'self' } };
      const first = await s.events([self], { run_id: run });
      assert.equal(first.json.results.tool.self.note, '1 of 1 declared causes did not resolve');
      const next = await s.events([self, self], { run_id: run });
      const [one, two, three] = [...ids(first), ...ids(next)];
      const edges = async (): Promise<unknown[]> =>
        (await graphOf(s, run)).edges.map(({ source, target, resolved }) => [source, target, resolved]);
      const expected = [
        ['self', one, false],
        [one, two, true],
        [two, three, true],
      ];
      assert.deepEqual(await edges(), expected);
      await s.cold(three!);
      assert.deepEqual(await edges(), expected);
    });

    it('tells what belongs to another team or environment from what is absent by nothing [event.link-foreign] [graph.unknown-run]', async () => {
      const s = system();
      const run = newRun();
      const theirs = await s.post(
        '/api/events',
        { environment_id: 'prod', run_id: run, events: [{ type: 'tool', event_id: 'theirs', output: 'x' }] },
        { key: KEY.globex },
      );
      const staged = await s.post('/api/events', {
        environment_id: 'staging',
        run_id: run,
        events: [{ type: 'tool', event_id: 'staged', output: 'x' }],
      });
      const [foreign, staging] = [ids(theirs)[0]!, ids(staged)[0]!];
      const absent = `${foreign.slice(0, 9)}0000-7000-8000-000000000001`;
      const named = ['theirs', 'staged', 'absent'];
      const own = await s.events(
        named.map((event, i) => ({
          type: 'tool',
          event_id: `own-${i}`,
          output: 'x',
          parent: { event_id: event },
          links: [{ internal_event_id: [foreign, staging, absent][i] }],
        })),
        { run_id: run },
      );
      const { tool } = own.json.results;
      assert.equal(tool['own-2'].note, '2 of 2 declared causes did not resolve');
      assert.deepEqual([tool['own-0'].note, tool['own-1'].note], [tool['own-2'].note, tool['own-2'].note]);
      const look = async (): Promise<void> => {
        const found = await graphOf(s, run);
        assert.equal(found.nodes.length, 3);
        const expected = named.flatMap((event, i) => [event, [foreign, staging, absent][i]]);
        const unresolved = expected.map((source) => [source, false]);
        assert.deepEqual(pluck(found.edges, 'source', 'resolved'), unresolved);
        assert.equal((await graphOf(s, run, '', { key: KEY.globex })).nodes[0]!.internal_event_id, foreign);
        const headers = { 'x-request-id': 'same' };
        const refused = [
          await s.get(graphPath(newRun()), { headers }),
          await s.get(graphPath(run, '', 'nowhere'), { headers }),
          await s.get(graphPath(run), { headers, key: KEY.narrow }),
          await s.get(graphPath(run, '', 'staging'), { headers, key: KEY.globex }),
          await s.get(graphPath(run, '', 'support'), { headers }),
        ];
        assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([404]));
        // Whether an environment is absent, not granted or another team's cannot be told. In a further one of the key's own the
        // run is as absent as any other.
        const params = ['run_id', 'environment_id', 'environment_id', 'environment_id', 'run_id'];
        const at = refused.map(({ json }) => json.error.param);
        assert.deepEqual(at, params);
        assert.equal(new Set(refused.map(({ text }) => text)).size, 2);
      };
      await look();
      for (const id of [foreign, staging, ...ids(own)]) await s.cold(id);
      await look();
    });

    it('comes in pages that follow each other while events arrive, hot and archived [graph.paged]', async () => {
      const s = system();
      const run = newRun();
      const all: string[] = [];
      const add = async (name: string, count: number): Promise<void> => {
        const events = Array.from({ length: count }, (_, i) => ({
          type: 'reasoning',
          event_id: `${name}-${i}`,
          content: 'x',
          ...(i > 0 ? { parent: { event_id: `${name}-${i - 1}` } } : {}),
        }));
        all.push(...ids(await s.events(events, { run_id: run })));
      };
      await add('a', 7);
      await s.cold(all[0]!);
      await add('b', 6);
      const pages = async (limit: number, between?: () => Promise<void>): Promise<string[]> => {
        const seen: string[] = [];
        let edges = 0;
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page: RunGraph = await graphOf(s, run, `&limit=${limit}${cursor && `&cursor=${cursor}`}`);
          assert.ok(page.nodes.length <= limit && (page.nodes.length === limit || page.next_cursor === null));
          assert.ok(page.edges.every(({ target }) => page.nodes.some((node) => node.internal_event_id === target)));
          edges += page.edges.length;
          seen.push(...page.nodes.map((node) => node.internal_event_id));
          cursor = page.next_cursor;
          if (seen.length === limit) await between?.();
        }
        assert.ok(edges >= 11);
        return seen;
      };
      for (const limit of [1, 4, 12, 13, 1000]) assert.deepEqual(await pages(limit), all, `pages of ${limit}`);
      const sofar = [...all];
      const seen = (await pages(3, () => add('c', 5))).slice(0, sofar.length);
      assert.deepEqual(seen, sofar, 'what arrives meanwhile comes last');
      assert.deepEqual(await pages(5), all);
      await s.cold(all.at(-1)!);
      for (const limit of [1, 4, 1000]) assert.deepEqual(await pages(limit), all, `archived, pages of ${limit}`);

      const { next_cursor: cursor } = await graphOf(s, run, '&limit=17');
      assert.equal((await graphOf(s, run, `&cursor=${cursor}`)).nodes.length, 1);
      const end = Buffer.from(`1:9007199254740991:${all[0]}`).toString('base64url');
      const beyond = await graphOf(s, run, `&cursor=${end}`);
      assert.deepEqual([beyond.nodes, beyond.edges, beyond.next_cursor], [[], [], null]);
      assert.equal((await s.get(graphPath(newRun(), `&cursor=${end}`))).status, 404);
    });

    it('ends a page where it declares too much, but not before its first event', async () => {
      const s = system();
      const run = newRun();
      const links = Array.from({ length: 50 }, (_, i) => ({ event_id: `absent-${i}` }));
      // 50 declarations each, nine in a batch.
      let last = '';
      for (let batch = 0; batch < 5; batch++) {
        const events = Array.from({ length: 9 }, (_, i) => ({
          type: 'reasoning',
          event_id: `e-${batch}-${i}`,
          content: 'x',
          links,
        }));
        last = ids(await s.events(events, { run_id: run })).at(-1)!;
      }
      const look = async (): Promise<void> => {
        const page = await graphOf(s, run);
        assert.deepEqual([page.nodes.length, page.edges.length], [40, 2000]);
        const rest = await graphOf(s, run, `&cursor=${page.next_cursor}`);
        assert.deepEqual([rest.nodes.length, rest.edges.length, rest.next_cursor], [5, 250, null]);
      };
      await look();
      await s.cold(last);
      await look();
    });

    it('refuses what is no limit, no cursor and no id [graph.paged]', async () => {
      const s = system();
      const run = newRun();
      await s.events([{ type: 'reasoning', content: 'x' }], { run_id: run });
      for (const limit of ['1', '500', '1000', '0999']) {
        assert.equal((await s.get(graphPath(run, `&limit=${limit}`))).status, 200, limit);
      }
      const cursors = ['x', '1', randomUUID(), Buffer.from('1:5:x').toString('base64url')];
      cursors.push(Buffer.from(`1:005:${randomUUID()}`).toString('base64url'));
      const cases: [string, string][] = [
        ...['0', '1001', '-1', '1.5', 'x', '1e2', '00001'].map((limit): [string, string] => [
          graphPath(run, `&limit=${limit}`),
          'limit',
        ]),
        ...cursors.map((cursor): [string, string] => [graphPath(run, `&cursor=${cursor}`), 'cursor']),
        ['/api/run/graph?environment_id=prod', 'run_id'],
        [`/api/run/graph?run_id=${run}`, 'environment_id'],
        [graphPath('x'.repeat(129)), 'run_id'],
        [graphPath('a%20b'), 'run_id'],
      ];
      for (const [path, param] of cases) {
        const answer = await s.get(path);
        assert.equal(answer.status, 400, path);
        assert.equal(answer.json.error.param, param, path);
      }
      assert.equal((await s.get(graphPath('x'.repeat(128)))).status, 404);
    });
  });
}
