/**
 * A configuration compiled for evaluation: one immutable plan a version. It holds caches of strings and selections, all bounded,
 * which are functions of the configuration. So equal outcomes share one string.
 */

import type { Configuration, PolicyConfiguration } from '../configuration/types.js';
import { parseCondition } from './conditions.js';
import {
  compileExpression,
  contextOf,
  detectorsOf,
  type Expression,
  evaluateExpression,
  NO,
  narrowed,
  UNKNOWN,
  YES,
} from './detect-expression.js';
import { type ImageLook, type MeasuredImage, NO_RESOURCES, NOT_FOUND } from './detectors/detector.js';
import { type Detect, type DetectorParameters, detectorOf, looksAt, questionOf } from './detectors/registry.js';
import { buildEngine, type Engine } from './engine/engine.js';
import type { Interest } from './engine/probes/probe.js';
import { SECTIONS, type SectionSizes } from './engine/sections.js';
import type { CompiledCondition, CompiledPolicy, Plan, PlannedQuestion, SourceLook, TeamPlan } from './plan.js';
import { foreignIn } from './questions.js';
import type { Source } from './types.js';

/**
 * `resources`: what the configuration names and does not hold; detectors whose resource is not among them could not run. Throws only
 * on a configuration that did not come from `loadConfiguration`. `sizes`: tests scan short texts in sections.
 */
export function compilePlan(
  configuration: Configuration,
  version: number,
  resources = NO_RESOURCES,
  sizes: SectionSizes = SECTIONS,
): Plan {
  const interests = (leaf: DetectorParameters): Interest[] => interestsOf(leaf, resources);
  const teams = new Map<string, TeamPlan>();
  for (const team of configuration.teams) teams.set(team.id, compileTeam(configuration, team.id, interests, sizes));
  return { version, teams };
}

/** What a detector looks for in texts: nothing if it looks at images. */
export function interestsOf(leaf: DetectorParameters, resources = NO_RESOURCES): Interest[] {
  const { detector, parameters } = detectorOf(leaf);
  return detector.text?.interests(parameters, resources) ?? [];
}

/** `interests` says what each detector looks for. */
export function compileTeam(
  configuration: Configuration,
  team: string,
  interests: (leaf: DetectorParameters) => Interest[],
  sizes: SectionSizes = SECTIONS,
): TeamPlan {
  const { leaves, numberOf } = createLeaves();
  const policies = new Map<string, CompiledPolicy>();
  for (const policy of configuration.policies) {
    if (policy.team !== team) continue;
    const expression = compileExpression(policy.detect, numberOf);
    policies.set(
      policy.id,
      compilePolicy(policy, expression, (number, source) => looksAt(leaves[number]!).includes(source)),
    );
  }
  // This comes first: it adds leaves, and the engine looks for all of them.
  const images = imageLeaves({ leaves, numberOf });
  const engine = buildEngine(leaves.map(interests), sizes);
  const texts = leaves.map((leaf) => {
    const { detector, parameters } = detectorOf(leaf);
    const { reach, open, anchored, mark } = detector.text ?? {};
    // A find may begin in earlier texts.
    const opens = contextOf(leaf) > 0 ? undefined : open?.(parameters);
    return { reach: reach?.(parameters) ?? Infinity, opens, anchored: anchored?.(parameters) ?? false, mark };
  });
  const { fail_closed: failClosed = false, tags = [] } = configuration.teams.find((each) => each.id === team) ?? {};
  return {
    failClosed,
    tags: tags.map((path) => ({ path, names: path.split('.') })),
    engine,
    images: new Map(
      [...images].map(([number, { look, inner }]) => {
        return [number, { ...look, judge: inner ? judgeOf(engine, inner) : () => NOT_FOUND }];
      }),
    ),
    questions: questionsOf(configuration, team, leaves),
    contexts: leaves.map(contextOf),
    reaches: texts.map(({ reach }) => reach),
    opens: texts.map(({ opens }) => opens),
    anchored: texts.map(({ anchored }) => anchored),
    marks: texts.map(({ mark }) => mark),
    policies: [...policies.values()],
    ...scopesOf(configuration, team, policies),
    kept: { selected: 0, characters: 0, maps: new Map(), numbers: new Map(), next: 0 },
    selections: new Map(),
  };
}

