/**
 * The models of an operator, for `onnx`: files NAME.onnx, each with its description NAME.yaml, in one folder, and those of
 * texts with NAME.tokenizer.json. The folder is checked every few seconds, and a file that changed is loaded without a restart.
 *
 * A model: absent → loading ── loaded ──> ready ── its process dies ──> loaded again by the next call
 *                      └ refused, too slow ──> absent, until its files change; a while later if they are not at fault
 *
 * Each model has a process of its own, with one inference at a time and one thread, so that a crash or a hang costs one
 * image, or a few texts, and no other model. Teams take turns, and each leaves as many slots free as it holds: beside a team whose
 * models are slow, the models of another team go on. New files are loaded beside the model that runs, and replace it once they are known to work.
 */
import { join, resolve } from 'node:path';
import { repeat, within } from '../../shared/async.js';
import { createSlots } from '../../shared/slots.js';
import { stampOf } from '../images/file-stamp.js';
import { MODEL_LIMITS } from './file.js';
import {
  type AnyModel,
  type HeldModel,
  type LoadOptions,
  type ModelKind,
  type ModelLoadResult,
  modelLoader,
  namesReader,
  notLoaded,
} from './load.js';
import type { ImageModel, ModelTurns } from './model.js';
import type { TextModel } from './text-model.js';

/** How long a replaced model still takes the pixels that were made for it. */
const GRACE_MS = 30_000;
export interface Models {
  /** The model of images of that name, as its files are now; undefined where there is none that works. */
  get(name: string): LoadedModel | undefined;
  /** The same of texts. */
  text(name: string): LoadedTextModel | undefined;
  /** why models of the folder do not work, by name */
  problems(): ReadonlyMap<string, string>;
  /** of models of images, or of texts: those that are loaded; calls under way, and calls that wait */
  counts(of?: ModelKind): { models: number; running: number; waiting: number };
  /** process ids, for tests and monitoring, in the order in which the models were found: by name at the start */
  pids(): number[];
  /** Looks at the folder now. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A model as it was when it was asked for: stays usable for a while after its files changed. */
export type LoadedModel = Pick<ImageModel, 'rendition' | 'score'>;
export type LoadedTextModel = Pick<TextModel, 'labels' | 'score'>;

export interface ModelsOptions extends LoadOptions {
  /** undefined: no models */
  folder: string | undefined;
  /** models of images that infer at once for one team, and models of texts [1]; for all teams twice as many. Each uses one core */
  concurrency?: number;
  /** images that may wait [64] for a slot, and as many for a model that is loaded again; each holds up to 3 MiB */
  waiting?: number;
  /** milliseconds that the start waits for models to load [20,000] */
  startMs?: number;
  /** how often the folder is checked [5,000 ms] */
  reloadMs?: number;
  /** the models to load, by name [all] */
  only?: readonly string[];
}

/** What is known of one name. */
interface ModelEntry {
  /** stamps of its files when they were last read */
  stamp: string;
  held: HeldModel | undefined;
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
  const slots = createSlots({ total: 2 * concurrency, perHost: 1, waiting, spare: true });
  // Every image takes one of these, so there are as many as images that run or wait.
  const most = waiting + 2 * concurrency;
  const loading = createSlots({ total: most, perHost: most, waiting: 0 });
  const turns = { image: { slots, loading }, text: textTurns(concurrency) };
  const shelf = createShelf(options, turns);

  let looking: Promise<void> = Promise.resolve();
  // One look after the other: two at once would load a model twice.
  const reload = (): Promise<void> => {
    if (folder === undefined || shelf.isClosed()) return looking;
    const failed = (error: unknown): void => logger.error(`models could not be looked at: ${String(error)}`);
    looking = looking.then(() => look(folder)).catch(failed);
    return looking;
  };
  const readNames = namesReader(logger);
  async function look(directory: string): Promise<void> {
    const names = await readNames(directory);
    // A folder that cannot be read for a moment must not end the models that run.
    if (names)
      await shelf.update(
        directory,
        names.filter((name) => options.only?.includes(name) ?? true),
      );
  }
  await within(reload(), { ms: startMs });
  const stop = folder === undefined ? () => undefined : repeat(reloadMs, reload);

