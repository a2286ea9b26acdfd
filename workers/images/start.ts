/**
 * All that a worker needs to look at images: fetches, decoding processes, lists of known hashes, what reads their text and
 * what models say of them, and their metrics. Its bounds, in this process:
 *
 * - images by URL that are held at once (fetches and half as many again) times 10 MiB, one of which takes twice its size
 *   for a moment when it has arrived,
 * - inline images, as long as their entry is held: what `WEIR_SLOW_BYTES` lets in, as base64 and as bytes,
 * - images that were fetched and are kept to be asked about: 64 MiB,
 * - lists of known hashes: some 128 bytes a hash,
 * - pixels of images that are being read or scored: for each, 4 MiB for text and up to 3 MiB for each of 6 models, and
 *   there are at most twice as many as places, which are one more than readers: 88 MiB with the one of the default;
 *
 * and beside it:
 *
 * - the decoding processes, 768 MiB each, of which a common image takes some 100,
 * - as many processes of tesseract as readers: 50 to 100 MiB each for what is made of 4 megapixels,
 * - a process for each model, at most 6: some 120 MiB and the model, at most 1 GiB and four times the model.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { LIMITS } from '../../shared/api/limits.js';
import type { Logger } from '../../shared/log.js';
import { packageRoot } from '../../shared/paths.js';
import { loadSettings, type Settings } from '../../shared/settings.js';
import { createSlots } from '../../shared/slots.js';
import type { Registry } from '../../shared/telemetry.js';
import { confine } from './child-process/confine.js';
import { createDecoder } from './decode/pool.js';
import { IMAGE_LIMITS } from './failure.js';
import { parseAllowList } from './fetch/address.js';
import { createFetcher } from './fetch/fetch.js';
import { createHashLists, type HashLists } from './known-lists/known-lists.js';
import { createMediaMetrics } from './metrics.js';
import { createGatherer, type Gatherer } from './pipeline.js';
import { startReaders } from './read/readers.js';

export interface Media extends Gatherer {
  lists: HashLists;
  /** Ends what is under way, and the processes. */
  close(): Promise<void>;
}

export type MediaSettings = Settings<
  | 'fetchAllow'
  | 'fetches'
  | 'decoders'
  | 'hashLists'
  | 'ocrLanguages'
  | 'models'
  | 'confine'
  | 'readers'
  | 'slowBytes'
  | 'slowEntries'
  | 'maxAttempts'
>;

/** Fetches of a team from one host and port at once: a host that hangs keeps up only itself. */
const PER_HOST = 4;

function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Rejects when `WEIR_FETCH_ALLOW` (with an AllowListError) or `WEIR_OCR_LANGUAGES` cannot be read. */
export async function startMedia(
  settings: MediaSettings,
  tools: { logger: Logger; registry: Registry },
): Promise<Media> {
  const { fetches, readers: concurrency } = settings;
  const metrics = createMediaMetrics(tools.registry);
  // Who may look at images at once (`ImageRoom`) finds a place in every line here: none is turned away that was let in.
  const mostWaiting = 2 * settings.slowEntries * LIMITS.eventsPerBatch;
  const fetcher = createFetcher({
    allow: parseAllowList(settings.fetchAllow),
    version: packageVersion(),
    slots: { total: fetches, perHost: Math.min(PER_HOST, fetches), waiting: mostWaiting },
    observe: metrics.fetch,
  });
  const workers = settings.decoders > 0 ? settings.decoders : Math.max(1, availableParallelism() - 1);
  const held = fetches + Math.ceil(fetches / 2);
  // Images that wait are held by their entry or by `room`, whether the decoder knows of them or not. Half is a team's: bodies
  // as many as are read, and what it may hold of `room`.
  const waiting = { images: mostWaiting, bytes: 2 * settings.slowBytes + held * IMAGE_LIMITS.bytes };
  const confinement = confine({
    ...tools,
    wanted: settings.confine === 'auto',
    // What the stores of `npm start` hold.
    hidden: [resolve(loadSettings(process.env, ['dataDir']).dataDir)],
  });
  const decoder = createDecoder({ workers, waiting, confinement, observe: metrics.decode });
  const room = createSlots({ total: held, perHost: Math.ceil(PER_HOST * 1.5), waiting: mostWaiting, spare: true });
  const readers = await startReaders(
    { languages: settings.ocrLanguages, models: settings.models, concurrency, confinement },
    tools,
  );
  // One is decoded while as many as there are readers are read.
  const reading = concurrency + 1;
  const places = createSlots({ total: 2 * reading, perHost: reading, waiting: mostWaiting });
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
    async close() {
      lists.stop();
      await Promise.all([decoder.close(), readers.close()]);
    },
  };
}
