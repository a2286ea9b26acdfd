/** What the files of a folder hold while servers write, rename and remove them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The result of `read`; `other` where the file or folder is gone since it was listed. */
function unlessGone<T>(read: () => T, other: T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return other;
    throw error;
  }
}

/** Paths of the files under `folder`, at any depth, that hold `text`. */
export function filesWith(folder: string, text: string): string[] {
  return unlessGone(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesWith(path, text);
    return entry.isFile() && unlessGone(() => readFileSync(path, 'latin1'), '').includes(text) ? [path] : [];
  });
}
