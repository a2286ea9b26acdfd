/** Compares two reports by their headline figures. */
import { costsOf, median, type Stage } from '../measurement/stages.js';
import type { Report } from './report.js';
import { fixed, table } from './table.js';

/** The headline figures of a report, by which two are compared. */
function headline(report: Report): Record<string, number> {
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

/** Ratios now / earlier of the figures that both have, and a warning when the two were not measured alike. */
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
