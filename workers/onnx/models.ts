/**
 * The image models of an operator, for `onnx`: files NAME.onnx, each with its description NAME.yaml, in one folder. The
 * folder is checked every few seconds, and a file that changed is loaded without a restart.
 *
 * A model: absent → loading ── loaded ──> ready ── its process dies ──> loaded again by the next image
 *                      └ refused, too slow ──> absent, until its files change; a while later if they are not at fault
 *
 * Each model has a process of its own, with one inference at a time and one thread, so that a crash or a hang costs one
 * image and no other model. New files are loaded beside the model that runs, and replace it once they are known to work.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { repeat, within } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { createSlots } from '../../shared/slots.js';
import { type Confinement, UNCONFINED } from '../child-process/confine.js';
import { stampOf } from '../images/file-stamp.js';
import { MODEL_LIMITS, type ModelDescription, readModelDescription } from './file.js';
import { createModel, type Model, type ModelOptions } from './model.js';

/** How long a replaced model still takes the pixels that were made for it. */
const GRACE_MS = 30_000;
/** What a process may hold: this, and its model several times (the file, the form that the runtime makes of it, …). */
const BASE_MEMORY_BYTES = 1024 * 1024 * 1024;
const MODEL_COPIES = 4;
/** After how long a model is tried again whose files were not at fault. */
const RETRY_MS = 30_000;
const NAME = /^([a-z0-9][a-z0-9_.-]{0,63})\.onnx$/;

