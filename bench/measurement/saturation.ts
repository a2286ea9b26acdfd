/**
 * Searches for the highest rate that the service sustains: p99 within the objective, no errors, nothing dropped, no
 * backlog that grows. Short probes halve the range. Then the best rate is held for the full time, and lowered step by
 * step while it does not hold. The numbers of probes and of holds are limited.
 */
import { errorCount, type Stage } from './stages.js';

export interface Objective {
  /** milliseconds */
  p99: number;
}

export interface RateAttempt {
  /** requests a second */
  rate: number;
  seconds: number;
  /** empty when the rate was sustained */
  refused: string[];
  p99: number;
}

export interface Saturation {
  /** requests a second that were held; 0 when none was */
  rate: number;
  attempts: RateAttempt[];
}

export interface SearchLimits {
  /** requests a second of the closed model; the search begins there */
  capacity: number;
  probeSeconds: number;
  holdSeconds: number;
  probes: number;
  holds: number;
}

/** Growth below this share of the rate counts as none: blocks leave the log in steps of a second. */
const UNREAD_GROWTH = 0.01;
const UNARCHIVED_GROWTH = 0.05;

/** Why a stage did not sustain its rate; empty when it did. */
export function refusals(stage: Stage, objective: Objective): string[] {
  const { load, backlog } = stage;
  const found: string[] = [];
  const errors = errorCount(load);
  if (load.latency.p99 > objective.p99) found.push(`p99 ${load.latency.p99.toFixed(1)} ms`);
  if (errors > 0) found.push(`${errors} errors`);
  if (load.dropped > 0) found.push(`${load.dropped} dropped`);
  if (load.incomplete > 0) found.push(`${load.incomplete} incomplete answers`);
  if (backlog !== undefined && backlog.unreadGrowth > Math.max(1, load.rate * UNREAD_GROWTH)) {
    found.push(`unread work grows by ${backlog.unreadGrowth.toFixed(0)}/s`);
  }
  if (backlog !== undefined && backlog.unarchivedGrowth > Math.max(1, load.rate * UNARCHIVED_GROWTH)) {
    found.push(`the log grows by ${backlog.unarchivedGrowth.toFixed(0)}/s`);
  }
  return found;
}

/** `attempt` loads the service at a rate for some seconds, after a warm-up at that rate. It says why a rate failed. */
export async function saturate(
  limits: SearchLimits,
  attempt: (rate: number, seconds: number) => Promise<RateAttempt>,
): Promise<Saturation> {
  const attempts: RateAttempt[] = [];
  const sustains = async (rate: number, seconds: number): Promise<boolean> => {
    const made = await attempt(Math.round(rate), seconds);
    attempts.push(made);
    return made.refused.length === 0;
  };
  // Hardly any rate above the capacity of the closed model can be sustained, so the range ends there.
  let low = 0;
  let high = limits.capacity * 1.1;
  let next = limits.capacity * 0.8;
  for (let probe = 0; probe < limits.probes && high - low > 0.04 * limits.capacity; probe++) {
    if (await sustains(next, limits.probeSeconds)) low = next;
    else high = next;
    next = (low + high) / 2;
  }
  let rate = low;
  for (let hold = 0; hold < limits.holds && rate >= 1; hold++) {
    if (await sustains(rate, limits.holdSeconds)) return { rate: Math.round(rate), attempts };
    rate *= 0.93;
  }
  return { rate: 0, attempts };
}
