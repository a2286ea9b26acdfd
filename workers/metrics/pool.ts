/** The threads that compute metrics. They start when there is something to compute, and end when there was nothing for long. */
import type { Logger } from '../../shared/log.js';
import { programPath } from '../../shared/paths.js';
import { createThreads } from '../../shared/process/threads.js';
import type { MetricsResult, MetricsTask } from './thread.js';

/** An entry of the log that may have metrics. */
export interface MetricsEntry {
  format: string;
  rows: Buffer;
  /** id and text of the configuration that it was judged by */
  configuration: { id: string; text: string };
}

export interface MetricsOutput {
  /** rows of `weir.metrics` in RowBinary */
  parts: Uint8Array[];
  rows: number;
  notes: number;
  /** entries whose rows could not be read, or whose metrics failed even alone */
  skipped: number;
  microseconds: number;
}

export interface MetricsPool {
  /** Never rejects, but once the pool has ended. */
  compute(work: readonly MetricsEntry[]): Promise<MetricsOutput>;
  end(): Promise<void>;
}

/** Far beyond what the largest batch takes. A thread that takes longer is ended. */
const BATCH_MS = 300_000;
const ALONE_MS = 60_000;
const IDLE_MS = 300_000;

export function createMetricsPool(threads: number, logger: Logger): MetricsPool {
  const group = createThreads({
    program: programPath('metrics-thread'),
    threads,
    tasks: 1,
    idleMs: IDLE_MS,
    onError: (error) => logger.error({ error: String(error) }, 'a thread of metrics ended'),
  });
  let ended = false;

  async function run(work: readonly MetricsEntry[], limitMs: number): Promise<MetricsOutput> {
    const entries = work.map(({ format, rows, configuration }) => ({
      format,
      length: rows.length,
      configuration: configuration.id,
    }));
    const ask = async (configurations: Record<string, string>): Promise<MetricsResult> => {
      const bytes = new Uint8Array(Buffer.concat(work.map(({ rows }) => rows)));
      const task: MetricsTask = { bytes, entries, configurations };
      return (await group.run(task, [bytes.buffer], limitMs)).result as MetricsResult;
    };
    let result = await ask({});
    if (result.status === 'unknown') {
      const texts = new Map(work.map(({ configuration }) => [configuration.id, configuration.text]));
      result = await ask(Object.fromEntries(texts));
    }
    if (result.status === 'unknown') throw new Error('the thread does not keep the configuration');
    const { bytes, rows, notes, damaged, microseconds } = result;
    return { parts: [bytes], rows, notes, skipped: damaged, microseconds };
  }

  /** A batch that fails is computed entry by entry, so that one costs no other its metrics. */
  async function runAll(work: readonly MetricsEntry[]): Promise<MetricsOutput> {
    try {
      return await run(work, BATCH_MS);
    } catch (error) {
      if (ended) throw error;
      logger.warn({ entries: work.length, error: nameOf(error) }, 'metrics failed; trying each request alone');
    }
    const made = emptyMade();
    for (const one of work) {
      try {
        add(made, await run([one], ALONE_MS));
      } catch (error) {
        if (ended) throw error;
        logger.error({ error: nameOf(error) }, 'the metrics of a request cannot be computed');
        made.skipped++;
      }
    }
    return made;
  }

  return {
    async compute(work) {
      const made = emptyMade();
      if (work.length === 0) return made;
      for (const part of await Promise.all(shared(work, threads).map(runAll))) add(made, part);
      return made;
    },
    async end() {
      ended = true;
      await group.end();
    },
  };
}

/** A message may quote what a caller sent. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const emptyMade = (): MetricsOutput => ({ parts: [], rows: 0, notes: 0, skipped: 0, microseconds: 0 });

function add(to: MetricsOutput, { parts, rows, notes, skipped, microseconds }: MetricsOutput): void {
  to.parts.push(...parts);
  to.rows += rows;
  to.notes += notes;
  to.skipped += skipped;
  to.microseconds += microseconds;
}

/** Parts of about the same number of entries, one for each thread. */
function shared(work: readonly MetricsEntry[], threads: number): MetricsEntry[][] {
  const size = Math.ceil(work.length / threads);
  const parts: MetricsEntry[][] = [];
  for (let at = 0; at < work.length; at += size) parts.push(work.slice(at, at + size));
  return parts;
}
