/** The packs that ship with Weir: files of `deploy/packs/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackSource } from '../shared/configuration/packs.js';
import { packageRoot } from '../shared/paths.js';

const FOLDER = join(packageRoot, 'deploy/packs');
const KIND = '.yaml';

export const shippedPacks: PackSource = {
  names: () =>
    readdirSync(FOLDER)
      .filter((name) => name.endsWith(KIND))
      .map((name) => name.slice(0, -KIND.length))
      .sort(),
  read: (name) => readFileSync(join(FOLDER, `${name}${KIND}`), 'utf8'),
};
