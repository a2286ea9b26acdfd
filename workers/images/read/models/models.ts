/**
 * The image models of an operator, for `onnx`: files NAME.onnx, each with its description NAME.yaml, in one folder. The
 * folder is looked at again and again; a file that changed is loaded without a restart.
 *
 * A model: absent → loading ── loaded ──> ready ── its process dies ──> loaded again by the next image
 *                      └ refused, too slow ──> absent, until its files change or, when it was not the files, a while later
 *
 * Each model has a process of its own, one inference at a time and with one thread, so that a crash or a hang takes along
 * one image and no other model. New files are loaded beside what runs, and take its place once they are known to work;
 * otherwise what runs goes on.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { repeat, within } from '../../../../shared/async.js';
import type { Logger } from '../../../../shared/log.js';
import { createSlots } from '../../../../shared/slots.js';
import { type Confinement, UNCONFINED } from '../../child-process/confine.js';
import { MODEL_LIMITS, type ModelDescription, readModelDescription } from './file.js';
import { createModel, type Model, type ModelOptions } from './model.js';

/** How long pixels that were made for a model may still be given to it once another has taken its place. */
const GRACE_MS = 30_000;
/** What a process may hold besides its model, and how often the model: once as a file, once as the runtime has it, … */
const BASE_MEMORY_BYTES = 1024 * 1024 * 1024;
const MODEL_COPIES = 4;
/** When what failed by no fault of its files is tried again. */
const RETRY_MS = 30_000;
const NAME = /^([a-z0-9][a-z0-9_.-]{0,63})\.onnx$/;

export interface Models {
  /** The model of that name, as its files are now; undefined where there is none that works. */
  get(name: string): LoadedModel | undefined;
  /** why models of the folder do not work, by name */
  problems(): ReadonlyMap<string, string>;
  counts(): { models: number; running: number; waiting: number };
  /** process ids, for whoever watches them, in the order in which the models were found: by name at the start */
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
  /** images that may wait [64] for a place, and as many for a model that is loaded again; each holds up to 3 MiB */
  waiting?: number;
  /** milliseconds one inference may take [5,000] */
  limitMs?: number;
  /** milliseconds that loading a model and its first inference may take [60,000] */
  loadLimitMs?: number;
  /** resident bytes that a process may hold [1 GiB, and four times its model] */
  memoryBytes?: number;
  /** milliseconds after which the start waits no longer for models that are still loading [20,000] */
  startMs?: number;
  /** how processes are started; default: as this one */
  confinement?: Confinement;
  /** how often the folder is looked at [5,000 ms] */
  reloadMs?: number;
  /** called once a call of `score`; must not throw */
  observe?: ModelOptions['observe'];
}

/** What is known of one name. */
interface Entry {
  /** sizes and times of its files when they were last read */
  signature: string;
  model: Model | undefined;
  problem: string | undefined;
  /** Unix ms from which it is tried again though nothing changed */
  retryAt: number;
}

/**
 * Loads the models of the folder, says in the log which work and why others do not, and keeps watching. One that takes
 * long is not waited for: it is there when it is loaded. Never rejects.
 */
