import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');
const PAGES = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(packageRoot, 'docs/design')).map((name) => `docs/design/${name}`),
];

describe('documents for those who change Weir', () => {
  it('name files and folders that exist', () => {
    const missing: string[] = [];
    for (const page of PAGES) {
      for (const [, path] of read(page).matchAll(/`((?:ingress|workers|shared|bench|deploy|test|docs)\/[\w./-]*)`/g)) {
        if (!existsSync(join(packageRoot, path!))) missing.push(`${page}: ${path}`);
      }
    }
    assert.deepEqual(missing, []);
  });

  it('lay out every folder that has code, two levels deep', () => {
    const page = read('ARCHITECTURE.md');
    const layout = page.slice(page.indexOf('## Layout'));
    const folders = ['ingress', 'workers', 'shared'].flatMap((top) =>
      readdirSync(join(packageRoot, top), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    );
    const missing = folders.filter((name) => !layout.includes(`${name}/`));
    assert.deepEqual(missing, []);
  });
});
