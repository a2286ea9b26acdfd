/** Blocks of IP addresses, such as 10.2.0.0/16. An address alone is a block of one. */
import ipaddr from 'ipaddr.js';

export interface AddressBlock {
  /** of its first address: 4 of IPv4, 16 of IPv6 */
  bytes: readonly number[];
  /** from the front, in which all of its addresses are alike */
  bits: number;
}

const WRITTEN = /^([0-9A-Fa-f.:]{2,39})(?:\/(\d{1,3}))?$/;

/** The bytes of an address; undefined: it is none, or an IPv4 address in the form of IPv6, which connections do not have. */
function bytesOf(address: string): number[] | undefined {
  if (!address.includes(':')) {
    return ipaddr.IPv4.isValidFourPartDecimal(address) ? ipaddr.IPv4.parse(address).toByteArray() : undefined;
  }
  if (address.includes('.') || !ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? undefined : parsed.toByteArray();
}

/** How many of the bits of `a` from the front are those of `b`. */
function alike(a: readonly number[], b: readonly number[]): number {
  for (const [i, byte] of a.entries()) {
    const other = byte ^ b[i]!;
    if (other !== 0) return 8 * i + Math.clz32(other) - 24;
  }
  return 8 * a.length;
}

/** Undefined: it is none. Bits behind those that count must be 0: who writes 10.2.3.4/16 may mean something else. */
export function blockOf(text: string): AddressBlock | undefined {
  const [, address = '', length] = WRITTEN.exec(text) ?? [];
  const bytes = bytesOf(address);
  if (!bytes) return undefined;
  const bits = length === undefined ? 8 * bytes.length : Number(length);
  if (bits > 8 * bytes.length) return undefined;
  const isFirst = bytes.every((byte, i) => (byte & (0xff >> Math.max(0, Math.min(8, bits - 8 * i)))) === 0);
  return isFirst ? { bytes, bits } : undefined;
}

/** Whether an address as connections have it is in one of `blocks`. */
export function isWithin(address: string, blocks: readonly AddressBlock[]): boolean {
  const bytes = bytesOf(address);
  return bytes !== undefined && blocks.some((block) => contains(block, { bytes, bits: 8 * bytes.length }));
}

export const contains = (outer: AddressBlock, inner: AddressBlock): boolean =>
  outer.bytes.length === inner.bytes.length &&
  outer.bits <= inner.bits &&
  alike(outer.bytes, inner.bytes) >= outer.bits;

/** The order in which a block stands before all that it contains, and these before all others. */
export function inOrder(a: AddressBlock, b: AddressBlock): number {
  if (a.bytes.length !== b.bytes.length) return a.bytes.length - b.bytes.length;
  const place = a.bytes.findIndex((byte, i) => byte !== b.bytes[i]);
  return place < 0 ? a.bits - b.bits : a.bytes[place]! - b.bytes[place]!;
}

/** Its first and its last address, as hosts are written in addresses of the web. */
export function edgesOf({ bytes, bits }: AddressBlock): [first: string, last: string] {
  const last = bytes.map((byte, i) => byte | (0xff >> Math.max(0, Math.min(8, bits - 8 * i))));
  const hostOf = (address: readonly number[]): string => {
    const text = ipaddr.fromByteArray([...address]).toString();
    return address.length === 4 ? text : `[${text}]`;
  };
  return [hostOf(bytes), hostOf(last)];
}
