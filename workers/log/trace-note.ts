/** What an entry of the log says of the trace of its request, where that is recorded: field `trace`. */
import { CHECK_KINDS, type CheckKind } from '../../shared/api/types.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import { isTraceparent } from '../../shared/traces/context.js';

export interface TraceNote {
  /** W3C trace context */
  traceparent: string;
  team: string;
  scope: string;
  kind: CheckKind;
}

/** As JSON; '' where the trace is not recorded. */
export function traceNote({
  traceparent,
  traced,
  team,
  scope,
  kind,
}: Pick<WorkHeader, 'traced' | keyof TraceNote>): string {
  return traced ? JSON.stringify([traceparent, team, scope, kind]) : '';
}

/** Undefined where there is none, or it cannot be read: it is no part of a result. */
export function readTraceNote(note: string): TraceNote | undefined {
  if (note === '') return undefined;
  try {
    const [traceparent, team, scope, kind] = JSON.parse(note) as unknown[];
    const whole =
      typeof traceparent === 'string' &&
      isTraceparent(traceparent) &&
      typeof team === 'string' &&
      typeof scope === 'string' &&
      CHECK_KINDS.includes(kind as CheckKind);
    return whole ? { traceparent, team, scope, kind: kind as CheckKind } : undefined;
  } catch {
    return undefined;
  }
}
