/** Addresses of cryptocurrencies: Bitcoin and those of its kind by their checksums, Ethereum by its form. */
import { createHash } from 'node:crypto';
import { isWordAt } from '../../../engine/probes/characters.js';
import type { PiiSpan } from '../find.js';

/** Longest address: Bech32 has 90 characters at most. */
const LONGEST_ADDRESS = 90;
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VALUES: ReadonlyMap<string, number> = new Map([...BASE58].map((letter, value) => [letter, value]));

/** First bytes of addresses: Bitcoin, Litecoin, Dogecoin and Tron, scripts of the first two, and Bitcoin's test network. */
const VERSIONS = new Set([0x00, 0x05, 0x30, 0x32, 0x1e, 0x16, 0x41, 0x6f, 0xc4]);

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Base58Check: a version, 20 bytes, and the first four bytes of their double SHA-256. */
export function isBase58Address(text: string): boolean {
  if (text.length < 26 || text.length > 35) return false;
  const bytes = new Uint8Array(25);
  for (const letter of text) {
    let carry = VALUES.get(letter);
    if (carry === undefined) return false;
    for (let i = 24; i >= 0; i--) {
      carry += bytes[i]! * 58;
      bytes[i] = carry & 255;
      carry >>= 8;
    }
    if (carry > 0) return false;
  }
  // Each 1 in front stands for a byte of zero.
  const ones = /^1*/.exec(text)![0].length;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  if (ones !== zeros || !VERSIONS.has(bytes[0]!)) return false;
  const hash = sha256(sha256(bytes.subarray(0, 21)));
  return hash.subarray(0, 4).equals(bytes.subarray(21));
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** Of BIP 173, and of BIP 350 for witness versions from 1. */
const CONSTANTS = [1, 0x2bc830a3];

function polymod(values: readonly number[]): number {
  let check = 1;
  for (const value of values) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    for (let i = 0; i < 5; i++) if ((top >>> i) & 1) check ^= GENERATOR[i]!;
  }
  return check >>> 0;
}

/** A SegWit address of Bitcoin, its test network, or Litecoin. */
export function isSegwitAddress(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== text && text.toUpperCase() !== text) return false;
  const prefix = /^(?:bc|tb|ltc)(?=1)/.exec(lower)?.[0];
  if (!prefix || lower.length > LONGEST_ADDRESS || lower.length < prefix.length + 1 + 32) return false;
  const values: number[] = [];
  for (const letter of prefix) values.push(letter.charCodeAt(0) >> 5);
  values.push(0);
  for (const letter of prefix) values.push(letter.charCodeAt(0) & 31);
  const version = values.length;
  for (const letter of lower.slice(prefix.length + 1)) {
    const value = BECH32.indexOf(letter);
    if (value < 0) return false;
    values.push(value);
  }
  return polymod(values) === CONSTANTS[values[version] === 0 ? 0 : 1];
}

const ETHEREUM = /^0x[\da-f]{40}$/i;

/** The score of `text`, a word with a digit, as an address; 0: it is none. */
export function addressScore(text: string): number {
  const { length } = text;
  if (length < 26 || length > LONGEST_ADDRESS) return 0;
  if (length === 42 && ETHEREUM.test(text)) return /^0x(?:0{40}|f{40})$/i.test(text) ? 0 : 0.6;
  return isBase58Address(text) || isSegwitAddress(text) ? 1 : 0;
}

/** The word at `start`, if it is no longer than an address. */
export function wordAt(text: string, start: number): PiiSpan | undefined {
  let end = start;
  while (end - start <= LONGEST_ADDRESS && isWordAt(text, end)) end++;
  return end - start > LONGEST_ADDRESS ? undefined : { start, end };
}
