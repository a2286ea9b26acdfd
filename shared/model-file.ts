/**
 * The file of the models that Weir ships: constant data of the package, like its code. Its memory is shared by the threads of a
 * process, if the main thread read it before it started them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { packageRoot } from './paths.js';

/** Where it is, from the root of the package. */
const MODEL_FILE = 'shared/policy/models/weights/weir.bin';

const KEY = 'weir:model';

/** The bytes of the file. Throws where the package is not whole. */
export function readModelFile(): Uint8Array {
  const known: unknown = getEnvironmentData(KEY);
  if (known instanceof SharedArrayBuffer) return new Uint8Array(known);
  const file = readFileSync(join(packageRoot, MODEL_FILE));
  const shared = new SharedArrayBuffer(file.length);
  new Uint8Array(shared).set(file);
  setEnvironmentData(KEY, shared as never);
  return new Uint8Array(shared);
}
