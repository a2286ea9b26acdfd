/** Spans as processes record them, and their times. */
import type { CounterBy } from '../telemetry.js';

type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'consumer' | 'internal' | 'client';
  /** W3C trace context of what it is a part of; '': it begins a trace */
  parent: string;
  /** Unix ms */
  start: number;
  attributes: SpanAttributes;
}

export interface OpenSpan {
  /** W3C trace context that its parts have as their parent */
  readonly traceparent: string;
  attribute(name: string, value: string | number): void;
  event(name: string, attributes: SpanAttributes): void;
  /** Ends it now. `failure`: what went wrong, a word of ours. */
  end(failure?: string): void;
}

export interface Traces {
  begin(start: SpanStart): OpenSpan;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** What became of spans: `recorded`, then `exported`, or `failed` where the collector did not take them, or too many waited. */
export const SPAN_OUTCOMES = ['recorded', 'exported', 'failed'] as const;
export type SpanCounter = CounterBy<'outcome', (typeof SPAN_OUTCOMES)[number]>;

/** The steady clock runs away from that of the system, which is set by others. */
const SET_AGAIN_MS = 10_000;
let offset = 0;
let setAt = Number.NEGATIVE_INFINITY;

/** Unix ms, with fractions, of a time of the steady clock (`performance.now()`). */
export function unixMsOf(steadyMs: number): number {
  const now = performance.now();
  if (now - setAt > SET_AGAIN_MS) {
    offset = Date.now() - now;
    setAt = now;
  }
  return steadyMs + offset;
}

/** Unix ms, with fractions. */
export const preciseNow = (): number => unixMsOf(performance.now());
