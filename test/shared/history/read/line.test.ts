import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHistoryClient } from '#weir/shared/history/client';
import { createAsk } from '#weir/shared/history/read/ask';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { createLine } from '#weir/shared/history/read/line';
import { sleep, until } from '../../../support/wait.ts';

/** A call that ends when it is told to. */
function held(): { call: () => Promise<void>; end(): void; begun(): boolean } {
  let end = (): void => {};
  let begun = false;
  return {
    call: () =>
      new Promise<void>((resolve) => {
        begun = true;
        end = resolve;
      }),
    end: () => end(),
    begun: () => begun,
  };
}

describe('the line before ClickHouse', () => {
  it('lets a few of a team in at a time, the others in their order', async () => {
    const line = createLine({ atOnce: 4 });
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        line.run('acme', async () => {
          order.push(i);
          most = Math.max(most, ++inside);
          await sleep(1);
          inside--;
        }),
      ),
    );
    assert.equal(most, 2);
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  it('goes on after a call that fails, with what it failed with', async () => {
    const line = createLine({ atOnce: 1 });
    const broken = line.run('acme', () => Promise.reject(new Error('broken')));
    const next = line.run('acme', async () => 'fine');
    await assert.rejects(broken, /broken/);
    assert.equal(await next, 'fine');
    assert.equal(await line.run('acme', async () => 'again'), 'again');
  });

  it('refuses who would wait too long, or come last in too long a line', async () => {
    const line = createLine({ atOnce: 1, longest: 4, waitMs: 20 });
    const first = held();
    const holding = line.run('acme', first.call);
    await until('it has begun', first.begun);
    const late = [line.run('acme', async () => 'a'), line.run('acme', async () => 'b')];
    await assert.rejects(
      line.run('acme', async () => 'c'),
      HistoryUnavailable,
    );
    for (const one of late) await assert.rejects(one, HistoryUnavailable);
    first.end();
    await holding;
    assert.equal(await line.run('acme', async () => 'd'), 'd');
  });

  it('finds a place for another team at once, however much one asks', async () => {
    const line = createLine({ atOnce: 6, longest: 256, waitMs: 60_000 });
    const asked = Array.from({ length: 300 }, held);
    const ended = Promise.allSettled(asked.map(({ call }) => line.run('hostile', call)));
    await until('it has what it gets', () => asked[2]!.begun());
    assert.equal(asked.filter(({ begun }) => begun()).length, 3);
    assert.equal(await line.run('acme', async () => 'answered'), 'answered');
    let all = false;
    void ended.then(() => {
      all = true;
    });
    await until('all have ended', () => {
      for (const one of asked) one.end();
      return all;
    });
    const refused = (await ended).filter(({ status }) => status === 'rejected');
    // Half of those that may wait, beside those that are answered: the others are refused, all of them its own.
    assert.equal(refused.length, 300 - 3 - 128);
  });

  it('gives the teams their turns, one after the other, where nothing is free', async () => {
    const line = createLine({ atOnce: 1 });
    const first = held();
    const order: string[] = [];
    const all = [line.run('hostile', first.call)];
    const ask = (team: string, n: number): void => {
      for (let i = 0; i < n; i++) all.push(line.run(team, async () => void order.push(team)));
    };
    ask('hostile', 5);
    ask('acme', 1);
    ask('other', 2);
    await until('the first has begun', first.begun);
    first.end();
    await Promise.all(all);
    assert.deepEqual(order.slice(0, 4), ['hostile', 'acme', 'other', 'hostile']);
  });

  it('closes ClickHouse to the team alone whose look-ups fail', async (t) => {
    const client = createHistoryClient({ url: 'http://127.0.0.1:9', database: 'weir' });
    t.after(() => client.close());
    const ask = createAsk(client, { failures: 2, openMs: 60_000 });
    const slow = (): Promise<never> => Promise.reject(new Error('too slow'));
    for (let i = 0; i < 2; i++) await assert.rejects(ask.bounded('hostile', slow), /could not be asked/);
    await assert.rejects(ask.bounded('hostile', slow), /failed repeatedly/);
    assert.equal(await ask.bounded('acme', async () => 'answered'), 'answered');
  });
});
