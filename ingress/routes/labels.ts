/** Labels: what people say of the verdict of a policy on an item (decisions, Evidence, masks, labels). */
import { ApiError, validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import type { ItemKind } from '../../shared/api/results/record.js';
import { timestamp } from '../../shared/api/results/render.js';
import type { LabelQueue, LabelResult, QueuedLabel } from '../../shared/api/types.js';
import type { CheckInput, LabelInput } from '../../shared/api/validate/issues.js';
import { fieldOf } from '../../shared/api/validate/label.js';
import { charactersExceed } from '../../shared/api/validate/measure.js';
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import type { QueuedVerdict } from '../../shared/history/read/label-queue.js';
import { partsOf } from '../../shared/ids.js';
import type { ApiKey, NamedPolicy } from '../admission/directory.js';
import { actorOf } from '../audit/actor.js';
import { notFound } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readNumber, readQuery } from '../http/query.js';
import { requireOwnRegion } from '../http/region.js';
import { sendJson } from '../http/response.js';
import type { LabelRow } from '../labels/store.js';
import { answering } from './body.js';
import { foundItem, foundValue, unavailable } from './found.js';

async function label(edge: Edge, exchange: Exchange, { label: input }: CheckInput): Promise<string> {
  if (!input) throw new Error('a label was not read as one');
  const { key } = exchange;
  const scope = scopeOf(key, input);
  const verdict = await verdictOf(edge, key, { ...input, scope });
  const policy = judgedBy(edge, key.team, input.policy, verdict.policies);
  const flagged = verdict.policies.get(policy.id)?.flagged === true;
  requireMatch(input, verdict.flagged, flagged);
  const now = Date.now();
  const reviewer = input.reviewer || key.id;
  const row: LabelRow = {
    ts: columnTime(partsOf(input.id)!.time),
    team: key.team,
    scope,
    item: input.kind,
    id: input.id,
    policy_id: policy.id,
    policy_name: policy.name,
    flagged,
    label: input.label,
    reviewer,
    note: input.note || null,
    key: key.id,
    at: columnTime(now),
  };
  await edge.audit.tell([
    {
      team: key.team,
      action: 'label.set',
      actor: actorOf(exchange),
      scope,
      subject: { kind: input.kind, id: input.id },
      details: { policy_id: policy.id, label: input.label },
    },
  ]);
  await edge.labels.store(row).catch((error: unknown) => {
    throw error instanceof HistoryUnavailable
      ? unavailable('Labels cannot be stored at the moment. Try again.')
      : error;
  });
  const result: LabelResult = {
    [fieldOf(input.kind)]: input.id,
    policy_id: policy.id,
    policy_name: policy.name,
    label: input.label,
    reviewer,
    ...(input.note === '' ? {} : { note: input.note }),
    at: timestamp(now),
  };
  return JSON.stringify(result);
}

/** As ClickHouse reads a time in UTC. */
const columnTime = (ms: number): string => timestamp(ms).replace('T', ' ').slice(0, -1);

/** Where the item is: as named, else where the key works alone. Throws 400. */
function scopeOf(key: ApiKey, { kind, scope }: LabelInput): string {
  if (scope !== '') return scope;
  const [only, ...more] = kind === 'event' ? key.environments : [key.defaultDeployment];
  if (only !== undefined && only !== '' && more.length === 0) return only;
  const [path, why] =
    kind === 'event'
      ? ['environment_id', 'was granted several environments, or none']
      : ['deployment_id', 'has no default deployment'];
  throw validationError([{ path, code: 'required', message: `is required, since the API key ${why}` }]);
}

interface ItemVerdict {
  /** null: the item has none */
  flagged: boolean | null;
  /** by id, those that judged it */
  policies: ReadonlyMap<string, { name: string; flagged: boolean }>;
}

/** What an item was answered, found as its look-up finds it. Throws 404, 409, 422, 500, 503. */
async function verdictOf(edge: Edge, key: ApiKey, { kind, id, scope }: LabelInput): Promise<ItemVerdict> {
  const field = fieldOf(kind);
  requireOwnRegion(edge, field, id);
  const { flagged, policies } = await itemOf(edge, key, { kind, id, scope, field });
  const map = JSON.parse(policies) as Record<string, { name: string; flagged: boolean }>;
  return { flagged, policies: new Map(Object.entries(map)) };
}

