import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { unchecked } from '../../deploy/lockfile.mjs';

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
  assert.deepEqual(unchecked(JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8'))), []);
});
