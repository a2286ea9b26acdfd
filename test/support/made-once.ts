/** What is costly to make and the same for all tests: made once a run, for all of its processes. */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A test that is started by itself shares with nobody.
const folder = process.env.WEIR_TEST_MADE ?? mkdtempSync(join(tmpdir(), 'weir-made-'));
if (process.env.WEIR_TEST_MADE === undefined)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Path of the file or folder `name`, which `make` writes to the path it is given unless another process has made it. */
export async function madeOnce(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const path = join(folder, name);
  const isMade = (): Promise<boolean> =>
    stat(path).then(
      () => true,
      () => false,
    );
  if (await isMade()) return path;
  const own = `${path}.${process.pid}`;
  await make(own);
  mkdirSync(folder, { recursive: true });
  try {
    renameSync(own, path);
  } catch (error) {
    // A folder that another process made meanwhile stays.
    rmSync(own, { recursive: true });
    if (!(await isMade())) throw error;
  }
  return path;
}
