/**
 * A thread that computes metrics. It has a lower priority than those that evaluate. It keeps the plans of the configurations
 * that it used last, and says which it lacks.
 */
import type { Configuration } from '../../shared/configuration/types.js';
import { yieldToThreads } from '../../shared/process/priority.js';
import { moved } from '../../shared/process/threads.js';
import { DamagedRows } from '../rows/unpack-rows.js';
import { rowsOf } from './compute.js';
import { compileMetrics, type MetricPlan } from './plan.js';

export interface MetricsTask {
  /** packed rows, one entry after the other */
  bytes: Uint8Array;
  entries: readonly { format: string; length: number; configuration: string }[];
  /** texts of configurations by their ids; those that the thread has may be absent */
  configurations: Record<string, string>;
}

export type MetricsResult =
  | { status: 'done'; bytes: Uint8Array; rows: number; notes: number; damaged: number; microseconds: number }
  | { status: 'unknown'; configurations: string[] };

yieldToThreads();

const PLANS_KEPT = 4;
const plans = new Map<string, MetricPlan>();

async function preparePlans({ entries, configurations }: MetricsTask): Promise<string[]> {
  const needed = new Set(entries.map(({ configuration }) => configuration));
  const lacking: string[] = [];
  for (const id of needed) {
    if (plans.has(id)) continue;
    const text = configurations[id];
    if (text === undefined) lacking.push(id);
    else plans.set(id, await compileMetrics(JSON.parse(text) as Configuration));
  }
  for (const id of plans.keys()) {
    if (plans.size <= PLANS_KEPT) break;
    if (!needed.has(id)) plans.delete(id);
  }
  return lacking;
}

/** Returns a {@link MetricsResult}. Throws when a configuration cannot be compiled. */
export async function run(task: MetricsTask): Promise<unknown> {
  const lacking = await preparePlans(task);
  if (lacking.length > 0) return { status: 'unknown', configurations: lacking } satisfies MetricsResult;
  const started = performance.now();
  const all = Buffer.from(task.bytes.buffer, task.bytes.byteOffset, task.bytes.length);
  const parts: Buffer[] = [];
  const sum = { rows: 0, notes: 0, damaged: 0 };
  let at = 0;
  for (const { format, length, configuration } of task.entries) {
    const packed = all.subarray(at, at + length);
    at += length;
    try {
      const made = rowsOf(plans.get(configuration)!, format, packed);
      parts.push(made.bytes);
      sum.rows += made.rows;
      sum.notes += made.notes;
    } catch (error) {
      // The archiver sets such an entry aside.
      if (!(error instanceof DamagedRows)) throw error;
      sum.damaged++;
    }
  }
  const bytes = new Uint8Array(Buffer.concat(parts));
  const microseconds = Math.round((performance.now() - started) * 1000);
  const result: MetricsResult = { status: 'done', bytes, ...sum, microseconds };
  return moved(result, [bytes.buffer]);
}
