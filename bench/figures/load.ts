/** One load on the installation, and what it cost each tier. */
import type { Generator } from '../generator/process.js';
import type { LoadResult } from '../generator/types.js';
import { watchProcesses } from '../measurement/processes.js';
import type { Pictures } from '../workloads/images/bodies.js';
import { readWorkload, type Workload } from '../workloads/workload.js';
import { readCounts, type TierCounts } from './counts.js';
import type { FigureInstallation } from './installation.js';

export interface FigureLoad {
  name: string;
  workload: Workload;
  pictures?: Pictures;
  /** requests a second; absent: closed, as many connections as below, which keep the processes busy */
  rate?: number;
}

export interface LoadCost {
  name: string;
  requests: number;
  events: number;
  flagged: number;
  /** of all bodies */
  bytes: number;
  seconds: number;
  counts: TierCounts & { httpIn: number; httpOut: number };
  /** CPU seconds, and MiB at most, by process */
  cpu: Record<string, number>;
  resident: Record<string, number>;
}

export interface LoadMachine {
  installation: FigureInstallation;
  generator: Generator;
  tag: string;
  /** number of the next request */
  stamp: number;
}

const CONNECTIONS = 16;
const PICTURE_CONNECTIONS = 4;
const ARCHIVE_SECONDS = 60;
const TIMEOUT_MS = 30_000;
/** Bytes of the head of an answer, which the generator does not count. */
const ANSWER_HEAD = 230;

/** Texts of `events` events, each of about `characters`, of which a share has something to flag. */
export function eventsOf(events: number, characters: number, flagged: number): Workload {
  const base = readWorkload(events === 1 ? 'event-1' : 'events-50');
  return { ...base, items: events, characters, bodies: 64, flagged: { ...base.flagged, share: flagged } };
}

/** Runs the load, waits until all of it is archived, and says what it cost. Throws where a request failed. */
export async function runFigureLoad(machine: LoadMachine, load: FigureLoad, seconds: number): Promise<LoadCost> {
  const { installation, generator, tag } = machine;
  const before = await readCounts(installation, true);
  const watch = watchProcesses(installation.processes);
  const started = performance.now();
  const result = await generator.run({
    workload: load.workload,
    ...(load.pictures === undefined ? {} : { pictures: load.pictures }),
    scope: installation.scope,
    tag,
    url: installation.url,
    key: installation.key,
    mode: load.rate === undefined ? { kind: 'closed' } : { kind: 'open', rate: load.rate },
    connections: load.pictures === undefined ? CONNECTIONS : PICTURE_CONNECTIONS,
    maxInFlight: 1000,
    timeoutMs: TIMEOUT_MS,
    sampleEvery: 20,
    seconds,
    firstStamp: machine.stamp,
  });
  machine.stamp = result.nextStamp;
  const quiet = await installation.stores.quiet(ARCHIVE_SECONDS, 'archived');
  const costs = watch.stop();
  const elapsed = (performance.now() - started) / 1000;
  complain(load, result, quiet);
  const after = await readCounts(installation, false);
  const stored = await readCounts(installation, true);
  const names = [...new Set(costs.map(({ name }) => name))];
  const of = (name: string) => costs.filter((cost) => cost.name === name);
  return {
    name: load.name,
    requests: result.ok,
    events: result.accepted,
    flagged: result.accepted * (load.pictures === undefined ? load.workload.flagged.share : 0),
    bytes: result.ok * result.bodyBytes,
    seconds: elapsed,
    counts: {
      ...minus({ ...after, results: stored.results, content: stored.content }, before),
      httpIn: result.ok * result.requestBytes,
      httpOut: result.ok * (result.responseBytes + ANSWER_HEAD),
    },
    cpu: Object.fromEntries(names.map((name) => [name, of(name).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)])),
    resident: Object.fromEntries(names.map((name) => [name, Math.max(...of(name).map(({ rssMax }) => rssMax))])),
  };
}

function complain({ name }: FigureLoad, { ok, sent, dropped, errors }: LoadResult, quiet: boolean): void {
  if (ok === sent && dropped === 0 && ok > 0) {
    if (!quiet) throw new Error(`${name}: not all was archived within ${ARCHIVE_SECONDS} s.`);
    return;
  }
  const failed = Object.entries(errors).map(([reason, n]) => `${n} × ${reason}`);
  throw new Error(
    `${name}: ${sent - ok} of ${sent} requests were not answered 200 (${failed.join(', ')}), ${dropped} were not sent.`,
  );
}

export const minus = <T extends Record<keyof T, number>>(after: T, before: T): T =>
  Object.fromEntries(
    Object.entries<number>(after).map(([name, value]) => [name, value - before[name as keyof T]]),
  ) as T;
