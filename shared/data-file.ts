/** Files of data that ship with Weir, which are read once, when the code that uses them is loaded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './paths.js';

/** The lines of `shared/NAME.txt` but for empty ones and comments, which begin with `#`. Throws where the package is not whole. */
export const dataLines = (name: string): string[] =>
  readFileSync(join(packageRoot, 'shared', `${name}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
