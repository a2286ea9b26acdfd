/**
 * Starts all that a worker needs to look at images: fetches, decoding processes, lists of known hashes, text recognition,
 * models, and their metrics. Bounds of memory in this process:
 *
 * - images by URL: 10 MiB for each that is held at once (the fetches allowed, and half as many again). One takes twice its
 *   size for a moment when it has arrived.
 * - inline images while their entry is held: what `WEIR_SLOW_BYTES` admits, as base64 and as bytes.
 * - cached images: 64 MiB.
 * - lists of known hashes: about 128 bytes a hash.
 * - pixels of images that are read or scored: for each image 4 MiB for text, and up to 3 MiB for each of 6 models. There are
 *   at most four more such images than four times the readers: 176 MiB with the default of one reader. One team has half of them.
 *
 * Bounds of memory of other processes:
 *
 * - decoding processes: 768 MiB each. A common image takes about 100 MiB.
 * - tesseract: as many processes as readers, 50 to 100 MiB each for an image of 4 megapixels.
 * - models: a process each, at most 6. Each takes about 120 MiB and its model, at most 1 GiB and four times the model.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { LIMITS } from '../../shared/api/limits.js';
import type { Logger } from '../../shared/log.js';
import { packageVersion } from '../../shared/paths.js';
import { loadSettings, type Settings } from '../../shared/settings.js';
import { createSlots } from '../../shared/slots.js';
import type { Registry } from '../../shared/telemetry.js';
import { confine } from '../child-process/confine.js';
import { createDecoder } from './decode/pool.js';
import { IMAGE_LIMITS } from './failure.js';
import { parseAllowList } from './fetch/address.js';
import { createFetcher } from './fetch/fetch.js';
import { createHashLists, type HashLists } from './known-lists/known-lists.js';
import { createMediaMetrics } from './meters.js';
import { createGatherer, type Gatherer } from './pipeline.js';
import { type Readers, startReaders } from './read/readers.js';

export interface ImageMedia extends Gatherer, Pick<Readers, 'models' | 'textMetrics'> {
  lists: HashLists;
  /** Ends what runs, and the processes. */
  close(): Promise<void>;
}

export const MEDIA_SETTINGS = [
  'fetchAllow',
  'fetches',
  'decoders',
  'hashLists',
  'ocrLanguages',
  'models',
  'confine',
  'readers',
  'slowBytes',
  'slowEntries',
  'maxAttempts',
] as const;
export type MediaSettings = Settings<(typeof MEDIA_SETTINGS)[number]>;

/** Fetches of a team from one host and port at once. A host that hangs blocks no others. */
const PER_HOST = 4;

/** Rejects when `WEIR_FETCH_ALLOW` (with an AllowListError) or `WEIR_OCR_LANGUAGES` cannot be read. */
export async function startMedia(
  settings: MediaSettings,
  tools: { logger: Logger; registry: Registry },
): Promise<ImageMedia> {
  const { fetches, readers: concurrency } = settings;
  const metrics = createMediaMetrics(tools.registry);
  // All images that may be looked at at once (`evaluator/room.ts`) fit into every queue here: what was admitted is not rejected later.
  const mostWaiting = 2 * settings.slowEntries * LIMITS.eventsPerBatch;
  const fetcher = createFetcher({
    allow: parseAllowList(settings.fetchAllow),
    version: packageVersion(),
    slots: { total: fetches, perHost: Math.min(PER_HOST, fetches), waiting: mostWaiting },
    observe: metrics.fetch,
  });
  const workers = settings.decoders > 0 ? settings.decoders : Math.max(1, availableParallelism() - 1);
  const held = fetches + Math.ceil(fetches / 2);
  // Waiting costs the decoder no memory: an image is held by its entry or by `room` anyway. A team may have half of the queue,
  // which is all that one team can hold of both.
  const waiting = { images: mostWaiting, bytes: 2 * settings.slowBytes + held * IMAGE_LIMITS.bytes };
  const confinement = confine({
    ...tools,
    wanted: settings.confine === 'auto',
    // The stores of `npm start`.
    hidden: [resolve(loadSettings(process.env, ['dataDir']).dataDir)],
  });
  const decoder = createDecoder({ workers, waiting, confinement, observe: metrics.decode });
  const room = createSlots({ total: held, perHost: Math.ceil(PER_HOST * 1.5), waiting: mostWaiting, spare: true });
  // One image is decoded while others are read.
  const reading = concurrency + 1;
  const images = 4 * reading;
  const readers = await startReaders(
    { languages: settings.ocrLanguages, models: settings.models, concurrency, images, confinement },
    tools,
  );
  // A team has as many for text and as many for models, which is half of all: another team need not wait for it.
  const places = createSlots({ total: images, perHost: reading, waiting: mostWaiting, spare: true });
  metrics.watch({ fetcher, decoder, room, places });
  const gatherer = createGatherer({
    fetcher,
    decoder,
    room,
    readers,
    places,
    decodeTries: settings.maxAttempts,
    observe: metrics.image,
    unplaced: metrics.unread,
  });
  const lists = createHashLists({ folder: settings.hashLists, ...tools });
  return {
    gather: gatherer.gather,
    lists,
    models: readers.models,
    textMetrics: readers.textMetrics,
    async close() {
      lists.stop();
      await Promise.all([decoder.close(), readers.close()]);
    },
  };
}
