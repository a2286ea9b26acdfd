/**
 * A configuration compiled for evaluation: one immutable plan a version. Inside are caches of strings and selections
 * that are functions of the configuration, so that equal outcomes share one string; all are bounded.
 */

import type { Configuration, PolicyConfiguration } from '../configuration/types.js';
import { parseCondition } from './conditions.js';
import { piiInterests } from './detectors/pii.js';
import { secretInterests } from './detectors/secrets.js';
import { buildEngine, type Engine } from './engine/engine.js';
import { isAnchored, regexInterests } from './engine/probes/pattern-set.js';
import type { Interest } from './engine/probes/probe.js';
import { termInterests, termReach } from './engine/probes/term.js';
import {
  compileExpression,
  contextOf,
  type DetectorParameters,
  detectorsOf,
  type Expression,
  narrowed,
  sourceOf,
} from './expression.js';
import type { CompiledCondition, CompiledPolicy, ImageDetector, Look, Plan, TeamPlan } from './plan.js';
import type { Source } from './types.js';

/** Throws only on a configuration that did not come from `loadConfiguration`. */
export function compilePlan(configuration: Configuration, version: number): Plan {
  const teams = new Map<string, TeamPlan>();
  for (const team of configuration.teams) teams.set(team.id, compileTeam(configuration, team.id, interestsOf));
  return { version, teams };
}

export function interestsOf(parameters: DetectorParameters): Interest[] {
  if ('terms' in parameters) return termInterests(parameters.terms);
  if ('regex' in parameters) return regexInterests(parameters.regex);
  if ('pii' in parameters) return piiInterests(parameters.pii);
  // Detectors of images look for nothing in a text.
  return 'secrets' in parameters ? secretInterests(parameters.secrets) : [];
}

/** `interests` says what each detector looks for. */
export function compileTeam(
  configuration: Configuration,
  team: string,
  interests: (parameters: DetectorParameters) => Interest[],
): TeamPlan {
  const detectors: DetectorParameters[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (parameters: DetectorParameters): number => {
    const key = JSON.stringify(parameters);
    let number = numbers.get(key);
    if (number === undefined) {
      number = detectors.push(parameters) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  const policies = new Map<string, CompiledPolicy>();
  for (const policy of configuration.policies) {
    if (policy.team !== team) continue;
    const expression = compileExpression(policy.detect, numberOf);
    policies.set(
      policy.id,
      compilePolicy(policy, expression, (detector) => sourceOf(detectors[detector]!)),
    );
  }
  const inners = new Map<number, Expression>();
  // Grows while it is walked: text detectors within `image_text` are detectors like others.
  for (let i = 0; i < detectors.length; i++) {
    const parameters = detectors[i]!;
    if ('image_text' in parameters) inners.set(i, compileExpression(parameters.image_text.detect, numberOf));
  }
  const engine = buildEngine(detectors.map(interests));
  const of = (ids: readonly string[]): CompiledPolicy[] => ids.flatMap((id) => policies.get(id) ?? []);
  return {
    failClosed: configuration.teams.some((each) => each.id === team && each.fail_closed),
    engine,
    images: imageDetectors(detectors, inners, engine),
    contexts: detectors.map(contextOf),
    reaches: detectors.map((parameters) => ('terms' in parameters ? termReach(parameters.terms) : Infinity)),
    anchored: detectors.map((parameters) => 'regex' in parameters && isAnchored(parameters.regex)),
    policies: [...policies.values()],
    environments: new Map(
      configuration.environments
        .filter((environment) => environment.team === team)
        .map(({ id, conditions: all }) => {
          const conditions = all.flatMap((each) => compileCondition(each, of));
          const named = conditions.some(({ condition }) => condition.depends.name);
          return [id, { conditions, named, selected: new WeakMap(), selections: new Map() }];
        }),
    ),
    deployments: new Map(
      configuration.deployments
        .filter((deployment) => deployment.team === team)
        .map(({ id, policies: ids }) => [id, { policies: of(ids), selections: new Map() }]),
    ),
    kept: { selected: 0, characters: 0, maps: new Map(), numbers: new Map(), next: 0 },
    selections: new Map(),
  };
}

function imageDetectors(
  detectors: readonly DetectorParameters[],
  inners: ReadonlyMap<number, Expression>,
  engine: Engine,
): Map<number, ImageDetector> {
  const images = new Map<number, ImageDetector>();
  detectors.forEach((parameters, number) => {
    if ('image_text' in parameters) {
      const inner = inners.get(number)!;
      images.set(number, { parameters, inner, wanted: engine.wanted(detectorsOf(inner)) });
    } else if ('image_hash' in parameters || 'image_properties' in parameters || 'onnx' in parameters) {
      images.set(number, { parameters });
    }
  });
  return images;
}

function compilePolicy(
  policy: PolicyConfiguration,
  whole: Expression,
  sourceOfDetector: (detector: number) => Source,
): CompiledPolicy {
  const look = (source: Source): Look | null => {
    if (!policy.sources.includes(source)) return null;
    const expression = narrowed(whole, (detector) => sourceOfDetector(detector) === source);
    return expression ? { expression, detectors: detectorsOf(expression) } : null;
  };
  return {
    id: policy.id,
    name: policy.name,
    severity: policy.severity,
    direction: policy.direction,
    looks: { text: look('text'), image: look('image') },
    events: policy.events === null ? null : new Set(policy.events),
  };
}

function compileCondition(
  condition: Configuration['environments'][number]['conditions'][number],
  of: (ids: readonly string[]) => CompiledPolicy[],
): CompiledCondition[] {
  if (!condition.active) return [];
  const parsed = parseCondition(condition.when);
  if (!parsed.ok) throw new Error(`condition ${condition.id}: ${parsed.message}`);
  const { id, name, when } = condition;
  const always = when.trim() === 'true';
  return [{ id, name, always, condition: parsed.condition, policies: of(condition.policies) }];
}
