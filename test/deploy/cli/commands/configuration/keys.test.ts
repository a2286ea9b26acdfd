import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashKey } from '#weir/shared/configuration/api-keys';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { NO_FILES } from '../../../../shared/configuration/files.ts';
import { weir } from '../../support.ts';

describe('weir keys create', () => {
  it('prints a key once, and an entry that a configuration takes [config.keys] [5.5]', async () => {
    const { code, out } = await weir('keys', 'create', '--id', 'my-key', '--team', 'acme');
    assert.equal(code, 0);
    const keys = out.match(/wk_\w+/g) ?? [];
    assert.equal(keys.length, 1);
    assert.match(keys[0]!, /^wk_[0-9A-Za-z]{49}$/);
    const entry = out.slice(out.indexOf('- id:'));
    const loaded = loadConfiguration(`version: 1\nteams: [{id: acme}]\nkeys:\n${entry}\n`);
    assert.ok(loaded.ok);
    assert.equal(loaded.configuration.keys[0]?.sha256, hashKey(keys[0]!));
    assert.equal(loaded.configuration.keys[0]?.id, 'my-key');
    assert.deepEqual(
      loaded.configuration.keys[0]?.rate,
      { requests_per_minute: 60_000 },
      'has a rate without being asked',
    );
  });
  it('names no team without being asked, so that the entry fits a file with one', async () => {
    const { out } = await weir('keys', 'create');
    const entry = out.slice(out.indexOf('- id:')).replace('environments: []', 'environments: [default]');
    const loaded = loadConfiguration(`version: 1\nkeys:\n${entry}\n`, 'weir.yaml', NO_FILES);
    assert.ok(loaded.ok);
    assert.equal(loaded.configuration.keys[0]!.team, 'default');
  });
  it('refuses an id that a configuration would refuse', async () => {
    const { code, err } = await weir('keys', 'create', '--id', 'a b');
    assert.equal(code, 2);
    assert.match(err, /--id: expected/);
  });
});
