import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '#weir/deploy/local/explain';
import { MigrationError } from '#weir/shared/history/migrate';
import { SettingsError } from '#weir/shared/settings';

test('what the reader can change is told in a sentence, also about migrations', () => {
  assert.equal(explain(new MigrationError('Run a newer release.')), 'Run a newer release.');
  assert.equal(explain(new SettingsError('Set WEIR_PORT.')), 'Set WEIR_PORT.');
});

test('what nobody expected is told with its trace', () => {
  assert.match(explain(new TypeError('x is not a function')), /x is not a function\n {4}at /);
  assert.equal(explain('thrown text'), 'thrown text');
});
