/** The root of the package, from which files that are read at run time (scripts, migrations, samples) are found. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('package.json not found above the running code');
    directory = parent;
  }
  return directory;
}

/** Absolute path of the package's root folder, for code in `dist` and in sources. */
export const packageRoot: string = findRoot();

/** Absolute path of a program: what runs as a process or thread of its own. `deploy/programs.mjs` lists and builds them. */
export const programPath = (name: string): string => join(packageRoot, 'dist/programs', `${name}.js`);

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}
