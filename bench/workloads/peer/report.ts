/** What Weir and the other service do in turn: figures, and their section of a report. */
import type { SideFigures } from '../../measurement/in-turn.js';
import type { RowCheck } from '../../measurement/stages.js';
import { fixed, table, whole } from '../../report/table.js';

export interface PeerReport {
  rounds: number;
  connections: number;
  weir: SideFigures;
  peer: SideFigures;
  /** of events a second, Weir to the other service */
  ratio: number;
  /** of the other service */
  rows: RowCheck | undefined;
}

export function peerSection({ rounds, connections, weir, peer, ratio, rows }: PeerReport): string {
  const lines = [weir, peer].map(({ name, eventsPerSecond, p50, p99, cpuPerMillion }) => [
    name,
    whole(eventsPerSecond),
    fixed(p50),
    fixed(p99),
    fixed(cpuPerMillion, 1),
  ]);
  const stored =
    rows === undefined
      ? ''
      : ` The other service answered ${whole(rows.accepted)} events and stored ${whole(rows.rows)}.`;
  return `${table(['Service', 'Events/s', 'p50 ms', 'p99 ms', 'CPU s per million events'], lines)}

Medians of ${rounds} rounds in turn, ${connections} connections that each send as soon as they have their answer; CPU without the generator.
Weir answers **${fixed(ratio, 2)} ×** as many events.${stored}`;
}
