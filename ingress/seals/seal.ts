/**
 * Seals: what numbered marks replace, encrypted for the API key of the check. Nothing of them is stored. Only ingress makes and opens them, since
 * the key comes with the request and stays there.
 *
 *     base64url of:  version (1 byte)  salt (16)  nonce (12)  ciphertext  tag (16)
 *
 * AES-256-GCM. Its key is HKDF-SHA-256 of the API key as it was sent, with a salt for each request, so that no two requests share a key. Version,
 * team and the id of the API key are authenticated, too. The plaintext is JSON: `[["CREDIT_CARD_1","4111 1111 1111 1111"],…]`.
 *
 * A newer format has another version, and a release opens its own and the one before.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { LIMITS } from '../../shared/api/limits.js';
import type { SealValues } from '../../shared/api/results/redaction.js';

const VERSION = 1;
const SALT = 16;
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + SALT + NONCE;
const CIPHER = 'aes-256-gcm';

/** Whose seals they are. */
export interface SealOwner {
  /** the API key as it was sent */
  token: string;
  team: string;
  /** id of the API key */
  key: string;
}

const keyFor = ({ token }: SealOwner, salt: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', token, salt, `weir seal ${VERSION}`, 32));

const boundTo = ({ team, key }: SealOwner): Buffer => Buffer.from(JSON.stringify([VERSION, team, key]));

/** Seals of one request. One that would be larger than `sealBytes` is undefined. The key is derived with the first one. */
export function createSealer(owner: SealOwner): SealValues {
  let salt: Buffer | undefined;
  let key: Uint8Array | undefined;
  return (values) => {
    const text = Buffer.from(JSON.stringify([...values]));
    if (Math.ceil(((HEAD + text.length + TAG) * 4) / 3) > LIMITS.sealBytes) return undefined;
    salt ??= randomBytes(SALT);
    key ??= keyFor(owner, salt);
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(owner));
    const sealed = [Buffer.of(VERSION), salt, nonce, cipher.update(text), cipher.final()];
    return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url');
  };
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** What a seal has, by mark without its brackets. Undefined: it is none, it was changed or cut, or it is of another version, team or API key. */
export function openSeal(owner: SealOwner, sealed: string): [mark: string, value: string][] | undefined {
  if (!BASE64URL.test(sealed)) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < HEAD + TAG || bytes[0] !== VERSION) return undefined;
  const key = keyFor(owner, bytes.subarray(1, 1 + SALT));
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1 + SALT, HEAD), { authTagLength: TAG });
  decipher.setAAD(boundTo(owner)).setAuthTag(bytes.subarray(bytes.length - TAG));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(HEAD, bytes.length - TAG)), decipher.final()]);
    return JSON.parse(text.toString()) as [string, string][];
  } catch {
    // Why is of no use to an honest caller, and an error of the parser would quote the values.
    return undefined;
  }
}
