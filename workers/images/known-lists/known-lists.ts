/**
 * Lists of known hashes, by the names that policies use: a name is that of a file in one folder. A list goes through
 *
 *     unknown ──asked for──> loading ──> loaded ⇄ loading again (its file has changed, and is left alone since)
 *        ^                      └──> absent: no file, or none that can be read; read again when the file changes, and
 *        │                           after a while when it was not the file's fault
 *        └── forgotten: nobody asked for it in an hour
 *
 * Who asks first waits for the first loading; after that nobody waits. While a new version is written or read, and when it
 * turns out to be damaged or its file is gone, the one before stays: a slip of the operator's, such as copying over the
 * file, must not make known images pass.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { repeat } from '../../../shared/async.js';
import type { Logger } from '../../../shared/log.js';
import type { HashIndexData } from '../../../shared/pdq/hash-index.js';
import { Counter, Gauge, type Registry } from '../../../shared/telemetry.js';
import type { LoadedList } from './loader.js';

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
  /** after which what failed by no fault of the file is tried again [30 s] */
  retryMs?: number;
  /** how long a list is kept that nobody asks for [1 h] */
  keepMs?: number;
}

/** Lists that a worker keeps. */
const MOST_LISTS = 64;
const LOOK_MS = 2000;
const RETRY_MS = 30_000;
const KEEP_MS = 3_600_000;
const LOAD_LIMIT_MS = 120_000;
const PROGRAM = new URL('./loader.js', import.meta.url);

interface Kept {
  list: SharedList | undefined;
  /** what the file was when it was read last: a changed file has another one */
  seen: string;
  /** what it was at the last look, when that was something else: perhaps it is being written */
  changed: string;
  /** ms of the steady clock from which it is read again though it has not changed */
  retryAt: number;
  /** ms of the steady clock */
  askedAt: number;
  loading: Promise<void> | undefined;
}

export function createHashLists(options: HashListsOptions): HashLists {
  const { folder, logger, registry, lookMs = LOOK_MS, retryMs = RETRY_MS, keepMs = KEEP_MS } = options;
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
  // From the start, so that a first failure shows as an increase: a file that is not there fails once.
  for (const outcome of ['loaded', 'failed']) loads.inc({ outcome }, 0);
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
    const found = await stamp(file);
    if (stopped || (found === entry.seen && performance.now() < entry.retryAt)) return;
    // Half a list reads like a whole one: what has changed is read once two looks found it the same.
    if (entry.seen !== UNSEEN && found !== entry.seen && found !== entry.changed) {
      entry.changed = found;
      return;
    }
    const loaded = await read(file, found);
    if (stopped) return;
    const after = await stamp(file);
    if (after !== found) {
      logger.warn({ list: name }, 'a list of known hashes changed while it was read; it is read again');
      entry.seen = CHANGING;
      entry.changed = after;
      return;
    }
    entry.seen = found;
    entry.retryAt = loaded.ok || loaded.lasting ? Number.POSITIVE_INFINITY : performance.now() + retryMs;
    loads.inc({ outcome: loaded.ok ? 'loaded' : 'failed' });
    if (loaded.ok) {
      entry.list = { name, generation: ++generation, data: loaded.data };
      logger.info({ list: name, hashes: loaded.hashes }, 'a list of known hashes was read');
    } else {
      const stays = entry.list ? 'the one before stays in use' : 'policies that use it cannot be evaluated';
      logger.error({ list: name, problem: loaded.problem }, `a list of known hashes cannot be used; ${stays}`);
    }
  }

  async function read(file: string, found: string): Promise<LoadedList> {
    if (found === NO_FILE) return { ok: false, problem: 'there is no such file', lasting: true };
    return await load(file, loaders).catch(({ message }: Error) => ({ ok: false, problem: message, lasting: false }));
  }

  /** One look at a time for each list. */
  function refresh(name: string, entry: Kept): Promise<void> {
    entry.loading ??= look(name, entry).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  }

  const stopLooking = repeat(lookMs, async () => {
    for (const [name, entry] of kept) {
      if (performance.now() - entry.askedAt < keepMs) await refresh(name, entry);
      else forget(name);
    }
  });

  function forget(name: string): void {
    kept.delete(name);
    full = false;
    logger.info({ list: name }, 'a list of known hashes is not asked for any more, and was forgotten');
  }

  let full = false;
  /** Said once, until there is room again. */
  function leaveOut(name: string): void {
    if (full) return;
    full = true;
    const which = `a worker keeps ${MOST_LISTS} lists of known hashes; policies that use others cannot be evaluated`;
    logger.error({ list: name }, which);
  }

  async function one(name: string): Promise<SharedList | undefined> {
    let entry = kept.get(name);
    if (!entry) {
      if (kept.size >= MOST_LISTS) {
        leaveOut(name);
        return undefined;
      }
      entry = { list: undefined, seen: UNSEEN, changed: UNSEEN, retryAt: 0, askedAt: 0, loading: undefined };
      kept.set(name, entry);
    }
    entry.askedAt = performance.now();
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

/** Stamps of a file that was never looked at, of one that was written to while it was read, and of none. */
const UNSEEN = 'never';
const CHANGING = 'changing';
const NO_FILE = '';

/** Changes with the file, and with what its owner lets others do with it. */
async function stamp(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return NO_FILE;
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