  return {
    get(name) {
      const held = shelf.get(name);
      return held?.kind === 'image' ? held.model : undefined;
    },
    text(name) {
      const held = shelf.get(name);
      return held?.kind === 'text' ? held.model : undefined;
    },
    problems: shelf.problems,
    counts(of = 'image') {
      const { taken, waiting: inLine } = turns[of].slots.counts();
      return { models: shelf.size(of), running: taken, waiting: inLine + turns[of].loading.counts().taken };
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

/** Who waits for texts is bounded by the room of entries (`evaluator/room.ts`). */
function textTurns(concurrency: number): ModelTurns {
  const any = Number.POSITIVE_INFINITY;
  return {
    slots: createSlots({ total: 2 * concurrency, perHost: 1, waiting: any, spare: true }),
    loading: createSlots({ total: any, perHost: any, waiting: 0 }),
  };
}

/** The models by name, and those that are on their way in or out. */
function createShelf(options: ModelsOptions, turns: Record<ModelKind, ModelTurns>) {
  const { logger } = options;
  const entries = new Map<string, ModelEntry>();
  const load = modelLoader(options, turns);
  const retired = createRetired();
  let closed = false;
  const all = (): HeldModel[] => [...entries.values()].flatMap(({ held }) => held ?? []);

  function remove(name: string): void {
    const held = entries.get(name)?.held;
    entries.delete(name);
    if (held) retired.add(held.model);
    logger.info({ model: name }, 'model removed');
  }

  function leaveOut(name: string): void {
    const before = entries.get(name);
    const problem = `a folder may hold ${MODEL_LIMITS.count} models, and others come before it by name`;
    if (before?.problem === problem) return;
    if (before?.held) retired.add(before.held.model);
    entries.set(name, { stamp: '', held: undefined, problem, retryAt: Number.POSITIVE_INFINITY });
    logger.error({ model: name }, `model not loaded: ${problem}`);
  }

  async function refresh(directory: string, name: string): Promise<void> {
    const entry = entries.get(name) ?? { stamp: '', held: undefined, problem: undefined, retryAt: 0 };
    // Set before anything is waited for, so that models are in the order of their names.
    entries.set(name, entry);
    const path = (end: string): string => join(directory, `${name}.${end}`);
    const files = { model: path('onnx'), description: path('yaml'), tokenizer: path('tokenizer.json') };
    const stamp = (await Promise.all(Object.values(files).map(stampOf))).join();
    const due = entry.problem !== undefined && performance.now() >= entry.retryAt;
    if (stamp === entry.stamp && !due) return;
    const result = await load.one(name, files).catch((error: unknown) => notLoaded(String(error), false));
    entry.stamp = stamp;
    if (closed) return void (await result.held?.model.end());
    logLoad(options, name, entry, result);
    if (result.held && entry.held) retired.add(entry.held.model);
    Object.assign(entry, { held: result.held ?? entry.held, problem: result.problem, retryAt: result.retryAt });
  }

  return {
    isClosed: () => closed,
    get: (name: string) => entries.get(name)?.held,
    problems: () =>
      new Map([...entries].flatMap(([name, { problem }]) => (problem === undefined ? [] : [[name, problem]]))),
    size: (of: ModelKind) => all().filter(({ kind }) => kind === of).length,
    pids: () => [...all().map(({ model }) => model), ...retired.all()].flatMap((model) => model.pid() ?? []),
    /** Makes the models those of `names`, in alphabetical order. */
    async update(directory: string, names: readonly string[]): Promise<void> {
      for (const name of entries.keys()) if (!names.includes(name)) remove(name);
      for (const name of names.slice(MODEL_LIMITS.count)) leaveOut(name);
      await Promise.all(names.slice(0, MODEL_LIMITS.count).map((name) => refresh(directory, name)));
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all([...all().map(({ model }) => model.end()), retired.close(), load.close()]);
    },
  };
}

/** `before`: what was known of the name until now. */
function logLoad(
  options: ModelsOptions,
  name: string,
  before: ModelEntry,
  { held, problem, labels }: ModelLoadResult,
): void {
  const { logger, concurrency = 1, limitMs = 5000 } = options;
  if (held) {
    logger.info({ model: name, of: held.kind, labels, concurrency, limitMs }, 'model loaded');
  } else if (problem !== before.problem) {
    const goesOn = before.held ? 'the one that was loaded before goes on' : 'detectors that name it cannot run';
    logger.error({ model: name }, `model not loaded: ${problem}; ${goesOn}`);
  }
}

/** Models that others have replaced: each is ended after a while, when no pixels for it can come any more. */
function createRetired() {
  const timers = new Map<AnyModel, NodeJS.Timeout>();
  return {
    add(model: AnyModel): void {
      const timer = setTimeout(() => {
        timers.delete(model);
        void model.end();
      }, GRACE_MS).unref();
      timers.set(model, timer);
    },
    all: (): AnyModel[] => [...timers.keys()],
    async close(): Promise<void> {
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...timers.keys()].map((model) => model.end()));
    },
  };
}
