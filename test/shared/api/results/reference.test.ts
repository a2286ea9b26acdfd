import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { referenceItem, unresolvedItem } from '#weir/shared/api/results/reference';

const named = { item: 2, type: 'message', eventId: 'x', runId: 'r', externalSessionId: 's' } as const;
const target = { id: '01890000-0000-7000-8000-000000000001', created: 1, completed: 2 };
const found = {
  type: 'message',
  externalSessionId: 'own',
  flagged: true,
  note: 'n',
  policies: '{"p":1}',
  explained: '["h"]',
  target,
} as const;

describe('the answer to a reference', () => {
  it('is the stored verdict, `not_found`, or `failed` if the look-up failed', () => {
    const fragments: string[] = [];
    const fragment = (text: string): number => fragments.push(text) - 1;
    const answers = [
      referenceItem(named, found, fragment),
      referenceItem(named, { ...found, type: 'tool' }, fragment),
      referenceItem(named, undefined, fragment),
      unresolvedItem(named, { flagged: false }, fragment),
      unresolvedItem(named, { flagged: true, note: 'given up' }, fragment),
    ];
    const said = answers.map(({ status, flagged, note, policies, explained, target: to }) => [
      status,
      flagged,
      note,
      fragments[policies],
      fragments[explained],
      to?.id,
    ]);
    assert.deepEqual(said, [
      ['referenced', true, 'n', '{"p":1}', '["h"]', target.id],
      ['not_found', false, 'the latest event of this id has another type', '{}', undefined, undefined],
      ['not_found', false, 'no such event', '{}', undefined, undefined],
      ['failed', false, 'the referenced event could not be looked up; try again', '{}', undefined, undefined],
      ['failed', true, 'given up', '{}', undefined, undefined],
    ]);
  });
});
