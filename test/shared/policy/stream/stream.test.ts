import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '../work/generators.ts';
import { wrongAt } from './cuts.ts';

const CASES = Number(process.env.STREAM_CASES ?? 300);
const SEED = Number(process.env.STREAM_SEED ?? 1);

describe('a stream of text', () => {
  it('hands on nothing that is a find of a detector of bounded reach, however the text is cut', () => {
    for (let n = 0; n < CASES; n++) {
      const wrong = wrongAt(seeded(SEED * 1_000_003 + n), n % 4 === 0 ? 300 : undefined);
      assert.equal(wrong && JSON.stringify({ n, ...wrong }), undefined);
    }
  });
});
