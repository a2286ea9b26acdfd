/** What two workloads cost, as a section of a report. */
import type { WorkloadsReport } from '../measurement/two-workloads.js';
import { fixed, table, whole } from './table.js';

export function workloadsSection({ rounds, load, latencies, figures, perByte, rows }: WorkloadsReport): string {
  const processes = Object.keys(figures[0].processes);
  const head = ['Workload', 'Events/s', 'p50 ms', 'p99 ms', 'Bytes of body an event', 'CPU s per million events'];
  const lines = figures.map((of) => [
    of.name,
    whole(of.eventsPerSecond),
    fixed(of.p50),
    fixed(of.p99),
    whole(of.bytesPerEvent),
    fixed(of.cpuPerMillion),
    ...processes.map((process) => fixed(of.processes[process] ?? 0)),
  ]);
  const bytes = figures.map(({ name, perMegabyte }) => [
    name,
    ...processes.map((process) => fixed(perMegabyte[process] ?? 0)),
  ]);
  const [first, second] = figures;
  const ratios = processes.map((process) => `${process} **${fixed(perByte[process] ?? 0, 2)}**`).join(', ');
  const exact = rows === undefined || rows.exact ? '' : `\n\nROWS AND ANSWERS OF ${second.name} DO NOT AGREE.`;
  const parts = [
    table([...head, ...processes], lines),
    `Medians of ${rounds} rounds in turn; CPU without the generator. Events a second and CPU: ${load}. Latencies: ${latencies}.`,
  ];
  if (processes.length > 0) {
    parts.push(
      table(['CPU ms per MB of body', ...processes], bytes),
      `${second.name} to ${first.name}, per byte of body, medians of the ratios of the rounds: ${ratios}.`,
    );
  }
  return parts.join('\n\n') + exact;
}
