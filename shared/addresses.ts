/**
 * Which addresses are of the public internet, and what the others are. An address is compared as a number, so all its notations are treated
 * alike.
 */
import ipaddr from 'ipaddr.js';

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

/** Names that stand for the machine itself, whatever a resolver says. */
export function isLocalName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return name === 'localhost' || name.endsWith('.localhost');
}

/** What an address that is not public is of: the machine itself, metadata of a cloud, a network of its own, or what is set aside. */
export type AddressRange = 'local' | 'metadata' | 'private' | 'special';

const blocks = (all: Readonly<Record<string, AddressRange>>): [ReturnType<typeof ipaddr.parseCIDR>, AddressRange][] =>
  Object.entries(all).map(([block, range]) => [ipaddr.parseCIDR(block), range]);

/** The first that holds an address counts. */
const RANGES_V4 = blocks({
  '169.254.169.254/32': 'metadata',
  '169.254.170.2/32': 'metadata', // credentials of containers
  '169.254.170.23/32': 'metadata', // credentials of pods
  '100.100.100.200/32': 'metadata',
  '192.0.0.192/32': 'metadata',
  '168.63.129.16/32': 'metadata',
  '0.0.0.0/8': 'local',
  '127.0.0.0/8': 'local',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'private',
  '169.254.0.0/16': 'private',
  '172.16.0.0/12': 'private',
  '192.168.0.0/16': 'private',
});
const RANGES_V6 = blocks({
  'fd00:ec2::254/128': 'metadata',
  'fd00:ec2::23/128': 'metadata',
  'fd20:ce::254/128': 'metadata',
  '::/127': 'local', // unspecified and loopback
  'fc00::/7': 'private',
  'fe80::/10': 'private',
  'fec0::/10': 'private',
});
/** By how many bytes from the front the IPv4 address is found that a packet for such an address reaches. */
const CARRYING_V6: readonly [ReturnType<typeof ipaddr.parseCIDR>, number][] = [
  ...EMBEDDING_V6.map((block): [typeof block, number] => [block, 12]),
  [ipaddr.IPv6.parseCIDR('::/96'), 12],
  [ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'), 12],
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2],
];

/** The range of a host as the URL parser writes it (IPv4 with dots, IPv6 in brackets); undefined: it is public, or a name. */
export function rangeOf(host: string): AddressRange | undefined {
  if (host.startsWith('[')) return rangeOfV6(ipaddr.IPv6.parse(host.slice(1, -1)));
  return ipaddr.IPv4.isValidFourPartDecimal(host) ? rangeOfV4(ipaddr.IPv4.parse(host)) : undefined;
}

function rangeOfV4(address: ipaddr.IPv4): AddressRange | undefined {
  const found = RANGES_V4.find(([block]) => address.match(block as [ipaddr.IPv4, number]));
  return found?.[1] ?? (isPublicV4(address) ? undefined : 'special');
}

function rangeOfV6(address: ipaddr.IPv6): AddressRange | undefined {
  const found = RANGES_V6.find(([block]) => address.match(block as [ipaddr.IPv6, number]));
  if (found) return found[1];
  const carrying = CARRYING_V6.find(([block]) => address.match(block as [ipaddr.IPv6, number]));
  if (!carrying) return isPublicV6(address) ? undefined : 'special';
  const at = carrying[1];
  return rangeOfV4(new ipaddr.IPv4(address.toByteArray().slice(at, at + 4)));
}