export async function startModels(options: ModelsOptions): Promise<Models> {
  const { logger, concurrency = 1, waiting = 64, limitMs = 5000, loadLimitMs = 60_000 } = options;
  const { confinement = UNCONFINED } = options;
  const folder = options.folder === undefined ? undefined : resolve(options.folder);
  const slots = createSlots({ total: concurrency, perHost: 1, waiting });
  // Everybody passes through, so as many as will find a place or a line at once.
  const most = waiting + concurrency;
  const loading = createSlots({ total: most, perHost: most, waiting: 0 });
  const entries = new Map<string, Entry>();
  const retired = new Map<Model, NodeJS.Timeout>();
  let folderProblem = '';
  let generation = 0;
  let closed = false;

  function retire(model: Model): void {
    const timer = setTimeout(() => {
      retired.delete(model);
      void model.end();
    }, GRACE_MS).unref();
    retired.set(model, timer);
  }

  async function names(directory: string): Promise<string[] | undefined> {
    try {
      const found = (await readdir(directory)).flatMap((file) => NAME.exec(file)?.[1] ?? []).sort();
      folderProblem = '';
      return found;
    } catch (error) {
      const problem = `the folder of models ${directory} cannot be read: ${(error as Error).message}`;
      // Most installations have no models, and so no folder of them.
      const level = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'info' : 'error';
      if (problem !== folderProblem) logger[level](problem);
      folderProblem = problem;
      // What runs goes on: a folder that cannot be read for a moment is no order to end it.
      return undefined;
    }
  }

  async function update(directory: string, name: string): Promise<void> {
    const entry = entries.get(name) ?? { signature: '', model: undefined, problem: undefined, retryAt: 0 };
    // Before anything is waited for: models are in the order of their names, whichever file is read first.
    entries.set(name, entry);
    const paths = { model: join(directory, `${name}.onnx`), description: join(directory, `${name}.yaml`) };
    const signature = (await Promise.all([signatureOf(paths.model), signatureOf(paths.description)])).join();
    const due = entry.problem !== undefined && performance.now() >= entry.retryAt;
    if (signature === entry.signature && !due) return;
    const result = await load(name, paths).catch(
      (error: unknown): LoadResult => ({ problem: String(error), retryAt: retryAt(false) }),
    );
    entry.signature = signature;
    if (closed) return void (await result.model?.end());
    entry.retryAt = result.retryAt;
    if (result.model) {
      if (entry.model) retire(entry.model);
      entry.model = result.model;
      logger.info({ model: name, labels: result.labels, concurrency, limitMs }, 'image model loaded');
    } else if (result.problem !== entry.problem) {
      const goesOn = entry.model ? 'the one that was loaded before goes on' : 'detectors that name it cannot run';
      logger.error({ model: name }, `image model not loaded: ${result.problem}; ${goesOn}`);
    }
    entry.problem = result.problem;
  }

  async function load(name: string, paths: { model: string; description: string }): Promise<LoadResult> {
    const described = await describe(paths.description, `${name}.yaml`);
    if (!described.ok) return { problem: described.problem, retryAt: retryAt(described.lasting) };
    const found = await stat(paths.model).catch(() => undefined);
    if (closed) return { problem: 'it is not needed any more', retryAt: 0 };
    if (!found) return { problem: 'its file has just been removed', retryAt: 0 };
    const { size, mtimeMs } = found;
    const memoryBytes = options.memoryBytes ?? BASE_MEMORY_BYTES + MODEL_COPIES * size;
    const key = `${name}#${generation++}`;
    const bounds = { slots, loading, key, limitMs, loadLimitMs, memoryBytes, confinement };
    const model = createModel({ path: paths.model, size, mtimeMs }, described.description, {
      ...bounds,
      name,
      logger,
      observe: options.observe,
    });
    pending.add(model);
    const outcome = await model.loaded;
    pending.delete(model);
    if (outcome.ok) return { model, labels: described.description.output.labels.length, retryAt: 0 };
    await model.end();
    return { problem: outcome.message, retryAt: retryAt(outcome.lasting) };
  }

  /** Loading now: ended when everything ends. */
  const pending = new Set<Model>();

  async function look(directory: string): Promise<void> {
    const found = await names(directory);
    if (!found) return;
    const kept = found.slice(0, MODEL_LIMITS.count);
    for (const [name, { model }] of entries) {
      if (found.includes(name)) continue;
      entries.delete(name);
      if (model) retire(model);
      logger.info({ model: name }, 'image model removed');
    }
    for (const name of found.slice(MODEL_LIMITS.count)) leaveOut(name);
    await Promise.all(kept.map((name) => update(directory, name)));
  }

  function leaveOut(name: string): void {
    const before = entries.get(name);
    const problem = `a folder may hold ${MODEL_LIMITS.count} models, and others come before it by name`;
    if (before?.problem === problem) return;
    if (before?.model) retire(before.model);
    entries.set(name, { signature: '', model: undefined, problem, retryAt: Number.POSITIVE_INFINITY });
    logger.error({ model: name }, `image model not loaded: ${problem}`);
  }

  let looking: Promise<void> = Promise.resolve();
  // One after the other: two looks at once would load a model twice.
  const reload = (): Promise<void> => {
    if (folder === undefined || closed) return looking;
    const failed = (error: unknown): void => logger.error(`image models could not be looked at: ${String(error)}`);
    looking = looking.then(() => look(folder)).catch(failed);
    return looking;
  };
  await within(reload(), { ms: options.startMs ?? 20_000 });
  const stop = folder === undefined ? () => undefined : repeat(options.reloadMs ?? 5000, reload);
  const all = (): Model[] => [...entries.values()].flatMap(({ model }) => model ?? []);

  return {
    get: (name) => entries.get(name)?.model,
    problems: () =>
      new Map([...entries].flatMap(([name, { problem }]) => (problem === undefined ? [] : [[name, problem]]))),
    counts() {
      const { taken, waiting: inLine } = slots.counts();
      return { models: all().length, running: taken, waiting: inLine + loading.counts().taken };
    },
    pids: () => [...all(), ...retired.keys()].flatMap((model) => model.pid() ?? []),
    reload,
    async close() {
      closed = true;
      stop();
      for (const timer of retired.values()) clearTimeout(timer);
      await Promise.all([...all(), ...retired.keys(), ...pending].map((model) => model.end()));
      await looking;
    },
  };
}

type LoadResult =
  | { model: Model; labels: number; problem?: undefined; retryAt: number }
  | { model?: undefined; problem: string; retryAt: number };

/** Unix ms; `lasting`: only other files help. */
const retryAt = (lasting: boolean): number => (lasting ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS);

/** Changes with the file, and with what its owner lets others do with it. */
async function signatureOf(path: string): Promise<string> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await stat(path);
    return `${size}:${mtimeMs}:${ctimeMs}:${ino}`;
  } catch {
    return 'absent';
  }
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
