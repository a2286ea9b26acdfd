/**
 * Runs the queries of look-ups: in turns by team, within a time limit, and not while those of the team keep failing. Each team
 * has its own breaker, so that a team with slow queries does not close ClickHouse to others.
 */
import type { Asker } from './asker.js';
import { type BreakerOptions, createBreaker, type HistoryBreaker } from './breaker.js';
import { createLine, type LineOptions } from './line.js';

export interface AskOptions extends BreakerOptions, LineOptions {
  /** longest time of a look-up from its turn on, default 1,000 ms */
  timeoutMs?: number;
  /** bytes of memory that a query may take, default: as the server has it */
  memoryBytes?: number;
  /** ClickHouse's `priority` (1: the first), default none. The embedded engine gives queries that have one less of the processors. */
  priority?: number;
  /** is called for every look-up that failed or was not tried */
  onFailure?(error: unknown): void;
  /** Rejects when what is asked may lack rows (`replica.ts`). */
  upToDate?(signal: AbortSignal): Promise<void>;
}

export interface Ask {
  /** The rows of a query. Call it only within {@link Ask.bounded}. Every value is a bound parameter. */
  select<T>(query: string, parameters: Record<string, unknown>, signal: AbortSignal): Promise<T[]>;
  /** Runs the queries of one look-up within the limits. Throws `HistoryUnavailable` when ClickHouse cannot be asked. */
  bounded<T>(team: string, look: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Asks for the rows of a query. Every value is a bound parameter. */
export type SelectRows = <T>(query: string, parameters: Record<string, unknown>) => Promise<T[]>;

export function createAsk(client: Asker, options: AskOptions): Ask {
  const timeoutMs = options.timeoutMs ?? 1000;
  // Further threads, also those that write down an answer, cost more than they save where there are few rows, and take their time from checks
  // where there are many.
  const settings = {
    max_threads: 1,
    output_format_parallel_formatting: 0,
    ...(options.memoryBytes === undefined ? {} : { max_memory_usage: options.memoryBytes }),
    ...(options.priority === undefined ? {} : { priority: options.priority }),
    max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1000)),
  };
  const line = createLine(options);
  // Bounded by the number of teams in the configurations that this process has seen.
  const breakers = new Map<string, HistoryBreaker>();
  const breakerOf = (team: string): HistoryBreaker => {
    let breaker = breakers.get(team);
    if (!breaker) {
      breaker = createBreaker(options);
      breakers.set(team, breaker);
    }
    return breaker;
  };
  return {
    async select<T>(query: string, parameters: Record<string, unknown>, signal: AbortSignal): Promise<T[]> {
      const result = await client.query({
        query,
        query_params: parameters,
        format: 'JSONEachRow',
        abort_signal: signal,
        clickhouse_settings: settings,
      });
      return await result.json<T>();
    },
    async bounded<T>(team: string, look: (signal: AbortSignal) => Promise<T>): Promise<T> {
      try {
        return await line.run(team, () =>
          breakerOf(team).run(async () => {
            const signal = AbortSignal.timeout(timeoutMs);
            await options.upToDate?.(signal);
            return await look(signal);
          }),
        );
      } catch (error) {
        options.onFailure?.(error);
        throw error;
      }
    },
  };
}
