/** What people ask of the past: lists and figures. What a key may not see takes the steps of what does not exist. */

import { ApiError } from '../../shared/api/errors.js';
import type {
  HistoryFigures,
  HistoryItem,
  HistoryPage,
  KeyInfo,
  RiskyUser,
  RiskyUsers,
} from '../../shared/api/history.js';
import { LIMITS } from '../../shared/api/limits.js';
import { timestamp } from '../../shared/api/results/render.js';
import { foundTexts } from '../../shared/api/results/stored-evidence.js';
import type { EventType } from '../../shared/api/types.js';
import { fieldOf } from '../../shared/api/validate/judged.js';
import { charactersExceed } from '../../shared/api/validate/measure.js';
import { SPLITS, type StepFigures } from '../../shared/history/read/figures.js';
import type { FoundItems, TextCandidate } from '../../shared/history/read/found-text.js';
import type { ItemsQuestion, PastItem, PastUser } from '../../shared/history/read/past.js';
import type { PastFilter } from '../../shared/history/read/past-filter.js';
import { partsOf } from '../../shared/ids.js';
import { actorOf } from '../audit/actor.js';
import { notFound } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { oneOf, queryError, readNumber, readQuery, timesIn } from '../http/query.js';
import { sendJson } from '../http/response.js';
import { known } from './found.js';
import { OF_TEXT, storedText } from './matched.js';
import { levelOf } from './risk.js';

const DAY_MS = 86_400_000;

function getKey(edge: Edge, exchange: Exchange): void {
  const { id, team, scopes, environments, deployments, defaultDeployment, expiresAt } = exchange.key;
  const policies = scopes.has('read') ? edge.directory().policies(team, true) : [];
  const answer: KeyInfo = {
    key_id: id,
    ...(team === '' ? {} : { team }),
    scopes: [...scopes],
    environments: [...environments],
    deployments: [...deployments],
    ...(defaultDeployment === '' ? {} : { default_deployment: defaultDeployment }),
    ...(expiresAt === null ? {} : { expires_at: timestamp(expiresAt) }),
    policies: policies.map(({ id, name, severity, mode }) => ({ policy_id: id, policy_name: name, severity, mode })),
  };
  sendJson(edge, exchange, JSON.stringify(answer));
}

const FILTER = [
  'environment_id',
  'deployment_id',
  'policy',
  'source',
  'condition',
  'user',
  'run_id',
  'external_session_id',
] as const;

