/**
 * Protects servers on loopback from pages in browsers. A page may have its name resolve to 127.0.0.1 and then talk to any port of
 * this machine (DNS rebinding). Only the headers Host and Origin tell it from a program of this machine.
 */

/** Headers in which proxies and tunnels say for whom they pass a request on. */
const FORWARDING: ReadonlySet<string> = new Set(
  (
    'forwarded via cdn-loop cf-connecting-ip cf-ray client-ip fastly-client-ip fly-client-ip true-client-ip ' +
    'x-client-ip x-cluster-client-ip x-envoy-external-address x-real-ip'
  ).split(' '),
);
const FORWARDING_PREFIX = /^x-(?:original-)?forwarded-/;

const ADDRESS = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;
const AUTHORITY = /^(localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\//i;

/** Whether a server on this address is reachable from this machine alone. */
function isLoopbackAddress(address: string): boolean {
  return ADDRESS.test(address);
}

/** Whether a Host header (name and perhaps port) names this machine. */
export function isLoopbackHost(host: string): boolean {
  return AUTHORITY.test(host);
}

/** Whether a page of this origin was loaded from this machine. `null`, the origin of pages without one, is not. */
export function isLoopbackOrigin(origin: string): boolean {
  return ORIGIN.test(origin) && AUTHORITY.test(origin.replace(ORIGIN, ''));
}

/** Whether a header of this name (in lower case) says that a proxy has passed the request on. */
export function isForwardingHeader(name: string): boolean {
  return FORWARDING.has(name) || (name.startsWith('x-') && FORWARDING_PREFIX.test(name));
}

/** The names that a server on loopback answers to. */
export interface LocalNames {
  /**
   * The header of a request that names another machine, or undefined. '' stands for an absent header: programs may leave out
   * either, but no browser leaves out Host.
   */
  stranger(host: string, origin: string): 'host' | 'origin' | undefined;
}

/**
 * The names that a server on `address` answers to; undefined for a server that others can reach, since it cannot know its names.
 * `allowed`: further names, separated by commas, for a proxy on this machine that keeps the header Host.
 */
export function localNames(address: string, allowed: string): LocalNames | undefined {
  if (!isLoopbackAddress(address)) return undefined;
  const names = new Set(
    allowed
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  );
  const isAllowed = (authority: string): boolean => names.has(authority.toLowerCase().replace(/:\d{1,5}$/, ''));
  const isOurs = (authority: string): boolean => isLoopbackHost(authority) || isAllowed(authority);
  return {
    stranger(host, origin) {
      if (host !== '' && !isOurs(host)) return 'host';
      if (origin !== '' && !(ORIGIN.test(origin) && isOurs(origin.replace(ORIGIN, '')))) return 'origin';
      return undefined;
    },
  };
}
