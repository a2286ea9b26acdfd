/**
 * `npm run bench -- figures`: what a request, an event, a flagged event and a byte cost each tier, for `weir plan`. Loads that
 * differ in these are measured, and their costs fitted. Then other loads are measured, which the plan must have foreseen.
 *
 * Each load is sent twice. With busy processes, CPU is that of work and not of waiting, and there are rows enough for disk and memory.
 * But then several requests are committed together, which takes fewer commands. An installation of several partitions seldom does that,
 * so what Redis and ClickHouse are sent is measured at a moderate rate.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  BatchCost,
  CpuCosts,
  ImageCost,
  PlanFigures,
  SingleCost,
  TierCosts,
} from '../../deploy/cli/plan/figures.js';
import { CPU_TIERS, kindsOf, ratesOf, recordOf, TIER_QUANTITIES } from '../../deploy/cli/plan/plan.js';
import { startGenerator } from '../generator/process.js';
import { describeEnvironment } from '../report/environment.js';
import { makePictures } from '../workloads/images/pictures.js';
import { withImagePolicies, writeHashList } from '../workloads/images/policies.js';
import { fitCosts } from './fit.js';
import { fitIdle, IDLE_QUANTITIES, idleAt, measureIdle } from './idle.js';
import { type FigureInstallation, type FigureInstallationOptions, startFigureInstallation } from './installation.js';
import { eventsOf, type FigureLoad, type LoadCost, type LoadMachine, runFigureLoad } from './load.js';

export interface FiguresOptions {
  /** of each load */
  seconds: number;
  warmup: number;
  say(line: string): void;
  /** Something to close when the measurement is interrupted. */
  opened(close: () => void | Promise<void>): void;
}

/** A quantity of a load that was not fitted. */
export interface FigureCheck {
  load: string;
  quantity: string;
  planned: number;
  measured: number;
}

export interface MeasuredFigures {
  figures: PlanFigures;
  checks: FigureCheck[];
}

/** How far a plan may be from what is measured. */
export const MOST_MISSED = 0.15;

const IDLE_SECONDS = 10;
type LoadShape = readonly [events: number, characters: number, flagged: number, rate: number];
/** Each differs from the others in what is to be told apart: events of a request, their length, what is flagged. */
const LOADS: readonly LoadShape[] = [
  [1, 250, 0.1, 100],
  [1, 1000, 0, 100],
  [1, 250, 0.5, 100],
  [2, 250, 0.1, 80],
  [10, 250, 0.1, 80],
  [50, 250, 0.1, 40],
  [50, 1000, 0.1, 40],
  [50, 250, 0.5, 40],
  [10, 1000, 0, 80],
];
/** Other ones, at the rate alone. */
const CHECKS: readonly LoadShape[] = [
  [25, 500, 0.05, 40],
  [5, 250, 0.2, 80],
  [40, 300, 0.3, 60],
  [1, 400, 0.2, 60],
];
/** What is measured at the rate of a load; the others with busy processes. */
const PACED: readonly string[] = ['redisIn', 'redisOut', 'commands', 'replication', 'appendOnly', 'inserted'];
/** What a kind of events costs on disk is lost in the noise, as it is in CPU: no costs of kinds are fitted there. */
const NO_KINDS: readonly string[] = ['results', 'content'];
const MEGAPIXELS = [1, 4] as const;
const SHAPE = { processes: 3, readers: 1 };
/** What is on disk after a few seconds says nothing of large tables, so it is not checked; nor is memory, which has steps. */
const CHECKED = [
  'httpIn',
  'httpOut',
  'redisIn',
  'redisOut',
  'commands',
  'replication',
  'appendOnly',
  'inserted',
] as const;

