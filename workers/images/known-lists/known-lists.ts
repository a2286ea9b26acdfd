/**
 * Lists of known hashes, by the names that policies use. The name of a list is that of its file in one folder.
 *
 *     unknown ──asked for──> loading ──> loaded ⇄ loading again: its file has changed and has settled
 *        ^                      └──> absent: there is no file that can be read; tried again when the file changes, and
 *        │                           after a while when the file is not at fault
 *        └── forgotten: nobody asked for it in an hour
 *
 * Only the first to ask for a list waits for it. The version before stays in use while a new one is written or read, and
 * when the new one is damaged or missing. A slip of the operator must not let known images pass.
 */
import { join } from 'node:path';
import { repeat } from '../../../shared/async.js';
import type { Logger } from '../../../shared/log.js';
import { programPath } from '../../../shared/paths.js';
import type { HashIndexData } from '../../../shared/pdq/hash-index.js';
import { createThreads } from '../../../shared/process/threads.js';
import { type CounterBy, metersOf, type Registry } from '../../../shared/telemetry.js';
import { NO_FILE, stampOf } from '../file-stamp.js';
import type { LoadedList } from './loader.js';

/** A list as every thread can search it. */
export interface SharedList {
  name: string;
  /** rises with each reading of the list */
  generation: number;
  data: HashIndexData;
}

export interface HashLists {
  /** Those of `names` that can be searched, in their order. Waits for lists that are asked for the first time. */
  get(names: readonly string[]): Promise<SharedList[]>;
  stop(): void;
}

export interface HashListsOptions {
  folder: string;
  logger: Logger;
  registry: Registry;
  /** how often files are checked [2 s] */
  lookMs?: number;
  /** after how long a list is tried again whose file was not at fault [30 s] */
  retryMs?: number;
  /** how long an unused list is kept [1 h] */
  keepMs?: number;
}

/** Lists that a worker keeps at most. */
const MOST_LISTS = 64;
const LOOK_MS = 2000;
const RETRY_MS = 30_000;
const KEEP_MS = 3_600_000;
const LOAD_LIMIT_MS = 120_000;
/** Lists that are read at a time: each takes a core for seconds. */
const LOADERS = 2;
const LOADER_IDLE_MS = 1000;

export function createHashLists(options: HashListsOptions): HashLists {
  const { folder, logger, registry, lookMs = LOOK_MS, retryMs = RETRY_MS, keepMs = KEEP_MS } = options;
  const kept = new Map<string, KnownList>();
  const loaders = createThreads({
    program: programPath('hash-list-loader'),
    threads: LOADERS,
    tasks: 1,
    idleMs: LOADER_IDLE_MS,
    onError: (error) => logger.error({ error: String(error) }, 'a thread that reads lists of known hashes ended'),
  });
  let generation = 0;
  let stopped = false;
  const full = fullNotice(logger);
  const loads = createListMetrics(registry, () => [...kept.values()]);

  const startList = (name: string): KnownList =>
    createList(name, {
      file: join(folder, name),
      retryMs,
      logger,
      loads,
      isStopped: () => stopped,
      load: async (file) => (await loaders.run(file, [], LOAD_LIMIT_MS)).result as LoadedList,
      nextGeneration: () => ++generation,
    });

  function forget(name: string): void {
    kept.delete(name);
    full.over();
    logger.info({ list: name }, 'a list of known hashes is not asked for any more, and was forgotten');
  }

  async function one(name: string): Promise<SharedList | undefined> {
    let list = kept.get(name);
    if (!list && kept.size >= MOST_LISTS) {
      full.tell(name);
      return undefined;
    }
    if (!list) {
      list = startList(name);
      kept.set(name, list);
    }
    return await list.get();
  }

  const stopLooking = repeat(lookMs, async () => {
    for (const [name, list] of kept) {
      if (performance.now() - list.askedAt() < keepMs) await list.refresh();
      else forget(name);
    }
  });

  return {
    async get(names) {
      const found = await Promise.all(names.map(one));
      return found.filter((list) => list !== undefined);
    },
    stop() {
      stopped = true;
      stopLooking();
      void loaders.end();
    },
  };
}

