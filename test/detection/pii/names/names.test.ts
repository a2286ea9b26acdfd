// Names of the development set, none of which the tagger learned from.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readNameTexts } from '#weir/deploy/train/names/texts';
import { evidenceOf } from '../../../shared/policy/support.ts';
import { NAMED, nameFigures } from './set.ts';

const ENTITIES = ['PERSON', 'LOCATION', 'ORGANIZATION', 'POSTAL_ADDRESS'];
const find = (text: string): ReturnType<typeof evidenceOf> => evidenceOf({ pii: { entities: ENTITIES } }, text);

describe('the development set of names', () => {
  it('has no sentence of those that the tagger learned from', () => {
    const learned = new Set(readNameTexts().sections.flatMap(({ sentences }) => sentences));
    assert.deepEqual(
      NAMED.filter(({ text, names }) => names.length === 0 && learned.has(text)),
      [],
    );
    assert.ok(NAMED.length >= 300, `${NAMED.length} sentences`);
  });

  it('is found for the greater part, and seldom something else', () => {
    const figures = nameFigures(find);
    for (const { entity, names, exact, finds } of figures) {
      assert.ok(exact / names >= 0.6, `${entity}: ${exact} of ${names} found`);
      assert.ok(exact / finds >= 0.7, `${entity}: ${exact} of ${finds} finds are right`);
    }
  });

  it('has few finds in sentences without names', () => {
    const none = NAMED.filter(({ names }) => names.length === 0);
    const alarms = none.filter(({ text }) => find(text).length > 0);
    assert.ok(alarms.length <= none.length * 0.05, alarms.map(({ text }) => text).join(' | '));
  });
});
