/**
 * `npm run sbom`: writes which packages Weir runs with, as CycloneDX, from package-lock.json alone. npm makes the list. Its own `--omit dev`
 * (npm 11) also leaves out packages that both Weir and its build need.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIST = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--offline'];

const isForDevelopment = ({ properties }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

const full = JSON.parse(execFileSync('npm', LIST, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
const components = full.components.filter((component) => !isForDevelopment(component));
const { component, ...metadata } = full.metadata;
const refs = new Set([component, ...components].map((each) => each['bom-ref']));
const dependencies = full.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
// npm names the application after its folder.
const sbom = {
  ...full,
  metadata: { ...metadata, component: { ...component, name: 'weir' } },
  components,
  dependencies,
};

const path = process.argv[2] ?? join(root, 'dist', 'weir.cdx.json');
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, `${JSON.stringify(sbom, undefined, 2)}\n`);
console.log(`${path}: ${components.length} packages`);
