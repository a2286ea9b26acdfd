import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '#weir/deploy/local/explain';
import { MigrationError } from '#weir/shared/history/migrate';
import { SettingsError } from '#weir/shared/settings';

test('errors that the reader can act on are a sentence, also those of migrations', () => {
  assert.equal(explain(new MigrationError('Run a newer release.')), 'Run a newer release.');
  assert.equal(explain(new SettingsError('Set WEIR_PORT.')), 'Set WEIR_PORT.');
  const missing = Object.assign(new Error('Install redis-server.'), { name: 'RedisMissing' });
  assert.equal(explain(missing), 'Install redis-server.');
});

test('unexpected errors have their stack trace', () => {
  assert.match(explain(new TypeError('x is not a function')), /x is not a function\n {4}at /);
  assert.equal(explain('thrown text'), 'thrown text');
});
