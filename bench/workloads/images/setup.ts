/** What a session of images needs before the stack starts: the pictures, who serves them, a list of hashes. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Extra } from '../../installation/target.js';
import { startOrigin } from './origin.js';
import { withImagePolicies, writeHashList } from './policies.js';
import { type ImageSources, makeAllPictures } from './session.js';

export interface ImageSetup {
  sources: ImageSources;
  decoders: number;
  /** for the stack */
  extra: Extra;
  close(): Promise<void>;
}

export async function setUpImages(): Promise<ImageSetup> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-images-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const files = await makeAllPictures(folder);
    const origin = await startOrigin([...files.values()].flat());
    const lists = join(folder, 'hashes');
    mkdirSync(lists);
    writeHashList(lists);
    const decoders = Math.max(1, availableParallelism() - 1);
    return {
      sources: { files, origin: origin.host },
      decoders,
      extra: {
        env: { WEIR_FETCH_ALLOW: origin.host, WEIR_DECODERS: String(decoders), WEIR_HASH_LISTS: lists },
        configure: withImagePolicies,
      },
      async close() {
        await origin.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
