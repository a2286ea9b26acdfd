/** Judges texts by one policy or one detector, in this process. */
import {
  type Configuration,
  loadConfiguration,
  type PolicyConfiguration,
} from '../../../shared/configuration/configuration.js';
import { readSource } from '../../../shared/configuration/read/source.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import { readString } from '../../../shared/policy/content/content.js';
import { leavesOf } from '../../../shared/policy/detect-expression.js';
import {
  DETECTOR_NAMES,
  type Detect,
  type DetectorParameters,
  detectorOf,
} from '../../../shared/policy/detectors/registry.js';
import { evaluateText } from '../../../shared/policy/evaluate.js';
import type { OwnModels } from '../../../shared/policy/models/own.js';
import { CommandUsageError } from '../command.js';
import { filesBeside, prepared, type ReadConfiguration } from '../configuration/file.js';

/** What is said of a text; undefined: it could not be evaluated. */
export type TextJudgement = { flagged: boolean; score?: number } | undefined;

export interface Judge {
  name: string;
  /** it says a score of each text */
  scores: boolean;
  judge(text: string): TextJudgement;
}

/** Team and policies of a detector that is judged by itself. Only this process knows them. */
const TEAM = 'eval';
const POLICY = '00000000-0000-4000-8000-000000000001';
/** Fires on every text, with its score. */
const SCORING = '00000000-0000-4000-8000-000000000002';

/** The policy of a configuration with this name or id. Throws a {@link CommandUsageError} where there is none, or several. */
export function judgeOfPolicy(read: ReadConfiguration, name: string): Judge {
  const { configuration } = read;
  const found = configuration.policies.filter((policy) => policy.id === name.toLowerCase() || policy.name === name);
  const [policy] = found;
  if (!policy) {
    const names = configuration.policies.map((each) => each.name);
    throw new CommandUsageError(
      `--policy: there is no policy "${name}"; expected one of ${names.join(', ') || 'none'}`,
    );
  }
  if (found.length > 1)
    throw new CommandUsageError(`--policy: ${found.length} policies are called "${name}"; expected an id`);
  return judgeBy(configuration, [policy], read.models());
}

/**
 * A detector as it is written in `detect`, such as `injection` or `classifier: {label: hate}`; also an expression of several. Files that it names
 * are read from the current folder. Throws a {@link CommandUsageError} that says what is wrong.
 */
export function judgeOfDetector(text: string, option: string): Judge {
  const source = readSource(text);
  const [error] = source.errors;
  if (error) throw new CommandUsageError(`${option}: ${error.message}`);
  const detect = typeof source.value === 'string' ? { [source.value]: {} } : source.value;
  const policy = { id: POLICY, team: TEAM, name: text, detect };
  const files = filesBeside('./weir.yaml');
  const loaded = loadConfiguration(
    JSON.stringify({ version: 1, teams: [{ id: TEAM }], policies: [policy] }),
    option,
    files,
  );
  if (!loaded.ok) {
    const { path, message } = loaded.problems[0]!;
    const hint = /unknown detector|exactly one/.test(message)
      ? `, such as ${DETECTOR_NAMES.slice(0, 6).join(', ')}`
      : '';
    throw new CommandUsageError(`${option}: ${path.replace(/^policies\[0\]\.?/, '')}: ${message}${hint}`);
  }
  const { configuration } = loaded;
  const [read] = configuration.policies as [PolicyConfiguration];
  const scoring = scoringOf(read.detect);
  const twin = scoring ? [{ ...read, id: SCORING, detect: scoring }] : [];
  return judgeBy(configuration, [read, ...twin], prepared(files));
}

/** The detector with a threshold that every text reaches; undefined: it has no score that is one of the text. */
function scoringOf(detect: Detect): Detect | undefined {
  const [leaf] = leavesOf(detect).leaves;
  if (!leaf || JSON.stringify(leaf) !== JSON.stringify(detect)) return undefined;
  const { name, detector, parameters } = detectorOf(leaf);
  // Personal data has a score for each find, and finds compete by it. So a lower threshold makes another detector of it.
  if (!('threshold' in detector.parameters) || 'thresholds' in detector.parameters) return undefined;
  return { [name]: { ...parameters, threshold: 0 } } as unknown as DetectorParameters;
}

function judgeBy(configuration: Configuration, policies: readonly PolicyConfiguration[], models: OwnModels): Judge {
  const { id, name, team } = policies[0]!;
  // The team may fail closed. What could not be evaluated is told apart here.
  const teams = configuration.teams.map((each) => ({ ...each, fail_closed: false }));
  const only = { ...configuration, teams, policies: [...policies], deployments: [], environments: [] };
  const plan = compilePlan(only, 0, { models });
  if (!plan.teams.get(team)?.policies.some((policy) => policy.looks.text)) {
    throw new CommandUsageError(`"${name}" looks at no texts`);
  }
  const scores = policies.length > 1;
  return {
    name,
    scores,
    judge(text) {
      const { decoded } = readString(text);
      const { evaluated, violations } = evaluateText(plan, { team }, text, { decoded });
      if (!evaluated.includes(id)) return undefined;
      const flagged = violations.some((violation) => violation.id === id);
      if (!scores) return { flagged };
      const evidence = violations.find((violation) => violation.id === SCORING)?.evidence ?? [];
      return { flagged, score: Math.max(0, ...evidence.map((each) => each.score ?? 1)) };
    },
  };
}
