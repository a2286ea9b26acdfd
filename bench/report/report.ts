/** Reports: a table for people, JSON for later comparison. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Saturation } from '../measurement/saturation.js';
import { costsOf, errorCount, median, type Ratio, type RowCheck, type Stage } from '../measurement/stages.js';
import type { ImageReport } from '../workloads/images/session.js';
import type { NeighbourReport } from '../workloads/neighbours/session.js';
import type { Environment } from './environment.js';

export interface Report {
  /** RFC 3339 */
  date: string;
  workload: string;
  environment: Environment;
  options: Record<string, unknown>;
  stages: Stage[];
  saturation?: Saturation;
  floor?: Ratio;
  images?: ImageReport;
  neighbours?: NeighbourReport;
  /** undefined where ClickHouse cannot be asked */
  rows?: RowCheck;
}

const whole = (n: number): string => Math.round(n).toLocaleString('en-US');
const fixed = (n: number, digits: number = 1): string => n.toFixed(digits);

/** A Markdown table; the first column is aligned to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, c) => Math.max(title.length, 4, ...rows.map((row) => row[c]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!))).join(' | ')} |`;
  const rule = widths.map((width, c) => (c === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
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
  const head = ['Process', 'CPU s per million events', 'Cores', 'RSS min MiB', 'RSS max MiB', 'RSS MiB/min'];
  const rows = costsOf(stage).map((row) => [
    row.count > 1 && row.name !== 'all' ? `${row.name} × ${row.count}` : row.name,
    fixed(row.perMillion, 2),
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
    `Request ${whole(load.requestBytes)} bytes, answer ${whole(load.responseBytes)} bytes on average.`,
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
  const verdict = rows.exact ? 'every accepted event has exactly one row' : 'ROWS AND ANSWERS DO NOT AGREE';
  const unknown = rows.unknown > 0 ? `, ${whole(rows.unknown)} of unknown fate` : '';
  return `Accepted ${whole(rows.accepted)} events${unknown}; ClickHouse has ${whole(rows.rows)} rows, ${whole(rows.ids)} ids, ${fixed(rows.lagSeconds)} s after the last answer${rows.complete ? '' : ' (gave up waiting)'}: ${verdict}.`;
}

function environmentLines(environment: Environment): string {
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

function imageLines(images: ImageReport): string {
  const head = [
    'JPEG',
    'Images/s',
    'Plain sharp',
    'Ratio',
    'Images/core s',
    'Plain/core s',
    'p50',
    'p99',
    'Text p50',
    'Text p99',
    'Worker MiB',
  ];
  const rows = images.figures.map((row) => [
    `${row.megapixels} MP ${row.way}`,
    fixed(row.imagesPerSecond),
    fixed(row.plainPerSecond),
    fixed(row.ratio, 2),
    fixed(row.imagesPerCoreSecond),
    fixed(row.plainPerCoreSecond),
    ...[row.p50, row.p99, row.textP50, row.textP99].map((ms) => fixed(ms)),
    fixed(row.peakMib, 0),
  ]);
  const halves = images.figures.map(({ megapixels, way, half }) => [
    `${megapixels} MP ${way}`,
    ...[half.perSecond, half.p50, half.p99, half.textP50, half.textP99].map((n) => fixed(n)),
  ]);
  const { rounds, decoders, textRate, textAloneP50, textAloneP99, textBesidePlainP99 } = images;
  return `${table(head, rows)}

${table(['At half of it', 'Images/s', 'p50', 'p99', 'Text p50', 'Text p99'], halves)}

Medians of ${rounds} interleaved rounds; ${decoders} decoding processes, as many loops of plain sharp. Beside all of it ${fixed(textRate, 0)} batches of text a second, whose p50 is ${fixed(textAloneP50)} ms and p99 ${fixed(textAloneP99)} ms alone, ${fixed(textBesidePlainP99)} ms beside plain sharp. A core second is one of all processes of the stack, text included; memory is that of the worker with its decoding processes.`;
}

function neighbourLines({ rate, lookUpRate, seconds, rows }: NeighbourReport): string {
  const head = ['Attack', 'Quiet p50', 'Quiet p99', 'p50', 'p99', 'Look-ups: quiet p99', 'p99', '503', 'Objective'];
  const lines = rows.map(({ attack, batches, lookUps, missed }) => [
    attack,
    ...[batches.quiet.p50, batches.quiet.p99, batches.attacked.p50, batches.attacked.p99].map((ms) => fixed(ms)),
    ...[lookUps.quiet.p99, lookUps.attacked.p99].map((ms) => fixed(ms)),
    whole((batches.attacked.errors['503'] ?? 0) + (lookUps.attacked.errors['503'] ?? 0)),
    missed.length === 0 ? 'met' : 'MISSED',
  ]);
  const told = rows.map(({ attack, description, answers, attackerCores, missed }) => {
    const got = Object.entries(answers).map(([answer, n]) => `${whole(n)} × ${answer}`);
    const failed = missed.length === 0 ? '' : ` Missed: ${missed.join(', ')}.`;
    return `- ${attack}: ${description}. The attacker got ${got.join(', ') || 'no answer'}, with ${fixed(attackerCores, 2)} cores.${failed}`;
  });
  return `${table(head, lines)}

${told.join('\n')}

The neighbour sends ${fixed(rate, 0)} batches and ${fixed(lookUpRate, 0)} look-ups a second, ${fixed(seconds, 0)} s alone and as long beside each attack. Objective: p99 at most twice the quiet one plus 100 ms, and every request answered 200.`;
}

/** The report as Markdown; it reads as well in a terminal. */
export function renderReport(report: Report): string {
  const { stages, saturation, floor, images, neighbours, rows } = report;
  const parts = [
    `# Benchmark ${report.workload}, ${report.date}`,
    environmentLines(report.environment),
    '## Throughput and latency (ms; open model: since the request was due)',
    throughput(stages),
  ];
  if (saturation !== undefined) {
    const load = stages[0]?.load;
    const items = load === undefined || load.ok === 0 ? 1 : load.accepted / load.ok;
    parts.push('## Saturation', saturationLines(saturation, items));
  }
  if (floor !== undefined) {
    parts.push(
      '## Floor',
      `Medians of ${floor.rounds} interleaved rounds: ${fixed(floor.policies)} requests/s with policies, ${fixed(floor.floor)} without; ratio **${fixed(floor.ratio, 3)}**.`,
    );
  }
  if (images !== undefined) parts.push('## Images', imageLines(images));
  if (neighbours !== undefined) parts.push('## Neighbours', neighbourLines(neighbours));
  for (const stage of stages) parts.push(`## ${stage.name}`, costs(stage), notes(stage).join('\n'));
  if (rows !== undefined) parts.push('## Rows', rowLines(rows));
  return `${parts.join('\n\n')}\n`;
}

