/** What the configurations say that items were judged by. */
import { loadConfiguration } from '../../../../shared/configuration/configuration.js';
import type { RetentionConfiguration } from '../../../../shared/configuration/types.js';
import { compilePlan } from '../../../../shared/policy/compile.js';
import { evaluateSession } from '../../../../shared/policy/evaluate.js';
import type { Plan } from '../../../../shared/policy/plan.js';
import type { AppliedConfiguration } from './stored.js';

/** A session as it is stored. */
export interface PastSession {
  team: string;
  deployment: string;
  role: string;
  /** number of the configuration */
  config: number;
  /** Unix ms */
  time: number;
}

export interface Past {
  /** Whether the configuration kept contents; undefined: it is not known. */
  keptContent(config: number, time: number): boolean | undefined;
  /** Policies that a session was judged by where that were not all that apply: its caller named some. */
  named(session: PastSession, judgedBy: ReadonlyMap<string, unknown>): readonly string[] | undefined;
}

interface KnownPlan {
  plan: Plan;
  kept: boolean;
}

/** Whether an empty content was empty when it was checked: else it may be one that was not kept. */
const keepsAll = ({ content_days, content }: RetentionConfiguration): boolean =>
  content_days > 0 && content !== 'masked';

/** Configurations that are compiled at a time. */
const MOST_COMPILED = 16;

/** `configurations`: those that were applied, by time. */
export function createPast(configurations: readonly AppliedConfiguration[]): Past {
  const compiled = new Map<AppliedConfiguration, KnownPlan | undefined>();
  const expected = new Map<string, readonly string[]>();

  /** Numbers are used again where Redis was emptied. Then the last one that was applied before counts. */
  function storedAt(config: number, time: number): AppliedConfiguration | undefined {
    const all = configurations.filter(({ number }) => number === config);
    return all.filter(({ applied }) => applied <= time).at(-1) ?? all[0];
  }

  function knownAt(config: number, time: number): KnownPlan | undefined {
    const stored = storedAt(config, time);
    if (!stored || compiled.has(stored)) return stored && compiled.get(stored);
    if (compiled.size >= MOST_COMPILED) {
      compiled.clear();
      expected.clear();
    }
    const loaded = loadConfiguration(stored.json);
    const known = loaded.ok
      ? { plan: compilePlan(loaded.configuration, config), kept: keepsAll(loaded.configuration.retention) }
      : undefined;
    compiled.set(stored, known);
    return known;
  }

  /** The policies that look at any text of the deployment. */
  function policiesFor({ team, deployment, role, config, time }: PastSession): readonly string[] {
    const known = knownAt(config, time);
    const stored = storedAt(config, time);
    const direction = role === 'assistant' ? 'output' : 'input';
    const key = JSON.stringify([stored?.applied, config, team, deployment, direction]);
    const before = expected.get(key);
    if (before) return before;
    const has = known?.plan.teams.get(team)?.deployments.has(deployment);
    const ids = has ? evaluateSession(known!.plan, { team, deployment }, { direction, text: '' }).evaluated : [];
    expected.set(key, ids);
    return ids;
  }

  return {
    keptContent: (config, time) => knownAt(config, time)?.kept,
    named(session, judgedBy) {
      const all = policiesFor(session);
      return all.every((id) => judgedBy.has(id)) ? undefined : [...judgedBy.keys()];
    },
  };
}
