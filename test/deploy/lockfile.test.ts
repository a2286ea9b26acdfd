import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { unchecked } from '../../deploy/lockfile.mjs';
import { readPage } from '../docs/pages.ts';

interface Lock {
  packages: Record<string, { version?: string; integrity?: string }>;
}
const LOCK = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as Lock;

it('names packages of a lockfile that have no integrity hash', () => {
  const integrity = 'sha512-x';
  const packages = {
    '': {},
    'node_modules/good': { integrity },
    'node_modules/bad': { resolved: 'x' },
    'node_modules/good/node_modules/part': { inBundle: true },
    'node_modules/own': { link: true },
  };
  assert.deepEqual(unchecked({ packages }), ['node_modules/bad']);
  assert.deepEqual(unchecked(LOCK), []);
});

it('SECURITY.md names the package of the HTTP server with its hashes', () => {
  const { text } = readPage('SECURITY.md');
  const path = 'node_modules/uWebSockets.js';
  const { version, integrity } = LOCK.packages[path]!;
  assert.ok(text.includes(`\`uwebsockets@${version}\``));
  assert.ok(text.includes(`\`${integrity}\``));
  const file = (name: string): Buffer => readFileSync(join(packageRoot, path, name));
  assert.ok(text.includes(`\`${file('source_commit').toString().trim()}\``));
  const hash = createHash('sha256').update(file('uws_linux_x64_115.node')).digest('hex');
  assert.ok(text.includes(`\`${hash}\``));
});
