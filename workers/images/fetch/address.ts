/**
 * Where a fetch may go: to addresses of the public internet, and to destinations that the operator allows by name. An
 * address is compared as a number, so all its notations are treated alike.
 */
import ipaddr from 'ipaddr.js';

/** An address that a name resolved to. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Blocks of IPv4 that are not public unicast (IANA special-purpose registry), and special addresses of cloud providers. */
const FORBIDDEN_V4 = [
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; holds the metadata address 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // host agent of a cloud: public by number only
  '169.254.0.0/16', // link-local; holds the metadata address 169.254.169.254
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; holds the metadata address 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map((block) => ipaddr.IPv4.parseCIDR(block));

/** All global unicast addresses of IPv6 so far. Loopback, link-local, unique local, site-local, multicast are outside. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Blocks within those that are not public unicast, or that carry an IPv4 address to an unknown relay. */
const FORBIDDEN_V6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID, AMT
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((block) => ipaddr.IPv6.parseCIDR(block));

/**
 * Prefixes whose last 32 bits are the IPv4 address that the packet will reach: mapped, translated (RFC 2765) and the
 * well-known NAT64 prefix, behind which networks without IPv4 see all of the IPv4 internet. The NAT64 prefix for local
 * use (64:ff9b:1::/48) stays forbidden: the position of its IPv4 address depends on the network.
 */
const EMBEDDING_V6 = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map((block) => ipaddr.IPv6.parseCIDR(block));

/** Whether `address` (in any notation, without brackets) is a public unicast IP address. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  if (!address.includes(':')) return isPublicV4(ipaddr.IPv4.parse(address));
  // ipaddr.js reads `::8.8.8.8` as `::ffff:8.8.8.8`, so the URL parser rewrites the address in hexadecimal first.
  const url = `http://[${address}]/`;
  return URL.canParse(url) && isPublicV6(ipaddr.IPv6.parse(new URL(url).hostname.slice(1, -1)));
}

function isPublicV4(address: ipaddr.IPv4): boolean {
  return !FORBIDDEN_V4.some((block) => address.match(block));
}

function isPublicV6(address: ipaddr.IPv6): boolean {
  if (EMBEDDING_V6.some((block) => address.match(block))) {
    return isPublicV4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  }
  return address.match(GLOBAL_V6) && !FORBIDDEN_V6.some((block) => address.match(block));
}

/** The IP address that is the host of `url`, without brackets; undefined for a name. */
export function literalOf(url: URL): ResolvedAddress | undefined {
  const host = url.hostname;
  if (host.startsWith('[')) return { address: host.slice(1, -1), family: 6 };
  // The URL parser has turned every notation of an IPv4 address (octal, hexadecimal, short, one number) into dots.
  return ipaddr.IPv4.isValidFourPartDecimal(host) ? { address: host, family: 4 } : undefined;
}

/** Names that stand for the machine itself, whatever a resolver says. */
export function isLocalName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return name === 'localhost' || name.endsWith('.localhost');
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
