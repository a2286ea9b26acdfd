/** `npm run sbom`, held against the lockfile. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';

interface Lock {
  packages: Record<string, { name?: string; version: string; dev?: boolean; integrity?: string }>;
}
interface Sbom {
  bomFormat: string;
  metadata: { component: { name: string; 'bom-ref': string } };
  components: { 'bom-ref': string; purl: string; hashes?: { alg: string; content: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

it('lists every package of the lockfile that Weir runs with, with its hash, and no other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sbom-'));
  const path = join(folder, 'sbom.json');
  execFileSync(process.execPath, [join(packageRoot, 'deploy/sbom.mjs'), path], { stdio: 'pipe', timeout: 240_000 });
  const sbom = JSON.parse(readFileSync(path, 'utf8')) as Sbom;
  rmSync(folder, { recursive: true });
  assert.equal(sbom.bomFormat, 'CycloneDX');
  assert.equal(sbom.metadata.component.name, 'weir');

  const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as Lock;
  const locked = Object.entries(packages)
    .filter(([where, { dev }]) => where !== '' && !dev)
    .map(([where, { name, version, integrity = '' }]) => {
      const hash = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
      return `pkg:npm/${(name ?? where.split('node_modules/').at(-1)!).replace('@', '%40')}@${version} ${hash}`;
    });
  const listed = sbom.components.map(({ purl, hashes = [] }) => `${purl} ${hashes[0]?.content ?? ''}`);
  assert.deepEqual(listed.sort(), locked.sort());

  const refs = [sbom.metadata.component, ...sbom.components].map((component) => component['bom-ref']);
  assert.deepEqual(sbom.dependencies.map(({ ref }) => ref).sort(), refs.sort());
  for (const { dependsOn } of sbom.dependencies) for (const ref of dependsOn) assert.ok(refs.includes(ref), ref);
});
