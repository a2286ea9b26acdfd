/**
 * Lists of known hashes, by the names that policies use: a name is that of a file in one folder. A list goes through
 *
 *     unknown ──asked for──> loading ──> loaded ⇄ loading again (its file has changed)
 *                               └──> absent: no file, or none that can be read; looked at again when the file changes
 *
 * Who asks first waits for the first loading; after that nobody waits. While a new version is read, and when it turns out to
 * be damaged or its file is gone, the one before stays: a slip of the operator's must not make known images pass.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../shared/log.js';
import type { HashIndexData } from '../../shared/policy/hash-index.js';
import { repeat } from '../../shared/repeat.js';
import { Counter, Gauge, type Registry } from '../../shared/telemetry.js';
import type { LoadedList } from './hash-list-loader.js';

/** A list as every thread can search it. */
export interface SharedList {
  name: string;
  /** another one each time the list is read */
  generation: number;
  data: HashIndexData;
}

export interface HashLists {
  /** Those of `names` that can be searched, in their order; waits for lists that are asked for the first time. */
  get(names: readonly string[]): Promise<SharedList[]>;
  stop(): void;
}

export interface HashListsOptions {
  folder: string;
  logger: Logger;
  registry: Registry;
  /** how often files are looked at [2 s] */
  lookMs?: number;
}

/** Lists that a worker keeps. */
const MOST_LISTS = 64;
const LOOK_MS = 2000;
const LOAD_LIMIT_MS = 120_000;
const PROGRAM = new URL('./hash-list-loader.js', import.meta.url);

interface Kept {
  list: SharedList | undefined;
  /** what the file was when it was read last: a changed file has another one */
  seen: string;
  loading: Promise<void> | undefined;
}

export function createHashLists({ folder, logger, registry, lookMs = LOOK_MS }: HashListsOptions): HashLists {
  const kept = new Map<string, Kept>();
  const loaders = new Set<Worker>();
  let generation = 0;
  let stopped = false;
  const loads = new Counter({
    name: 'weir_hash_list_loads_total',
    help: 'Lists of known hashes that were read, by outcome',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  new Gauge({
    name: 'weir_hash_list_hashes',
    help: 'Known hashes that images are held against, in all lists that are in use',
    registers: [registry],
    collect() {
      let hashes = 0;
      for (const { list } of kept.values()) hashes += (list?.data.hashes.length ?? 0) / 8;
      this.set(hashes);
    },
  });

  async function look(name: string, entry: Kept): Promise<void> {
    const file = join(folder, name);
    const seen = await stamp(file);
    if (seen === entry.seen || stopped) return;
    const loaded: LoadedList =
      seen === ''
        ? { ok: false, problem: 'there is no such file' }
        : await load(file, loaders).catch((error: Error) => ({ ok: false, problem: error.message }));
    // Written to while it was read: the next look reads it again.
    entry.seen = seen === (await stamp(file)) ? seen : '?';
    if (stopped) return;
    loads.inc({ outcome: loaded.ok ? 'loaded' : 'failed' });
    if (loaded.ok) {
      entry.list = { name, generation: ++generation, data: loaded.data };
      logger.info({ list: name, hashes: loaded.hashes }, 'a list of known hashes was read');
    } else {
      const stays = entry.list ? 'the one before stays in use' : 'policies that use it cannot be evaluated';
      logger.error({ list: name, problem: loaded.problem }, `a list of known hashes cannot be used; ${stays}`);
    }
  }

  /** One look at a time for each list. */
  function refresh(name: string, entry: Kept): Promise<void> {
    entry.loading ??= look(name, entry).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  }

  const stopLooking = repeat(lookMs, async () => {
    for (const [name, entry] of kept) await refresh(name, entry);
  });

  async function one(name: string): Promise<SharedList | undefined> {
    let entry = kept.get(name);
    if (!entry) {
      if (kept.size >= MOST_LISTS) return undefined;
      entry = { list: undefined, seen: UNSEEN, loading: undefined };
      kept.set(name, entry);
    }
    if (entry.seen === UNSEEN) await refresh(name, entry);
    return entry.list;
  }

  return {
    async get(names) {
      const found = await Promise.all(names.map(one));
      return found.filter((list) => list !== undefined);
    },
    stop() {
      stopped = true;
      stopLooking();
      for (const loader of loaders) void loader.terminate();
    },
  };
}

const UNSEEN = 'never';

/** Changes with the file; empty where there is none. */
async function stamp(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}

function load(file: string, loaders: Set<Worker>): Promise<LoadedList> {
  return new Promise((resolve, reject) => {
    const loader = new Worker(PROGRAM, { workerData: { file } });
    loaders.add(loader);
    const timer = setTimeout(() => void loader.terminate(), LOAD_LIMIT_MS);
    loader.once('message', resolve);
    loader.once('error', reject);
    loader.once('exit', () => {
      clearTimeout(timer);
      loaders.delete(loader);
      reject(new Error('reading the list was ended'));
    });
  });
}
