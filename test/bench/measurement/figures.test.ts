import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { benchConfigurations } from '#weir/bench/installation/configuration';
import { latencyHistogram } from '#weir/bench/measurement/histogram';
import { cpuSeconds, parseCpuTicks, slope, watchProcesses } from '#weir/bench/measurement/processes';
import { type RateAttempt, refusals, saturate } from '#weir/bench/measurement/saturation';
import { costsOf, errorCount, median, type Stage } from '#weir/bench/measurement/stages';
import { trendOf } from '#weir/bench/measurement/stores';
import { BenchUsageError, parseOptions } from '#weir/bench/options';
import { type BenchReport, renderReport, saveReport } from '#weir/bench/report/report';
import { table } from '#weir/bench/report/table';
import { packageRoot } from '#weir/shared/paths';
import { pluck } from '../../support/pluck.ts';

const LATENCY = { p50: 5, p90: 8, p99: 20, p999: 30, max: 40, mean: 6, count: 1000 };

function stageOf(over: Partial<Stage['load']> = {}, rest: Partial<Stage> = {}): Stage {
  const load: Stage['load'] = {
    mode: 'open',
    rate: 100,
    seconds: 10,
    sent: 1000,
    ok: 1000,
    accepted: 50_000,
    rows: 50_000,
    unknown: 0,
    dropped: 0,
    errors: {},
    requestsPerSecond: 100,
    itemsPerSecond: 5000,
    latency: LATENCY,
    sendDelay: LATENCY,
    sampled: 10,
    incomplete: 0,
    flagged: 50,
    flaggedExpected: 50,
    cpuPerRequest: 70,
    requestBytes: 16_250,
    bodyBytes: 16_000,
    responseBytes: 70_000,
    nextStamp: 1001,
    ...over,
  };
  return { name: 'Open', load, processes: [], ...rest };
}

function reportOf(stages: Stage[]): BenchReport {
  return {
    date: '2026-01-02T03:04:05.678Z',
    workload: 'events-50',
    environment: {
      commit: 'abc',
      dirty: true,
      cpu: 'test',
      cores: 2,
      memoryGib: 8,
      kernel: 'Linux',
      node: 'v20',
      redis: '7',
      fsync: 'everysec',
      clickhouse: '26',
      policies: 8,
      configuration: 'weir.yaml',
      workload: 'events-50',
    },
    options: {},
    stages,
  };
}

const cost = (name: string, pid: number, cpu: number) => ({
  name,
  pid,
  cpuSeconds: cpu,
  rssMin: 100,
  rssMax: 120,
  rssSlope: 1,
});

describe('figures', () => {
  it('gives percentiles of three digits, and counts what is above two minutes as two minutes', () => {
    const histogram = latencyHistogram();
    for (let ms = 1; ms <= 1000; ms++) histogram.record(ms);
    const { p50, p99, max, count } = histogram.summary();
    assert.ok(Math.abs(p50 - 500) < 1 && Math.abs(p99 - 990) < 2 && Math.abs(max - 1000) < 1);
    assert.equal(count, 1000);
    histogram.record(1e9);
    assert.ok(histogram.summary().max >= 119_000);
    assert.deepEqual(latencyHistogram().summary().p99, 0);
  });

  it('computes CPU per million events and per megabyte for each kind of process and for all', () => {
    const processes = [cost('ingress', 1, 2), cost('worker', 2, 3), cost('worker', 3, 1)];
    const rows = costsOf(stageOf({}, { processes }));
    const shown = rows.map(({ name, count, perMillion, rssMax }) => [name, count, Math.round(perMillion), rssMax]);
    assert.deepEqual(shown, [
      ['ingress', 1, 40, 120],
      ['worker', 2, 80, 240],
      ['all', 3, 120, 360],
    ]);
    // 1,000 bodies of 16,000 bytes.
    assert.deepEqual(pluck(rows, 'perMegabyte'), [125, 250, 375]);
    assert.equal(costsOf(stageOf({ bodyBytes: 0 }, { processes }))[0]!.perMegabyte, 0);
    assert.deepEqual(costsOf(stageOf()), []);
  });

  it('reads ticks behind a process name that holds spaces and parentheses', () => {
    const stat = '12 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0';
    assert.equal(parseCpuTicks(stat), 200);
  });

  it('watches a process, and leaves out one that is gone', { skip: process.platform !== 'linux' }, async () => {
    const watch = watchProcesses(
      [
        { name: 'self', pid: process.pid },
        { name: 'gone', pid: 2 ** 30 },
      ],
      20,
    );
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 150_000);
    const costs = watch.stop();
    assert.deepEqual(pluck(costs, 'name'), ['self']);
    assert.ok(costs[0]!.cpuSeconds > 0.05 && costs[0]!.rssMin > 10 && costs[0]!.rssMax >= costs[0]!.rssMin);
    assert.equal(cpuSeconds(2 ** 30), undefined);
  });

  it('fits slopes, medians and trends', () => {
    const fitted = slope([
      [0, 1],
      [1, 3],
      [2, 5],
    ]);
    assert.equal(fitted, 2);
    assert.equal(slope([[1, 7]]), 0);
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1]), 2.5);
    assert.equal(median([]), 0);
    const trend = trendOf([0, 1, 2].map((at) => ({ at, unread: 5, unarchived: 100 + 10 * at })));
    assert.deepEqual(trend, { unreadMax: 5, unarchivedMax: 120, unreadGrowth: 0, unarchivedGrowth: 10 });
    assert.equal(errorCount(stageOf({ errors: { 503: 2, ECONNRESET: 1 } }).load), 3);
  });
});

