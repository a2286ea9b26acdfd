/** Finding the sessions that artifacts name. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { WorkHeader } from '#weir/shared/streams/work';
import { createLinks } from '#weir/workers/evaluator/images/link-sessions';

const header = (more: Partial<WorkHeader> = {}): WorkHeader => ({
  ...{ id: 'i', kind: 'artifact', team: 'acme', scope: 'chat', config: 1, key: 'k' },
  ...{ received: 0, deadline: 0, reply: '', lane: 'slow' },
  ...{ session: { internal: '', external: 'a' } },
  ...more,
});
const named = (external: string, scope = 'chat'): WorkHeader => header({ scope, session: { internal: '', external } });

/** An image that is being looked at. */
const never = new Promise<never>(() => undefined);

/** An image that has been. */
const looked = Promise.resolve();

/** Turns the clock by so many ms: timers and `performance.now` follow it, and nothing else does. */
function clockOf({ mock }: TestContext): (ms: number) => Promise<void> {
  let now = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => now);
  const promisesGo = (): Promise<void> => new Promise(setImmediate);
  return async (ms) => {
    await promisesGo();
    for (const end = now + ms; now < end; ) {
      now++;
      mock.timers.tick(1);
      await promisesGo();
    }
  };
}

/** Answers after 10 ms; records when it was asked for which names. */
function timed() {
  const began: Record<string, number> = {};
  const links = createLinks(async (_team, _deployment, externals) => {
    began[externals.join('')] = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 10));
    return externals.map((id) => ({ id }));
  });
  return { began, links };
}

/** Answers `id of NAME` when it is released; records what it was asked. */
function asked() {
  const questions: [string, string, string[]][] = [];
  const go: (() => void)[] = [];
  const links = createLinks(async (team, deployment, externals) => {
    questions.push([team, deployment, [...externals]]);
    await new Promise<void>((resolve) => go.push(resolve));
    return externals.map((external) => (external === 'none' ? undefined : { id: `id of ${external}` }));
  });
  /** Releases every query as it comes, until `work` is done. */
  async function answered<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => go.shift()?.(), 1);
    return work.finally(() => clearInterval(timer));
  }
  return { questions, links, answered };
}

describe('the session of an artifact', () => {
  it('is asked for at once, by its name in its deployment', async () => {
    const { questions, links, answered } = asked();
    const completed = links.complete(named('a'), never);
    assert.deepEqual(questions, [['acme', 'chat', ['a']]]);
    assert.deepEqual((await answered(completed)).session, { internal: 'id of a', external: 'a' });
  });

  it('shares a query with those that came during the one before', async () => {
    const { questions, links, answered } = asked();
    const all = ['a', 'b', 'none', 'b', 'a'].map((name) => links.complete(named(name), never));
    all.push(links.complete(named('b', 'other'), never));
    const found = (await answered(Promise.all(all))).map(({ session }) => session?.internal);
    assert.deepEqual(found, ['id of a', 'id of b', '', 'id of b', 'id of a', 'id of b']);
    assert.deepEqual(questions, [
      ['acme', 'chat', ['a']],
      ['acme', 'chat', ['b', 'none', 'a']],
      ['acme', 'other', ['b']],
    ]);
  });

  it('shares a query with a limited number of others', async () => {
    const { questions, links, answered } = asked();
    const names = Array.from({ length: 601 }, (_, i) => `n${i}`);
    const found = await answered(Promise.all(names.map((name) => links.complete(named(name), never))));
    const linked = found.map(({ session }) => session?.internal);
    assert.deepEqual(
      linked,
      names.map((name) => `id of ${name}`),
    );
    const sizes = questions.map(([, , externals]) => externals.length);
    assert.deepEqual(sizes, [1, 100, 100, 100, 100, 100, 100]);
  });

  it('is asked for after a rest that is the longer the more artifacts have shared the query before', async (t) => {
    const turn = clockOf(t);
    const { began, links } = timed();
    for (const name of 'abcdef') void links.complete(named(name), looked);
    await turn(40);
    // Its image is being looked at, so its session is not urgent.
    void links.complete(named('g'), never);
    await turn(60);
    assert.deepEqual(began, { a: 0, bcdef: 10 + 2 * 10, g: 40 + 5 * 10 });
  });

  it('is asked for after the least rest once half of the artifacts wait for their session alone', async (t) => {
    const turn = clockOf(t);
    const { began, links } = timed();
    for (const name of 'abcdef') void links.complete(named(name), looked);
    await turn(40);
    // One image is being looked at, and one artifact waits for nothing but its session.
    void links.complete(named('k'), never);
    void links.complete(named('l'), looked);
    await turn(60);
    assert.deepEqual(began, { a: 0, bcdef: 30, kl: 40 + 2 * 10 });
  });

  it('is asked for when one image is left of those whose sessions are known, or its own image has been looked at', async (t) => {
    const turn = clockOf(t);
    const { began, links } = timed();
    const done: Record<string, () => void> = {};
    const look = (name: string): void => {
      const image = new Promise<void>((resolve) => {
        done[name] = resolve;
      });
      void links.complete(named(name), image);
    };
    for (const name of 'abc') look(name);
    await turn(40);
    for (const name of 'de') look(name);
    await turn(60);
    assert.deepEqual(Object.keys(began), ['a', 'bc']);
    done.a!();
    done.c!();
    await turn(40);
    assert.equal(began.de, 100);
    look('f');
    await turn(10);
    done.f!();
    await turn(1);
    assert.equal(began.f, 150, 'it does not wait for the images of others');
  });

  it('is not asked for if it is known, or none is named', async () => {
    const { questions, links } = asked();
    const { session: _, ...none } = header();
    const known = header({ session: { internal: 'x', external: 'a' } });
    for (const one of [none, known, header({ kind: 'session' })])
      assert.deepEqual(await links.complete(one, never), one);
    assert.deepEqual(questions, []);
  });

  it('is waited for only a moment after the image was looked at or failed, and is not asked for then', async () => {
    const { questions, links, answered } = asked();
    const first = links.complete(named('a'), never);
    const seen = links.complete(named('b'), Promise.resolve());
    const lost = links.complete(named('c'), Promise.reject(new Error('no image')));
    for (const one of [await seen, await lost]) assert.equal(one.session?.internal, '');
    const last = links.complete(named('d'), never);
    assert.equal((await answered(first)).session?.internal, 'id of a');
    assert.equal((await answered(last)).session?.internal, 'id of d');
    const sought = questions.map(([, , externals]) => externals);
    assert.deepEqual(sought, [['a'], ['d']]);
  });

  it('stays unknown while history cannot be asked, and is found after that', async () => {
    let away = true;
    const links = createLinks(async (_team, _deployment, externals) => {
      if (away) throw new Error('no history');
      return externals.map((id) => ({ id }));
    });
    assert.deepEqual(await links.complete(named('a'), never), named('a'));
    away = false;
    assert.equal((await links.complete(named('a'), never)).session?.internal, 'a');
  });
});
