/** What this code and another commit did in turn. */
import type { InTurnPair, SideFigures } from '../measurement/in-turn.js';
import type { RowCheck } from '../measurement/stages.js';
import { fixed, table, whole } from '../report/table.js';

export interface AgainstReport {
  rounds: number;
  /** this code, the other commit */
  figures: InTurnPair<SideFigures>;
  /** medians of the ratios of the rounds, this code to the other commit */
  ratios: { eventsPerSecond: number; p99: number; cpuPerMillion: number };
  /** of the other commit */
  rows: RowCheck | undefined;
}

export function againstSection({ rounds, figures, ratios, rows }: AgainstReport): string {
  const processes = Object.keys(figures[0].processes);
  const head = ['Code', 'Events/s', 'p50 ms', 'p99 ms', 'CPU s per million events', ...processes];
  const lines = figures.map(({ name, eventsPerSecond, p50, p99, cpuPerMillion, processes: costs }) => [
    name,
    whole(eventsPerSecond),
    fixed(p50),
    fixed(p99),
    fixed(cpuPerMillion, 1),
    ...processes.map((process) => fixed(costs[process] ?? 0, 1)),
  ]);
  const exact = rows === undefined || rows.exact ? '' : ' ROWS AND ANSWERS OF THE OTHER COMMIT DO NOT AGREE.';
  return `${table(head, lines)}

Medians of ${rounds} rounds in turn; CPU without the generator. Medians of the ratios of the rounds, this code to the other commit: events/s **${fixed(ratios.eventsPerSecond, 3)}**, p99 ${fixed(ratios.p99, 3)}, CPU **${fixed(ratios.cpuPerMillion, 3)}**.${exact}`;
}
