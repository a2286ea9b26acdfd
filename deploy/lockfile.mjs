// `npm run lint`: every package of a lockfile has the hash of what is installed, so no registry can give another one.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILES = [
  'package-lock.json',
  'bench/workloads/peer/libraries/package-lock.json',
  'deploy/train/languages/texts/package-lock.json',
  'test/deploy/helm/tools/package-lock.json',
];

/** The embedded engine for other systems: the registry had none of these to take a hash of. Who adds one adds its hash. */
const ELSEWHERE = ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu'].map((system) => `node_modules/@chdb/lib-${system}`);

/** Paths of packages that are installed unchecked. A link is a folder of the project, and what is bundled is part of another package. */
export const unchecked = ({ packages = {} }) =>
  Object.entries(packages)
    .filter(([path, { integrity, link, inBundle }]) => path !== '' && !link && !inBundle && !integrity)
    .map(([path]) => path)
    .filter((path) => !ELSEWHERE.includes(path));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of FILES) {
    const found = unchecked(JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')));
    for (const path of found)
      console.error(`${file}: ${path} has no integrity hash; install it again from the registry.`);
    if (found.length > 0) process.exitCode = 1;
  }
}
