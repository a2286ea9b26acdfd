/**
 * Limits requests without a valid API key (401), so many a minute from one address: whoever tries keys, or uses one that was
 * removed, costs a hash and a line of the log each time. Requests with a valid key never come here, so other callers behind the
 * same address are not locked out. States of an address:
 *
 *     unknown ──401──> counted ──more than the limit──> refused (429) ──a minute after its first──> unknown
 *
 * At most 10,000 addresses are kept. Beyond that the oldest one is forgotten.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { isIPv6 } from 'node:net';
import { ApiError } from '../../shared/api/errors.js';
import type { Logger } from '../../shared/log.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';

const WINDOW_MS = 60_000;
const ADDRESSES = 10_000;
/** Groups of an IPv6 address that name the network. */
const NETWORK_GROUPS = 4;

export interface FailedKeys {
  /** Counts a request that would be 401. Returns the 429 to answer instead, or undefined. */
  refusal(address: string, requestId?: string): ApiError | undefined;
}

interface AddressFailures {
  failures: number;
  /** ms of the steady clock */
  until: number;
}

/** At most `most` a minute and address; 0: any number. */
export function createFailedKeys(most: number, tools: { logger: Logger; registry: Registry }): FailedKeys {
  const seen = new Map<string, AddressFailures>();
  const refused = metersOf(tools.registry).counter(
    'weir_strangers_refused_total',
    'Requests without a valid API key that were 429, because too many came from their address',
  );

  function stateOf(network: string, now: number): AddressFailures {
    const known = seen.get(network);
    if (known && known.until > now) return known;
    seen.delete(network);
    if (seen.size >= ADDRESSES) seen.delete(seen.keys().next().value!);
    const fresh = { failures: 0, until: now + WINDOW_MS };
    seen.set(network, fresh);
    return fresh;
  }

  return {
    refusal(address, requestId) {
      const now = performance.now();
      const state = stateOf(networkOf(address), now);
      state.failures++;
      if (state.failures === 1)
        tools.logger.warn({ address, request_id: requestId }, 'a request without a valid API key');
      if (most === 0 || state.failures <= most) return undefined;
      if (state.failures === most + 1) {
        tools.logger.warn(
          { address, request_id: requestId, a_minute: most },
          'too many requests without a valid API key; more are answered 429',
        );
      }
      refused.inc();
      const seconds = Math.max(1, Math.ceil((state.until - now) / 1000));
      const message = `Too many requests without a valid API key came from this address. Try again in ${seconds} s, with a key that is valid.`;
      const quota = { name: 'failed-authentication', most, seconds: WINDOW_MS / 1000 };
      return new ApiError('rate_limited', message, { retryAfter: seconds, quota });
    },
  };
}

/** What is counted as one: an IPv4 address, or the network of an IPv6 address, since a caller has any number of those. */
function networkOf(address: string): string {
  return isIPv6(address) ? address.split(':').slice(0, NETWORK_GROUPS).join(':') : address;
}

const MAPPED = /^0000:0000:0000:0000:0000:ffff:([0-9a-f]{2})([0-9a-f]{2}):([0-9a-f]{2})([0-9a-f]{2})$/;

/** The caller's address as text. An IPv4 address is written as such, also when it came to an IPv6 socket. */
export function addressOf(res: Pick<HttpResponse, 'getRemoteAddressAsText'>): string {
  const address = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  const mapped = MAPPED.exec(address);
  return mapped
    ? mapped
        .slice(1)
        .map((byte) => Number.parseInt(byte, 16))
        .join('.')
    : address;
}
