// What patterns of the engine's host execute is not counted as work. So they are given what makes a careless one go over a text again and again:
// a long run of one kind, beside every sign that may begin or end what is looked for.
import { it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateText } from '#weir/shared/policy/evaluate';
import { assertBounded } from '../../../support/effort.ts';
import { SCOPE, sketch } from '../support.ts';
import { DETECTORS } from './generators.ts';

const LONGEST = 256 * 1024;
const SIGNS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join(' ');
const RUNS = ['a', 'A', '1', 'aA1', '/a', 'a.', 'a-', '-', '.', '/', '\\', '"', '=', ' ', '\n', 'é', 'я', '\u0301'];

it('a long run of one kind takes a bounded time, whatever stands beside it', () => {
  const plan = compilePlan(sketch({ policies: Object.values(DETECTORS).map((detect) => ({ detect })) }), 1);
  for (const run of RUNS) {
    const text = `${SIGNS} ${run.repeat((LONGEST - 3 * SIGNS.length) / run.length)} ${SIGNS}`;
    assertBounded(() => evaluateText(plan, SCOPE, text));
  }
});
