/** What the tagger of names learns from, and that the same seed makes the same weights. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createTexts, isPlain, type NamedText } from '#weir/deploy/train/names/examples';
import { buildNameLexicon, WordCounts } from '#weir/deploy/train/names/lexicon';
import { readNameTexts } from '#weir/deploy/train/names/texts';
import { eachPassage } from '#weir/deploy/train/names/train';
import { createRandom } from '#weir/deploy/train/random';
import { MAX_TOKENS, newTokens } from '#weir/shared/policy/detectors/pii/names/tokens';

/** A new name or sentence changes these on purpose. The shipped weights are of what these were when they were trained. */
const TEXTS = 'd4f4dc2bc45692d0367946284409292fac6e4becf85a0e476c2918914db5f982';
const LEXICON = 'eb5576e7b82cabd8b23cced2a413c4b19b94fc8b6f47f4a8c5d79489b9e13724';

const PLAIN = ['They said that it is late.', 'I have not seen the parcel yet.', 'What a day!'];

function made(count: number): NamedText[] {
  const make = createTexts(readNameTexts(), PLAIN, createRandom(1));
  return Array.from({ length: count }, make);
}

describe('what the tagger of names learns from', () => {
  it('is made of lists and sentences in the same way, to the letter', () => {
    const hash = createHash('sha256');
    for (const { text, spans } of made(3000)) hash.update(`${text}\0${JSON.stringify(spans)}\n`);
    assert.equal(hash.digest('hex'), TEXTS);
  });

  it('has the same words in the same classes', () => {
    const counts = new WordCounts();
    counts.add('the parcel and the parcel, the Frobnicator and the Frobnicator, my Frobnicator or our Frobnicator');
    const { hashes, packed } = buildNameLexicon(readNameTexts().lists, counts);
    assert.equal(createHash('sha256').update(hashes).update(packed).digest('hex'), LEXICON);
  });

  it('has all entities, and every list that a sentence asks for', () => {
    const counts = [0, 0, 0, 0];
    for (const { text, spans } of made(20_000)) {
      assert.ok(!/\{[a-z :]+\}/.test(text), text);
      for (const { entity, start, end } of spans) {
        counts[entity]!++;
        assert.ok(end > start && end <= text.length, text);
      }
    }
    for (const count of counts) assert.ok(count > 1000, counts.join(' '));
  });

  it('marks the tokens of a name', () => {
    const tokens = newTokens();
    const tags = new Uint8Array(MAX_TOKENS + 1);
    const seen: number[] = [];
    const named = {
      text: 'I am Jo Poe, of Rome.',
      spans: [
        { start: 5, end: 11, entity: 0 },
        { start: 16, end: 20, entity: 1 },
      ],
    };
    eachPassage(named, tokens, tags, () => seen.push(...tags.subarray(0, tokens.count)));
    assert.deepEqual(seen, [0, 0, 1, 2, 0, 0, 3, 0]);
  });

  it('takes for plain what has no capital but the first', () => {
    const known = (word: string): boolean => 'the parcel is late and i am angry about it'.split(' ').includes(word);
    assert.ok(isPlain('The parcel is late, and I am angry.', known));
    for (const text of [
      'The Parcel is late and I am angry.',
      'Rome is late and I am angry.',
      'The zebra is late and angry.',
      'late',
    ]) {
      assert.ok(!isPlain(text, known), text);
    }
  });
});
