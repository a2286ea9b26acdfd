// The development set of the detector: recall and false alarms, by group.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../shared/policy/support.ts';
import { NEGATIVES, POSITIVES } from './set.ts';

const isFound = (text: string): boolean => evidenceOf({ secrets: {} }, text).length > 0;

describe('the development set of secrets', () => {
  it('has at least 700 cases, half of them innocent', () => {
    const found = Object.values(POSITIVES).flatMap(({ texts }) => texts).length;
    const innocent = Object.values(NEGATIVES).flat().length;
    assert.ok(found >= 350 && innocent >= 350, `${found} and ${innocent}`);
  });

  for (const [group, { texts, recall }] of Object.entries(POSITIVES)) {
    it(`finds at least ${recall * 100} % of ${group}`, () => {
      const missed = texts.filter((text) => !isFound(text));
      assert.ok(
        1 - missed.length / texts.length >= recall,
        `missed ${missed.length} of ${texts.length}:\n${missed.join('\n')}`,
      );
    });
  }

  for (const [group, texts] of Object.entries(NEGATIVES)) {
    it(`finds at most 2 % of innocent ${group}`, () => {
      const found = texts.filter(isFound);
      assert.ok(found.length <= texts.length * 0.02, `found ${found.length} of ${texts.length}:\n${found.join('\n')}`);
    });
  }
});
