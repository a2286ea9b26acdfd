/**
 * Where a fetch may go: to addresses of the public internet (`shared/addresses.ts`), and to destinations that the operator allows by
 * name.
 */
import ipaddr from 'ipaddr.js';

/** An address that a name resolved to. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** The IP address that is the host of `url`, without brackets; undefined for a name. */
export function literalOf(url: URL): ResolvedAddress | undefined {
  const host = url.hostname;
  if (host.startsWith('[')) return { address: host.slice(1, -1), family: 6 };
  // The URL parser has turned every notation of an IPv4 address (octal, hexadecimal, short, one number) into dots.
  return ipaddr.IPv4.isValidFourPartDecimal(host) ? { address: host, family: 4 } : undefined;
}

/** Destinations that skip the address check: exact host and port. */
export interface AllowList {
  /** whether the destination of `url` is one of them */
  includes(url: URL): boolean;
}

/** An entry of the allow-list is not valid; the message says which, and what was expected. */
export class AllowListError extends Error {}

/**
 * Reads `WEIR_FETCH_ALLOW`: entries `host:port`, separated by commas, with IPv6 addresses in brackets. Hosts are compared as
 * the URL parser writes them (lower case, punycode, IPv4 with dots).
 */
export function parseAllowList(text: string): AllowList {
  const entries = new Set<string>();
  for (const part of text.split(',')) {
    const entry = part.trim();
    if (entry !== '') entries.add(parseEntry(entry));
  }
  return { includes: (url) => entries.has(destinationOf(url)) };
}

function parseEntry(entry: string): string {
  const match = /^(?<host>\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]\\]+):(?<port>[0-9]{1,5})$/.exec(entry);
  const port = Number(match?.groups?.port);
  const url = match ? `http://${match.groups?.host}:${port}/` : '';
  if (!match || port < 1 || port > 65_535 || !URL.canParse(url)) {
    throw new AllowListError(
      `WEIR_FETCH_ALLOW: "${entry}" is not a destination. Expected host:port, for example images.internal:8080 or [fd00::1]:443.`,
    );
  }
  return destinationOf(new URL(url));
}

/** `host:port` with the port that the scheme implies. */
export function destinationOf(url: URL): string {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return `${url.hostname}:${port}`;
}