export interface Models {
  /** The model of that name, as its files are now; undefined where there is none that works. */
  get(name: string): LoadedModel | undefined;
  /** why models of the folder do not work, by name */
  problems(): ReadonlyMap<string, string>;
  counts(): { models: number; running: number; waiting: number };
  /** process ids, for tests and monitoring, in the order in which the models were found: by name at the start */
  pids(): number[];
  /** Looks at the folder now. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A model as it was when it was asked for: stays usable for a while after its files changed. */
export type LoadedModel = Pick<Model, 'rendition' | 'score'>;

export interface ModelsOptions {
  /** undefined: no models */
  folder: string | undefined;
  logger: Logger;
  /** inferences at once [1]; each uses one core */
  concurrency?: number;
  /** images that may wait [64] for a slot, and as many for a model that is loaded again; each holds up to 3 MiB */
  waiting?: number;
  /** milliseconds one inference may take [5,000] */
  limitMs?: number;
  /** milliseconds that loading a model and its first inference may take [60,000] */
  loadLimitMs?: number;
  /** resident bytes that a process may hold [1 GiB, and four times its model] */
  memoryBytes?: number;
  /** milliseconds that the start waits for models to load [20,000] */
  startMs?: number;
  /** how processes are started; default: with the rights of this one */
  confinement?: Confinement;
  /** how often the folder is checked [5,000 ms] */
  reloadMs?: number;
  /** called once a call of `score`; must not throw */
  observe?: ModelOptions['observe'];
}

/** What is known of one name. */
interface Entry {
  /** stamps of its files when they were last read */
  stamp: string;
  model: Model | undefined;
  problem: string | undefined;
  /** ms of the steady clock from which it is tried again though its files did not change */
  retryAt: number;
}

/**
 * Loads the models of the folder, logs which work and why others do not, and keeps watching. A model that takes long is not
 * waited for; it is there once it is loaded. Never rejects.
 */
export async function startModels(options: ModelsOptions): Promise<Models> {
  const { logger, concurrency = 1, waiting = 64, startMs = 20_000, reloadMs = 5000 } = options;
  const folder = options.folder === undefined ? undefined : resolve(options.folder);
  const slots = createSlots({ total: concurrency, perHost: 1, waiting });
  // Every image takes one of these, so there are as many as images that run or wait.
  const most = waiting + concurrency;
  const loading = createSlots({ total: most, perHost: most, waiting: 0 });
  const shelf = createShelf(options, { slots, loading });

  let looking: Promise<void> = Promise.resolve();
  // One look after the other: two at once would load a model twice.
  const reload = (): Promise<void> => {
    if (folder === undefined || shelf.isClosed()) return looking;
    const failed = (error: unknown): void => logger.error(`image models could not be looked at: ${String(error)}`);
    looking = looking.then(() => look(folder)).catch(failed);
    return looking;
  };
  const readNames = namesReader(logger);
  async function look(directory: string): Promise<void> {
    const names = await readNames(directory);
    // A folder that cannot be read for a moment must not end the models that run.
    if (names) await shelf.update(directory, names);
  }
  await within(reload(), { ms: startMs });
  const stop = folder === undefined ? () => undefined : repeat(reloadMs, reload);

  return {
    get: shelf.get,
    problems: shelf.problems,
    counts() {
      const { taken, waiting: inLine } = slots.counts();
      return { models: shelf.size(), running: taken, waiting: inLine + loading.counts().taken };
    },
    pids: shelf.pids,
    reload,
    async close() {
      stop();
      await shelf.close();
      await looking;
    },
  };
}

/** The models by name, and those that are on their way in or out. */
function createShelf(options: ModelsOptions, waiting: Pick<ModelOptions, 'slots' | 'loading'>) {
  const { logger } = options;
  const entries = new Map<string, Entry>();
  const load = modelLoader(options, waiting);
  const retired = createRetired();
  let closed = false;
  const all = (): Model[] => [...entries.values()].flatMap(({ model }) => model ?? []);

  function remove(name: string): void {
    const model = entries.get(name)?.model;
    entries.delete(name);
    if (model) retired.add(model);
    logger.info({ model: name }, 'image model removed');
  }

  function leaveOut(name: string): void {
    const before = entries.get(name);
    const problem = `a folder may hold ${MODEL_LIMITS.count} models, and others come before it by name`;
    if (before?.problem === problem) return;
    if (before?.model) retired.add(before.model);
    entries.set(name, { stamp: '', model: undefined, problem, retryAt: Number.POSITIVE_INFINITY });
    logger.error({ model: name }, `image model not loaded: ${problem}`);
  }

  async function refresh(directory: string, name: string): Promise<void> {
    const entry = entries.get(name) ?? { stamp: '', model: undefined, problem: undefined, retryAt: 0 };
    // Set before anything is waited for, so that models are in the order of their names.
    entries.set(name, entry);
    const files = { model: join(directory, `${name}.onnx`), description: join(directory, `${name}.yaml`) };
    const stamp = (await Promise.all([stampOf(files.model), stampOf(files.description)])).join();
    const due = entry.problem !== undefined && performance.now() >= entry.retryAt;
    if (stamp === entry.stamp && !due) return;
    const result = await load.one(name, files).catch((error: unknown) => notLoaded(String(error), false));
    entry.stamp = stamp;
    if (closed) return void (await result.model?.end());
    logLoad(options, name, entry, result);
    if (result.model && entry.model) retired.add(entry.model);
    Object.assign(entry, { model: result.model ?? entry.model, problem: result.problem, retryAt: result.retryAt });
  }

  return {
    isClosed: () => closed,
    get: (name: string) => entries.get(name)?.model,
    problems: () =>
      new Map([...entries].flatMap(([name, { problem }]) => (problem === undefined ? [] : [[name, problem]]))),
    size: () => all().length,
    pids: () => [...all(), ...retired.all()].flatMap((model) => model.pid() ?? []),
    /** Makes the models those of `names`, in alphabetical order. */
    async update(directory: string, names: readonly string[]): Promise<void> {
      for (const name of entries.keys()) if (!names.includes(name)) remove(name);
      for (const name of names.slice(MODEL_LIMITS.count)) leaveOut(name);
      await Promise.all(names.slice(0, MODEL_LIMITS.count).map((name) => refresh(directory, name)));
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all([...all().map((model) => model.end()), retired.close(), load.close()]);
    },
  };
}

/** `before`: what was known of the name until now. */
function logLoad(options: ModelsOptions, name: string, before: Entry, { model, problem, labels }: LoadResult): void {
  const { logger, concurrency = 1, limitMs = 5000 } = options;
  if (model) {
    logger.info({ model: name, labels, concurrency, limitMs }, 'image model loaded');
  } else if (problem !== before.problem) {
    const goesOn = before.model ? 'the one that was loaded before goes on' : 'detectors that name it cannot run';
    logger.error({ model: name }, `image model not loaded: ${problem}; ${goesOn}`);
  }
}

/** Models that others have replaced: each is ended after a while, when no pixels for it can come any more. */
function createRetired() {
  const timers = new Map<Model, NodeJS.Timeout>();
  return {
    add(model: Model): void {
      const timer = setTimeout(() => {
        timers.delete(model);
        void model.end();
      }, GRACE_MS).unref();
      timers.set(model, timer);
    },
    all: (): Model[] => [...timers.keys()],
    async close(): Promise<void> {
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...timers.keys()].map((model) => model.end()));
    },
  };
}

