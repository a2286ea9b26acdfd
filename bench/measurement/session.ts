/** The stages of a benchmark in the order that the options ask for. Every loop here is bounded. */

import type { AgainstReport } from '../against/report.js';
import type { Options } from '../options.js';
import type { ImageReport } from '../workloads/images/report.js';
import type { NeighbourReport } from '../workloads/neighbours/report.js';
import type { PeerReport } from '../workloads/peer/report.js';
import { type RateAttempt, refusals, type Saturation, saturate } from './saturation.js';
import { type Bench, runStage, type Stage, type StageLoad } from './stages.js';
import type { WorkloadsReport } from './two-workloads.js';

const CAPACITY_CONNECTIONS = 32;
const CAPACITY_SECONDS = 20;
const PROBE_SECONDS = 15;
const PROBE_WARMUP_SECONDS = 5;
const SHARE_OF_CAPACITY = 0.7;

export interface BenchOutcome {
  stages: Stage[];
  saturation?: Saturation;
  images?: ImageReport;
  neighbours?: NeighbourReport;
  peer?: PeerReport;
  against?: AgainstReport;
  workloads?: WorkloadsReport;
}

export interface Session {
  bench: Bench;
  options: Options;
  /** prints a line while it runs */
  say(line: string): void;
}

/** Runs everything that was asked for. */
export async function runSession(session: Session): Promise<BenchOutcome> {
  const { options } = session;
  const { run } = options;
  if (options.warmup > 0) await stage(session, closedLoad('Warm-up', options.warmup));
  if (run.kind === 'open') return { stages: [await stage(session, openLoad(options, run.rate))] };
  if (run.kind === 'closed') {
    return { stages: [await stage(session, closedLoad('Closed', options.seconds, run.connections))] };
  }
  const capacity = await stage(session, closedLoad('Capacity', Math.min(CAPACITY_SECONDS, options.seconds)));
  await quiet(session);
  if (run.kind === 'saturate') return { stages: [capacity], saturation: await search(session, capacity) };
  const rate = Math.max(1, Math.round(capacity.load.requestsPerSecond * SHARE_OF_CAPACITY));
  return { stages: [capacity, await stage(session, openLoad(options, rate))] };
}

async function stage({ bench, options, say }: Session, load: StageLoad): Promise<Stage> {
  const mode =
    load.mode.kind === 'open' ? `${Math.round(load.mode.rate)} requests/s` : `${load.connections} connections`;
  say(`${load.name}: ${load.mode.kind}, ${mode}, ${load.seconds} s, ${options.workload}`);
  const done = await runStage(bench, load);
  const { requestsPerSecond, itemsPerSecond, latency, errors } = done.load;
  const failed = Object.entries(errors).map(([reason, n]) => `${n} × ${reason}`);
  say(
    `  ${requestsPerSecond.toFixed(1)} requests/s, ${Math.round(itemsPerSecond)} events/s, p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms${failed.length > 0 ? `, errors: ${failed.join(', ')}` : ''}`,
  );
  return done;
}

function closedLoad(name: string, seconds: number, connections: number = CAPACITY_CONNECTIONS): StageLoad {
  return { name, mode: { kind: 'closed' }, connections, seconds };
}

function openLoad(options: Options, rate: number): StageLoad {
  const { connections, seconds } = options;
  return { name: 'Open', mode: { kind: 'open', rate }, connections, seconds };
}

/** Waits until no work of the last stage is unread: it would slow the next one. Admission lets in less than 10 s of work. */
async function quiet({ bench }: Session): Promise<void> {
  await bench.stores?.quiet(10);
}

function search(session: Session, capacity: Stage): Promise<Saturation> {
  const { options } = session;
  const attempt = async (rate: number, seconds: number): Promise<RateAttempt> => {
    await quiet(session);
    await stage(session, { ...openLoad(options, rate), name: 'Probe warm-up', seconds: PROBE_WARMUP_SECONDS });
    const held = await stage(session, { ...openLoad(options, rate), name: 'Probe', seconds });
    const refused = refusals(held, { p99: options.objective });
    session.say(refused.length === 0 ? '  sustained' : `  not sustained: ${refused.join(', ')}`);
    return { rate, seconds, refused, p99: held.load.latency.p99 };
  };
  const limits = {
    capacity: capacity.load.requestsPerSecond,
    probeSeconds: Math.min(PROBE_SECONDS, options.hold),
    holdSeconds: options.hold,
    probes: 6,
    holds: 4,
  };
  return saturate(limits, attempt);
}
