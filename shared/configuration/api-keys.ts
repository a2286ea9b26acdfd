/**
 * API keys: `wk_` + 32 random bytes in base62 (43 characters) + CRC-32 of those 43 (6 characters). Prefix and checksum
 * let scanners and people tell a key from a typing error; the service itself knows keys by their SHA-256 alone.
 */
import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'wk_';
const BODY = 43;
const CHECKSUM = 6;

/** The key that the sample configuration comes with. Everybody knows it, so it is for loopback alone. */
export const DEMO_KEY = createKey(createHash('sha256').update('weir demo key').digest());
export const DEMO_KEY_SHA256 = hashKey(DEMO_KEY);

/** A key made of `bytes`, 32 of them. */
export function createKey(bytes: Uint8Array = randomBytes(32)): string {
  if (bytes.length !== 32) throw new RangeError(`a key is made of 32 bytes, not ${bytes.length}`);
  const body = base62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), BODY);
  return PREFIX + body + base62(BigInt(crc32(body)), CHECKSUM);
}

/** Whether `key` has the form of a key and its checksum fits. */
export function isWellFormedKey(key: string): boolean {
  if (!/^wk_[0-9A-Za-z]{49}$/.test(key)) return false;
  const body = key.slice(PREFIX.length, PREFIX.length + BODY);
  return base62(BigInt(crc32(body)), CHECKSUM) === key.slice(PREFIX.length + BODY);
}

/** Lower-case hexadecimal SHA-256 of the key as sent: what a configuration holds. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}

/** CRC-32 (ISO-HDLC, as in zip files) of an ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
