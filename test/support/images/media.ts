/** What looks at images, as a worker has it, for origins of a test. Models are in the folder `models` of its folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '#weir/shared/log';
import { loadSettings } from '#weir/shared/settings';
import { Registry } from '#weir/shared/telemetry';
import { type ImageMedia, type MediaSettings, startMedia } from '#weir/workers/images/start';

export interface TestMedia extends ImageMedia {
  registry: Registry;
  /** folder of the lists of known hashes */
  folder: string;
}

export async function startTestMedia(settings: Partial<MediaSettings> = {}): Promise<TestMedia> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-hashes-'));
  const registry = new Registry();
  const media = await startMedia(
    { ...loadSettings({}), decoders: 1, hashLists: folder, models: join(folder, 'models'), ...settings },
    { logger: createLogger('test', 'silent'), registry },
  );
  return {
    ...media,
    registry,
    folder,
    async close() {
      await media.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
