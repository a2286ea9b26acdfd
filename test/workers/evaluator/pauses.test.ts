/** A long text stops between its sections, and what it is a part of goes on with it. Slices are counted here, not timed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeRecord } from '#weir/shared/api/results/record';
import { compilePlan } from '#weir/shared/policy/compile';
import type { Entry } from '#weir/workers/evaluator/draft';
import { begin, evaluateEntry, finish, goOn } from '#weir/workers/evaluator/outcome';
import type { Slice } from '#weir/workers/evaluator/slice';
import { longText } from '../../shared/policy/engine/long-texts.ts';
import { sketch } from '../../shared/policy/support.ts';
import { seeded } from '../../shared/policy/work/generators.ts';
import { entryOf } from './support.ts';

const POLICIES = [
  { detect: { pii: { entities: ['CREDIT_CARD', 'EMAIL_ADDRESS'] } }, action: 'redact' },
  { detect: { terms: { list: ['zebra crossing'], context: 2 } }, action: 'redact' },
  { detect: { secrets: { context: 2 } } },
];
const plan = compilePlan(sketch({ policies: POLICIES }), 1, undefined, {
  longest: 4096,
  section: 1000,
  before: 2048,
  behind: 2048,
});

/** It is over as soon as it is asked. */
const shortest = (): Slice => ({ end: 0, left: 4096, hasEnded: () => true });

/** Items and rows of an entry that stops wherever it may, as those of one that does not; returns how many slices it takes. */
function slicesOf(entry: Entry): number {
  const begun = begin(plan, entry);
  let slices = 1;
  for (; !goOn(begun, shortest()); slices++) assert.ok(slices < 1000);
  const copy = (bytes: Buffer): Buffer => Buffer.from(bytes);
  const [made, whole] = [finish(begun, copy), evaluateEntry(plan, entry)];
  assert.deepEqual(decodeRecord(made.record), decodeRecord(whole.record));
  assert.deepEqual({ ...made, record: '' }, { ...whole, record: '' });
  return slices;
}

const CARD = ' 4111 1111 1111 1111 ';
const random = seeded(5);
const long = (length = 12_000): string => `${CARD}${longText(random, length)}${CARD}`;
const message = (content: string, role = 'user'): object => ({ role, content });
const session = (messages: object[], more: Parameters<typeof entryOf>[2] = {}): Entry =>
  entryOf('session', { deployment_id: 'd', messages }, more);

describe('a long text', () => {
  it('of a session takes several slices', () => {
    assert.ok(slicesOf(session([message(long())])) > 8);
  });

  it('of earlier messages is looked at in reach of the one that is checked', () => {
    const slices = slicesOf(session([message(long(40_000)), message('crossing')]));
    assert.ok(slices > 1 && slices < 8, `${slices} slices`);
  });

  it('that is redacted is looked at again in slices', () => {
    const content = [message(`${CARD}${'a word '.repeat(1700)}${CARD}`)];
    const once = slicesOf(session(content));
    assert.ok(slicesOf(session(content, { redact: true })) > once + 8);
  });

  it('of a conversation that is redacted takes several in each of its messages', () => {
    const messages = [message(long()), message(long(), 'assistant'), message('short'), message(long())];
    const checked = { from: 2, runs: [['structured_messages', 0, 4]] as const };
    assert.ok(slicesOf(session(messages, { redact: true, checked })) > 24);
  });

  it('of an event takes several, and the others of its batch one each at most', () => {
    const event = (content: string, n: number): object => ({
      type: 'message',
      role: 'user',
      event_id: `e${n}`,
      run_id: 'r',
      content,
    });
    const events = [event('short', 1), event(long(), 2), event('short', 3), event(`${CARD}short`, 4)];
    assert.ok(slicesOf(entryOf('events', { environment_id: 'e', events })) > 8);
  });
});

describe('a short text', () => {
  it('stops nowhere', () => {
    assert.equal(slicesOf(session([message(`short ${CARD}`)])), 1);
  });
});
