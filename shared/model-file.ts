/**
 * The files of the models that Weir ships: constant data of the package, like its code. Their memory is shared by the threads of a
 * process, if the main thread read them before it started these.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { packageRoot } from './paths.js';

/** The classifiers of English and of other languages, and the tagger of names. */
export const MODEL_FILES = ['weir', 'languages', 'names'] as const;
export type ModelFileName = (typeof MODEL_FILES)[number];

/** Where they are, from the root of the package. */
const FOLDER = 'shared/policy/models/weights';

/** The bytes of a file. Throws where the package is not whole. */
export function readModelFile(name: ModelFileName): Uint8Array {
  const key = `weir:model:${name}`;
  const known: unknown = getEnvironmentData(key);
  if (known instanceof SharedArrayBuffer) return new Uint8Array(known);
  const file = readFileSync(join(packageRoot, FOLDER, `${name}.bin`));
  const shared = new SharedArrayBuffer(file.length);
  new Uint8Array(shared).set(file);
  setEnvironmentData(key, shared as never);
  return new Uint8Array(shared);
}
