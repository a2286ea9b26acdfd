/**
 * A thread that reads lists of known hashes, indexes them in shared memory and hands them over. A million hashes take
 * about two seconds, which would block another thread.
 */
import { type FileError, readFileAtMost } from '../../../shared/files.js';
import { buildHashIndex, type HashIndexData } from '../../../shared/pdq/hash-index.js';
import { MAX_LIST_BYTES, parseHashList } from '../../../shared/pdq/hash-list.js';

export type LoadedList =
  | { ok: true; data: HashIndexData; hashes: number }
  /** `lasting`: the file is at fault, and reading it again does not help */
  | { ok: false; problem: string; lasting: boolean };

async function load(file: string): Promise<LoadedList> {
  const bytes = readFileAtMost(file, MAX_LIST_BYTES);
  // A program that overwrites the file begins by emptying it.
  if (bytes.length === 0) return broken('it is empty; a list without hashes has a line such as "# none"');
  const read = parseHashList(bytes, { shared: true });
  if (!read.ok) {
    const [first] = read.problems;
    return broken(`line ${first?.line}: ${first?.message}`);
  }
  return { ok: true, data: buildHashIndex(read.list.hashes, { shared: true }), hashes: read.list.count };
}

const broken = (problem: string): LoadedList => ({ ok: false, problem, lasting: true });
const unread = ({ message, code }: FileError): LoadedList => ({
  ok: false,
  problem: message,
  lasting: code === undefined,
});

export const run = (file: string): Promise<LoadedList> => load(file).catch(unread);
