/**
 * Traces of requests that were archived: the span `archive`, from the commit until ClickHouse has acknowledged the rows, and a row of the table
 * `traces`. Both are made of what the log says (`trace-note.ts`). They help to find a request and are no part of its result: rows that
 * ClickHouse does not take are counted and dropped, so that results go on.
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
  /** Tells of entries whose rows ClickHouse has. Never rejects. */
  archived(entries: readonly BlockEntry[], signal: AbortSignal): Promise<void>;
}

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
  return {
    async archived(entries, signal) {
      const traced = entries.flatMap(({ source }): Traced[] => {
        const note = readTraceNote(source.trace);
        return note ? [{ ...note, requestId: source.request, committed: source.ms }] : [];
      });
      if (traced.length === 0) return;
      if (traces) for (const one of traced) endSpan(traces, one);
      try {
        await clickhouse.insert({
          table: 'traces',
          values: traced.map(rowOf),
          format: 'JSONEachRow',
          clickhouse_settings: INSERT_SETTINGS,
          abort_signal: signal,
        });
      } catch (error) {
        lost.inc(traced.length);
        const { code } = error as { code?: string };
        logger.warn({ code, requests: traced.length }, 'ClickHouse does not take the rows of traces; results go on');
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
