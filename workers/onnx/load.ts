/** Finds models in a folder, and loads them. */
import { readdir, stat } from 'node:fs/promises';
import { type FileError, readTextAtMost } from '../../shared/files.js';
import type { Logger } from '../../shared/log.js';
import { type Confinement, UNCONFINED } from '../child-process/confine.js';
import { MODEL_LIMITS, type ModelDescription, readModelDescription } from './file.js';
import { createImageModel, type ImageModel, type ModelTurns, type ScoreEvent } from './model.js';
import { createTextModel, type TextModel, type TextsEvent } from './text-model.js';
import type { ModelPath } from './types.js';

/** What a process may hold: this, and its model several times (the file, the form that the runtime makes of it, …). */
const BASE_MEMORY_BYTES = 1024 * 1024 * 1024;
const MODEL_COPIES = 4;
/** After how long a model is tried again whose files were not at fault. */
const RETRY_MS = 30_000;
const NAME = /^([a-z0-9][a-z0-9_.-]{0,63})\.onnx$/;

export type ModelKind = 'image' | 'text';
/** A model of either kind, while nobody asks it. */
export type HeldModel = { kind: 'image'; model: ImageModel } | { kind: 'text'; model: TextModel };

export interface LoadOptions {
  logger: Logger;
  /** milliseconds one inference may take [5,000] */
  limitMs?: number;
  /** milliseconds that loading a model and its first inference may take [60,000] */
  loadLimitMs?: number;
  /** resident bytes that a process may hold [1 GiB, and four times its model] */
  memoryBytes?: number;
  /** how processes are started; default: with the rights of this one */
  confinement?: Confinement;
  /** called once a call of `score` of an image; must not throw */
  observe?: (event: ScoreEvent) => void;
  /** the same for each request of texts */
  observeTexts?: (event: TextsEvent) => void;
}

export type AnyModel = Pick<ImageModel, 'loaded' | 'pid' | 'end'>;

export type ModelLoadResult =
  | { held: HeldModel; labels: number; problem?: undefined; retryAt: number }
  | { held?: undefined; labels?: undefined; problem: string; retryAt: number };

/** `lasting`: only other files help. */
export function notLoaded(problem: string, lasting: boolean): ModelLoadResult {
  return { problem, retryAt: lasting ? Number.POSITIVE_INFINITY : performance.now() + RETRY_MS };
}

/** Starts models from their files. */
export function modelLoader(options: LoadOptions, turns: Record<ModelKind, ModelTurns>) {
  const { logger, observe, observeTexts, limitMs = 5000, loadLimitMs = 60_000, confinement = UNCONFINED } = options;
  const pending = new Set<AnyModel>();
  let generation = 0;
  let closed = false;
  return {
    async one(
      name: string,
      files: { model: string; description: string; tokenizer: string },
    ): Promise<ModelLoadResult> {
      const described = describe(files.description, `${name}.yaml`);
      if (!described.ok) return notLoaded(described.problem, described.lasting);
      const { description } = described;
      const [file, tokenizer] = await Promise.all([pathOf(files.model), pathOf(files.tokenizer)]);
      if (closed) return { problem: 'it is not needed any more', retryAt: 0 };
      if (!file) return { problem: 'its file has just been removed', retryAt: 0 };
      const ofTexts = 'text' in description;
      if (ofTexts && !tokenizer) return notLoaded(`its tokenizer ${name}.tokenizer.json is not there`, false);
      const memoryBytes = options.memoryBytes ?? BASE_MEMORY_BYTES + MODEL_COPIES * file.size;
      const key = `${name}#${generation++}`;
      const bounds = { key, limitMs, loadLimitMs, memoryBytes, confinement, name, logger };
      const held: HeldModel = ofTexts
        ? {
            kind: 'text',
            model: createTextModel({ model: file, tokenizer: tokenizer! }, description, {
              ...turns.text,
              ...bounds,
              observe: observeTexts,
            }),
          }
        : { kind: 'image', model: createImageModel(file, description, { ...turns.image, ...bounds, observe }) };
      pending.add(held.model);
      const outcome = await held.model.loaded;
      pending.delete(held.model);
      if (outcome.ok) return { held, labels: description.output.labels.length, retryAt: 0 };
      await held.model.end();
      return notLoaded(outcome.message, outcome.lasting);
    },
    /** Ends what is being loaded. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all([...pending].map((model) => model.end()));
    },
  };
}

async function pathOf(path: string): Promise<ModelPath | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && { path, size: found.size, mtimeMs: found.mtimeMs };
}

/** Reads the names of models in a folder, in alphabetical order; undefined when that fails. Logs each problem once. */
export function namesReader(logger: Logger): (directory: string) => Promise<string[] | undefined> {
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

function describe(
  path: string,
  file: string,
): { ok: true; description: ModelDescription } | { ok: false; problem: string; lasting: boolean } {
  let text: string;
  try {
    text = readTextAtMost(path, MODEL_LIMITS.descriptionBytes);
  } catch (error) {
    const problem = `its description ${file} cannot be read: ${(error as Error).message}`;
    return { ok: false, problem, lasting: (error as FileError).code === undefined };
  }
  const result = readModelDescription(text, file);
  return result.ok ? result : { ok: false, problem: result.problems.join('; '), lasting: true };
}