export async function measureFigures(options: FiguresOptions): Promise<MeasuredFigures> {
  const { say } = options;
  const folder = mkdtempSync(join(tmpdir(), 'weir-figures-images-'));
  options.opened(() => rmSync(folder, { recursive: true, force: true }));
  say('Making pictures …');
  const pictures = await Promise.all(MEGAPIXELS.map((size) => makePictures(folder, size, 2)));
  const lists = join(folder, 'hashes');
  mkdirSync(lists);
  writeHashList(lists);
  const extra = { env: { WEIR_HASH_LISTS: lists }, configure: withImagePolicies };
  const idle = await measureIdleShapes(options);

  say('Starting an installation …');
  return withInstallation(options, { partitions: 1, extra }, async (installation) => {
    const generator = startGenerator();
    options.opened(() => generator.close());
    const machine: LoadMachine = { installation, generator, tag: Date.now().toString(36), stamp: 1 };
    const measure = async (load: FigureLoad, seconds = options.seconds): Promise<LoadCost> => {
      const cost = await runFigureLoad(machine, load, seconds);
      say(`  ${load.name}: ${Math.round(cost.events / seconds)} a second`);
      return cost;
    };
    try {
      say(`Measuring ${LOADS.length + MEGAPIXELS.length + CHECKS.length} loads …`);
      await measure({ name: 'warm-up', workload: eventsOf(50, 250, 0.1) }, options.warmup);
      await measure({ name: 'warm-up of single events', workload: eventsOf(1, 250, 0.1) }, options.warmup);
      const events: PacedCost[] = [];
      for (const [count, characters, flagged, rate] of LOADS) {
        const load = { name: nameOf(count, characters, flagged), workload: eventsOf(count, characters, flagged) };
        const busy = await measure(load);
        const paced = await measure({ ...load, name: `${load.name}, ${rate} requests/s`, rate }, options.seconds / 2);
        events.push({ busy, paced });
      }
      const images: LoadCost[] = [];
      for (const [i, files] of pictures.entries()) {
        const load = { files, way: 'inline', origin: '' } as const;
        const name = `images of ${MEGAPIXELS[i]} megapixels`;
        images.push(await measure({ name, workload: eventsOf(1, 250, 0.1), pictures: load }));
      }
      const [single, batch] = [events.filter(isSingle), events.filter((cost) => !isSingle(cost))];
      const fitted = {
        single: fitSingle(single, idle),
        batch: fitBatch(batch, idle),
        images: fitImages(images, idle),
      };
      const checks: FigureCheck[] = [];
      for (const [count, characters, flagged, rate] of CHECKS) {
        const load = {
          name: `${nameOf(count, characters, flagged)}, ${rate} requests/s`,
          workload: eventsOf(count, characters, flagged),
          rate,
        };
        checks.push(...checksOf({ ...fitted, idle }, await measure(load)));
      }
      const figures: PlanFigures = {
        format: 1,
        machine: await machineOf(installation),
        ...fitted,
        idle,
        resident: residentOf([...events.map(({ busy }) => busy), ...images]),
      };
      return { figures: rounded(figures), checks };
    } finally {
      generator.close();
    }
  });
}

const nameOf = (events: number, characters: number, flagged: number): string =>
  `${events} ${events === 1 ? 'event' : 'events'} of ${characters} characters, ${flagged * 100} % flagged`;

async function withInstallation<T>(
  { opened }: FiguresOptions,
  how: FigureInstallationOptions,
  use: (installation: FigureInstallation) => Promise<T>,
): Promise<T> {
  const starting = startFigureInstallation(how);
  // Registered before it stands: an interruption while it starts must stop what has started by then.
  opened(() =>
    starting.then(
      ({ close }) => close(),
      () => {},
    ),
  );
  const installation = await starting;
  try {
    return await use(installation);
  } finally {
    await installation.close();
  }
}

/** Installations that differ in processes and partitions. */
async function measureIdleShapes(options: FiguresOptions): Promise<PlanFigures['idle']> {
  const measured = [];
  for (const [partitions, processes] of [
    [1, 1],
    [16, 1],
    [1, 2],
  ] as const) {
    options.say(`Nothing is checked: ${partitions} partitions, ${processes} ingress and evaluator …`);
    const rates = await withInstallation(options, { partitions, processes }, (installation) =>
      measureIdle(installation, IDLE_SECONDS),
    );
    measured.push({ processes: 1 + 2 * processes, readers: partitions * processes, rates });
  }
  return fitIdle(measured);
}

/** What a load counted, without what runs where nothing is checked. */
function countedFor(cost: LoadCost, idle: PlanFigures['idle']): LoadCost['counts'] {
  const counts = { ...cost.counts };
  const atRest = idleAt(idle, SHAPE);
  for (const name of IDLE_QUANTITIES) counts[name] = Math.max(0, counts[name] - atRest[name] * cost.seconds);
  return counts;
}

/** A load that was sent twice. */
export interface PacedCost {
  busy: LoadCost;
  paced: LoadCost;
}

const isSingle = ({ busy }: PacedCost): boolean => busy.events === busy.requests;

