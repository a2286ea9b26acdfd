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
import { add, type Placed, remove } from '../../shared/places.js';

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
  /** how it is watched; undefined: it is not under way */
  transfer: TransferState | undefined;
}

export interface Transfers<T extends Moving> {
  /** From now on its body, of so many bytes (0, NaN: unknown), or its answer is under way. */
  begin(exchange: T, bytes?: number): void;
  end(exchange: T): void;
  close(): void;
}

export interface TransferState extends Placed {
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
  const underWay: (TransferState & { exchange: T })[] = [];
  let ticked = performance.now();

  function end(exchange: T): void {
    if (exchange.transfer) remove<TransferState>(underWay, exchange.transfer);
    exchange.transfer = undefined;
  }

  function lookAt(state: (typeof underWay)[number], { now, late }: { now: number; late: boolean }): void {
    const { exchange } = state;
    const expected = (state.bytes > 0 ? state.bytes : state.came) * part;
    const isOver = state.due <= now;
    if (isOver || (!exchange.sending && !late && exchange.came - state.came < expected)) {
      end(exchange);
      cutOff(exchange, isOver ? (exchange.sending ? 'slow_answer' : 'slow_body') : 'stalled_body');
    } else {
      state.next = Math.min(now + span, Math.max(state.due, now));
      state.came = exchange.came;
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    // After a stall of this process, arrived bytes may be unread: then nobody is cut off as stalled.
    const late = now - ticked > 2 * tickMs;
    ticked = now;
    for (const state of underWay.filter(({ next }) => next <= now)) {
      // One that is cut off may end others.
      if (state.exchange.transfer === state) lookAt(state, { now, late });
    }
  }, tickMs);
  timer.unref();
  return {
    begin(exchange, bytes = 0) {
      end(exchange);
      const now = performance.now();
      const { came } = exchange;
      const state = { exchange, bytes, due: now + transferMs, next: now + span, came, place: 0 };
      exchange.transfer = state;
      add(underWay, state);
    },
    end,
    close: () => clearInterval(timer),
  };
}
