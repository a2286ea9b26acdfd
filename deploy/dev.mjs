/**
 * `npm run dev`: builds, starts everything, and does both again after each change of a source. What runs is ended only once the build
 * has worked. Plain JavaScript without dependencies.
 *
 *     building ──worked──> ending what runs ──> starting, running ──change──> building
 *        └── failed: what runs stays ──change──> building
 *     any of them ──signal──> ending all of it ──> exit
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Files are looked at by name: editors replace a file, and what the system tells of an open one is of the old file. */
const LOOK_MS = 300;
/** What takes longer to end is killed. `npm start` needs less than 20 s. */
const END_MS = 40_000;

/** The names, sizes and times of all files in `paths`, which are files and folders of `root`. */
export function stampOf(root, paths) {
  const files = paths.flatMap((path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (!stat?.isDirectory()) return [path];
    return readdirSync(join(root, path), { recursive: true }).map((name) => join(path, name));
  });
  return files
    .map((file) => {
      const stat = statSync(join(root, file), { throwIfNoEntry: false });
      // The time of a folder changes with what an editor puts beside a file for a moment.
      return stat?.isFile() ? `${file} ${stat.size} ${stat.mtimeMs} ${stat.ino}` : '';
    })
    .join('\n');
}

/** Runs Node in a process group of its own: Ctrl-C in a terminal reaches this process alone, which ends the others in order. */
function start(args, stdio) {
  const child = spawn(process.execPath, args, { stdio, detached: true });
  const started = { child, over: false, told: false, exited: undefined };
  started.exited = once(child, 'exit').then(([code, signal]) => {
    started.over = true;
    return signal ?? code;
  });
  return started;
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * Works until a signal comes. Resolves when nothing runs any more.
 * @param {{ look(): string, build: string[], run: string[], say(line: string): void }} of
 *   `look` says what the sources are now; `build` and `run` are arguments of Node
 */
export async function develop({ look, build, run, say }) {
  const stopping = new AbortController();
  let building;
  let running;
  const onSignal = () => {
    if (stopping.signal.aborted) running?.child.kill('SIGTERM');
    stopping.abort();
    // The build runs compilers, which would go on.
    if (building && !building.over) endGroup(building.child.pid);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);

  const pause = () => sleep(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  const end = async () => {
    if (!running || running.over) return;
    running.told = true;
    running.child.kill('SIGTERM');
    const force = setTimeout(() => running.child.kill('SIGKILL'), END_MS);
    await running.exited;
    clearTimeout(force);
  };

  while (!stopping.signal.aborted) {
    let seen = look();
    building = start(build, ['ignore', 'inherit', 'inherit']);
    const worked = (await building.exited) === 0;
    if (stopping.signal.aborted) break;
    if (worked) {
      await end();
      if (stopping.signal.aborted) break;
      // Its channel tells it when this process is gone.
      const started = start(run, ['ignore', 'inherit', 'inherit', 'ipc']);
      running = started;
      void started.exited.then((how) => {
        if (!started.told && !stopping.signal.aborted) say(`It ended by itself (${how}).`);
      });
    }
    say(`${worked ? 'Watching' : 'Nothing was restarted. Watching'} the sources for a change …`);
    while (!stopping.signal.aborted && look() === seen) await pause();
    // Several files are saved one after the other.
    do {
      seen = look();
      await pause();
    } while (!stopping.signal.aborted && look() !== seen);
    if (!stopping.signal.aborted) say('A source has changed.');
  }
  await end();
}
