import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import type { Ask } from '#weir/shared/history/read/ask';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { createJoined } from '#weir/shared/history/read/joined';
import { createHistoryQueries } from '#weir/shared/history/read/queries';
import { itemId } from '#weir/shared/ids';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { pluck } from '../../../support/pluck.ts';
import { countQuestions, sharedHistory } from '../../../support/stores/clickhouse.ts';
import { encodeRows } from '../../../support/stores/encoded.ts';
import { rowItem, rowRequest, violating } from '../../../support/stores/history.ts';
import { insertRows } from '../../../support/stores/insert.ts';

/** Everything that is ready to run has run: nothing here waits for more than promises. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Questions that are answered when the test says so. */
function questions() {
  const asked: { team: string; kind: string; names: string[]; answer(found?: string[]): void; fail(): void }[] = [];
  // As in a line: a turn comes after whatever runs now.
  const ask = {
    bounded: async (_, look) => {
      await Promise.resolve();
      return look(new AbortController().signal);
    },
  } as Ask;
  const joined = createJoined<string, string>(ask, {
    texts: (name) => [name],
    ask: (of, names) =>
      new Promise((resolve, reject) => {
        const answer = (found: string[] = []): void =>
          resolve(names.map((name) => (found.includes(name) ? `found ${name}` : undefined)));
        asked.push({ ...of, names: [...names], answer, fail: () => reject(new HistoryUnavailable('broken')) });
      }),
  });
  return { asked, find: joined.find };
}

describe('look-ups that are put to ClickHouse together', () => {
  it('are those of one team and kind that came while the question before them was under way', async () => {
    const { asked, find } = questions();
    const first = find('acme', 'prod', 'a');
    await settled();
    const later = ['b', 'c', 'c'].map((name) => find('acme', 'prod', name));
    const others = [find('acme', 'test', 'b'), find('zeta', 'prod', 'b')];
    await settled();
    assert.deepEqual(pluck(asked, 'team', 'kind', 'names'), [
      ['acme', 'prod', ['a']],
      ['acme', 'test', ['b']],
      ['zeta', 'prod', ['b']],
    ]);
    asked[0]!.answer(['a']);
    assert.equal(await first, 'found a');
    await settled();
    assert.deepEqual(asked[3]?.names, ['b', 'c']);
    asked[3]!.answer(['c']);
    assert.deepEqual(await Promise.all(later), [undefined, 'found c', 'found c']);
    asked[1]!.answer(['b']);
    asked[2]!.answer();
    assert.deepEqual(await Promise.all(others), ['found b', undefined]);
  });

  it('fail with their own question alone', async () => {
    const { asked, find } = questions();
    const first = find('acme', 'prod', 'a');
    await settled();
    const second = find('acme', 'prod', 'b');
    asked[0]!.fail();
    await assert.rejects(first, HistoryUnavailable);
    await settled();
    asked[1]!.answer(['b']);
    assert.equal(await second, 'found b');
  });

  it('are bounded in number, a team by itself', async () => {
    const { asked, find } = questions();
    const many = Array.from({ length: 1024 }, (_, i) => find('acme', 'prod', `${i % 600}`));
    await assert.rejects(find('acme', 'prod', 'more'), /too many look-ups of the team wait/);
    const other = find('zeta', 'prod', 'a');
    await settled();
    const sizes = asked.map(({ team, names }) => [team, names.length]);
    assert.deepEqual(sizes, [
      ['acme', 500],
      ['zeta', 1],
    ]);
    for (const one of asked) one.answer(one.names);
    assert.equal(await other, 'found a');
    await settled();
    assert.equal(asked[2]?.names.length, 100);
    asked[2]!.answer(asked[2]!.names);
    assert.equal((await Promise.all(many))[1023], 'found 423');
  });

  it('rest after a question as long as names were not there, and not after one that found all', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { asked, find } = questions();
      const absent = Array.from({ length: 20 }, (_, i) => find('acme', 'prod', `${i}`));
      await settled();
      asked[0]!.answer();
      await Promise.all(absent);
      const next = find('acme', 'prod', 'a');
      mock.timers.tick(19);
      await settled();
      assert.equal(asked.length, 1);
      mock.timers.tick(1);
      await settled();
      assert.deepEqual(asked[1]?.names, ['a']);
      asked[1]!.answer(['a']);
      assert.equal(await next, 'found a');
      void find('acme', 'prod', 'b');
      await settled();
      assert.deepEqual(asked[2]?.names, ['b']);
    } finally {
      mock.timers.reset();
    }
  });
});

const { client } = await sharedHistory();

