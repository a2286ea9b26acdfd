/**
 * All addresses of a name. A name on the allow-list is the operator's own and is looked up as the machine does it (hosts file,
 * search domains). All other names are looked up in the DNS alone. That can be cancelled, and it takes no thread of the pool
 * that files share, so a slow hostile name server holds up nothing else.
 */
import { lookup, Resolver } from 'node:dns/promises';
import type { ResolvedAddress } from './address.js';

/** Resolves to all addresses of `host`, an empty list if there are none. Rejects when `signal` ends it. */
export type Resolve = (host: string, options: { own: boolean; signal: AbortSignal }) => Promise<ResolvedAddress[]>;

/** Addresses of one name, for each family; more are ignored. */
const MAX_ADDRESSES = 32;

export interface ResolverOptions {
  /** `address:port` of name servers; default: those of the machine */
  servers?: string[];
}

export function createResolver(options: ResolverOptions = {}): Resolve {
  return async (host, { own, signal }) => {
    signal.throwIfAborted();
    return own ? lookUp(host, signal) : ask(host, options.servers, signal);
  };
}

async function ask(host: string, servers: string[] | undefined, signal: AbortSignal): Promise<ResolvedAddress[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 3 });
  if (servers) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    signal.throwIfAborted();
    return [...addresses(v4, 4), ...addresses(v6, 6)];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function addresses(result: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] {
  if (result.status === 'rejected') return [];
  return result.value.slice(0, MAX_ADDRESSES).map((address) => ({ address, family }));
}

function lookUp(host: string, signal: AbortSignal): Promise<ResolvedAddress[]> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    lookup(host, { all: true, verbatim: true }).then(
      (found) => {
        signal.removeEventListener('abort', abort);
        resolve(found.slice(0, MAX_ADDRESSES).map(({ address, family }) => ({ address, family: family as 4 | 6 })));
      },
      () => {
        signal.removeEventListener('abort', abort);
        resolve([]);
      },
    );
  });
}
