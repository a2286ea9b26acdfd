import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ENDPOINTS, type Endpoint } from '#weir/shared/api/endpoints';
import { packageRoot } from '#weir/shared/paths';
import { DEFINITIONS } from '#weir/shared/settings';

const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8');

/** Variable → default, as the table of settings in README has them. */
function settingsTable(): Map<string, string> {
  const rows = readme.matchAll(/^\| `(WEIR_[A-Z_]+)` \| `([^`]*)` \| .+ \|$/gm);
  return new Map([...rows].map(([, variable, value]) => [variable!, value!]));
}

describe('README', () => {
  it('lists every setting with its default, and no other', () => {
    const expected = Object.values(DEFINITIONS).map(({ variable, default: value }) => [variable, String(value)]);
    assert.deepEqual(Object.fromEntries(settingsTable()), Object.fromEntries(expected));
  });

  it('lists every endpoint with its versions, and no other', () => {
    const table = /^## API\n.*?^(\| Request .*?)^$/ms.exec(readme)?.[1] ?? '';
    const listed = table.split('\n').flatMap((row) => {
      const [, requests = '', , versions = ''] = row.split(/(?<!\\)\|/);
      const names = [...requests.matchAll(/`((?:GET|POST) [^?`[]+)/g)].map(([, name]) => name!);
      return names.map((name) => ({ name, versions }));
    });
    // What the page at /docs loads is nobody's to ask for.
    const { getDocsFile: _, ...told } = ENDPOINTS;
    const endpoints: Endpoint[] = Object.values(told);
    const names = endpoints.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(listed.map(({ name }) => name).sort(), names.sort());
    for (const { method, path, versions } of endpoints) {
      const row = listed.find(({ name }) => name === `${method} ${path}`)!;
      const dates = row.versions.match(/[\d-]{10}/g) ?? [];
      if (dates.length > 0 || versions.length === 0) assert.deepEqual(dates, versions, row.name);
      else assert.match(row.versions, versions.length === 3 ? /any of the three|the same/ : /$never/, row.name);
    }
  });

  it('has every heading and file that it links to', () => {
    const slugs = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, target] of readme.matchAll(/\]\(([^)]+)\)/g)) {
      if (target!.startsWith('#')) assert.ok(slugs.includes(target!.slice(1)), target);
      else if (!target!.startsWith('http')) assert.ok(existsSync(join(packageRoot, target!)), target);
    }
  });
});
