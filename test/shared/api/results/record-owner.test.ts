import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { isOf, type ResultRecord } from '#weir/shared/api/results/record';
import { encodeRecord } from '../../../support/stores/encoded.ts';

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

it('tells the owner of a record by its first bytes, for any names of teams and scopes', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 256 }),
    fc.constantFrom('acme', '","scope":"prod', '\ud800'),
  );
  fc.assert(
    fc.property(name, name, name, name, (team, scope, otherTeam, otherScope) => {
      const head = encodeRecord({ ...record, team, scope }).subarray(0, 4096);
      assert.ok(isOf(head, { team, scope }));
      if (team !== otherTeam) assert.ok(!isOf(head, { team: otherTeam, scope }));
      if (scope !== otherScope) assert.ok(!isOf(head, { team, scope: otherScope }));
    }),
  );
  assert.ok(!isOf(Buffer.alloc(0), { team: 'acme', scope: 'prod' }));
});
