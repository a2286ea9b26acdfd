/** Which metrics of a configuration an item has: those of the conditions that match an event, or of the deployment. */
import { metricKind } from '../../shared/configuration/metric-kinds.js';
import { liveMetrics } from '../../shared/configuration/metrics.js';
import type { Configuration, MetricConfiguration } from '../../shared/configuration/types.js';
import { MAX_CONDITION_STEPS } from '../../shared/policy/condition-steps.js';
import { type Condition, parseCondition } from '../../shared/policy/conditions.js';
import type { Compute, Computed, MetricItem } from './kinds/kind.js';
import { computeOf } from './kinds/registry.js';

export interface CompiledMetric extends Pick<MetricConfiguration, 'id' | 'name' | 'kind'> {
  from: 'text' | 'image' | 'any';
  compute: Compute;
}

export interface MetricPlan {
  /** by team and scope */
  environments: ReadonlyMap<string, readonly { condition: Condition; metrics: readonly CompiledMetric[] }[]>;
  deployments: ReadonlyMap<string, readonly CompiledMetric[]>;
  /** neither content nor metadata reach the log */
  unkept: boolean;
}

const scopeKey = (team: string, scope: string): string => JSON.stringify([team, scope]);

/** `configuration`: as it is stored, so it was checked. */
export async function compileMetrics(configuration: Configuration): Promise<MetricPlan> {
  const unkept = configuration.retention.content_days === 0;
  const compiled = new Map<string, CompiledMetric>();
  const live = liveMetrics(configuration);
  for (const metric of configuration.metrics) {
    if (live.has(metric.id)) compiled.set(metric.id, await compile(metric, unkept));
  }
  const listed = ({ metrics }: { metrics: readonly string[] }): CompiledMetric[] =>
    metrics.flatMap((id) => compiled.get(id) ?? []);
  const deployments = configuration.deployments.map((each) => [scopeKey(each.team, each.id), listed(each)] as const);
  const environments = configuration.environments.map(({ team, id, conditions }) => {
    const chosen = conditions
      .filter(({ active, metrics }) => active && metrics.length > 0)
      .map((each) => ({ condition: conditionOf(each.when), metrics: listed(each) }))
      // Without the metadata it cannot be told whether such a condition matches.
      .filter(({ condition }) => !(unkept && condition.depends.metadata));
    return [scopeKey(team, id), chosen] as const;
  });
  return { environments: new Map(environments), deployments: new Map(deployments), unkept };
}

async function compile(metric: MetricConfiguration, unkept: boolean): Promise<CompiledMetric> {
  const { id, name, kind } = metric;
  const { from, reads } = metricKind(kind);
  const lacking: Compute = () => ({ note: `the ${reads} is not kept (retention.content_days is 0)` });
  return { id, name, kind, from, compute: unkept && reads !== 'nothing' ? lacking : await computeOf(metric) };
}

function conditionOf(when: string): Condition {
  const parsed = parseCondition(when);
  if (!parsed.ok) throw new Error(`a condition cannot be used: ${parsed.message}`);
  return parsed.condition;
}

/** Where an item was checked. */
export interface MetricScope {
  team: string;
  /** environment of an event, deployment of anything else */
  scope: string;
  isEvent: boolean;
}

/** The metrics of an item, each once, in the order of the conditions. */
export function metricsOf(plan: MetricPlan, { team, scope, isEvent }: MetricScope, item: MetricItem): CompiledMetric[] {
  const key = scopeKey(team, scope);
  const chosen = isEvent ? selected(plan, key, item) : (plan.deployments.get(key) ?? []);
  const source = item.type === 'artifact' ? 'image' : 'text';
  return chosen.filter(({ from }) => from === 'any' || from === source);
}

function selected({ environments }: MetricPlan, key: string, item: MetricItem): CompiledMetric[] {
  const steps = { left: MAX_CONDITION_STEPS };
  const metrics = new Set<CompiledMetric>();
  for (const { condition, metrics: some } of environments.get(key) ?? []) {
    if (condition.matches(item.metadata, item, steps) === true) for (const metric of some) metrics.add(metric);
  }
  return [...metrics];
}

/** What a metric gives. A bug in one kind is a note, and does not cost the item its other metrics. */
export function computed({ from, compute }: CompiledMetric, item: MetricItem, hasText: boolean): Computed {
  if (!hasText && from === 'text') return { note: 'the item has no text' };
  try {
    const outcome = compute(item);
    return 'note' in outcome || Number.isFinite(outcome.value) ? outcome : { note: 'it gave no finite number' };
  } catch {
    return { note: 'it could not be computed' };
  }
}
