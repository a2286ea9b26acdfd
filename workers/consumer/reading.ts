/** The loop that reads: again and again until the consumer stops, with a new reader after each error. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isCluster, loudness } from '../../shared/streams/client.js';
import { type ClusterReaderOptions, createClusterReader } from './cluster-reader.js';
import type { RawEntry } from './entry.js';
import type { HeldEntries } from './held.js';
import { openReader, type WorkReader } from './reader.js';
import type { Turns } from './turns.js';

export interface ReadingOptions extends Omit<ClusterReaderOptions, 'oneByOne'> {
  /** most bytes of bodies that are held; with a limit and chunks of one entry, entries are read one by one */
  bytes: number;
}

export interface ReadingTools {
  held: HeldEntries;
  turns: Turns;
  running(): boolean;
  /** called with each turn of the loop, and when a read has returned */
  moved(): void;
  takeIn(entries: readonly RawEntry[]): void;
}

/**
 * How long entries are left to workers that have a free slot. Another team waits this long while one team has every slot. Longer in
 * the slow lane, where reads go partition by partition.
 */
const LEFT_TO_OTHERS_MS = 4;
const ONE_BY_ONE_LEFT_MS = 20;
/**
 * The same, added for each partition that a read names: it takes Redis a µs to look at one, and reading ahead is done again and again. So it takes
 * a twentieth of the time of Redis, however many there are.
 */
const LEFT_PER_PARTITION_MS = 1 / 50;

export function createReading(options: ReadingOptions, { held, turns, running, moved, takeIn }: ReadingTools) {
  const oneByOne = Number.isFinite(options.bytes) && options.chunk === 1;
  let reader: WorkReader | undefined;
  let all: readonly number[] = [];
  const partitions = (): readonly number[] => {
    const count = options.partitions();
    if (all.length !== count) all = Array.from({ length: count }, (_, p) => p);
    return all;
  };
  const inCluster = isCluster(options.redis);
  const leftMs = (): number =>
    oneByOne ? ONE_BY_ONE_LEFT_MS : LEFT_TO_OTHERS_MS + (inCluster ? 0 : partitions().length * LEFT_PER_PARTITION_MS);
  const open = async (): Promise<WorkReader> =>
    inCluster ? createClusterReader({ ...options, oneByOne }) : await openReader({ ...options, partitions, oneByOne });
  return {
    async loop(): Promise<void> {
      while (running()) {
        moved();
        try {
          reader ??= await open();
          await held.room();
          const idle = await turns.idle(leftMs());
          const entries = await reader.read(idle);
          moved();
          takeIn(entries);
        } catch (error) {
          if (!running()) break;
          options.logger[loudness(error)]({ error: String(error) }, 'reading work failed; connecting again');
          reader?.close();
          reader = undefined;
          await sleep(100 + Math.random() * 200);
        }
      }
    },
    /** Ends a read that is under way. */
    close(): void {
      reader?.close();
    },
  };
}
