import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import type { Plan } from '#weir/shared/policy/plan';
import { type EntryOutcome, evaluateEntry, failedEntry } from '#weir/workers/evaluator/outcome';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { id, sketch } from '../../shared/policy/support.ts';
import { entryOf } from './support.ts';

const term = (...list: string[]) => ({ terms: { list } });
const shadow = 'shadow';
const LIVE = [{ detect: term('bad') }];
const SHADES = [
  { detect: term('bad'), mode: shadow },
  { detect: term('odd'), mode: shadow, severity: 'high' },
  { detect: { not: term('odd') }, direction: 'output', mode: shadow },
];

function planOf(policies: Record<string, unknown>[], failClosed = false): Plan {
  return compilePlan(sketch({ policies, failClosed }), 1);
}

const message = (content: string) => ({ type: 'message', role: 'user', content });
const ENTRIES = [
  entryOf('events', {
    run_id: 'r',
    events: [message('bad'), message('odd'), { ...message('odd'), metadata: { a: 1 } }],
  }),
  entryOf('event', { run_id: 'r', event: message('odd') }),
  entryOf('session', { messages: [{ role: 'user', content: 'odd' }], metadata: { user: { id: 'u' } } }),
  entryOf('session', { messages: [{ role: 'assistant', content: 'bad' }], policies: [id(0)] }),
  entryOf('session', { messages: [{ role: 'user', content: 'fine' }] }, { unkept: true }),
];

describe('a check with policies in the shadow', () => {
  const [mixed, without] = [planOf([...LIVE, ...SHADES]), planOf(LIVE)];

  it('has the record, the indexes and the counts that it has without them, to the byte [config.shadow]', () => {
    for (const entry of ENTRIES) {
      const answers = ({ record, rows: _, format: __, shadow: ___, ...rest }: EntryOutcome) => ({
        record: record.toString(),
        ...rest,
      });
      assert.deepEqual(answers(evaluateEntry(mixed, entry)), answers(evaluateEntry(without, entry)));
    }
  });

  it('has rows as ever where none is for any of its items', () => {
    const named = ENTRIES[3]!;
    assert.deepEqual(evaluateEntry(mixed, named), evaluateEntry(without, named));
    assert.equal(evaluateEntry(mixed, named).format, rowFormatOf([]));
  });

  it('counts their verdicts, and none where it was given up', () => {
    const [batch, , session] = ENTRIES;
    assert.deepEqual(evaluateEntry(mixed, batch!).shadow, { flagged: 3, clean: 3, not_evaluated: 0 });
    assert.deepEqual(evaluateEntry(mixed, session!).shadow, { flagged: 1, clean: 1, not_evaluated: 0 });
    assert.equal(evaluateEntry(mixed, batch!).format, '3');
    assert.equal(failedEntry(batch!, 'given up').shadow, undefined);
  });

  it('is clean though the team fails closed and none of them could be evaluated', () => {
    const policies = [...LIVE, { detect: { image_text: { detect: term('odd') } }, mode: shadow }];
    const [plan, plain] = [planOf(policies, true), planOf(LIVE, true)];
    const properties = { kind: 'png', width: 9, height: 9, bytes: 9, animated: false, hasGps: false } as const;
    const looked = {
      ok: true as const,
      properties,
      hash: { hashes: ['0f'.repeat(32)], quality: 90 },
      reading: { text: null, scores: {}, notes: ['its text could not be read'] },
      bytes: 9,
      fetchMs: 1,
      decodeMs: 1,
    };
    const entry = entryOf('artifact', { content: { kind: 'image', url: 'http://a.example/x.png' } });
    const gathered = { ...entry.gathered, images: { 1: looked } } as unknown as typeof entry.gathered;
    const outcome = evaluateEntry(plan, { ...entry, gathered });
    assert.deepEqual([outcome.failed, outcome.flagged, outcome.format], [0, 0, '4']);
    assert.deepEqual(outcome.shadow, { flagged: 0, clean: 0, not_evaluated: 1 });
    assert.deepEqual(outcome.record, evaluateEntry(plain, { ...entry, gathered }).record);
  });
});
