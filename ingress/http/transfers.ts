/**
 * Bodies that are still coming in and answers that are still going out, and how long they may take. uWebSockets.js
 * ends a connection on which nothing moves for 10 s, or on which a body comes slower than 16 KiB/s; a caller who
 * stays just above that could hold memory for half an hour, and one who sends all of a body but its last byte for 10 s each time.
 *
 * So a body has to come on: by its even share of the whole time in each part of it.
 */
export type CutOff = 'slow_body' | 'stalled_body' | 'slow_answer';

export interface TransferLimits {
  /** how long all of it may take. ms */
  transferMs: number;
  /** how often a body is looked at. ms */
  stallMs: number;
}

/** What moves: a body that comes in, or its answer that goes out. */
export interface Moving {
  /** bytes of the body that have come */
  readonly came: number;
  readonly sending: boolean;
}

export interface Transfers<T extends Moving> {
  /** Its body, of so many bytes (0, NaN: nobody knows), or its answer is under way from now on. */
  begin(exchange: T, bytes?: number): void;
  end(exchange: T): void;
  close(): void;
}

interface UnderWay {
  bytes: number;
  /** when it has taken too long, and when it is looked at next; ms of the steady clock */
  due: number;
  next: number;
  /** bytes that had come when it was last looked at */
  came: number;
}

/** `cutOff` is called with each exchange that is too slow; it ends the connection. */
export function createTransfers<T extends Moving>(
  { transferMs, stallMs }: TransferLimits,
  cutOff: (exchange: T, why: CutOff) => void,
): Transfers<T> {
  const span = Math.min(stallMs, transferMs);
  const part = span / transferMs;
  const tickMs = Math.min(1000, span / 4);
  // In the order in which they are looked at, so that only those are whose time has come.
  const underWay = new Map<T, UnderWay>();
  let ticked = performance.now();

  function lookAt(exchange: T, state: UnderWay, { now, late }: { now: number; late: boolean }): void {
    underWay.delete(exchange);
    const expected = (state.bytes > 0 ? state.bytes : state.came) * part;
    if (state.due <= now) cutOff(exchange, exchange.sending ? 'slow_answer' : 'slow_body');
    else if (!exchange.sending && !late && exchange.came - state.came < expected) cutOff(exchange, 'stalled_body');
    else
      underWay.set(exchange, { ...state, next: Math.min(now + span, Math.max(state.due, now)), came: exchange.came });
  }

  const timer = setInterval(() => {
    const now = performance.now();
    // What came in while this process did not get to run has not been read yet.
    const late = now - ticked > 2 * tickMs;
    ticked = now;
    for (const [exchange, state] of underWay) {
      if (state.next > now) return;
      lookAt(exchange, state, { now, late });
    }
  }, tickMs);
  timer.unref();
  return {
    begin(exchange, bytes = 0) {
      const now = performance.now();
      underWay.set(exchange, { bytes, due: now + transferMs, next: now + span, came: exchange.came });
    },
    end(exchange) {
      underWay.delete(exchange);
    },
    close: () => clearInterval(timer),
  };
}
