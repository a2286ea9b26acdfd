/**
 * A thread that reads one list of known hashes, indexes it in memory that other threads share, hands it over and ends: a
 * million hashes take about two seconds, in which nobody else should wait.
 */
import { readFile, stat } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { buildHashIndex, type HashIndexData } from '../../shared/policy/hash-index.js';
import { MAX_LIST_BYTES, parseHashList } from '../../shared/policy/hash-lists.js';

export type LoadedList = { ok: true; data: HashIndexData; hashes: number } | { ok: false; problem: string };

async function load(file: string): Promise<LoadedList> {
  const { size } = await stat(file);
  if (size > MAX_LIST_BYTES) return { ok: false, problem: `the list has more than ${MAX_LIST_BYTES} bytes` };
  const read = parseHashList(await readFile(file), { shared: true });
  if (!read.ok) {
    const [first] = read.problems;
    return { ok: false, problem: `line ${first?.line}: ${first?.message}` };
  }
  return { ok: true, data: buildHashIndex(read.list.hashes, { shared: true }), hashes: read.list.count };
}

const { file } = workerData as { file: string };
parentPort?.postMessage(await load(file).catch((error: Error): LoadedList => ({ ok: false, problem: error.message })));
