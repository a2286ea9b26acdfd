import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENTITY_NAMES } from '#weir/shared/policy/detectors/pii/catalogue';
import { lookIn } from '#weir/shared/policy/detectors/pii/chunk';
import { unfold } from '#weir/shared/policy/detectors/pii/layouts';
import { RECOGNISERS, soughtBy } from '#weir/shared/policy/detectors/pii/sought';
import { chunkFrom } from '#weir/shared/policy/engine/probes/number';

function entitiesIn(text: string): string[] {
  const look = lookIn(text, soughtBy([{ entities: ENTITY_NAMES, score: 0 }]), { left: 1_000_000 });
  const found = look(chunkFrom(text, 0)!) ?? [];
  return [...new Set(found.map(({ entity }) => entity))].sort();
}

describe('a chunk of digits that ends with a card number', () => {
  it('is read up to it', () => {
    assert.deepEqual(entitiesIn('4111 1111 1111 1111 please'), ['CREDIT_CARD']);
    assert.ok(entitiesIn('12/31/2026 4111 1111 1111 1111').includes('DATE_TIME'));
    assert.ok(entitiesIn('4111 1111 1111 1111 12/31/2026').includes('DATE_TIME'));
  });

  it('is read to its end where the number is not sure', () => {
    assert.ok(entitiesIn('4222222222222').length > 1);
  });

  it('has nothing as sure in it that is better, since such a number is shorter or ends with a digit', () => {
    const shortest = '30569309025904'.length;
    for (const { entity, layouts, sure } of RECOGNISERS) {
      if (!sure) continue;
      for (const layout of Object.keys(layouts).flatMap(unfold)) {
        if (/^A/.test(layout)) continue;
        // A gap has up to three characters.
        const length = layout.replaceAll(' ', ' - ').length;
        assert.ok(layout.endsWith('9') || length < shortest, `${entity}: ${layout}`);
      }
    }
  });
});
