import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EarlierMessage } from '#weir/workers/evaluator/kinds/sessions/earlier';
import { mergePrevious } from '#weir/workers/evaluator/kinds/sessions/previous';

/** `a b` are messages of the user; `a/1` has the id 1, `a!` is the assistant's. */
function messages(text: string): EarlierMessage[] {
  return text.split(' ').map((word) => {
    const [content = '', id = ''] = word.replace('!', '').split('/');
    return { role: word.includes('!') ? 'assistant' : 'user', id, text: content };
  });
}

const kept = (text: string): string[] => (text === '' ? [] : mergePrevious([], messages(text)).added);

function merge(before: string, sent: string): string {
  const merged = mergePrevious(kept(before), messages(sent));
  const words = merged.added.map((text) => text.split('\0')[0]);
  return `${merged.before.join(' ')} | ${words.join(' ')}`;
}

describe('previous messages of a session', () => {
  it('come before those of the request', () => {
    assert.equal(merge('', 'a'), ' | a');
    assert.equal(merge('a b', 'c'), 'a b | c');
  });

  it('that are sent again count once, even if only some are still kept [session.overlap-content]', () => {
    assert.equal(merge('a b', 'a b c'), ' | c');
    assert.equal(merge('b c', 'a b c d'), ' | d');
    assert.equal(merge('a b c', 'b c d e'), 'a | d e');
    assert.equal(merge('a b', 'a b'), ' | ');
    assert.equal(merge('a b', 'a c'), 'a b | a c');
  });

  it('are equal by role and content, or by id if both have one [session.overlap-id] [session.overlap-content]', () => {
    assert.equal(merge('a', 'a! b'), 'a | a b');
    assert.equal(merge('a!', 'a! b'), ' | b');
    assert.equal(merge('a/1', 'x/1 b'), ' | b');
    assert.equal(merge('a/1', 'a/2 b'), 'a | a b');
    assert.equal(merge('a/1', 'a b'), ' | b');
  });

  it('keep the end of a text that is too long, with role and id', () => {
    for (const letter of ['y', 'ü', '🦊']) {
      const long: EarlierMessage = { role: 'user', id: 'm\0m', text: `x${letter.repeat(300_000)}` };
      const { added } = mergePrevious([], [long]);
      assert.ok(Buffer.byteLength(added[0]!) <= 256 * 1024);
      assert.ok(Buffer.byteLength(added[0]!) > 250 * 1024);
      assert.deepEqual(mergePrevious(added, [long, { role: 'user', id: '', text: 'z' }]).before, []);
      assert.equal(added[0]!.endsWith(`${letter}\0user\0mm`), true);
      const nameless = { role: 'user', id: '', text: `x${letter.repeat(300_000)}` };
      assert.deepEqual(mergePrevious(mergePrevious([], [nameless]).added, [nameless]).before, [], 'it is known again');
    }
  });
});
