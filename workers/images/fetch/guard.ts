/**
 * Whether a request may be sent to a URL, and to which addresses: those of the public internet, and destinations that the operator
 * allows by name. One forbidden address among many refuses the name: DNS rebinding mixes them.
 */
import { isLocalName, isPublicAddress } from '../../../shared/addresses.js';
import { type AllowList, literalOf, type ResolvedAddress } from './address.js';
import type { Resolve } from './resolve.js';

export type GuardedHost = { ok: true; addresses: ResolvedAddress[] } | { ok: false; reason: 'refused' | 'unresolved' };

/** Never rejects. `signal` ends the look-up of a name, which then is unresolved. */
export async function wayTo(
  url: URL,
  { allow, resolve, signal }: { allow: AllowList; resolve: Resolve; signal: AbortSignal },
): Promise<GuardedHost> {
  const own = allow.includes(url);
  const literal = literalOf(url);
  if (!own && isLocalName(url.hostname)) return { ok: false, reason: 'refused' };
  let addresses = literal ? [literal] : [];
  if (!literal) {
    try {
      addresses = await resolve(url.hostname, { own, signal });
    } catch {
      return { ok: false, reason: 'unresolved' };
    }
  }
  if (addresses.length === 0) return { ok: false, reason: 'unresolved' };
  if (!own && !addresses.every(({ address }) => isPublicAddress(address))) return { ok: false, reason: 'refused' };
  return { ok: true, addresses };
}
