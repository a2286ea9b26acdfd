/** Runs something again whenever one of the files that it has read changes. */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Files are looked at by name: editors replace a file, and what the system tells of an open one is of the old file. */
const LOOK_MS = 200;

/** The files of one run. */
export interface WatchedReads {
  /** Called before `file` is read, so that a change while it is read is seen. */
  note(file: string): void;
  /** Whether a file has another size or time than it had, or has come or gone. */
  changed(): boolean;
}

export function createReads(): WatchedReads {
  const stamps = new Map<string, string>();
  return {
    note(file) {
      if (!stamps.has(file)) stamps.set(file, stampOf(file));
    },
    changed: () => [...stamps].some(([file, stamp]) => stampOf(file) !== stamp),
  };
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : '';
}

/** Calls `run` at once and after each change, until `signal` is aborted. Returns what the last run did: an exit code. */
export async function watch(run: (reads: WatchedReads) => Promise<number>, signal: AbortSignal): Promise<number> {
  for (;;) {
    const reads = createReads();
    const code = await run(reads);
    while (!signal.aborted && !reads.changed()) await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return code;
  }
}
