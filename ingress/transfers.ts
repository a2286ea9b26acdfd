/**
 * Bodies that are still coming in and answers that are still going out, and how long they may take. uWebSockets.js
 * ends a connection on which nothing moves for 10 s, or on which a body comes slower than 16 KiB/s; a caller who
 * stays just above that could hold memory for half an hour.
 */
import type { Exchange } from './exchange.js';

export interface Transfers {
  /** Its body or its answer is under way from now on. */
  begin(exchange: Exchange): void;
  end(exchange: Exchange): void;
  close(): void;
}

/** `cutOff` is called with each exchange that has been under way for `limitMs`; it ends the connection. */
export function createTransfers(limitMs: number, cutOff: (exchange: Exchange) => void): Transfers {
  // In the order in which they began, so that only those that are due are looked at.
  const underWay = new Map<Exchange, number>();
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [exchange, due] of underWay) {
        if (due > now) return;
        underWay.delete(exchange);
        cutOff(exchange);
      }
    },
    Math.min(1000, limitMs / 4),
  );
  timer.unref();
  return {
    begin(exchange) {
      underWay.set(exchange, performance.now() + limitMs);
    },
    end(exchange) {
      underWay.delete(exchange);
    },
    close: () => clearInterval(timer),
  };
}
