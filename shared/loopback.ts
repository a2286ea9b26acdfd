/**
 * What reaches a server on loopback, and as whom. A page in a browser may have its name resolve to 127.0.0.1 and then talk to
 * any port of this machine (DNS rebinding): only the headers Host and Origin tell it from a program of this machine.
 */

/** What makes a request look as if a proxy had passed it on: headers in which proxies and tunnels say for whom. */
const FORWARDING: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'cdn-loop',
  'cf-connecting-ip',
  'cf-ray',
  'client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-real-ip',
]);
const FORWARDING_PREFIX = /^x-(?:original-)?forwarded-/;

const ADDRESS = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;
const AUTHORITY = /^(localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\//i;

/** Whether an address that a server listens on is reachable from this machine alone. */
export function isLoopbackAddress(address: string): boolean {
  return ADDRESS.test(address);
}

/** Whether a Host header (name and, maybe, port) names this machine. */
export function isLoopbackHost(host: string): boolean {
  return AUTHORITY.test(host);
}

/** Whether a page of this origin was loaded from this machine. `null`, the origin of pages that have none, is not. */
export function isLoopbackOrigin(origin: string): boolean {
  return ORIGIN.test(origin) && AUTHORITY.test(origin.replace(ORIGIN, ''));
}

/** Whether a header of this name (in lower case) says that a proxy passed the request on. */
export function isForwardingHeader(name: string): boolean {
  return FORWARDING.has(name) || (name.startsWith('x-') && FORWARDING_PREFIX.test(name));
}

/** What a server on loopback answers to. */
export interface LocalNames {
  /**
   * Which header of a request names another machine; undefined: none does. '' stands for a header that is absent: programs may
   * leave either out, but no browser leaves out Host.
   */
  stranger(host: string, origin: string): 'host' | 'origin' | undefined;
}

/**
 * The names that a server on `address` answers to, or undefined for one that others can reach: it cannot know what it is
 * called. `allowed` are further names of it, separated by commas, for a proxy on this machine that keeps the header Host.
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
