import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { DEFINITIONS } from '#weir/shared/settings';

/** Variable → default, as the table of settings in README has them. */
function settingsTable(): Map<string, string> {
  const text = readFileSync(join(packageRoot, 'README.md'), 'utf8');
  const rows = text.matchAll(/^\| `(WEIR_[A-Z_]+)` \| `([^`]*)` \| .+ \|$/gm);
  return new Map([...rows].map(([, variable, value]) => [variable!, value!]));
}

describe('README', () => {
  it('lists every setting with its default, and no other', () => {
    const expected = Object.values(DEFINITIONS).map(({ variable, default: value }) => [variable, String(value)]);
    assert.deepEqual(Object.fromEntries(settingsTable()), Object.fromEntries(expected));
  });
});
