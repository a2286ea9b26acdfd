/** Earlier messages of a session check: they are context, which refuses nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SessionRequest } from '#weir/shared/api/types';
import { validateSession } from '#weir/shared/api/validate/validate';
import { compilePlan } from '#weir/shared/policy/compile';
import type { Draft } from '#weir/workers/evaluator/draft';
import { type EntryBody, readBody } from '#weir/workers/evaluator/kinds/body';
import { sessionOutcome } from '#weir/workers/evaluator/kinds/sessions/session';
import { sketch } from '../../../../shared/policy/support.ts';
import { entryOf } from '../../support.ts';

/** Looks back on what was said before. */
const PLAN = compilePlan(
  sketch({ policies: [{ name: 'Before', detect: { terms: { list: ['zebra crossing'], context: 5 } } }] }),
  1,
);

const LAST = { role: 'user', content: 'crossing' };

function checkOf(earlier: readonly unknown[], header: object = {}): Draft {
  const json = JSON.stringify({ messages: [...earlier, LAST] });
  const judged = validateSession(JSON.parse(json), Buffer.byteLength(json), json);
  assert.deepEqual(judged.ok ? [] : judged.issues, []);
  const entry = entryOf('session', json);
  Object.assign(entry.header, header);
  return sessionOutcome(PLAN, entry, readBody(entry.body) as EntryBody<SessionRequest>);
}

const noteOf = (earlier: readonly unknown[], header?: object): string => checkOf(earlier, header).items[0]!.note;
const told = (counted: string): string => `earlier messages that could not be used as context: ${counted}`;

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const image = { type: 'artifact', content: { kind: 'image', data: 'AAAA' } };

/** Messages of which nothing can be used. */
const UNUSABLE: unknown[] = [
  { role: 'assistant', content: null },
  { role: 'assistant' },
  { role: 'assistant', content: null, tool_calls: null, function_call: null, refusal: null },
  { role: 'assistant', content: null, tool_calls: [] },
  { role: 'tool', tool_call_id: '1', content: null },
  { role: 'user', content: [] },
  { role: 'function', name: 'f', content: 'x' },
  { role: 'model', parts: [{ text: 'x' }] },
  { role: 7, content: 'x' },
  { role: '', content: 'x' },
  { content: 'x' },
  { type: 'function_call', call_id: 'c', name: 'pay', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c', output: 'x' },
  { role: 'user', content: [{ type: 'audio' }, { type: 'image_url', image_url: 5 }] },
  { role: 'user', content: [{ type: 'artifact', content: { kind: 'document', data: 'x' } }] },
  { role: 'user', content: [{ type: 'artifact' }] },
  { role: 'user', content: [null, 3, 'x', [], {}] },
  { role: 'user', content: 5 },
  { role: 'user', content: true, metadata: 7 },
  { role: 'assistant', content: null, metadata: { user: [1], message: 'x' } },
  {},
  [],
  null,
  7,
  'text',
  true,
];

/** Messages of which a part can be used. */
const CUT: unknown[] = [
  { role: 'user', content: [{ type: 'text', text: 'x' }, { type: 'video_url' }] },
  { role: 'user', content: [{ type: 'text', text: 'x' }, 'y', { type: 'artifact', kind: 'document' }] },
  { role: 'user', content: [{ type: 'text' }, { type: 'text', text: 'x' }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: { a: 1 } },
      { type: 'text', text: 'x' },
    ],
  },
  { role: 'assistant', content: { type: 'text', text: 'x' }, tool_calls: [call] },
];

/** Messages that are context as they are. */
const USED: unknown[] = [
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'assistant', content: '', tool_calls: 'x' },
  { role: 'tool', tool_call_id: 'c', content: '' },
  { role: 'user-2', content: [image, { type: 'artifact', kind: 'image', url: 'https://x.example/a' }] },
  { role: 'user', content: 'x', text: 'y', deployment_id: 'z', policies: ['p'], metadata: 'm' },
  { role: 'user', content: [{ type: 'text', text: 'x', content: 'y' }], external_artifact_id: 'a' },
];

describe('earlier messages', () => {
  it('refuse nothing: what cannot be used is skipped, and the note says how many [session.context-refuses-nothing]', () => {
    for (const message of UNUSABLE) assert.equal(noteOf([message]), told('1 skipped'), JSON.stringify(message));
    for (const message of CUT) assert.equal(noteOf([message]), told('1 cut'), JSON.stringify(message));
    for (const message of USED) assert.equal(noteOf([message]), '', JSON.stringify(message));
    const all = told(`${UNUSABLE.length} skipped, ${CUT.length} cut`);
    assert.equal(noteOf([...UNUSABLE, ...CUT, ...USED]), all);
  });

  it('are context beside those that cannot be used [session.context-refuses-nothing]', () => {
    const zebra = { role: 'user', content: 'zebra' };
    for (const earlier of [[zebra], [...UNUSABLE, zebra], [zebra, ...UNUSABLE]]) {
      assert.equal(checkOf(earlier).items[0]!.flagged, true);
    }
    const parts = { role: 'user', content: [{ type: 'video_url' }, null, { type: 'text', text: 'zebra' }] };
    assert.equal(checkOf([parts]).items[0]!.flagged, true);
    assert.equal(checkOf([{ role: 'function', content: 'zebra' }]).items[0]!.flagged, false);
  });

  it('keep the end of a text that is over the limit of a message [session.context-refuses-nothing] [session.text]', () => {
    const long = { role: 'user', content: `${'x '.repeat(600_000)}zebra` };
    const made = checkOf([long]);
    assert.deepEqual([made.items[0]!.flagged, made.items[0]!.note], [true, told('1 cut')]);
    assert.equal(checkOf([{ role: 'user', content: `zebra ${'x '.repeat(600_000)}` }]).items[0]!.flagged, false);
    assert.equal(noteOf([long], { messageBytes: 2_000_000 }), '');
  });

  it('name the user of the check where they are of any shape', () => {
    const named = { role: 'function', metadata: { user: { id: 12345678901234567890n.toString() } } };
    const made = checkOf([null, named, 7, { role: 'user', content: 'x', metadata: { user: 'u' } }]);
    assert.equal(made.rows[0]!.userId, '12345678901234567890');
  });
});
