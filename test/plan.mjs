/**
 * Which processes a run of tests is made of, in the order in which they start. A process costs half a second of computing
 * before its first test, so files that keep to themselves share one with others of their folder.
 */

/** Files that one process runs at most: one that hangs or ends it takes the others along. */
const FILES_TOGETHER = 12;

/**
 * What keeps a file alone: hooks for all tests of its process, what belongs to the process as a whole (the module that
 * renders images says what sharp may read), threads and other processes.
 */
const NOT_TO_SHARE = [
  /^(?:before|after)(?:Each)?\(/m,
  /\b(?:process\.(?!execPath|pid|version)|mock\b|globalThis\b)/,
  /node:(?:child_process|worker_threads|cluster|v8)\b/,
  /\/(?:redis|sentinel|cluster|clickhouse|services|stack|system|suite)(?:\.[jt]s)?'/,
  // They count what is executed of scripts that are loaded after them.
  /\/(?:work-counter|worst\/search|search)\.ts'/,
  // Blocks loaders of images for the whole process.
  /images\/decode\/render'/,
];

/** Folders by how long their files take, the longest first: what starts last should be short, or one core waits at the end. */
const LONGEST_FIRST = ['test/faults/', 'test/contract/', 'test/fuzz/', 'test/e2e/', 'test/workers/', 'test/deploy/'];

/** Files that take some 10 s and more, and wait for most of it: one of them at a time leaves the cores to the others. */
const MOSTLY_WAITING = [
  'test/workers/evaluator/slow-lane.test.ts',
  'test/workers/consumer/consumer.test.ts',
  'test/ingress/hostile.test.ts',
  'test/ingress/dispatch/dispatcher.test.ts',
  'test/ingress/dispatch/reply-subscription.test.ts',
  'test/deploy/local/clickhouse/server.test.ts',
  'test/deploy/compose-redis.test.ts',
];

/** Of so many processes that start one after the other, one mostly waits. */
const WAITS_ONE_OF = 3;

/** Whether tests of other files may run in the process of a file with this source. */
export const mayShare = (source) => !NOT_TO_SHARE.some((pattern) => pattern.test(source));

function rankOf(file) {
  const rank = LONGEST_FIRST.findIndex((folder) => file.startsWith(folder));
  return rank < 0 ? LONGEST_FIRST.length : rank;
}

/** Lists of files, one a process. `files` are paths such as `test/shared/ids.test.ts`; `read` gives the source of one. */
export function processesOf(files, read) {
  const alone = [];
  const folders = new Map();
  for (const file of [...files].sort()) {
    const folder = file.split('/').slice(0, -1).slice(0, 3).join('/');
    if (mayShare(read(file))) folders.set(folder, [...(folders.get(folder) ?? []), file]);
    else alone.push([file]);
  }
  const together = [...folders.values()].flatMap((all) => {
    const count = Math.ceil(all.length / FILES_TOGETHER);
    const size = Math.ceil(all.length / count);
    return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size));
  });
  // Those of many files only compute, so they go before what waits.
  const ranked = [...together, ...alone].sort(([one], [other]) => rankOf(one) - rankOf(other));
  const waits = ([file]) => MOSTLY_WAITING.includes(file);
  const processes = ranked.filter((process) => !waits(process));
  for (const [n, process] of ranked.filter(waits).entries()) processes.splice((n + 1) * WAITS_ONE_OF - 1, 0, process);
  return processes;
}