/** By number of a detector: what is asked for it. */
function questionsOf(
  { backends }: Configuration,
  team: string,
  leaves: readonly DetectorParameters[],
): Map<number, PlannedQuestion> {
  const questions = new Map<number, PlannedQuestion>();
  leaves.forEach((leaf, number) => {
    const question = questionOf(leaf);
    if (!question) return;
    const { about, evidence } = question;
    if ('model' in about) {
      questions.set(number, { about, evidence });
      return;
    }
    const backend = backends.find((each) => each.team === team && each.id === about.backend);
    if (backend) questions.set(number, { about: { ...about, backend }, evidence });
  });
  return questions;
}

interface Leaves {
  /** by number; grows while expressions are compiled */
  leaves: DetectorParameters[];
  /** equal detectors have the same number */
  numberOf(leaf: DetectorParameters): number;
}

function createLeaves(): Leaves {
  const leaves: DetectorParameters[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (leaf: DetectorParameters): number => {
    const key = JSON.stringify(leaf);
    let number = numbers.get(key);
    if (number === undefined) {
      number = leaves.push(leaf) - 1;
      numbers.set(key, number);
    }
    return number;
  };
  return { leaves, numberOf };
}

interface ImageLeaf {
  look: ImageLook;
  /** `look.text`, compiled */
  inner: Expression | undefined;
}

/** Detectors of images, by number. Detectors of texts that they hold become leaves like others, so `leaves` grows. */
function imageLeaves({ leaves, numberOf }: Leaves): Map<number, ImageLeaf> {
  const images = new Map<number, ImageLeaf>();
  for (let number = 0; number < leaves.length; number++) {
    const { detector, parameters } = detectorOf(leaves[number]!);
    const look = looksAt(leaves[number]!).includes('image') ? detector.image?.(parameters) : undefined;
    if (look) images.set(number, { look, inner: look.text && compileExpression(look.text as Detect, numberOf) });
  }
  return images;
}

/** The verdict of `expression` on a text by itself. */
function judgeOf(engine: Engine, expression: Expression): MeasuredImage['judge'] {
  const wanted = engine.wanted(detectorsOf(expression));
  return (text) => {
    const finds = engine.scan(text, wanted, 0);
    const truth = evaluateExpression(expression, (number) => {
      if (finds?.evidence.has(number)) return YES;
      return finds?.failed.has(number) ? UNKNOWN : NO;
    });
    const evidence = truth === YES ? [...(finds?.evidence.values() ?? [])].flat() : [];
    const foreign = truth === UNKNOWN && finds ? foreignIn(expression, finds) : undefined;
    return foreign === undefined ? { truth, evidence } : { truth, evidence, foreign };
  };
}

function scopesOf(
  configuration: Configuration,
  team: string,
  policies: ReadonlyMap<string, CompiledPolicy>,
): Pick<TeamPlan, 'environments' | 'deployments'> {
  const of = (ids: readonly string[]): CompiledPolicy[] => ids.flatMap((id) => policies.get(id) ?? []);
  const own = <T extends { team: string }>(list: readonly T[]): T[] => list.filter((each) => each.team === team);
  return {
    environments: new Map(
      own(configuration.environments).map(({ id, conditions: all }) => {
        const conditions = all.flatMap((each) => compileCondition(each, of));
        const named = conditions.some(({ condition }) => condition.depends.name);
        return [id, { conditions, named, selected: new WeakMap(), selections: new Map() }];
      }),
    ),
    deployments: new Map(
      own(configuration.deployments).map(({ id, policies: ids }) => {
        const all = of(ids);
        const shadows = all.filter(({ shadow }) => shadow).map((policy) => policy.id);
        return [id, { policies: all, shadows, selections: new Map() }];
      }),
    ),
  };
}

function compilePolicy(
  policy: PolicyConfiguration,
  whole: Expression,
  looksAt: (detector: number, source: Source) => boolean,
): CompiledPolicy {
  const look = (source: Source): SourceLook | null => {
    if (!policy.sources.includes(source)) return null;
    const expression = narrowed(whole, (detector) => looksAt(detector, source));
    return expression ? { expression, detectors: detectorsOf(expression) } : null;
  };
  return {
    id: policy.id,
    name: policy.name,
    severity: policy.severity,
    action: policy.action,
    direction: policy.direction,
    looks: { text: look('text'), image: look('image') },
    events: policy.events === null ? null : new Set(policy.events),
    shadow: policy.mode === 'shadow',
    failsForeign: policy.unknown_language === 'fail',
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
