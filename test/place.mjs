/**
 * Where tests keep their files. The engine makes some hundred files a block and waits for the disk after each: in memory that
 * costs half of the computing and no waiting. No test takes the power away, which is all that a disk would be for.
 */
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Bytes. What runs at a time needs a tenth of it. */
const ENOUGH = 4 * 1024 ** 3;

/** The folder in memory if it has room and programs may run from it, as tests do; else the one for temporary files. */
export function placeForFiles() {
  try {
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, place]) => place === MEMORY);
    const options = mount?.[3]?.split(',') ?? [];
    const { bavail, bsize } = statfsSync(MEMORY);
    if (options.includes('rw') && !options.includes('noexec') && bavail * bsize >= ENOUGH) return MEMORY;
  } catch {
    // Not Linux, or nothing that may be looked at.
  }
  return tmpdir();
}
