// A short search for the worst. `npm run worst` searches for as long as asked.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DETECTORS, seeded } from '../work/generators.ts';
import { english, newRecipe, textOf, WRAPS } from './recipes.ts';
import { ALL, mostOf, searchWorst } from './search.ts';

/** Texts of each plan. */
const TEXTS = 30;
/** All but patterns, which are the team's own. */
const PLANS = [ALL, ...Object.keys(DETECTORS).filter((name) => name !== 'patterns')];

describe('a search for the texts that take most work', () => {
  // This one is first: what is imported before is not counted.
  it('finds none that takes more than its plan may', async () => {
    const rounds = { left: TEXTS };
    const found = await searchWorst({ seed: 1, goesOn: () => rounds.left-- > 0, only: PLANS });
    assert.deepEqual(found.map(({ name }) => name).sort(), [...PLANS].sort());
    for (const { name, times, recipe, tried } of found) {
      assert.equal(tried, TEXTS);
      // A search that counts nothing finds nothing.
      assert.ok(times > 0.01, `${name}: ${times}`);
      assert.ok(times <= mostOf(name), `${name}: ${times} times English, of ${JSON.stringify(recipe)}`);
    }
  });

  it('makes the same text of a recipe again, of any length', () => {
    for (let seed = 0; seed < 50; seed++) {
      const recipe = newRecipe(seeded(seed));
      const text = textOf(recipe, 500);
      assert.equal(text.length, 500);
      assert.equal(textOf(recipe, 500), text);
    }
  });

  it('writes what a part says in every way', () => {
    const texts = WRAPS.map((wrap) => textOf({ seed: 1, parts: [{ unit: 'Abc 12!', times: 1, vary: 0, wrap }] }, 40));
    assert.equal(new Set(texts).size, WRAPS.length);
  });

  it('holds them against English', () => {
    assert.match(english(200), /^[A-Z][a-z]+ [a-z ,.?A-Z\n]+$/);
    assert.notEqual(english(200, 1), english(200, 2));
  });
});
