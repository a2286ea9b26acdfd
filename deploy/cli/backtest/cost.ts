/** Measures what each policy costs by itself. In a configuration policies share work, so the sum is more than all of them cost. */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import { readString } from '../../../shared/policy/content/content.js';
import { evaluateText } from '../../../shared/policy/evaluate.js';
import type { OwnModels } from '../../../shared/policy/models/own.js';

/** Limit for all policies together. The last ones are measured on fewer texts. */
const LIMIT_MS = 3000;
const ROUNDS = 3;

/** By id of the policy: µs a text. Policies that look at no text are missing. */
export function costsOf(
  configuration: Configuration,
  models: OwnModels,
  texts: readonly string[],
): Map<string, number> {
  const costs = new Map<string, number>();
  const readings = texts.map(readString);
  if (readings.length === 0) return costs;
  const { policies } = configuration;
  for (const policy of policies) {
    const only = { ...configuration, policies: [policy], deployments: [], environments: [] };
    const plan = compilePlan(only, 0, { models });
    if (!plan.teams.get(policy.team)?.policies[0]?.looks.text) continue;
    const limit = LIMIT_MS / policies.length / ROUNDS;
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      let done = 0;
      for (const { text, decoded } of readings) {
        evaluateText(plan, { team: policy.team }, text, { decoded });
        done++;
        if (done % 16 === 0 && performance.now() - began > limit) break;
      }
      least = Math.min(least, ((performance.now() - began) * 1000) / done);
    }
    costs.set(policy.id, least);
  }
  return costs;
}
