/** Models of texts as Redis holds them: packed, since most of their weights are alike. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateSync, inflate } from 'node:zlib';
import { MAX_MODEL_BYTES, readHeader } from './format.js';

const inflated = promisify(inflate);

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const packModel = (bytes: Uint8Array): Buffer => deflateSync(bytes);

/** The file in memory that threads share. Rejects with an `Error` that says why it cannot be used. */
export async function unpackModel(packed: Uint8Array, sha256: string): Promise<SharedArrayBuffer> {
  const file = await inflated(packed, { maxOutputLength: MAX_MODEL_BYTES }).catch(() => undefined);
  if (!file || sha256Of(file) !== sha256) throw new Error('what Redis has of it is damaged');
  readHeader(file);
  const shared = new SharedArrayBuffer(file.length);
  new Uint8Array(shared).set(file);
  return shared;
}