describe('saturation', () => {
  it('names every reason why a rate is not sustained', () => {
    assert.deepEqual(refusals(stageOf(), { p99: 50 }), []);
    const bad = stageOf(
      { latency: { ...LATENCY, p99: 60 }, errors: { 503: 2 }, dropped: 3, incomplete: 1 },
      { backlog: { unreadMax: 9, unarchivedMax: 9, unreadGrowth: 5, unarchivedGrowth: 20 } },
    );
    assert.equal(refusals(bad, { p99: 50 }).length, 6);
  });

  it('finds the highest sustained rate in bounded steps and holds it for the full time', async () => {
    const attempt = async (rate: number, seconds: number): Promise<RateAttempt> => ({
      rate,
      seconds,
      p99: 1,
      refused: rate > 730 ? ['p99'] : [],
    });
    const limits = { capacity: 1000, probeSeconds: 5, holdSeconds: 60, probes: 6, holds: 4 };
    const { rate, attempts } = await saturate(limits, attempt);
    assert.ok(rate > 680 && rate <= 730, `${rate}`);
    assert.equal(attempts.at(-1)!.seconds, 60);
    assert.ok(attempts.length <= 10);
  });

  it('steps down when the rate does not hold, and gives up in the end', async () => {
    const attempt = async (rate: number, seconds: number): Promise<RateAttempt> => ({
      rate,
      seconds,
      p99: 1,
      refused: seconds === 60 ? ['errors'] : [],
    });
    const limits = { capacity: 1000, probeSeconds: 5, holdSeconds: 60, probes: 3, holds: 2 };
    const { rate, attempts } = await saturate(limits, attempt);
    assert.equal(rate, 0);
    assert.equal(attempts.filter(({ seconds }) => seconds === 60).length, 2);
  });
});

describe('reports', () => {
  it('are written as JSON and Markdown', () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-report-'));
    const report = reportOf([stageOf({}, { processes: [cost('ingress', 1, 2)] })]);
    const stem = saveReport(report, folder);
    assert.match(stem, /2026-01-02T030405-events-50$/);
    assert.deepEqual(JSON.parse(readFileSync(`${stem}.json`, 'utf8')), report);
    assert.equal(readFileSync(`${stem}.md`, 'utf8'), renderReport(report));
    rmSync(folder, { recursive: true });
  });

  it('say what was measured, where, and whether rows and answers agree', () => {
    const report = reportOf([stageOf({ errors: { 503: 2 } }, { processes: [cost('redis', 1, 2)] })]);
    const rows = {
      rows: 50_000,
      ids: 49_999,
      lagSeconds: 3,
      complete: false,
      accepted: 50_000,
      unknown: 0,
      exact: false,
    };
    report.saturation = { rate: 90, attempts: [{ rate: 90, seconds: 60, p99: 12, refused: [] }] };
    const costs = [{ name: 'backtest', cpuSeconds: 28.74 }];
    const counts = { items: 50_000, evaluated: 50_000, changed: 1, threads: 2, seconds: 2 };
    const backtest = { ...counts, perMillion: costs, same: false };
    const text = renderReport({ ...report, rows, backtest });
    const again =
      '50,000 events, 50,000 evaluated again, 1 judged otherwise: VERDICTS DO NOT AGREE. 25,000 a second on 2 threads';
    assert.ok(text.includes(`${again}. CPU s per million events: backtest 28.7.`), text);
    for (const part of ['with local changes', '5,000', '2 × 503', 'redis', '40.00', 'DO NOT AGREE', '4,500 events/s']) {
      assert.ok(text.includes(part), part);
    }
  });

  it('align their columns', () => {
    assert.equal(table(['Name', 'N'], [['a', '1']]), '| Name |    N |\n| ---- | ---: |\n| a    |    1 |');
  });
});

/** Any file with a word. */
const KEY_FILE = join(packageRoot, '.nvmrc');

