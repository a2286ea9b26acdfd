/**
 * Ends connections on which no request comes. uWebSockets.js takes a head that is no HTTP (a control character, a line that ends with
 * LF or CR alone, too many headers) for the beginning of one, and waits for the rest: nothing is answered, and the connection stays
 * for 10 s. What it has read is not told. So a connection has `headMs` for its first request. States of a connection:
 *
 *     awaited ──a request of its address──> let alone: the library ends it, if it was not this one
 *        ├── `headMs` without any ──> ended
 *        └── it ends, by its caller or by the library ──> closed
 *
 * It is not told either which connection a request is of, and one that had a request must not be touched afterwards. Therefore a
 * request lets all connections of its address alone.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { addressOf } from '../admission/failed-keys.js';

export interface FirstRequests {
  /** Awaits a request on a connection that has just been made. */
  connected(res: HttpResponse): void;
  /** A request has come on some connection. */
  came(res: HttpResponse): void;
  close(): void;
}

interface AwaitedConnection {
  res: HttpResponse;
  address: string;
  /** ms of the steady clock */
  due: number;
  ended: boolean;
}

export function createFirstRequests(headMs: number, registry: Registry): FirstRequests {
  // In the order in which they are due.
  const awaited = new Set<AwaitedConnection>();
  const byAddress = new Map<string, Set<AwaitedConnection>>();
  const unread = metersOf(registry).counterBy(
    'outcome',
    ['ended', 'closed'],
    'weir_connections_without_request_total',
    'Connections that ended before a request on them could be read: ended after WEIR_HEAD_MS, or closed by the caller or with 400, 431 or 505',
  );

  function forget(one: AwaitedConnection): void {
    awaited.delete(one);
    const others = byAddress.get(one.address);
    others?.delete(one);
    if (others?.size === 0) byAddress.delete(one.address);
  }

  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const one of awaited) {
        if (one.due > now) return;
        one.ended = true;
        one.res.close();
      }
    },
    Math.max(10, headMs / 8),
  );
  timer.unref();

  return {
    connected(res) {
      const one = { res, address: addressOf(res), due: performance.now() + headMs, ended: false };
      // The first request of the connection takes this place, or its answer does: it is not called after that.
      res.onAborted(() => {
        unread.inc({ outcome: one.ended ? 'ended' : 'closed' });
        forget(one);
      });
      awaited.add(one);
      const others = byAddress.get(one.address);
      if (others) others.add(one);
      else byAddress.set(one.address, new Set([one]));
    },
    came(res) {
      if (awaited.size === 0) return;
      for (const one of byAddress.get(addressOf(res)) ?? []) forget(one);
    },
    close: () => clearInterval(timer),
  };
}
