import { stat } from 'node:fs/promises';

/** The stamp of a file that is not there. */
export const NO_FILE = '';

/** Changes when the file does, and when its owner changes who may read it. */
export async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return NO_FILE;
  }
}
