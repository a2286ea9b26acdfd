import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadPlan } from '#weir/bench/generator/process';
import type { Bench, Stage } from '#weir/bench/measurement/stages';
import { runTwo, type WorkloadsReport } from '#weir/bench/measurement/two-workloads';
import { parseOptions } from '#weir/bench/options';
import { workloadsSection } from '#weir/bench/report/workloads';

/** A workload of requests of 50 events, `bytes` each, of which 100 a second are answered. */
function benchOf(name: string, bytes: number, sent: string[]): Bench {
  const latency = { p50: bytes / 100, p90: 1, p99: bytes / 10, p999: 1, max: 1, mean: 1, count: 1 };
  return {
    base: { workload: { name } },
    processes: [],
    stores: undefined,
    stamp: 1,
    rows: 0,
    unknown: 0,
    generator: {
      run: async ({ mode, seconds }: LoadPlan) => {
        sent.push(`${name} ${mode.kind === 'open' ? mode.rate : 'closed'} ${seconds}`);
        const counts = { ok: 100 * seconds, accepted: 5000 * seconds, rows: 4700 * seconds, unknown: 0, nextStamp: 2 };
        const rates = { requestsPerSecond: 100, itemsPerSecond: 5000, bodyBytes: bytes, seconds };
        return { mode: mode.kind, latency, ...rates, ...counts };
      },
    },
  } as unknown as Bench;
}

describe('two workloads', () => {
  it('are measured in turn for capacity, and then each at a share of its own', async () => {
    const sent: string[] = [];
    const benches = [benchOf('a', 1000, sent), benchOf('b', 3000, sent)] as const;
    const options = parseOptions(['--rounds', '2', '--duration', '4', '--warmup', '1'], {});
    const { stages, workloads } = await runTwo({ benches, options, say: () => {} });
    const closed = ['a closed 1', 'b closed 1', 'a closed 4', 'b closed 4', 'b closed 4', 'a closed 4'];
    assert.deepEqual(sent, [...closed, 'a 70 4', 'b 70 4', 'b 70 4', 'a 70 4']);
    assert.equal(stages.length, 8);
    assert.deepEqual(
      workloads.figures.map(({ name, eventsPerSecond, bytesPerEvent, p99 }) => [
        name,
        eventsPerSecond,
        bytesPerEvent,
        p99,
      ]),
      [
        ['a', 5000, 20, 100],
        ['b', 5000, 60, 300],
      ],
    );
    assert.match(workloads.latencies, /70 %/);
    assert.equal(benches[1].rows, 4700 * 17, 'every stage counts for the rows, warm-ups, too');
  });

  it('are sent the load that was asked for, whose latencies are told', async () => {
    const sent: string[] = [];
    const benches = [benchOf('a', 1000, sent), benchOf('b', 3000, sent)] as const;
    const options = parseOptions(['--rounds', '1', '--warmup', '0', '--rate', '20'], {});
    const { workloads } = await runTwo({ benches, options, say: () => {} });
    assert.deepEqual(sent, ['a 20 8', 'b 20 8']);
    assert.deepEqual([workloads.load, workloads.latencies], ['20 requests/s', 'the same load']);
  });

  it('are compared by what a byte costs each process', () => {
    const figures = (name: string, cpu: number) => ({
      ...{ name, eventsPerSecond: 12_345, p50: 1, p99: 2, cpuPerMillion: 3 * cpu, bytesPerEvent: 640 },
      processes: { ingress: cpu, worker: 2 * cpu },
      perMegabyte: { ingress: 10 * cpu, worker: 20 * cpu },
    });
    const report: WorkloadsReport = {
      ...{ rounds: 3, load: '32 connections', latencies: 'the same load' },
      figures: [figures('events-50', 5), figures('events-agents', 9)],
      perByte: { ingress: 1.834, worker: 1.2 },
      rows: { exact: false } as Stage['load'] & never,
    };
    const text = workloadsSection(report);
    assert.match(text, /^\| events-agents \| +12,345 \| +1\.0 \| +2\.0 \| +640 \| +27\.0 \| +9\.0 \| +18\.0 \|$/m);
    assert.match(text, /^\| events-agents +\| +90\.0 \| +180\.0 \|$/m);
    assert.match(text, /events-agents to events-50, per byte of body.*: ingress \*\*1\.83\*\*, worker \*\*1\.20\*\*\./);
    assert.match(text, /ROWS AND ANSWERS OF events-agents DO NOT AGREE/);
    assert.ok(!workloadsSection({ ...report, rows: undefined }).includes('DO NOT AGREE'));
  });
});
