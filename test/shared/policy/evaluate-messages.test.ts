/** Several messages that are checked as one, each by the policies of its direction. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateMessages, redactionOfContext } from '#weir/shared/policy/evaluate';
import type { MessagesContent, Verdict } from '#weir/shared/policy/types';
import { id, SCOPE, sketch } from './support.ts';

const terms = (word: string): object => ({ terms: { list: [word] } });
const mail = { pii: { entities: ['EMAIL_ADDRESS'] } };
const POLICIES = [
  { detect: terms('asked'), direction: 'input' },
  { detect: terms('said'), direction: 'output' },
  { detect: terms('both') },
  { detect: mail, action: 'redact' },
];
const plan = compilePlan(sketch({ policies: POLICIES }), 1);

const judged = (texts: [direction: 'input' | 'output', text: string][], more: Partial<MessagesContent> = {}): Verdict =>
  evaluateMessages(plan, SCOPE, {
    texts: texts.map(([direction, text]) => ({ direction, text })),
    images: [],
    direction: 'input',
    ...more,
  }).session;
const violated = ({ violations }: Verdict): string[] => violations.map((violation) => violation.id);

describe('a turn of messages in both directions', () => {
  it('is judged by the policies of each', () => {
    assert.deepEqual(
      violated(
        judged([
          ['input', 'asked said'],
          ['output', 'fine'],
        ]),
      ),
      [id(0)],
    );
    assert.deepEqual(
      violated(
        judged([
          ['input', 'said'],
          ['output', 'asked'],
        ]),
      ),
      [],
    );
    assert.deepEqual(
      violated(
        judged([
          ['output', 'said'],
          ['input', 'asked'],
        ]),
      ),
      [id(0), id(1)],
    );
    assert.deepEqual(
      violated(
        judged([
          ['output', 'both'],
          ['input', 'fine'],
        ]),
      ),
      [id(2)],
    );
    const { policies, evaluated } = judged([
      ['input', 'x'],
      ['output', 'y'],
    ]);
    assert.deepEqual(Object.keys(JSON.parse(policies)), [id(0), id(1), id(2), id(3)]);
    assert.equal(evaluated.length, 4);
    assert.deepEqual(Object.keys(JSON.parse(judged([['output', 'y']], { direction: 'output' }).policies)), [
      id(1),
      id(2),
      id(3),
    ]);
  });

  it('has its evidence and its marks in the texts as they stand one behind the other', () => {
    const texts = ['é asked', 'write to a@example.org, both'] as const;
    const verdict = judged(
      [
        ['input', texts[0]],
        ['output', texts[1]],
      ],
      { redact: true },
    );
    const whole = texts.join('\n');
    for (const { evidence } of verdict.violations) {
      for (const { start, end } of evidence) assert.match(whole.slice(start, end), /^(asked|both|a@example\.org)$/);
    }
    assert.deepEqual(
      verdict.redaction!.marks.map(({ start, end, label }) => [whole.slice(start, end), label]),
      [
        ['asked', 'TERM'],
        ['a@example.org', 'EMAIL_ADDRESS'],
        ['both', 'TERM'],
      ],
    );
    assert.equal(verdict.redaction!.blocked, true, 'by the policies that do not redact');
    assert.equal(
      judged(
        [
          ['input', 'x'],
          ['output', 'a@example.org'],
        ],
        { redact: true },
      ).redaction!.blocked,
      false,
    );
  });

  it('asks backends once, about all of it', () => {
    const llm = (flagged_content: string) => ({ llm: { backend: 'guard', flagged_content, allowed_content: 'rest' } });
    const asking = compilePlan(
      sketch({
        policies: [
          { detect: llm('a'), direction: 'input' },
          { detect: llm('b'), direction: 'output' },
        ],
      }),
      1,
    );
    const content = {
      texts: [
        { direction: 'input', text: 'one' },
        { direction: 'output', text: 'two' },
      ],
      images: [],
      direction: 'input',
    } as const;
    const { session } = evaluateMessages(asking, SCOPE, content);
    assert.deepEqual([session.asks!.text, session.asks!.of.length], ['one\ntwo', 2]);
    const answers = new Map(session.asks!.of.map(({ detector }, i) => [detector, { flagged: i === 1, score: 1 }]));
    const answered = evaluateMessages(asking, SCOPE, { ...content, answers }).session;
    assert.deepEqual([violated(answered), answered.asks], [[id(1)], undefined]);
  });
});

describe('context', () => {
  it('has taken out what policies with action redact find, and nothing else', () => {
    const content = { direction: 'input', text: 'both asked a@example.org', redact: true } as const;
    const { marks, why } = redactionOfContext(plan, SCOPE, content);
    assert.deepEqual([marks.map(({ label }) => label), why], [['EMAIL_ADDRESS'], '']);
    assert.deepEqual(redactionOfContext(plan, SCOPE, { ...content, text: 'asked' }).marks, []);
  });
});
