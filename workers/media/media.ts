/**
 * All that a worker needs to look at images: fetches, decoding processes, lists of known hashes, and their metrics. Its
 * bounds: images by URL that are held at once (fetches and half as many again) times 10 MiB, what waits for the decoder
 * (128 MiB), and the decoding processes (768 MiB each, of which a common image takes some 100).
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../shared/log.js';
import { packageRoot } from '../../shared/paths.js';
import type { Settings } from '../../shared/settings.js';
import type { Registry } from '../../shared/telemetry.js';
import { parseAllowList } from './address.js';
import { createDecoder } from './decode.js';
import { createFetcher } from './fetch.js';
import { createGatherer, type Gatherer } from './gather.js';
import { createHashLists, type HashLists } from './hash-lists.js';
import { createMediaMetrics } from './metrics.js';
import { createSlots } from './slots.js';

export interface Media extends Gatherer {
  lists: HashLists;
  /** Ends what is under way, and the processes. */
  close(): Promise<void>;
}

export type MediaSettings = Settings<'fetchAllow' | 'fetches' | 'decoders' | 'hashLists' | 'maxAttempts'>;

/** Fetches from one host and port at once: a host that hangs keeps up only itself. */
const PER_HOST = 4;
const MOST_WAITING = 4096;

function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Throws an AllowListError when `WEIR_FETCH_ALLOW` cannot be read. */
export function createMedia(settings: MediaSettings, tools: { logger: Logger; registry: Registry }): Media {
  const { fetches } = settings;
  const metrics = createMediaMetrics(tools.registry);
  const fetcher = createFetcher({
    allow: parseAllowList(settings.fetchAllow),
    version: packageVersion(),
    slots: { total: fetches, perHost: Math.min(PER_HOST, fetches), waiting: MOST_WAITING },
    observe: metrics.fetch,
  });
  const workers = settings.decoders > 0 ? settings.decoders : Math.max(1, availableParallelism() - 1);
  const decoder = createDecoder({ workers, observe: metrics.decode });
  const held = fetches + Math.ceil(fetches / 2);
  const room = createSlots({ total: held, perHost: Math.ceil(PER_HOST * 1.5), waiting: MOST_WAITING });
  metrics.watch({ fetcher, decoder, room });
  const gatherer = createGatherer({
    fetcher,
    decoder,
    room,
    decodeTries: settings.maxAttempts,
    observe: metrics.image,
  });
  const lists = createHashLists({ folder: settings.hashLists, ...tools });
  return {
    gather: gatherer.gather,
    lists,
    async close() {
      lists.stop();
      await decoder.close();
    },
  };
}