/** Throws 400, 404. */
function filterOf({ key, received, query }: Exchange): PastFilter {
  const asked = readQuery(query, FILTER);
  const { policy, source, condition, user, run_id: run, external_session_id: session } = asked;
  for (const name of FILTER) {
    if (charactersExceed(asked[name], LIMITS.nameCharacters))
      throw queryError(name, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  oneOf('source', source, ['text', 'image']);
  const { from, to } = timesIn(query, received);
  return { team: key.team, seen: seenBy(key, asked), from, to, policy, source, condition, user, run, session };
}

/** What of the grants of a key is asked for. A name that it was not granted takes the steps of one that does not exist. */
export function seenBy(
  { environments, deployments }: Exchange['key'],
  { environment_id: environment, deployment_id: deployment }: Record<'environment_id' | 'deployment_id', string>,
): PastFilter['seen'] {
  if (environment !== '' && !environments.has(environment)) throw notFound('environment_id');
  if (deployment !== '' && !deployments.has(deployment)) throw notFound('deployment_id');
  const all = environment === '' && deployment === '';
  return {
    environments: all ? [...environments] : environment === '' ? [] : [environment],
    deployments: all ? [...deployments] : deployment === '' ? [] : [deployment],
  };
}

/** What was found is told to who may see content. Throws 403. */
function requireContent({ key, query }: Exchange): void {
  if (key.scopes.has('content') || readQuery(query, ['text']).text === '') return;
  const message = 'The API key does not have the scope content, which text needs. Leave that out, or use another key.';
  throw new ApiError('permission_denied', message, { param: 'text' });
}

async function getHistory(edge: Edge, exchange: Exchange): Promise<void> {
  requireContent(exchange);
  const filter = filterOf(exchange);
  const { verdict, before, limit, text } = readQuery(exchange.query, ['verdict', 'before', 'limit', 'text']);
  if (before !== '' && !partsOf(before)?.item)
    throw queryError('before', 'id', 'expected the id of an item, as `next` of an earlier answer has it');
  const question = {
    ...filter,
    verdict: oneOf('verdict', verdict, ['flagged', 'clean', 'not_evaluated']) ?? ('' as const),
    before: before.toLowerCase(),
    limit: readNumber('limit', limit, { most: LIMITS.historyItems, otherwise: 50 }),
  };
  const { items, next, cut } = text === '' ? await listed(edge, question) : await found(edge, exchange, question, text);
  const page: HistoryPage = {
    items: items.map(historyItem),
    ...(next === undefined ? {} : { next }),
    ...(cut ? { cut } : {}),
  };
  sendJson(edge, exchange, JSON.stringify(page));
}

async function listed(edge: Edge, question: ItemsQuestion): Promise<FoundItems> {
  return { ...known(await edge.lookup.pastItems(question)), cut: false };
}

/** Items in which a policy, or that which is asked for, has found a text. Each of them is told, since the answer says what is in it. */
async function found(edge: Edge, exchange: Exchange, question: ItemsQuestion, text: string): Promise<FoundItems> {
  if (charactersExceed(text, LIMITS.nameCharacters))
    throw queryError('text', 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  const sought = text.toLowerCase();
  const isFound = ({ isChat, ids, names, explained, content }: TextCandidate): boolean => {
    if (!explained.includes(OF_TEXT)) return false;
    const asked = ids.filter((id, i) => isOf(question.policy, id, names[i]!));
    const kept = storedText({ kind: isChat ? 'session' : 'event', explained }, content);
    return foundTexts(explained, kept).some(
      ({ policy, texts }) => asked.includes(policy) && texts.some((one) => one.toLowerCase().includes(sought)),
    );
  };
  const answer = known(await edge.lookup.foundItems({ ...question, text, isFound }));
  const actor = actorOf(exchange);
  const { team } = question;
  if (answer.items.length > 0)
    await edge.audit.tell(
      answer.items.map(({ item, id, scope }) => {
        return { team, action: 'content.read', actor, scope, subject: { kind: item, id } };
      }),
    );
  return answer;
}

/** Whether a policy is the one that is asked for, by id or name; '': any is. */
const isOf = (asked: string, id: string, name: string): boolean =>
  asked === '' || asked === name || asked.toLowerCase() === id;

export function historyItem(found: PastItem): HistoryItem {
  const { item, id, scope, type, flagged, not_evaluated, violations, created, duration_ms } = found;
  const { role, name, run_id, event_id, external_session_id, external_artifact_id, user_id, user_email, note } = found;
  const isEvent = item === 'event';
  const said = { role, name, run_id, event_id, external_session_id, external_artifact_id, user_id, user_email };
  return {
    [fieldOf(item)]: id,
    [isEvent ? 'environment_id' : 'deployment_id']: scope,
    ...(isEvent ? { event_type: type as EventType } : {}),
    ...present(said),
    flagged,
    not_evaluated,
    violations,
    ...present({ note }),
    created_at: timestamp(created),
    duration_ms,
  };
}

/** The fields that are there. */
function present<K extends string>(fields: Readonly<Record<K, string | null>>): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<Record<K, string>>;
}

const MINUTE = 60_000;
/** Steps of which one is chosen: the shortest by which a time has at most so many. */
const STEPS = [1, 5, 15, 60, 240, 1440, 10_080].map((minutes) => minutes * MINUTE);
const MOST_STEPS = 100;

async function getHistoryFigures(edge: Edge, exchange: Exchange): Promise<void> {
  const filter = filterOf(exchange);
  const by = oneOf('by', readQuery(exchange.query, ['by']).by, SPLITS);
  const stepMs = STEPS.find((step) => (filter.to - filter.from) / step <= MOST_STEPS) ?? STEPS.at(-1)!;
  const from = Math.floor(filter.from / stepMs) * stepMs;
  const found = known(await edge.lookup.pastFigures({ ...filter, from, stepMs, by }));
  const numbers = Array.from({ length: Math.ceil((filter.to - from) / stepMs) }, (_, i) => i);
  const answer: HistoryFigures = {
    from: timestamp(from),
    to: timestamp(filter.to),
    step_seconds: stepMs / 1000,
    total: found.total,
    steps: numbers.map((i) => ({ at: timestamp(from + i * stepMs), ...(found.steps.get(i) ?? NOTHING) })),
    groups: found.groups.map(({ steps, ...group }) => ({ ...group, points: numbers.map((i) => steps.get(i) ?? 0) })),
  };
  sendJson(edge, exchange, JSON.stringify(answer));
}

const NOTHING: StepFigures = { checks: 0, flagged: 0, not_evaluated: 0, p50_ms: null, p99_ms: null };

async function getUsers(edge: Edge, exchange: Exchange): Promise<void> {
  const { key, received, query } = exchange;
  const asked = readQuery(query, ['level', 'limit']);
  const level = oneOf('level', asked.level, ['elevated', 'severe']);
  const { risk, policies } = edge.directory();
  const names = new Map(policies(key.team).map(({ id, name }) => [id, name]));
  const weights = new Map(policies(key.team).map(({ id, severity }) => [id, risk.weights[severity]]));
  const question = {
    team: key.team,
    since: received - risk.window_days * DAY_MS,
    weights,
    least: level === undefined ? 0 : risk[level],
    limit: readNumber('limit', asked.limit, { most: LIMITS.riskyUsers, otherwise: 50 }),
  };
  const users = known(await edge.lookup.pastUsers(question));
  const shown = ({ kind, user, score, checks, flagged, violations, last }: PastUser): RiskyUser => ({
    [kind]: user,
    risk_level: levelOf(score, risk),
    score,
    checks,
    flagged,
    violations: violations.map(([id, n]) => ({
      policy_id: id,
      ...present({ policy_name: names.get(id) ?? null }),
      checks: n,
    })),
    last_flagged_at: timestamp(last),
  });
  sendJson(
    edge,
    exchange,
    JSON.stringify({ window_days: risk.window_days, users: users.map(shown) } satisfies RiskyUsers),
  );
}

export const historyRoutes = { getKey, getHistory, getHistoryFigures, getUsers } satisfies RouteHandlers;