/** Logs once that a worker keeps no further lists, until there is room again. */
function fullNotice(logger: Logger) {
  let told = false;
  return {
    tell(name: string): void {
      if (told) return;
      told = true;
      const which = `a worker keeps ${MOST_LISTS} lists of known hashes; policies that use others cannot be evaluated`;
      logger.error({ list: name }, which);
    },
    over(): void {
      told = false;
    },
  };
}

/** One list: its file, and what was last read from it. */
type KnownList = ReturnType<typeof createList>;

interface ListOptions {
  file: string;
  retryMs: number;
  logger: Logger;
  loads: ListLoads;
  isStopped(): boolean;
  load(file: string): Promise<LoadedList>;
  nextGeneration(): number;
}

function createList(name: string, options: ListOptions) {
  const { file, retryMs, logger, loads } = options;
  let list: SharedList | undefined;
  const stamps = createStamps();
  /** ms of the steady clock */
  let askedAt = 0;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const found = await stampOf(file);
    if (options.isStopped() || !stamps.isDue(found)) return;
    const loaded = await read(options, found);
    if (options.isStopped()) return;
    const after = await stampOf(file);
    if (after !== found) {
      logger.warn({ list: name }, 'a list of known hashes changed while it was read; it is read again');
      stamps.changing(after);
      return;
    }
    stamps.read(found, loaded.ok || loaded.lasting ? Number.POSITIVE_INFINITY : performance.now() + retryMs);
    take(loaded);
  }

  function take(loaded: LoadedList): void {
    loads.inc({ outcome: loaded.ok ? 'loaded' : 'failed' });
    if (loaded.ok) {
      list = { name, generation: options.nextGeneration(), data: loaded.data };
      logger.info({ list: name, hashes: loaded.hashes }, 'a list of known hashes was read');
    } else {
      const stays = list ? 'the one before stays in use' : 'policies that use it cannot be evaluated';
      logger.error({ list: name, problem: loaded.problem }, `a list of known hashes cannot be used; ${stays}`);
    }
  }

  /** Looks at the file, and reads it if it has changed. One look at a time. */
  function refresh(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  return {
    /** The list as it can be searched now. Waits only for the first look at the file. */
    async get(): Promise<SharedList | undefined> {
      askedAt = performance.now();
      if (stamps.areUnseen()) await refresh();
      return list;
    },
    refresh,
    askedAt: (): number => askedAt,
    hashes: (): number => (list?.data.hashes.length ?? 0) / 8,
  };
}

/** Stamps of a file that was never looked at, and of one that was written to while it was read. */
const UNSEEN = 'never';
const CHANGING = 'changing';

/** Says by the stamps of a file when to read it. */
function createStamps() {
  /** when it was last read */
  let seen = UNSEEN;
  /** at the last look, if that was another one: perhaps it is being written */
  let changed = UNSEEN;
  /** ms of the steady clock from which it is read again though it has not changed */
  let retryAt = 0;
  return {
    areUnseen: (): boolean => seen === UNSEEN,
    isDue(found: string): boolean {
      if (found === seen) return performance.now() >= retryAt;
      // Half a list reads like a whole one. So a changed file is read once two looks have found it the same.
      const settled = seen === UNSEEN || found === changed;
      if (!settled) changed = found;
      return settled;
    },
    changing(after: string): void {
      seen = CHANGING;
      changed = after;
    },
    read(found: string, again: number): void {
      seen = found;
      retryAt = again;
    },
  };
}

async function read({ file, load }: ListOptions, stamp: string): Promise<LoadedList> {
  if (stamp === NO_FILE) return { ok: false, problem: 'there is no such file', lasting: true };
  return await load(file).catch(({ message }: Error) => ({ ok: false, problem: message, lasting: false }));
}

type ListLoads = CounterBy<'outcome', 'loaded' | 'failed'>;

function createListMetrics(registry: Registry, lists: () => readonly KnownList[]): ListLoads {
  const { counterBy, gauge } = metersOf(registry);
  const held = 'Known hashes that images are held against';
  gauge('weir_hash_list_hashes', held, () => lists().reduce((sum, list) => sum + list.hashes(), 0));
  const loads = 'Lists of known images that were read';
  return counterBy('outcome', ['loaded', 'failed'], 'weir_hash_list_loads_total', loads);
}
