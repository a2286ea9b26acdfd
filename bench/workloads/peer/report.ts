/** What Weir and the other service do in turn: figures, and their section of a report. */
import { costsOf, median, type RowCheck, type Stage } from '../../measurement/stages.js';
import { fixed, table, whole } from '../../report/table.js';

export interface PeerFigures {
  name: string;
  /** medians of the rounds */
  eventsPerSecond: number;
  p50: number;
  p99: number;
  /** of all processes but the generator */
  cpuPerMillion: number;
}

export interface PeerReport {
  rounds: number;
  connections: number;
  weir: PeerFigures;
  peer: PeerFigures;
  /** of events a second, Weir to the other service */
  ratio: number;
  /** of the other service */
  rows: RowCheck | undefined;
}

/** Medians of the stages of one service. */
export function figuresOf(name: string, stages: readonly Stage[]): PeerFigures {
  const middle = (of: (stage: Stage) => number): number => median(stages.map(of));
  return {
    name,
    eventsPerSecond: middle(({ load }) => load.itemsPerSecond),
    p50: middle(({ load }) => load.latency.p50),
    p99: middle(({ load }) => load.latency.p99),
    cpuPerMillion: middle((stage) =>
      costsOf(stage)
        .filter(({ name: process }) => process !== 'all' && process !== 'generator')
        .reduce((sum, { perMillion }) => sum + perMillion, 0),
    ),
  };
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
