/**
 * Spans of the steps of checks whose trace is recorded: `queue`, `images`, `gather`, `evaluate`, `ask` and `commit`. All are parts of the span of
 * their request. Checks of a chunk are evaluated together, so each has the times of its chunk.
 */
import type { WorkHeader } from '../../shared/streams/work.js';
import { preciseNow, type Traces } from '../../shared/traces/spans.js';
import type { RawEntry } from '../consumer/consumer.js';

type Step = 'queue' | 'images' | 'gather' | 'evaluate' | 'ask' | 'commit';

/** What a span is told of. */
export interface TracedCheck {
  raw: Pick<RawEntry, 'id' | 'partition' | 'lane' | 'attempt'>;
  header: Pick<WorkHeader, 'id' | 'traceparent' | 'traced'>;
}

export interface CheckSpans {
  /** Unix ms at which a step begins; 0 where nothing is traced */
  now(): number;
  /** Ends a step of checks that began at `since`. `failure`: what went wrong, a word of ours. */
  end(step: Step, checks: readonly (TracedCheck | { check: TracedCheck })[], since: number, failure?: string): void;
  /** Ends the wait of an entry that was read now. */
  queued(check: TracedCheck): void;
}

const OFF: CheckSpans = { now: () => 0, end: () => undefined, queued: () => undefined };

export function createCheckSpans(traces: Traces | undefined): CheckSpans {
  if (!traces) return OFF;
  const end = (step: Step, { raw, header }: TracedCheck, since: number, failure?: string): void => {
    if (!header.traced || header.traceparent === undefined) return;
    const attributes = {
      'weir.check_id': header.id,
      'weir.partition': raw.partition,
      'weir.lane': raw.lane,
      'weir.attempt': raw.attempt,
    };
    const kind = step === 'queue' ? 'consumer' : step === 'ask' ? 'client' : 'internal';
    traces.begin({ name: step, kind, parent: header.traceparent, start: since, attributes }).end(failure);
  };
  return {
    now: preciseNow,
    end(step, checks, since, failure) {
      for (const one of checks) end(step, 'check' in one ? one.check : one, since, failure);
    },
    // Added at the time in its id, by the clock of Redis, which may be ahead of this one.
    queued: (check) => end('queue', check, Math.min(Number(check.raw.id.split('-')[0]), preciseNow())),
  };
}
