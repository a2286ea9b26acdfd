/**
 * Time limits of bodies that come in and of answers that go out. uWebSockets.js ends a connection on which nothing moves for 10 s,
 * or on which a body comes slower than 16 KiB/s. That is not enough: a caller just above these limits could hold memory for half
 * an hour, and one that sends a body but for its last byte could hold it for 10 s each time. One transfer:
 *
 *     under way ──every `stallMs`──> looked at ──arrived as it should──> under way
 *        │                              ├── a body that came by less than its even share ──> cut off (stalled_body)
 *        │                              └── longer than `transferMs` ──> cut off (slow_body, slow_answer)
 *        └── end ──> forgotten
 */
export const CUT_OFF = ['slow_body', 'stalled_body', 'slow_answer'] as const;
export type CutOff = (typeof CUT_OFF)[number];

export interface TransferLimits {
  /** ms that all of it may take */
  transferMs: number;
  /** ms between two looks at a body */
  stallMs: number;
}

/** A body that comes in, or its answer that goes out. */
export interface Moving {
  /** bytes of the body that have arrived */
  readonly came: number;
  readonly sending: boolean;
}

export interface Transfers<T extends Moving> {
  /** From now on its body, of so many bytes (0, NaN: unknown), or its answer is under way. */
  begin(exchange: T, bytes?: number): void;
  end(exchange: T): void;
  close(): void;
}

interface UnderWay {
  bytes: number;
  /** when it has taken too long, and when it is looked at next: ms of the steady clock */
  due: number;
  next: number;
  /** bytes that had arrived when it was last looked at */
  came: number;
}

/** `cutOff` is called with each exchange that is too slow, and must end its connection. */
export function createTransfers<T extends Moving>(
  { transferMs, stallMs }: TransferLimits,
  cutOff: (exchange: T, why: CutOff) => void,
): Transfers<T> {
  const span = Math.min(stallMs, transferMs);
  const part = span / transferMs;
  const tickMs = Math.min(1000, span / 4);
  // In the order in which they are looked at, so a tick stops at the first whose time has not come.
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
    // After a stall of this process, arrived bytes may be unread: then nobody is cut off as stalled.
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
