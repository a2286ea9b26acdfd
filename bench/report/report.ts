/** Reports: a table for people, JSON for programs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { againstSection } from '../against/report.js';
import type { BacktestFigures } from '../measurement/backtest.js';
import type { Saturation } from '../measurement/saturation.js';
import type { BenchOutcome } from '../measurement/session.js';
import { costsOf, errorCount, type RowCheck, type Stage } from '../measurement/stages.js';
import { imageSection } from '../workloads/images/report.js';
import { neighbourSection } from '../workloads/neighbours/report.js';
import { peerSection } from '../workloads/peer/report.js';
import type { BenchEnvironment } from './environment.js';
import { fixed, table, whole } from './table.js';
import { workloadsSection } from './workloads.js';

export interface BenchReport extends BenchOutcome {
  /** RFC 3339 */
  date: string;
  workload: string;
  environment: BenchEnvironment;
  options: Record<string, unknown>;
  /** undefined where ClickHouse cannot be asked */
  rows?: RowCheck;
  /** undefined where it was not asked for */
  backtest?: BacktestFigures;
}

function throughput(stages: readonly Stage[]): string {
  const head = ['Stage', 'Due/s', 'Requests/s', 'Events/s', 'p50', 'p90', 'p99', 'p99.9', 'Max', 'Errors', 'Dropped'];
  const rows = stages.map(({ name, load }) => [
    name,
    load.mode === 'open' ? fixed(load.rate, 0) : '–',
    fixed(load.requestsPerSecond),
    whole(load.itemsPerSecond),
    ...[load.latency.p50, load.latency.p90, load.latency.p99, load.latency.p999, load.latency.max].map((ms) =>
      fixed(ms),
    ),
    whole(errorCount(load)),
    whole(load.dropped),
  ]);
  return table(head, rows);
}

function costs(stage: Stage): string {
  const head = [
    'Process',
    'CPU s per million events',
    'CPU ms per MB of body',
    'Cores',
    'RSS min MiB',
    'RSS max MiB',
    'RSS MiB/min',
  ];
  const rows = costsOf(stage).map((row) => [
    row.count > 1 && row.name !== 'all' ? `${row.name} × ${row.count}` : row.name,
    fixed(row.perMillion, 2),
    fixed(row.perMegabyte, 1),
    fixed(row.cores, 2),
    fixed(row.rssMin, 0),
    fixed(row.rssMax, 0),
    fixed(row.rssSlope),
  ]);
  return rows.length === 0 ? 'No figures of processes: they are read from /proc.' : table(head, rows);
}

function notes(stage: Stage): string[] {
  const { load, backlog } = stage;
  const lines = [
    `Generator: ${fixed(load.cpuPerRequest, 0)} µs of CPU a request; requests left ${fixed(load.sendDelay.p99)} ms late at p99.`,
    `Request ${whole(load.requestBytes)} bytes, ${whole(load.bodyBytes)} of them in the body; answer ${whole(load.responseBytes)} bytes on average.`,
    `Sampled answers: ${whole(load.sampled)}, incomplete ${whole(load.incomplete)}; flagged ${whole(load.flagged)} items where ${whole(load.flaggedExpected)} hold something to flag.`,
  ];
  if (backlog !== undefined) {
    lines.push(
      `Backlog: unread at most ${whole(backlog.unreadMax)} (${fixed(backlog.unreadGrowth)}/s), unarchived at most ${whole(backlog.unarchivedMax)} (${fixed(backlog.unarchivedGrowth)}/s).`,
    );
  }
  for (const [reason, count] of Object.entries(load.errors)) lines.push(`Errors: ${whole(count)} × ${reason}.`);
  return lines.map((line) => `- ${line}`);
}

function rowLines(rows: RowCheck): string {
  const verdict = rows.exact ? 'each has exactly one row' : 'ROWS AND ANSWERS DO NOT AGREE';
  const unknown = rows.unknown > 0 ? `, ${whole(rows.unknown)} of unknown fate` : '';
  return `Accepted ${whole(rows.accepted)} events with content${unknown}; ClickHouse has ${whole(rows.rows)} rows, ${whole(rows.ids)} ids, ${fixed(rows.lagSeconds)} s after the last answer${rows.complete ? '' : ' (gave up waiting)'}: ${verdict}.`;
}

