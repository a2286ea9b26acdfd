/**
 * A search for the texts that take most work: recipes are changed, and those that cost more are kept. Work is counted, not timed, so a
 * seed gives the same search on every machine.
 */
import { readFileSync } from 'node:fs';
import type { Plan } from '#weir/shared/policy/plan';
import { startCounting } from '../../../support/work-counter.ts';
import { DETECTORS, pick, seeded } from '../work/generators.ts';
import { changed, english, newRecipe, type Recipe, textOf } from './recipes.ts';

/**
 * No text takes more than so many times the work of English of its length with the sample configuration and all packs. Text of ASCII takes
 * a third of that: characters that have a compatibility form are looked at in both forms, with all that is beside them.
 */
export const MOST_TIMES = 24;
/** A policy that asks for all readings of terms, or for all entities of rows of single digits, takes more. */
const MOST_OF_ONE = 40;
/** Patterns are the team's own: each may take 2000 steps a character. */
export const mostOf = (name: string): number =>
  name === ALL ? MOST_TIMES : name === 'patterns' ? Number.POSITIVE_INFINITY : MOST_OF_ONE;
/** A search goes over a character in a tenth of the time of a block of code. */
const PER_CHARACTER = 0.1;
/** Length of the texts, in UTF-16 units. */
const UNITS = 4096;
/** Recipes that are kept, of each plan. */
const KEPT = 6;
/** Of so many recipes, one is new. */
const ONE_IS_NEW = 4;

export interface Worst {
  /** of the plan */
  name: string;
  /** times the work of English */
  times: number;
  recipe: Recipe;
  /** texts that were tried */
  tried: number;
  /** of these, so many could not be evaluated in full */
  refused: number;
}

export interface Search {
  seed: number;
  /** whether another text of each plan is tried */
  goesOn(): boolean;
  /** names of plans; empty: all of them */
  only?: readonly string[];
}

/** Where all packs and the sample configuration are one. */
export const ALL = 'sample and packs';

/** The plans that are searched: the sample with all packs, and a policy for each detector. */
async function plansOf(): Promise<ReadonlyMap<string, { plan: Plan; team: string }>> {
  const { loadConfiguration, problemText } = await import('#weir/shared/configuration/configuration');
  const { compilePlan } = await import('#weir/shared/policy/compile');
  const { shippedPacks } = await import('#weir/deploy/packs');
  const { sketch } = await import('../support.ts');
  const file = new URL('deploy/local/weir.yaml', `file://${process.cwd()}/`);
  const packs = 'packs: [prompt-attack-shield, child-safe-chat, agent-guard, pii-gate]';
  const text = readFileSync(file, 'utf8').replace(/^packs:.*$/m, packs);
  const loaded = loadConfiguration(text, 'weir.yaml', undefined, shippedPacks);
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'));
  const plans = new Map([[ALL, { plan: compilePlan(loaded.configuration, 1), team: 'acme' }]]);
  for (const [name, detect] of Object.entries(DETECTORS)) {
    plans.set(name, { plan: compilePlan(sketch({ policies: [{ detect }] }), 1), team: 't' });
  }
  return plans;
}

interface Known {
  recipe: Recipe;
  times: number;
}

/** The worst text of each plan. Detectors are imported here, so that their work is counted. */
export async function searchWorst({ seed, goesOn, only = [] }: Search): Promise<Worst[]> {
  const counter = startCounting(['/dist/', '/node_modules/'], PER_CHARACTER);
  try {
    const { evaluateText } = await import('#weir/shared/policy/evaluate');
    const plans = await plansOf();
    const workOf = (name: string, text: string): { work: number; refused: boolean } => {
      const { plan, team } = plans.get(name)!;
      let refused = false;
      const [work] = counter.of(() => {
        refused = evaluateText(plan, { team }, text).notEvaluated > 0;
      });
      return { work: work!, refused };
    };
    for (const name of plans.keys()) workOf(name, english(UNITS, 2));
    const usual = workOf(ALL, english(UNITS)).work;

    const names = [...plans.keys()].filter((name) => only.length === 0 || only.includes(name));
    const searches = names.map((name, n) => ({
      name,
      random: seeded(seed + n * 7919),
      kept: [] as Known[],
      tried: 0,
      refused: 0,
    }));
    while (goesOn()) {
      for (const search of searches) {
        const { name, random, kept } = search;
        const fresh = kept.length < KEPT || random(ONE_IS_NEW) === 0;
        const recipe = fresh
          ? newRecipe(random)
          : changed(random, pick(random, kept).recipe, pick(random, kept).recipe);
        const { work, refused } = workOf(name, textOf(recipe, UNITS));
        search.tried++;
        if (refused) search.refused++;
        keep(kept, { recipe, times: work / usual });
      }
    }
    return searches.map(({ name, kept: [first], tried, refused }) => {
      return { name, tried, refused, times: first?.times ?? 0, recipe: first?.recipe ?? { seed, parts: [] } };
    });
  } finally {
    counter.stop();
  }
}

/** The worst first. */
function keep(kept: Known[], one: Known): void {
  if (kept.some(({ times }) => times === one.times)) return;
  kept.push(one);
  kept.sort((a, b) => b.times - a.times);
  kept.length = Math.min(kept.length, KEPT);
}