describe('options', () => {
  it('have defaults', () => {
    const options = parseOptions([], {});
    assert.deepEqual([options.workload, options.beside], ['events-50', 'events-agents']);
    assert.deepEqual([options.rounds, options.seconds], [5, 8]);
    assert.deepEqual(options.run, { kind: 'default' });
    assert.equal(options.installation, undefined);
  });

  it('take one workload or two, and one by itself where only one can be measured', () => {
    const named = (...args: string[]) => {
      const { workload, beside, seconds } = parseOptions(args, {});
      return [workload, beside, seconds];
    };
    assert.deepEqual(named('events-agents'), ['events-agents', undefined, 30]);
    assert.deepEqual(named('event-1', 'a.yaml'), ['event-1', 'a.yaml', 8]);
    for (const flag of ['--saturate', '--backtest']) assert.equal(named(flag)[1], undefined);
    assert.deepEqual(named('events-agents', '--against', 'HEAD'), ['events-agents', undefined, 8]);
  });

  it('take a running installation with its key from the environment or a file, and its metrics', () => {
    const args = ['session', '--rate', '20', '--url', 'http://a:1', '--environment', 'e', '--deployment', 'd'];
    const { installation, run } = parseOptions(args, { WEIR_KEY: 'k' });
    assert.equal(installation?.key, 'k');
    assert.deepEqual(installation?.metrics, []);
    const more = ['--key-file', KEY_FILE, '--metrics', 'http://a:9464,http://b:9464'];
    const found = parseOptions([...args, ...more], { WEIR_KEY: 'k' }).installation!;
    assert.equal(found.key, readFileSync(KEY_FILE, 'utf8').trim());
    assert.deepEqual(found.metrics, ['http://a:9464', 'http://b:9464']);
    assert.deepEqual(run, { kind: 'open', rate: 20 });
  });

  it('say what is wrong', () => {
    const wrong: [string[], RegExp][] = [
      [['--rate', 'fast'], /--rate must be a number from .*"fast"/],
      [['--rate', '5', '--saturate'], /exclude each other/],
      [['a', 'b', 'c'], /one workload or two, not 3/],
      [['a', 'a'], /two different workloads/],
      [['a', 'b', '--against', 'HEAD'], /take one workload/],
      [['events-50', 'detect'], /detect is measured by itself/],
      [['--fsync', 'maybe'], /everysec, always or off/],
      [['--nonsense'], /nonsense/],
      [['--url', 'http://a'], /needs a key/],
      [['--url', 'http://a', '--key', 'k'], /Unknown option '--key'/],
      [['--url', 'http://a', '--key-file', '/nowhere/key'], /--key-file \/nowhere\/key cannot be read/],
      [['--url', 'http://a', '--key-file', KEY_FILE], /--environment/],
      [
        ['--url', 'http://a', '--key-file', KEY_FILE, '--metrics', 'ingress'],
        /--metrics takes addresses .* "ingress" is none/,
      ],
      [['--metrics', 'http://a:9464'], /are for a running installation/],
      [
        ['--url', 'http://a', '--key-file', KEY_FILE, '--environment', 'e', '--deployment', 'd', '--backtest'],
        /--backtest needs a stack of its own/,
      ],
      [['images', '--backtest'], /images needs a stack of its own/],
    ];
    for (const [args, message] of wrong) {
      assert.throws(
        () => parseOptions(args, {}),
        (error) => error instanceof BenchUsageError && message.test(error.message),
      );
    }
  });
});

describe('configurations of a benchmark', () => {
  const text = `
version: 1
teams: [{id: acme}]
keys:
- {id: reader, team: acme, sha256: aa}
- {id: demo, team: acme, sha256: bb, environments: [prod], deployments: [chat], rate: {requests_per_minute: 60}}
policies: [{id: p, team: acme, name: P, detect: {terms: {list: [x]}}}]
deployments: [{id: chat, team: acme, name: chat, policies: [p]}]
environments: [{id: prod, team: acme, conditions: [{id: c, name: C, when: "true", policies: [p]}]}]
packs: [pii-gate]
`;

  it('add a key of their own with the grants of the first that has any, and lift rate limits', () => {
    const { policies, key, scope, policyCount } = benchConfigurations(text, 'weir.yaml');
    const parsed = parse(policies);
    assert.deepEqual(scope, { environment: 'prod', deployment: 'chat' });
    assert.equal(policyCount, 1);
    assert.ok(!policies.includes(key));
    assert.deepEqual(pluck(parsed.keys, 'id'), ['reader', 'demo', 'bench']);
    assert.ok(parsed.keys.every((entry: object) => !('rate' in entry)));
    assert.equal(parsed.policies.length, 1);
  });

  it('make the floor the same without a policy', () => {
    const floor = parse(benchConfigurations(text, 'weir.yaml').floor);
    assert.deepEqual(floor.policies, []);
    assert.deepEqual(floor.deployments[0].policies, []);
    assert.deepEqual(floor.environments[0].conditions, []);
    assert.deepEqual(floor.packs, []);
  });

  it('need a key that may be used', () => {
    assert.throws(() => benchConfigurations('version: 1', 'weir.yaml'), /weir\.yaml: expected a key/);
  });
});