function backtestLines({ items, evaluated, changed, threads, seconds, perMillion, same }: BacktestFigures): string {
  const verdict = same ? 'every verdict is the one that the service gave' : 'VERDICTS DO NOT AGREE';
  const costs = perMillion.map(({ name, cpuSeconds }) => `${name} ${fixed(cpuSeconds)}`).join(', ');
  const cost = costs === '' ? '' : ` CPU s per million events: ${costs}.`;
  return `${whole(items)} events, ${whole(evaluated)} evaluated again, ${whole(changed)} judged otherwise: ${verdict}. ${whole(items / seconds)} a second on ${threads} threads.${cost}`;
}

function environmentLines(environment: BenchEnvironment): string {
  const { commit, dirty, cpu, cores, memoryGib, kernel, node, redis, fsync, clickhouse, policies } = environment;
  const rows = [
    ['Commit', `${commit.slice(0, 12)}${dirty ? ' (with local changes)' : ''}`],
    ['Machine', `${cores} × ${cpu}, ${memoryGib} GiB, ${kernel}`],
    ['Node', node],
    ['Redis', `${redis}, append-only file ${fsync}`],
    ['ClickHouse', clickhouse],
    ['Configuration', `${environment.configuration}${policies === undefined ? '' : `, ${policies} policies`}`],
    ['Workload', environment.workload],
  ];
  return rows.map(([name, value]) => `- ${name}: ${value}`).join('\n');
}

function saturationLines({ rate, attempts }: Saturation, itemsPerRequest: number): string {
  const head = ['Rate', 'Seconds', 'p99 ms', 'Result'];
  const rows = attempts.map((attempt) => [
    fixed(attempt.rate, 0),
    fixed(attempt.seconds, 0),
    fixed(attempt.p99),
    attempt.refused.length === 0 ? 'sustained' : attempt.refused.join(', '),
  ]);
  const found =
    rate > 0
      ? `**Sustained: ${whole(rate)} requests/s, ${whole(rate * itemsPerRequest)} events/s.**`
      : '**No rate that was tried is sustained.**';
  return `${table(head, rows)}\n\n${found}`;
}

/** The report as Markdown, which is also readable in a terminal. */
export function renderReport(report: BenchReport): string {
  const { stages, saturation, images, neighbours, peer, against, workloads, rows, backtest } = report;
  const parts = [
    `# Benchmark ${report.workload}, ${report.date}`,
    environmentLines(report.environment),
    ...(workloads === undefined ? [] : ['## Workloads', workloadsSection(workloads)]),
    '## Throughput and latency (ms; open model: since the request was due)',
    throughput(stages),
  ];
  if (saturation !== undefined) {
    const load = stages[0]?.load;
    const items = load === undefined || load.ok === 0 ? 1 : load.accepted / load.ok;
    parts.push('## Saturation', saturationLines(saturation, items));
  }
  if (images !== undefined) parts.push('## Images', imageSection(images));
  if (neighbours !== undefined) parts.push('## Neighbours', neighbourSection(neighbours));
  if (peer !== undefined) parts.push('## Peer', peerSection(peer));
  if (against !== undefined) parts.push('## Against another commit', againstSection(against));
  for (const stage of stages) parts.push(`## ${stage.name}`, costs(stage), notes(stage).join('\n'));
  if (rows !== undefined) parts.push('## Rows', rowLines(rows));
  if (backtest !== undefined) parts.push('## Backtest', backtestLines(backtest));
  return `${parts.join('\n\n')}\n`;
}

/** Writes `<date>-<workload>.json` and `.md` to `folder`; returns their path without the ending. */
export function saveReport(report: BenchReport, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const stem = join(folder, `${report.date.slice(0, 19).replaceAll(':', '')}-${report.workload}`);
  writeFileSync(`${stem}.json`, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(`${stem}.md`, renderReport(report));
  return stem;
}