type LoadResult =
  | { model: Model; labels: number; problem?: undefined; retryAt: number }
  | { model?: undefined; labels?: undefined; problem: string; retryAt: number };

/** `lasting`: only other files help. */
function notLoaded(problem: string, lasting: boolean): LoadResult {
  return { problem, retryAt: lasting ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS };
}

/** Starts models from their files. */
function modelLoader(options: ModelsOptions, waiting: Pick<ModelOptions, 'slots' | 'loading'>) {
  const { logger, observe, limitMs = 5000, loadLimitMs = 60_000, confinement = UNCONFINED } = options;
  const pending = new Set<Model>();
  let generation = 0;
  let closed = false;
  return {
    async one(name: string, files: { model: string; description: string }): Promise<LoadResult> {
      const described = await describe(files.description, `${name}.yaml`);
      if (!described.ok) return notLoaded(described.problem, described.lasting);
      const found = await stat(files.model).catch(() => undefined);
      if (closed) return { problem: 'it is not needed any more', retryAt: 0 };
      if (!found) return { problem: 'its file has just been removed', retryAt: 0 };
      const { size, mtimeMs } = found;
      const memoryBytes = options.memoryBytes ?? BASE_MEMORY_BYTES + MODEL_COPIES * size;
      const key = `${name}#${generation++}`;
      const bounds = { ...waiting, key, limitMs, loadLimitMs, memoryBytes, confinement };
      const file = { path: files.model, size, mtimeMs };
      const model = createModel(file, described.description, { ...bounds, name, logger, observe });
      pending.add(model);
      const outcome = await model.loaded;
      pending.delete(model);
      if (outcome.ok) return { model, labels: described.description.output.labels.length, retryAt: 0 };
      await model.end();
      return notLoaded(outcome.message, outcome.lasting);
    },
    /** Ends what is being loaded. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all([...pending].map((model) => model.end()));
    },
  };
}

/** Reads the names of models in a folder, in alphabetical order; undefined when that fails. Logs each problem once. */
function namesReader(logger: Logger): (directory: string) => Promise<string[] | undefined> {
  let told = '';
  return async (directory) => {
    try {
      const names = (await readdir(directory)).flatMap((file) => NAME.exec(file)?.[1] ?? []).sort();
      told = '';
      return names;
    } catch (error) {
      const problem = `the folder of models ${directory} cannot be read: ${(error as Error).message}`;
      // Most installations have no models, and so no folder of them.
      const level = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'info' : 'error';
      if (problem !== told) logger[level](problem);
      told = problem;
      return undefined;
    }
  };
}

async function describe(
  path: string,
  file: string,
): Promise<{ ok: true; description: ModelDescription } | { ok: false; problem: string; lasting: boolean }> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > MODEL_LIMITS.descriptionBytes) {
      const problem = `${file}: expected at most ${MODEL_LIMITS.descriptionBytes} bytes, found ${size}`;
      return { ok: false, problem, lasting: true };
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    const problem = `its description ${file} cannot be read: ${(error as Error).message}`;
    return { ok: false, problem, lasting: false };
  }
  const result = readModelDescription(text, file);
  return result.ok ? result : { ok: false, problem: result.problems.join('; '), lasting: true };
}
