/** Metrics of a configuration: how they are read, and which are in use. */
import { parseValue } from '../policy/conditions.js';
import { CLASSIFIER_LABELS } from '../policy/detectors/classifier.js';
import { expressionProblem } from '../policy/strict-conditions.js';
import { METRIC_NAMES, metricKind } from './metric-kinds.js';
import { derivedId } from './read/derived-ids.js';
import { type Cursor, choiceOf, complain, fieldsOf, readName, readOwner, textOf } from './read/fields.js';
import type { Configuration, MetricConfiguration } from './types.js';

export function readMetric(cursor: Cursor): MetricConfiguration | undefined {
  const fields = fieldsOf(cursor, ['id', 'team', 'name', 'kind', 'label', 'value']);
  if (!fields) return undefined;
  const kind = choiceOf(fields.get('kind'), METRIC_NAMES);
  const { field } = metricKind(kind);
  const takes = (name: 'label' | 'value'): boolean => name === field || cursor.shape !== undefined;
  for (const other of ['label', 'value'] as const) {
    if (other === field || !fields.has(other)) continue;
    const of = METRIC_NAMES.find((name) => metricKind(name).field === other);
    complain(fields.get(other), `only metrics of kind ${of} have a ${other}; this one is of kind ${kind}`);
  }
  const [team, name] = [readOwner(fields), readName(fields.get('name'))];
  return {
    id: derivedId(fields.get('id'), 'metric', team, name),
    team,
    name,
    kind,
    ...(takes('label') ? { label: choiceOf(fields.get('label'), CLASSIFIER_LABELS) } : {}),
    ...(takes('value') ? { value: readValue(fields.get('value')) } : {}),
  };
}

function readValue(cursor: Cursor): string {
  const text = textOf(cursor, { max: 4096, expected: 'a CEL expression in quotes, such as "metadata.assistant.cost"' });
  if (text === '') return text;
  const parsed = parseValue(text);
  const problem = (cursor.report.short && expressionProblem(text)) ?? (parsed.ok ? undefined : parsed.message);
  if (problem !== undefined) complain(cursor, `expected a CEL expression over metadata and event: ${problem}`);
  return text;
}

/** Ids of the metrics that are in use: those that a deployment or an active condition lists. */
export function liveMetrics({ deployments, environments }: Partial<Configuration>): Set<string> {
  const conditions = (environments ?? []).flatMap((environment) =>
    environment.conditions.filter(({ active }) => active),
  );
  return new Set([...(deployments ?? []), ...conditions].flatMap(({ metrics }) => metrics));
}
