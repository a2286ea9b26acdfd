import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkOut } from '#weir/bench/against/checkout';
import { againstSection } from '#weir/bench/against/report';
import { figuresOf, measureInTurn, ratioInTurn } from '#weir/bench/measurement/in-turn';
import type { Bench, Stage } from '#weir/bench/measurement/stages';
import { parseOptions } from '#weir/bench/options';
import { pluck } from '../../support/pluck.ts';

describe('a commit that is measured against another one', () => {
  it('has rounds of eight seconds, and two stacks of its own', () => {
    const { against, rounds, seconds } = parseOptions(['--against', 'HEAD~1'], {});
    assert.deepEqual([against, rounds, seconds], ['HEAD~1', 5, 8]);
    assert.throws(() => parseOptions(['--against', 'x', '--backtest'], {}), /--against has two stacks of its own/);
    assert.throws(() => parseOptions(['images', '--against', 'x'], {}), /images needs a stack of its own/);
  });

  it('traces no requests, whatever this code traces', () => {
    assert.equal(parseOptions(['--against', 'x', '--traces', '0.01'], {}).traces, 0.01);
    assert.equal(parseOptions(['--against', 'x'], {}).traces, undefined);
    assert.throws(() => parseOptions(['--traces', '2'], {}), /--traces must be a number from 0 to 1/);
    assert.throws(() => parseOptions(['images', '--traces', '1'], {}), /--traces is for a stack of texts/);
  });

  it('is refused where there is none of that name', () => {
    for (const name of ['no-such-commit', '--all', '']) {
      assert.throws(
        () => checkOut(name, assert.fail),
        /There is no commit ".*" in this repository|not a git repository/,
      );
    }
  });

  it('is loaded in turn with this code, and who is first changes', async () => {
    const order: string[] = [];
    const side = (name: string, itemsPerSecond: number) => ({
      name,
      bench: {
        base: {},
        processes: [],
        stores: undefined,
        stamp: 1,
        rows: 0,
        unknown: 0,
        generator: {
          run: async ({ seconds }: { seconds: number }) => {
            order.push(`${name} ${seconds}`);
            const latency = { p50: 1, p99: 2 };
            return { itemsPerSecond, seconds, accepted: 100, rows: 100, unknown: 0, nextStamp: 2, latency };
          },
        },
      } as unknown as Bench,
    });
    const how = {
      load: { mode: { kind: 'closed' }, connections: 1 } as const,
      rounds: 3,
      seconds: 8,
      warmup: 2,
      say: () => {},
    };
    const sides = [side('a', 300), side('b', 200)] as const;
    const stages = await measureInTurn(sides, how);
    assert.deepEqual(order, ['a 2', 'b 2', 'a 8', 'b 8', 'b 8', 'a 8', 'a 8', 'b 8']);
    assert.deepEqual(pluck(stages[1], 'name'), ['b, round 1', 'b, round 2', 'b, round 3']);
    assert.equal(
      ratioInTurn(stages, ({ load }) => load.itemsPerSecond),
      1.5,
    );
    assert.equal(sides[0].bench.rows, 400, 'rows of a warm-up count, too');
  });

  it('is told by medians, what each process costs, and the median of the ratios of the rounds', () => {
    const stage = (itemsPerSecond: number, cpuSeconds: number): Stage =>
      ({
        load: { itemsPerSecond, seconds: 1, accepted: 1000, latency: { p50: 1, p99: 2 } },
        processes: [
          { name: 'worker', pid: 1, cpuSeconds },
          { name: 'generator', pid: 2, cpuSeconds: 9 },
        ],
      }) as unknown as Stage;
    const own = [stage(100, 0.01), stage(200, 0.02), stage(150, 0.03)];
    const theirs = [stage(100, 0.02), stage(100, 0.02), stage(100, 0.02)];
    const figures = [figuresOf('this code', own), figuresOf('abc', theirs)] as const;
    const of = (what: (stage: Stage) => number) => ratioInTurn([own, theirs], what);
    const ratios = { eventsPerSecond: of(({ load }) => load.itemsPerSecond), p99: 1, cpuPerMillion: 1 };
    const rows = { exact: false } as never;
    const section = againstSection({ rounds: 3, figures, ratios, rows });
    assert.match(section, /\| this code +\| +150 \| +1\.0 \| +2\.0 \| +20\.0 \| +20\.0 \|/);
    assert.match(section, /events\/s \*\*1\.500\*\*/);
    assert.match(section, /ROWS AND ANSWERS OF THE OTHER COMMIT DO NOT AGREE/);
  });
});
