/**
 * The loops that read. Of one Redis, one loop reads all partitions with one command. In a Cluster a command may name one partition only, so
 * each partition that this worker reads has a loop, with a connection to the node that has it.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../shared/log.js';
import { isCluster, loudness, nodeOf, type Redis } from '../../shared/streams/client.js';
import { liveNames } from '../../shared/streams/fleet.js';
import { keys } from '../../shared/streams/keys.js';
import { MEMBERS_MS } from '../share.js';
import type { RawEntry } from './entry.js';
import type { HeldEntries } from './held.js';
import { openReader, type ReaderOptions, type WorkReader } from './reader.js';
import type { Turns } from './turns.js';

export interface ReadingOptions extends Omit<ReaderOptions, 'oneByOne' | 'partitions' | 'at'> {
  redis: Redis;
  /** how many there are now; it only grows */
  partitions(): number;
  bytes: number;
  logger: Logger;
}

export interface ReadingTools {
  held: HeldEntries;
  turns: Turns;
  running(): boolean;
  /** called with each turn of a loop, and when a read has returned */
  moved(): void;
  takeIn(entries: readonly RawEntry[]): void;
}

export interface Readings {
  /** Reads until the consumer stops. */
  loop(): Promise<void>;
  /** Ends reads that are under way. */
  close(): void;
}

/**
 * How long entries are left to workers that have a free slot. Another team waits this long while one team has every slot. Longer in
 * the slow lane, where reads go partition by partition.
 */
const LEFT_TO_OTHERS_MS = 4;
const ONE_BY_ONE_LEFT_MS = 20;
/** Workers that read a partition of a Cluster: where one comes or goes, the other reads on. */
const READERS = 2;
/** How often a worker asks for its share, until it is among the live ones. */
const NEW_MS = 100;

export function createReadings(options: ReadingOptions, tools: ReadingTools): Readings {
  return isCluster(options.redis) ? readShare(options, tools) : readAll(options, tools);
}

function readAll(options: ReadingOptions, tools: ReadingTools): Readings {
  let all: number[] = [];
  const partitions = (): readonly number[] => {
    const count = options.partitions();
    if (all.length !== count) all = Array.from({ length: count }, (_, p) => p);
    return all;
  };
  return createReading({ ...options, partitions, place: () => ({}) }, tools);
}

function readShare(options: ReadingOptions, tools: ReadingTools): Readings {
  const { redis, name, logger } = options;
  const readings = new Map<number, Readings>();

  function start(partition: number): void {
    const place = () => {
      const { host, port } = nodeOf(redis, keys.checks(partition))?.options ?? {};
      if (host === undefined || port === undefined)
        throw new Error('connection: no node of the Cluster has the partition');
      return { at: { host, port } };
    };
    const one = [partition];
    const running = (): boolean => tools.running() && readings.get(partition) === reading;
    const reading = createReading({ ...options, partitions: () => one, place }, { ...tools, running });
    readings.set(partition, reading);
    void reading.loop();
  }

  return {
    async loop() {
      while (tools.running()) {
        const names = await liveNames(redis, 'worker').catch((error: unknown) => {
          logger.debug({ error: String(error) }, 'the live workers are not known; the share stays');
          return undefined;
        });
        if (names) {
          const own = shareOf(name, names, options.partitions());
          for (const partition of own) if (!readings.has(partition)) start(partition);
          for (const [partition, reading] of readings) {
            if (own.has(partition)) continue;
            readings.delete(partition);
            reading.close();
          }
        }
        await sleep(names?.includes(name) ? MEMBERS_MS : NEW_MS);
      }
    },
    close() {
      for (const reading of readings.values()) reading.close();
    },
  };
}

/** The partitions that a worker reads among live ones: those for which it has one of the highest scores (rendezvous hashing). */
export function shareOf(name: string, names: readonly string[], partitions: number): Set<number> {
  const scored = (each: string, p: number): number => createHash('sha1').update(`${p} ${each}`).digest().readUInt32BE();
  const own = new Set<number>();
  if (!names.includes(name)) return own;
  for (let p = 0; p < partitions; p++) {
    const score = scored(name, p);
    const before = names.filter((other) => other !== name && scored(other, p) > score).length;
    if (before < READERS) own.add(p);
  }
  return own;
}

interface OneReading extends Omit<ReaderOptions, 'oneByOne' | 'at'>, Pick<ReadingOptions, 'bytes' | 'logger'> {
  /** where the partitions are now; throws where that is not known */
  place(): Pick<ReaderOptions, 'at'>;
}

/** Reads again and again until the consumer stops, with a new reader after each error. */
function createReading(options: OneReading, { held, turns, running, moved, takeIn }: ReadingTools): Readings {
  const oneByOne = Number.isFinite(options.bytes) && options.chunk === 1;
  let reader: WorkReader | undefined;
  return {
    async loop() {
      while (running()) {
        moved();
        try {
          reader ??= await openReader({ ...options, ...options.place(), oneByOne });
          await held.room();
          const idle = await turns.idle(oneByOne ? ONE_BY_ONE_LEFT_MS : LEFT_TO_OTHERS_MS);
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
      reader?.close();
    },
    close: () => reader?.close(),
  };
}
