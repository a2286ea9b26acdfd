// What redaction leaves: the same policies find nothing in it any more.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateText } from '#weir/shared/policy/evaluate';
import { FILES, spansOf } from '../../../detection/pii/set.ts';
import { POSITIVES } from '../../../detection/secrets/set.ts';
import { BAD } from '../../../detection/terms/words.ts';
import { sketch } from '../support.ts';
import { pick, seeded } from '../work/generators.ts';

const DETECTS: object[] = [
  { pii: { entities: Object.values(FILES).flatMap((entities) => Object.keys(entities)) } },
  { pii: { entities: ['CREDIT_CARD'] } },
  { pii: { entities: ['PHONE_NUMBER'] } },
  { pii: { entities: ['EMAIL_ADDRESS', 'URL', 'IP_ADDRESS'] } },
  { secrets: {} },
  { terms: { bundle: ['profanity', 'slurs', 'sexual'], severity: 'low' } },
  { terms: { list: ['project bluebird', 'kestrel'] } },
];
const PLAN = compilePlan(sketch({ policies: DETECTS.map((detect) => ({ detect, action: 'redact' })) }), 1);
const TEAM = { team: 't' };

/** The text with its marks; null where nothing is marked. Asserts that no policy that was violated finds more. */
function redacted(text: string): string | null {
  const { violations, redaction } = evaluateText(PLAN, TEAM, text, { redact: true });
  if (!redaction || redaction.marks.length === 0) return null;
  let left = '';
  let at = 0;
  for (const { start, end, label } of redaction.marks) {
    left += `${text.slice(at, start)}[${label}]`;
    at = end;
  }
  left += text.slice(at);
  const again = new Set(evaluateText(PLAN, TEAM, left).violations.map(({ id }) => id));
  const still = violations.filter(({ id }) => again.has(id));
  assert.deepEqual(still, [], `${JSON.stringify(text)} leaves ${JSON.stringify(left)}`);
  return left;
}

describe('what redaction leaves', () => {
  it('has no find beside the marks that a neighbour has hidden', () => {
    // Each left something that was found again.
    for (const text of [
      '"etsyApiKey": "t3fdcs6liihxqn7lakiy9ydl" =192.168.17.4x17',
      '@0860 123 45642,4222222222222 -x:',
      'http://fuckwit or x',
    ]) {
      assert.notEqual(redacted(text), null, text);
    }
  });

  it('has none whatever stands beside whatever', () => {
    const finds = [
      ...Object.values(FILES).flatMap((file) => Object.values(file).flatMap(({ finds }) => finds.flatMap(spansOf))),
      ...Object.values(POSITIVES).flatMap(({ texts }) => texts.filter(({ length }) => length < 200)),
      ...BAD,
      'kestrel',
    ];
    const glue = [
      '',
      ' ',
      ',',
      '.',
      '-',
      '/',
      ':',
      'a',
      'x1',
      '7',
      '42',
      '@',
      '\n',
      '_',
      '"',
      '+',
      '=',
      'card ',
      'http://',
    ];
    const random = seeded(7);
    let marked = 0;
    for (let i = 0; i < 600; i++) {
      let text = '';
      for (let n = 1 + random(4); n > 0; n--) {
        const find = pick(random, finds);
        text += pick(random, glue) + (random(5) === 0 ? find.slice(0, 1 + random(12)) : find) + pick(random, glue);
      }
      if (redacted(text) !== null) marked++;
    }
    assert.ok(marked > 400, `${marked}`);
  });

  it('may have what the marks themselves read as', () => {
    const detect = { any: [{ secrets: {} }, { terms: { list: ['secret'] } }] };
    const plan = compilePlan(sketch({ policies: [{ detect, action: 'redact' }] }), 1);
    const key = `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`;
    const { redaction } = evaluateText(plan, TEAM, `key ${key} end`, { redact: true });
    assert.deepEqual(redaction, {
      marks: [{ start: 4, end: 4 + key.length, label: 'SECRET' }],
      why: '',
      blocked: false,
    });
  });
});
