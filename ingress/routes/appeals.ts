/** Appeals: what users have against verdicts, and what became of it (decisions, Evidence, masks, labels). */
import { ApiError, validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { timestamp } from '../../shared/api/results/render.js';
import type { Appeal, ItemAppeals, OpenAppeals } from '../../shared/api/types.js';
import { type AppealInput, type CheckInput, createIssues } from '../../shared/api/validate/issues.js';
import { fieldOf, ITEM_FIELDS, itemIn } from '../../shared/api/validate/judged.js';
import { charactersExceed } from '../../shared/api/validate/measure.js';
import type { AppealPlace, StoredAppeal } from '../../shared/history/read/appeals.js';
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import { isUuid, partsOf } from '../../shared/ids.js';
import type { NamedPolicy } from '../admission/directory.js';
import { actorOf } from '../audit/actor.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readNumber, readQuery } from '../http/query.js';
import { sendJson } from '../http/response.js';
import type { AppealRow } from '../labels/store.js';
import { answering } from './body.js';
import { foundValue, known, unavailable } from './found.js';
import { columnTime, judgesOf, policyAmong, scopeOf, verdictOf } from './judged.js';

const DAY_MS = 86_400_000;
/** Seconds after which a team that has made all of its appeals may try again. */
const FULL_SECONDS = 3600;

async function appeal(edge: Edge, exchange: Exchange, { appeal: input }: CheckInput): Promise<string> {
  if (!input) throw new Error('an appeal was not read as one');
  const { key } = exchange;
  const scope = scopeOf(key, input);
  const verdict = await verdictOf(edge, key, { ...input, scope });
  const policy = policyAmong([judgesOf(verdict)], input.policy);
  if (!verdict.policies.get(policy.id)!.flagged) {
    const message = 'expected a policy that has flagged the item';
    throw validationError([{ path: 'policy', code: 'verdict', message }]);
  }
  const { kind, id } = input;
  const there = await edge.appeals.once(id, policy.id, {
    async find() {
      const made = foundValue(await edge.lookup.appeals(key.team, scope, id), fieldOf(kind));
      return made.find(({ policy_id }) => policy_id === policy.id);
    },
    make: () => make(edge, exchange, { ...input, scope, policy }),
  });
  // Whoever repeats it may have had no answer, since the webhooks were not told.
  if (there.state === 'open') await edge.appeals.tell('appeal.opened', there, there.at);
  return JSON.stringify(shown(there));
}

interface NewAppeal extends Pick<AppealInput, 'kind' | 'id' | 'note' | 'reference'> {
  scope: string;
  policy: NamedPolicy;
}

/** Makes an appeal against a verdict that has none of the policy. */
async function make(
  edge: Edge,
  exchange: Exchange,
  { kind, id, scope, policy, note, reference }: NewAppeal,
): Promise<StoredAppeal> {
  const { key } = exchange;
  const { team } = key;
  await requireRoom(edge, team);
  const at = Date.now();
  const row: AppealRow = {
    ts: columnTime(partsOf(id)!.time),
    team,
    scope,
    item: kind,
    id,
    policy_id: policy.id,
    policy_name: policy.name,
    note: note || null,
    reference: reference || null,
    key: key.id,
    at: columnTime(at),
  };
  await edge.audit.tell([
    {
      team,
      action: 'appeal.made',
      actor: actorOf(exchange),
      scope,
      subject: { kind, id },
      details: { policy_id: policy.id },
    },
  ]);
  await edge.appeals.store(row).catch((error: unknown) => {
    throw error instanceof HistoryUnavailable
      ? unavailable('Appeals cannot be stored at the moment. Try again.')
      : error;
  });
  const { item: _, key: __, ts: ___, at: ____, ...rest } = row;
  return { ...rest, item: kind, at, state: 'open', decided: null };
}

/** Throws 429 where the team has made as many as it may. */
async function requireRoom(edge: Edge, team: string): Promise<void> {
  const many = known(await edge.lookup.appealsSince(team, Date.now() - DAY_MS));
  if (many < LIMITS.appealsPerDay) return;
  throw new ApiError('rate_limited', `Your team has made ${LIMITS.appealsPerDay} appeals within 24 hours. Try later.`, {
    retryAfter: FULL_SECONDS,
    quota: { name: 'appeals', most: LIMITS.appealsPerDay, seconds: DAY_MS / 1000 },
  });
}

async function getAppeals(edge: Edge, exchange: Exchange): Promise<void> {
  const asked = readQuery(exchange.query, [...ITEM_FIELDS, 'environment_id', 'deployment_id']);
  const issues = createIssues();
  const given = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value || null]));
  const item = itemIn(issues, given);
  const [first] = issues.list;
  if (first || !item) throw queryError(first!.path, first!.code, first!.message);
  const { key } = exchange;
  const scope = scopeOf(key, item);
  await verdictOf(edge, key, { ...item, scope });
  const found = foundValue(await edge.lookup.appeals(key.team, scope, item.id), fieldOf(item.kind));
  sendJson(edge, exchange, JSON.stringify({ appeals: found.map(shown) } satisfies ItemAppeals));
}

async function getOpenAppeals(edge: Edge, exchange: Exchange): Promise<void> {
  const { key, query } = exchange;
  const { policy, limit, after } = readQuery(query, ['policy', 'limit', 'after']);
  if (charactersExceed(policy, LIMITS.nameCharacters))
    throw queryError('policy', 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  const most = readNumber('limit', limit, { most: LIMITS.openAppeals, otherwise: 50 });
  const seen = { environments: [...key.environments], deployments: [...key.deployments] };
  const question = { team: key.team, seen, policy, after: placeIn(after), limit: most + 1 };
  const found = known(await edge.lookup.openAppeals(question));
  const appeals = found.slice(0, most);
  const next = found.length > most ? { next: placeText(appeals.at(-1)!) } : {};
  sendJson(edge, exchange, JSON.stringify({ appeals: appeals.map(shown), ...next } satisfies OpenAppeals));
}

const placeText = ({ at, id, policy_id }: AppealPlace): string => `${at}.${id}.${policy_id}`;

/** Throws 400. */
function placeIn(text: string): AppealPlace | undefined {
  if (text === '') return undefined;
  const [at = '', id = '', policy_id = '', ...more] = text.split('.');
  if (/^\d{1,14}$/.test(at) && isUuid(id) && isUuid(policy_id) && more.length === 0)
    return { at: Number(at), id: id.toLowerCase(), policy_id: policy_id.toLowerCase() };
  throw queryError('after', 'place', 'expected what `next` of an earlier answer has');
}

const shown = (one: StoredAppeal): Appeal => ({
  [fieldOf(one.item)]: one.id,
  [one.item === 'event' ? 'environment_id' : 'deployment_id']: one.scope,
  policy_id: one.policy_id,
  policy_name: one.policy_name,
  state: one.state,
  ...(one.note === null ? {} : { note: one.note }),
  ...(one.reference === null ? {} : { reference: one.reference }),
  made_at: timestamp(one.at),
  ...(one.decided === null ? {} : { decided_by: one.decided.reviewer, decided_at: timestamp(one.decided.at) }),
});

export const appealRoutes = { appeal: answering('appeal', appeal), getAppeals, getOpenAppeals } satisfies RouteHandlers;
