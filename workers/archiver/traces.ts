/**
 * Traces of requests that were archived: the span `archive`, from the commit until ClickHouse has acknowledged the rows, and a row of the table
 * `traces`. Both are made of what the log says (`trace-note.ts`). They help to find a request and are no part of its result. So their rows wait
 * for others, since an insert costs the engine as much for one as for hundreds; and those that ClickHouse does not take are counted and dropped.
 */
import type { HistoryClient } from '../../shared/history/client.js';
import { partsOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { traceIdOf } from '../../shared/traces/context.js';
import type { Traces } from '../../shared/traces/spans.js';
import { readTraceNote, type TraceNote } from '../log/trace-note.js';
import { INSERT_SETTINGS } from '../rows/send-rows.js';
import type { BlockEntry } from './block.js';

export interface ArchivedTraces {
  /** Tells of entries whose rows ClickHouse has. */
  archived(entries: readonly BlockEntry[]): void;
  /** Stores the rows that wait. Never rejects. */
  store(): Promise<void>;
}

/** How often rows are stored. */
export const STORE_TRACES_MS = 5000;
/** How long ClickHouse may take for them. */
const INSERT_MS = 2000;
/** Rows that wait at most. */
const MOST_WAITING = 20_000;

/** A traced request of a block. */
interface Traced extends TraceNote {
  requestId: string;
  /** Unix ms of its commit */
  committed: number;
}

export function createArchivedTraces(
  clickhouse: HistoryClient,
  { traces, logger, registry }: { traces?: Traces | undefined; logger: Logger; registry: Registry },
): ArchivedTraces {
  const lost = metersOf(registry).counter(
    'weir_trace_rows_lost_total',
    'Rows of traces that ClickHouse did not take: SQL finds no trace of these requests',
  );
  let waiting: Record<string, string>[] = [];
  return {
    archived(entries) {
      const traced = entries.flatMap(({ source }): Traced[] => {
        const note = readTraceNote(source.trace);
        return note ? [{ ...note, requestId: source.request, committed: source.ms }] : [];
      });
      if (traced.length === 0) return;
      if (traces) for (const one of traced) endSpan(traces, one);
      const room = traced.slice(0, MOST_WAITING - waiting.length);
      lost.inc(traced.length - room.length);
      waiting.push(...room.map(rowOf));
    },
    async store() {
      if (waiting.length === 0) return;
      const values = waiting;
      waiting = [];
      try {
        await clickhouse.insert({
          table: 'traces',
          values,
          format: 'JSONEachRow',
          clickhouse_settings: INSERT_SETTINGS,
          abort_signal: AbortSignal.timeout(INSERT_MS),
        });
      } catch (error) {
        lost.inc(values.length);
        const { code } = error as { code?: string };
        logger.warn({ code, requests: values.length }, 'ClickHouse does not take the rows of traces; results go on');
      }
    },
  };
}

function endSpan(traces: Traces, { traceparent, requestId, committed }: Traced): void {
  // The clock of Redis may be ahead.
  const start = Math.min(committed, Date.now());
  const attributes = { 'weir.check_id': requestId };
  traces.begin({ name: 'archive', kind: 'internal', parent: traceparent, start, attributes }).end();
}

function rowOf({ traceparent, team, scope, kind, requestId }: Traced): Record<string, string> {
  const ts = new Date(partsOf(requestId)?.time ?? 0).toISOString().replace('T', ' ').slice(0, -1);
  return { ts, team, scope, kind, request_id: requestId, trace_id: traceIdOf(traceparent) };
}
