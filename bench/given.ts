/** Files that the options of a benchmark name, or that it has made of them. */
import { cannotRead, readTextAtMost } from '../shared/files.js';

/** Far above every configuration and workload. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The text of a file. Throws a sentence that names it. */
export function readGiven(path: string): string {
  try {
    return readTextAtMost(path, MOST_BYTES);
  } catch (error) {
    throw cannotRead(path, error);
  }
}
