/** What Redis keeps of versions that were applied before. */
import type { Redis } from '../../../shared/streams/client.js';
import { modelsNamedBy, type PackedModels, readPackedModel } from '../../../shared/streams/configuration.js';

/** A version that is named but not kept, as a whole or in part; the message says what there is, or what to do. */
export class NotKept extends Error {}

/** The models that a version names, as Redis has them. Throws {@link NotKept} where it has lost one. */
export async function keptModels(redis: Redis, version: number): Promise<PackedModels> {
  const models = new Map<string, Buffer>();
  for (const sha256 of await modelsNamedBy(redis, version)) {
    const packed = await readPackedModel(redis, sha256);
    if (!packed) throw new NotKept(`Redis has lost a model of version ${version} (${sha256}); apply its file instead`);
    models.set(sha256, packed);
  }
  return models;
}
