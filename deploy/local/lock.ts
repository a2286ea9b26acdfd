/** Locks a data folder for one installation. A lock that a crash left behind does not count. */
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '../../shared/settings.js';

/** The folder is in use; the message names the process. */
export class LockedError extends Error {}

/** Locks `folder`, and makes it when it is missing. Returns the release. Throws {@link LockedError}, {@link SettingsError}. */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock');
  const mine = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(mine, `${process.pid} ${startOf(process.pid) ?? ''}\n`, { mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(
      `WEIR_DATA_DIR names ${folder}, which cannot be written to (${code}): make room there, or name a folder that this user may write to.`,
    );
  }
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        linkSync(mine, path);
        return () => rmSync(path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = readHolder(path);
      if (holder !== undefined) {
        throw new LockedError(
          `${folder} is in use by process ${holder}: stop that one, or choose another folder with WEIR_DATA_DIR.`,
        );
      }
      rmSync(path, { force: true });
    }
    throw new LockedError(`${folder} cannot be locked: remove ${path} if nothing uses that folder.`);
  } finally {
    rmSync(mine, { force: true });
  }
}

/** The process that holds the lock; undefined when it is gone. */
function readHolder(path: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const [id, started] = text.trim().split(' ');
  const pid = Number(id);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  // Process ids are used again. The holder is the process with this id that started when the lock says.
  const now = startOf(pid);
  return started && now && started !== now ? undefined : pid;
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process started, by the kernel's clock; undefined without /proc. */
function startOf(pid: number): string | undefined {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; its parent has not waited for it yet.
  return fields[0] === 'Z' ? 'ended' : fields[19];
}
