/** From entries of the log to what webhooks are told: one delivery for each flagged check and webhook, without content. */
import { SEVERITIES, type Severity } from '../../shared/api/types.js';
import { hookName } from '../../shared/configuration/notify.js';
import type { HookConfiguration } from '../../shared/configuration/types.js';
import { type Delivery, deliveryId } from '../../shared/streams/hooks.js';
import { type Cell, type ReadRow, readRows, teamOf } from '../rows/read-rows.js';

const SHARED = ['team', 'scope', 'kind', 'config', 'completed'] as const;
const OF_ITEMS = [
  'id',
  'type',
  'event_id',
  'run_id',
  'external_session_id',
  'external_artifact_id',
  'flagged',
  'not_evaluated',
  'violation_id',
  'violation_name',
  'violation_severity',
] as const;
const NEEDED = new Set<string>([...SHARED, ...OF_ITEMS]);

/** By their numbers in the rows. */
const KINDS: Record<number, 'event' | 'session' | 'artifact'> = { 1: 'event', 2: 'event', 3: 'session', 4: 'artifact' };
/** Policies that a delivery lists, the most severe ones: so that it stays below 20 KB. */
const MOST_POLICIES = 50;

/** A policy that an item violates. */
interface Told {
  id: string;
  name: string;
  severity: Severity;
}

/** A flagged check: an event, a session with its images, or a single image. */
interface FlaggedItem {
  kind: 'event' | 'session' | 'artifact';
  team: string;
  scope: string;
  id: string;
  /** Unix ms */
  completed: number;
  configuration: number;
  notEvaluated: number;
  /** the most severe first */
  policies: Told[];
  /** ids that the caller chose, by the names that they have in answers; empty ones are left out */
  named: Record<string, string>;
}

/** What webhooks are told of an entry, by the name of the webhook. Throws `DamagedRows` where its rows cannot be read. */
export function deliveriesOf(
  hooks: ReadonlyMap<string, HookConfiguration>,
  format: string,
  packed: Buffer,
): [hook: string, Delivery][] {
  const team = teamOf(packed);
  const own = [...hooks.values()].filter((hook) => hook.team === team && hook.on.includes('flagged'));
  if (own.length === 0) return [];
  return readRows(format, packed, NEEDED)
    .flatMap(flaggedIn)
    .flatMap((item) => own.flatMap((hook) => deliveryTo(hook, item)));
}

function flaggedIn(row: ReadRow): FlaggedItem[] {
  const kind = KINDS[row.kind as number]!;
  const items: FlaggedItem[] = [];
  for (const [i, flagged] of (row.flagged as Cell[]).entries()) {
    const cell = (name: (typeof OF_ITEMS)[number]): Cell => (row[name] as Cell[])[i]!;
    // What the images of a session violate is in the verdict of the session.
    if (flagged !== 1 || (kind === 'session' && cell('type') === 'artifact')) continue;
    const names = kind === 'event' ? (['event_id', 'run_id'] as const) : [];
    const named = [...names, 'external_session_id', 'external_artifact_id'] as const;
    items.push({
      kind,
      team: row.team as string,
      scope: row.scope as string,
      id: cell('id') as string,
      completed: row.completed as number,
      configuration: row.config as number,
      notEvaluated: cell('not_evaluated') as number,
      policies: violationsAt(cell('violation_id'), cell('violation_name'), cell('violation_severity')),
      named: Object.fromEntries(named.map((name) => [name, cell(name) as string]).filter(([, value]) => value !== '')),
    });
  }
  return items;
}

function violationsAt(ids: Cell, names: Cell, severities: Cell): Told[] {
  const found = (ids as string[]).map((id, i) => ({
    id,
    name: (names as string[])[i]!,
    rank: (severities as number[])[i]!,
  }));
  found.sort((a, b) => b.rank - a.rank);
  return found.map(({ id, name, rank }) => ({ id, name, severity: SEVERITIES[rank - 1]! }));
}

function deliveryTo(hook: HookConfiguration, item: FlaggedItem): [string, Delivery][] {
  const { policies: chosen } = hook;
  const told = chosen === null ? item.policies : item.policies.filter(({ id }) => chosen.includes(id));
  if (chosen !== null && told.length === 0) return [];
  return [[hookName(hook), { id: deliveryId(hookName(hook), item.id), body: JSON.stringify(payloadOf(item, told)) }]];
}

function payloadOf(item: FlaggedItem, told: readonly Told[]): object {
  const { kind, scope, id } = item;
  const omitted = told.length - MOST_POLICIES;
  return {
    type: 'check.flagged',
    timestamp: new Date(item.completed).toISOString(),
    data: {
      kind,
      team: item.team,
      [kind === 'event' ? 'environment_id' : 'deployment_id']: scope,
      [`internal_${kind}_id`]: id,
      ...item.named,
      policies: told.slice(0, MOST_POLICIES),
      ...(omitted > 0 ? { policies_omitted: omitted } : {}),
      ...(item.notEvaluated > 0 ? { policies_not_evaluated: item.notEvaluated } : {}),
      configuration: item.configuration,
      result_url: resultUrl(kind, encodeURIComponent(scope), id),
    },
  };
}

function resultUrl(kind: FlaggedItem['kind'], scope: string, id: string): string {
  if (kind === 'event') return `/api/event/${id}?environment_id=${scope}`;
  if (kind === 'session') return `/api/session/${id}?deployment_id=${scope}`;
  return `/api/artifact/get_by_id?internal_artifact_id=${id}&deployment_id=${scope}`;
}
