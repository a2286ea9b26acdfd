// `npm run lint`: an exported type has a name of its own, and a local one shares its name with one other at most. So a name says what is
// meant, without a look at the file that it comes from.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDERS = ['ingress', 'workers', 'shared', 'bench', 'deploy'];
const MOST_LOCAL = 2;

/** A type or class at the top level of a module. The formatter indents all others. */
const DECLARED = /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

/** Sources below `root`: the text of each by its path. */
export const sourcesBelow = (root) =>
  new Map(
    FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)))
      .filter((path) => path.endsWith('.ts') && !path.split(sep).includes('node_modules'))
      .sort()
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );

/** Sentences about names that too many types of `sources` have. */
export function sharedNames(sources) {
  const places = new Map();
  for (const [path, text] of sources) {
    for (const { 1: exported, 2: name, index } of text.matchAll(DECLARED)) {
      const place = `${path}:${text.slice(0, index).split('\n').length}`;
      if (!places.has(name)) places.set(name, []);
      places.get(name).push({ place, exported: exported !== undefined });
    }
  }
  return [...places].flatMap(([name, all]) => {
    const most = all.some(({ exported }) => exported) ? 1 : MOST_LOCAL;
    if (all.length <= most) return [];
    const why =
      most === 1 ? 'is exported, so no other type may have its name' : `is the name of more than ${most} types`;
    return [`${name} ${why}: ${all.map(({ place }) => place).join(', ')}. Add what each is of, such as ImageRefusal.`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = sharedNames(sourcesBelow(fileURLToPath(new URL('..', import.meta.url))));
  for (const sentence of found) console.error(sentence);
  if (found.length > 0) process.exitCode = 1;
}