describe('names that are looked up in history', () => {
  const counting = countQuestions(client);
  const queries = createHistoryQueries(counting.client, { timeoutMs: 20_000, waitMs: 20_000 });

  /** How many questions `work` asks. */
  async function questionsOf<T>(work: () => Promise<T>): Promise<{ result: T; questions: number }> {
    const before = counting.asked();
    const result = await work();
    return { result, questions: counting.asked() - before };
  }

  const userOf = (user: string, since = 0) => ({
    user: { team: 'acme', kind: 'id' as const, user },
    since,
    except: [],
    known: false,
  });
  const isKnown = (user: string) => queries.userViolations(userOf(user), () => true);
  const pageOf = (run: string, environment = 'prod', team = 'acme') =>
    queries.runEventsIfAny({ team, environment, run, after: undefined, most: 10 });
  const hasEvents = async (run: string) => (await pageOf(run)).events.length > 0;

  it('cost one question however many callers ask for what is not there', async () => {
    const request = rowRequest();
    const session = rowRequest({ kind: 'session', scope: 'chat' });
    await insertRows(
      client,
      unpackRows('3', encodeRows(request, [rowItem(1, { runId: "run 'q\\" })])).bytes,
      unpackRows('3', encodeRows(session, [rowItem(1, { userId: 'u1', externalSessionId: 's1' })])).bytes,
    );
    const many = <T>(of: (name: string) => Promise<T>, there: string) =>
      questionsOf(() => Promise.all(Array.from({ length: 200 }, (_, i) => of(i === 100 ? there : `absent-${i}`))));

    for (const [of, there, more, absent] of [
      [isKnown, 'u1', 1, 2],
      [hasEvents, "run 'q\\", 2, 1],
    ] as const) {
      const { result, questions } = await many(of, there);
      // Beside the one for all: the checks of the user; the places of the run and its events.
      assert.equal(questions, 1 + more);
      const known = result.flatMap((known, i) => (known ? [i] : []));
      assert.deepEqual(known, [100]);
      // One that comes alone is not looked for first. Of a user it is asked last whether any check is stored, however old.
      assert.deepEqual(await questionsOf(() => of(there)), { result: true, questions: more });
      assert.deepEqual(await questionsOf(() => of('absent')), { result: false, questions: absent });
    }

    const event = (name: string) => queries.latestEvent('acme', 'prod', "run 'q\\", name);
    const check = (name: string) => queries.latestSession('acme', 'chat', name);
    const item = (name: string) => {
      const id = name === 'there' ? itemId(request.id, 1) : itemId(rowRequest().id, 1);
      return queries.itemById({ kind: 'event', team: 'acme', scope: 'prod', id });
    };
    for (const [of, there, id] of [
      [event, 'event-1', itemId(request.id, 1)],
      [check, 's1', itemId(session.id, 1)],
      [item, 'there', itemId(request.id, 1)],
    ] as const) {
      const { result, questions } = await many(of, there);
      // What is there is read in one look-up more, of one question or two.
      assert.ok(questions <= 3, `${questions} questions`);
      const ids = result.flatMap((found) => (found ? [found.id] : []));
      assert.deepEqual(ids, [id]);
    }
  });

  it('are found as soon as they are stored', async () => {
    assert.equal(await hasEvents('young'), false);
    await insertRows(client, unpackRows('3', encodeRows(rowRequest(), [rowItem(1, { runId: 'young' })])).bytes);
    assert.equal(await hasEvents('young'), true);
  });

  it('are of the team and the scope that ask alone', async () => {
    await insertRows(client, unpackRows('3', encodeRows(rowRequest(), [rowItem(1, { runId: 'theirs' })])).bytes);
    const of = async (team: string, environment: string) =>
      (await pageOf('theirs', environment, team)).events.length > 0;
    assert.deepEqual(await Promise.all([of('acme', 'prod'), of('zeta', 'prod'), of('acme', 'test')]), [
      true,
      false,
      false,
    ]);
  });

  it('are shared by callers who ask for different things of one name', async () => {
    const requests = [1, 2, 3].map((sequence) => rowRequest({ sequence }));
    await insertRows(
      client,
      ...requests.map(
        (request) => unpackRows('3', encodeRows(request, [rowItem(1, { runId: 'shared', eventId: request.id })])).bytes,
      ),
    );
    const ids = requests.map(({ id }) => itemId(id, 1));
    const pages = await Promise.all(
      [undefined, { sequence: 1, id: ids[0]! }, { sequence: 3, id: ids[2]! }].map((after) =>
        queries.runEventsIfAny({ team: 'acme', environment: 'prod', run: 'shared', after, most: 2 }),
      ),
    );
    assert.deepEqual(
      pages.map((page) => page.events.map(({ id }) => id)),
      [ids.slice(0, 2), ids.slice(1), []],
    );

    const session = rowRequest({ kind: 'session', scope: 'chat' });
    const item = rowItem(1, { userId: 'many', runId: '', verdict: violating });
    await insertRows(client, unpackRows('3', encodeRows(session, [item])).bytes);
    const checksSince = async (since: number): Promise<[known: boolean, checks: number]> => {
      let checks = 0;
      const known = await queries.userViolations(userOf('many', since), (set) => {
        checks += set.checks;
        return true;
      });
      return [known, checks];
    };
    const future = Date.now() + 86_400_000;
    assert.deepEqual(await Promise.all([checksSince(future), checksSince(0)]), [
      [true, 0],
      [true, 1],
    ]);
    // Known by a check that does not count: those that do are asked for once, and then whether there is any.
    assert.deepEqual(await questionsOf(() => checksSince(future)), { result: [true, 0], questions: 2 });
  });
});
