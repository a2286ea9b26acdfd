import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { ENTITY_NAMES } from '#weir/shared/policy/detectors/pii/catalogue';
import { evaluateText } from '#weir/shared/policy/evaluate';
import { SCOPE, sketch } from '../../support.ts';
import { NUMBERS, ORDINARY } from '../../work/numbers.ts';

/** Lengths in UTF-16 units. */
const [LONG, SHORTER] = [250_000, 40_000] as const;
const CARD = '4111 1111 1111 1111';

describe('text of digits', () => {
  it('is evaluated in full where tools print it: a card in the middle is found', () => {
    const cards = compilePlan(sketch({ policies: [{ detect: { pii: { entities: ['CREDIT_CARD'] } } }] }), 1);
    for (const [name, make] of Object.entries(ORDINARY)) {
      const text = make(LONG);
      const middle = text.indexOf('\n', LONG / 2) + 1;
      assert.ok(middle > 0, name);
      const hidden = `${text.slice(0, middle)}card ${CARD}\n${text.slice(middle)}`;
      const { notEvaluated, redaction } = evaluateText(cards, SCOPE, hidden, { redact: true });
      assert.deepEqual([notEvaluated, redaction!.why], [0, ''], name);
      const found = redaction!.marks.map(({ start, end }) => hidden.slice(start, end));
      assert.ok(found.includes(CARD), name);
    }
  });

  it('is evaluated in full in any arrangement, whatever is asked for', () => {
    const policies = ENTITY_NAMES.map((entity) => ({ detect: { pii: { entities: [entity], threshold: 0.1 } } }));
    const all = compilePlan(sketch({ policies }), 1);
    for (const [name, make] of Object.entries(NUMBERS)) {
      assert.equal(evaluateText(all, SCOPE, make(SHORTER)).notEvaluated, 0, name);
    }
  });
});