/** Writes `<date>-<workload>.json` and `.md` to `folder`; answers their path without the ending. */
export function saveReport(report: Report, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const stem = join(folder, `${report.date.slice(0, 19).replaceAll(':', '')}-${report.workload}`);
  writeFileSync(`${stem}.json`, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(`${stem}.md`, renderReport(report));
  return stem;
}

/** The headline figures of a report, by which two are compared. */
export function headline(report: Report): Record<string, number> {
  const of = (mode: 'open' | 'closed'): Stage[] =>
    report.stages.filter((stage) => stage.load.mode === mode && stage.configuration === 'policies');
  const open = of('open').at(-1);
  const figures: Record<string, number | undefined> = {
    'closed requests/s': median(of('closed').map((stage) => stage.load.requestsPerSecond)),
    'open requests/s': open?.load.requestsPerSecond,
    'open p50 ms': open?.load.latency.p50,
    'open p99 ms': open?.load.latency.p99,
    'sustained requests/s': report.saturation?.rate,
    'floor ratio': report.floor?.ratio,
  };
  for (const { megapixels, way, ratio } of report.images?.figures ?? []) {
    figures[`${megapixels} MP ${way} of plain sharp`] = ratio;
  }
  for (const row of report.stages.length > 0 ? costsOf(open ?? report.stages.at(-1)!) : []) {
    figures[`${row.name} CPU s per million events`] = row.perMillion;
  }
  return Object.fromEntries(Object.entries(figures).filter((entry): entry is [string, number] => !!entry[1]));
}

/** Ratios now / earlier of the figures both have, with a warning where the two were not measured alike. */
export function compareReports(now: Report, earlier: Report): string {
  const [a, b] = [headline(now), headline(earlier)];
  const rows = Object.keys(a)
    .filter((name) => b[name] !== undefined)
    .map((name) => [name, fixed(b[name]!, 2), fixed(a[name]!, 2), fixed(a[name]! / b[name]!, 3)]);
  const differing = (
    ['cpu', 'cores', 'kernel', 'node', 'redis', 'fsync', 'clickhouse', 'policies', 'workload'] as const
  ).filter((name) => now.environment[name] !== earlier.environment[name]);
  const warning = differing.length === 0 ? [] : [`Not measured alike: ${differing.join(', ')} differ.`];
  return [`## Compared with ${earlier.date}`, table(['Figure', 'Earlier', 'Now', 'Ratio'], rows), ...warning].join(
    '\n\n',
  );
}

/** An earlier report; throws a sentence if the file holds none. */
export function readReport(path: string): Report {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
    if (Array.isArray(report.stages) && report.environment !== undefined) return report;
  } catch {
    // said below, whatever the reason
  }
  throw new Error(`${path} is not a report of npm run bench (expected a .json file that it saved).`);
}
