/** What an installation does where nothing is checked: every process says that it lives, and every reader asks for work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanFigures } from '../../deploy/cli/plan/figures.js';
import { recordOf } from '../../deploy/cli/plan/plan.js';
import { readCounts } from './counts.js';
import { fitCosts } from './fit.js';
import type { FigureInstallation } from './installation.js';

export const IDLE_QUANTITIES = ['redisIn', 'redisOut', 'commands'] as const;
type IdleRates = Record<(typeof IDLE_QUANTITIES)[number], number>;

export interface IdleShape {
  processes: number;
  /** partitions, each as often as workers read it */
  readers: number;
}

/** A second of it. */
export async function measureIdle(installation: FigureInstallation, seconds: number): Promise<IdleRates> {
  // What a start leaves to do is done.
  await sleep(3000);
  const before = await readCounts(installation, false);
  const started = performance.now();
  await sleep(seconds * 1000);
  const after = await readCounts(installation, false);
  const elapsed = (performance.now() - started) / 1000;
  return Object.fromEntries(IDLE_QUANTITIES.map((name) => [name, (after[name] - before[name]) / elapsed])) as IdleRates;
}

export function fitIdle(measured: readonly (IdleShape & { rates: IdleRates })[]): PlanFigures['idle'] {
  return recordOf(IDLE_QUANTITIES, (name) => {
    const points = measured.map(({ processes, readers, rates }) => ({
      amounts: [processes, readers],
      total: rates[name],
    }));
    const [process = 0, reader = 0] = fitCosts(points);
    return { process, reader };
  });
}

export const idleAt = (idle: PlanFigures['idle'], { processes, readers }: IdleShape): IdleRates =>
  recordOf(IDLE_QUANTITIES, (name) => processes * idle[name].process + readers * idle[name].reader);