export function fitSingle(costs: readonly PacedCost[], idle: PlanFigures['idle']): PlanFigures['single'] {
  return fitAll(costs, idle, (points): SingleCost => {
    const [request = 0, flagged = 0, byte = 0] = fitTotals(points, (cost) => [cost.requests, cost.flagged, cost.bytes]);
    return { request, flagged, byte };
  });
}

export function fitBatch(costs: readonly PacedCost[], idle: PlanFigures['idle']): PlanFigures['batch'] {
  return fitAll(costs, idle, (points, name): BatchCost => {
    const kinds = name === undefined || NO_KINDS.includes(name) ? 0 : 1;
    const [request = 0, kind = 0, event = 0, flagged = 0, byte = 0] = fitTotals(points, (cost) => [
      cost.requests,
      kinds * cost.requests * kindsOf(cost.events / cost.requests),
      cost.events,
      cost.flagged,
      cost.bytes,
    ]);
    return { request, kind, event, flagged, byte };
  });
}

function fitImages(costs: readonly LoadCost[], idle: PlanFigures['idle']): PlanFigures['images'] {
  const twice = costs.map((cost) => ({ busy: cost, paced: cost }));
  return fitAll(twice, idle, (points): ImageCost => {
    const [request = 0, byte = 0] = fitTotals(points, (cost) => [cost.requests, cost.bytes]);
    return { request, byte };
  });
}

type LoadTotal = readonly [cost: LoadCost, total: number];

const fitTotals = (totals: readonly LoadTotal[], amountsOf: (cost: LoadCost) => number[]): number[] =>
  fitCosts(totals.map(([cost, total]) => ({ amounts: amountsOf(cost), total: Math.max(0, total) })));

/** `fit` is told the name of what is fitted, but for CPU. */
function fitAll<Cost>(
  costs: readonly PacedCost[],
  idle: PlanFigures['idle'],
  fit: (totals: readonly LoadTotal[], name?: string) => Cost,
): TierCosts<Cost> & { cpu: CpuCosts<Cost> } {
  const counted = (name: (typeof TIER_QUANTITIES)[number]): LoadTotal[] =>
    costs.map(({ busy, paced }) => {
      const cost = PACED.includes(name) ? paced : busy;
      return [cost, countedFor(cost, idle)[name]];
    });
  return {
    ...recordOf(TIER_QUANTITIES, (name) => fit(counted(name), name)),
    cpu: recordOf(CPU_TIERS, (name) => fit(costs.map(({ busy }) => [busy, busy.cpu[name] ?? 0]))),
  };
}

export function checksOf(
  figures: Pick<PlanFigures, 'single' | 'batch' | 'images' | 'idle'>,
  cost: LoadCost,
): FigureCheck[] {
  const { rates } = ratesOf(figures, {
    eventsPerSecond: cost.events / cost.seconds,
    batch: cost.events / cost.requests,
    eventBytes: cost.bytes / cost.events,
    flagged: cost.flagged / cost.events,
    images: 0,
    imageBytes: 0,
  });
  const atRest: Partial<Record<string, number>> = idleAt(figures.idle, SHAPE);
  return CHECKED.map((quantity) => ({
    load: cost.name,
    quantity,
    planned: rates[quantity] + (atRest[quantity] ?? 0),
    measured: cost.counts[quantity] / cost.seconds,
  }));
}

export const missed = ({ planned, measured }: FigureCheck): boolean =>
  !(Math.abs(planned / measured - 1) <= MOST_MISSED);

function residentOf(costs: readonly LoadCost[]): PlanFigures['resident'] {
  const most = (name: string): number => Math.max(0, ...costs.map(({ resident }) => resident[name] ?? 0));
  return {
    ingress: most('ingress'),
    evaluator: most('evaluator'),
    archiver: most('archiver'),
    clickhouse: most('clickhouse'),
  };
}

async function machineOf({ stores }: FigureInstallation): Promise<PlanFigures['machine']> {
  const where = { workload: 'figures', configuration: 'bench/policies.yaml', policies: undefined };
  const found = describeEnvironment({ ...where, versions: await stores.versions() });
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: found.commit.slice(0, 12),
    cpu: found.cpu,
    cores: found.cores,
    node: found.node,
    redis: found.redis,
    clickhouse: found.clickhouse,
    load: 'bench/policies.yaml; CPU, memory and disk: 16 connections that send as soon as they have an answer; the rest: 40 to 100 requests/s',
  };
}

/** Four digits are more than what is measured holds. */
function rounded<T>(value: T): T {
  if (typeof value === 'number') return Number(value.toPrecision(4)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, rounded(of)])) as T;
}
