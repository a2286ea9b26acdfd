/** The images workload: pictures, a server that has them, and a list of hashes, made before the stack starts. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Options } from '../../options.js';
import type { BuiltIn } from '../built-in.js';
import { startOrigin } from './origin.js';
import { makeAllPictures } from './pictures.js';
import { withImagePolicies, writeHashList } from './policies.js';
import { runImages } from './session.js';

export async function setUpImages(options: Options, say: (line: string) => void): Promise<BuiltIn> {
  say('Making pictures …');
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-images-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const files = await makeAllPictures(folder);
    const lists = join(folder, 'hashes');
    mkdirSync(lists);
    writeHashList(lists);
    const origin = await startOrigin([...files.values()].flat());
    const decoders = Math.max(1, availableParallelism() - 1);
    const sources = { files, origin: origin.host };
    return {
      extra: {
        env: { WEIR_FETCH_ALLOW: origin.host, WEIR_DECODERS: String(decoders), WEIR_HASH_LISTS: lists },
        configure: withImagePolicies,
      },
      run: (bench) => runImages({ bench, options, decoders, sources, say }),
      close: async () => {
        await origin.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