async function itemOf(
  edge: Edge,
  key: ApiKey,
  { kind, id, scope, field }: { kind: ItemKind; id: string; scope: string; field: string },
): Promise<{ flagged: boolean | null; policies: string }> {
  if (kind !== 'artifact') {
    const found = await edge.lookup.byId(kind, key.team, scope, id);
    const isEvent = kind === 'event';
    const visible = (isEvent ? key.environments : key.deployments).has(scope);
    return foundItem(found, { scope: isEvent ? 'environment_id' : 'deployment_id', id: field, visible });
  }
  const found = await edge.lookup.artifactById(key.team, scope, id);
  // Looked up before this, so that it takes the same time.
  if (!key.deployments.has(scope) && found.status !== 'unavailable') throw notFound('deployment_id');
  const artifact = foundValue(found, field);
  if (artifact.status === 'processing')
    throw new ApiError('result_not_ready', 'The check was accepted and is not finished yet. Try again.');
  return artifact;
}

/** The policy of that id or name, of those that judged the item, else of those that the team has. Throws 400, 404. */
function judgedBy(edge: Edge, team: string, asked: string, judged: ItemVerdict['policies']): NamedPolicy {
  const all = [...judged].map(([id, { name }]): NamedPolicy => ({ id, name }));
  const [policy, ...more] = [all, edge.directory().policies(team)].map((some) => named(some, asked)).find(isSome) ?? [];
  if (!policy) throw notFound('policy');
  if (more.length === 0) return policy;
  throw validationError([
    { path: 'policy', code: 'ambiguous', message: 'is the name of several policies, expected an id' },
  ]);
}

const isSome = (list: readonly unknown[]): boolean => list.length > 0;

/** Ids are UUIDs, in which case does not matter. */
function named(policies: readonly NamedPolicy[], asked: string): NamedPolicy[] {
  const byId = policies.filter(({ id }) => id === asked.toLowerCase());
  return byId.length > 0 ? byId : policies.filter(({ name }) => name === asked);
}

/** Throws 400 where a label says otherwise than the verdict can be. */
function requireMatch({ label }: LabelInput, verdict: boolean | null, flagged: boolean): void {
  const wrong =
    verdict === null
      ? 'the item has no verdict that could be right or wrong'
      : flagged && label === 'missed'
        ? 'expected true_alarm or false_alarm, since the policy has flagged the item'
        : !flagged && label !== 'missed'
          ? 'expected missed, since the policy has not flagged the item'
          : undefined;
  if (wrong !== undefined) throw validationError([{ path: 'label', code: 'verdict', message: wrong }]);
}

const DAY_MS = 86_400_000;
/** Flagged items that the queue looks at. */
const NEWEST = 2000;

async function getLabelQueue(edge: Edge, exchange: Exchange): Promise<void> {
  const { key, query, received } = exchange;
  const { days, policy, reviewer, limit } = readQuery(query, ['days', 'policy', 'reviewer', 'limit']);
  const asked = {
    since: received - readNumber('days', days, { most: LIMITS.queueDays, otherwise: 7 }) * DAY_MS,
    limit: readNumber('limit', limit, { most: LIMITS.queuedLabels, otherwise: 20 }),
    policy,
    reviewer,
  };
  for (const [name, text, most] of [
    ['policy', policy, LIMITS.nameCharacters],
    ['reviewer', reviewer, LIMITS.reviewerCharacters],
  ] as const) {
    if (charactersExceed(text, most)) throw queryError(name, 'too_long', `expected at most ${most} characters`);
  }
  const seen = { environments: [...key.environments], deployments: [...key.deployments] };
  const found = await edge.lookup.labelQueue({ ...asked, team: key.team, seen, newest: NEWEST }, received);
  const verdicts = foundValue(found, 'policy').map(queued);
  sendJson(edge, exchange, JSON.stringify({ verdicts } satisfies LabelQueue));
}

const queued = ({ item, id, team: _, scope, time, score, ...rest }: QueuedVerdict): QueuedLabel => ({
  [fieldOf(item)]: id,
  [item === 'event' ? 'environment_id' : 'deployment_id']: scope,
  ...rest,
  ...(score === null ? {} : { score }),
  created_at: timestamp(time),
});

export const labelRoutes = { label: answering('label', label), getLabelQueue } satisfies RouteHandlers;
