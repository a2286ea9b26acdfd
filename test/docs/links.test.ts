import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { anchorsOf, linksOf, PAGES, type Page, readPage } from './pages.ts';

const linesOf = ({ text }: Page): number => text.trimEnd().split('\n').length;

describe('the documents', () => {
  for (const page of PAGES) {
    it(`have every file and heading that ${page.path} links to`, () => {
      for (const target of linksOf(page)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [file, anchor] = target.split('#') as [string, string | undefined];
        const path = file === '' ? page.path : normalize(join(dirname(page.path), file));
        assert.ok(existsSync(join(packageRoot, path)), `${target}: there is no ${path}`);
        if (anchor !== undefined) assert.ok(anchorsOf(readPage(path)).has(anchor), `${target}: no such heading`);
      }
    });
  }

  it('are short: 150 to 200 lines of README, 300 of a page in docs', () => {
    for (const page of PAGES.filter(({ path }) => path.startsWith('docs/'))) {
      assert.ok(linesOf(page) <= 300, `${page.path} has ${linesOf(page)} lines`);
    }
    const readme = linesOf(readPage('README.md'));
    assert.ok(readme >= 150 && readme <= 200, `README.md has ${readme} lines`);
  });

  it('are all in the index', () => {
    const index = readPage('docs/README.md');
    const listed = new Set(linksOf(index).map((target) => normalize(join('docs', target.split('#')[0]!))));
    const pages = PAGES.map(({ path }) => path).filter((path) => path.startsWith('docs/') && path !== index.path);
    const missing = pages.filter((path) => !listed.has(path));
    assert.deepEqual(missing, []);
  });
});
