import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { mayBeOf, type ResultRecord } from '#weir/shared/api/results/record';
import { recordText } from '../../../support/api/record-text.ts';

const record: ResultRecord = {
  kind: 'event',
  id: '01890000-0000-7000-8000-000000000000',
  team: 'acme',
  scope: 'prod',
  config: 1,
  sequence: 1,
  received: 1_790_000_000_000,
  completed: 1_790_000_000_005,
  items: [],
  fragments: [],
  error: null,
};

it('tells the owner of a record by its first characters, for any names of teams and scopes', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 256 }),
    fc.constantFrom('acme', '","scope":"prod', '\ud800'),
  );
  fc.assert(
    fc.property(name, name, name, name, (team, scope, otherTeam, otherScope) => {
      const head = Buffer.from(recordText({ ...record, team, scope }))
        .subarray(0, 4096)
        .toString();
      assert.ok(mayBeOf(head, { team, scope }));
      if (team !== otherTeam) assert.ok(!mayBeOf(head, { team: otherTeam, scope }));
      if (scope !== otherScope) assert.ok(!mayBeOf(head, { team, scope: otherScope }));
    }),
  );
  assert.ok(!mayBeOf('', { team: 'acme', scope: 'prod' }));
});
