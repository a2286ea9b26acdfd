/**
 * API keys: `wk_`, 32 random bytes in base62 (43 characters), and the CRC-32 of those 43 characters (6 characters). Prefix and checksum
 * tell a key from a typing error. The service itself stores only the SHA-256 of a key.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'wk_';
const BODY = 43;
const CHECKSUM = 6;

/** The key of the sample configuration. It is public, so it is accepted on loopback only. */
export const DEMO_KEY = createKey(createHash('sha256').update('weir demo key').digest());
export const DEMO_KEY_SHA256 = hashKey(DEMO_KEY);

/** A key made of `bytes`, 32 bytes. */
export function createKey(bytes: Uint8Array = randomBytes(32)): string {
  if (bytes.length !== 32) throw new RangeError(`a key is made of 32 bytes, not ${bytes.length}`);
  const body = base62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), BODY);
  return PREFIX + body + base62(BigInt(crc32(body)), CHECKSUM);
}

/** Lower-case hexadecimal SHA-256 of the key as sent, as a configuration has it. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}
