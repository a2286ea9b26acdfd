/** The header Idempotency-Key, and the fingerprint that a retry is recognised by. */
import { createHash, hash, webcrypto } from 'node:crypto';
import { ApiError } from '../../../shared/api/errors.js';
import { LIMITS } from '../../../shared/api/limits.js';
import type { Headers } from '../../http/headers.js';
import { LARGE_BODY } from '../../parse/body-parser.js';

const VISIBLE = /^[\x21-\x7e]+$/;

/** The 400 of an Idempotency-Key that is not valid: empty, too long, of other characters, or sent more than once. */
export function idempotencyKeyError({ idempotencyKey: key }: Headers): ApiError | undefined {
  if (key === undefined || (key.length <= LIMITS.idempotencyKeyCharacters && VISIBLE.test(key))) return undefined;
  const path = 'Idempotency-Key';
  const message = `expected once, with 1 to ${LIMITS.idempotencyKeyCharacters} visible ASCII characters`;
  return new ApiError('validation_failed', `The header ${path} is not valid: ${message}.`, {
    param: path,
    issues: [{ path, code: 'idempotency_key', message }],
  });
}

/** Hash of what a retry must repeat: route, environment or deployment, and the bytes of the body. */
export async function fingerprintOf(path: string, scope: string, body: Buffer): Promise<string> {
  // Hashing 32 MiB takes as long as many checks, so large bodies are hashed off the loop.
  const digest =
    body.length <= LARGE_BODY
      ? hash('sha256', body, 'buffer')
      : new Uint8Array(await webcrypto.subtle.digest('SHA-256', body));
  return createHash('sha256')
    .update(JSON.stringify([path, scope]))
    .update(digest)
    .digest('base64url');
}
