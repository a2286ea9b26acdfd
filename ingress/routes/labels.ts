/** Labels: what people say of the verdict of a policy on an item (decisions, Evidence, masks, labels). */
import { validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { timestamp } from '../../shared/api/results/render.js';
import type { LabelQueue, LabelResult, LabelStatement, QueuedAppeal, QueuedLabel } from '../../shared/api/types.js';
import type { CheckInput, LabelInput } from '../../shared/api/validate/issues.js';
import { fieldOf } from '../../shared/api/validate/judged.js';
import { charactersExceed } from '../../shared/api/validate/measure.js';
import { type Decision, decidedBy, type StoredAppeal } from '../../shared/history/read/appeals.js';
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import type { QueuedVerdict } from '../../shared/history/read/label-queue.js';
import type { LastStatement } from '../../shared/history/read/labels.js';
import { partsOf } from '../../shared/ids.js';
import type { AuditedAct } from '../../shared/streams/audit.js';
import { actorOf } from '../audit/actor.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readNumber, readQuery } from '../http/query.js';
import { sendJson } from '../http/response.js';
import type { LabelRow } from '../labels/store.js';
import { answering } from './body.js';
import { foundValue, known, unavailable } from './found.js';
import { columnTime, judgesOf, policyAmong, scopeOf, verdictOf } from './judged.js';

async function label(edge: Edge, exchange: Exchange, { label: input }: CheckInput): Promise<string> {
  if (!input) throw new Error('a label was not read as one');
  const { key } = exchange;
  const scope = scopeOf(key, input);
  const verdict = await verdictOf(edge, key, { ...input, scope });
  const reviewer = input.reviewer || key.id;
  const stated = foundValue(await edge.lookup.stated(key.team, scope, input.id, reviewer), fieldOf(input.kind));
  // A label can be taken back whatever has become of its policy.
  const labelled = stated.map(({ policy_id: id, policy_name: name }) => ({ id, name }));
  const policy = policyAmong([judgesOf(verdict), edge.directory().policies(key.team), labelled], input.policy);
  const flagged = verdict.policies.get(policy.id)?.flagged === true;
  requireMatch(input, verdict.flagged, flagged);
  const appeals = foundValue(await edge.lookup.appeals(key.team, scope, input.id), fieldOf(input.kind));
  const appeal = appeals.find(({ policy_id }) => policy_id === policy.id);
  // What a reviewer says last counts, also where the clocks of two hosts differ. So does what they say of an appeal.
  const last = stated.find(({ policy_id }) => policy_id === policy.id);
  // Taken back again is what was said before: so webhooks that are told again know it.
  const again = input.label === 'withdrawn' && last?.label === 'withdrawn';
  const now = again ? last.at : Math.max(Date.now(), (last?.at ?? 0) + 1, (appeal?.at ?? 0) + 1);
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
      actor: actorOf(exchange),
      scope,
      subject: { kind: input.kind, id: input.id },
      ...actOf(input.label, policy.id),
    },
  ]);
  await edge.labels.store(row).catch((error: unknown) => {
    throw error instanceof HistoryUnavailable
      ? unavailable('Labels cannot be stored at the moment. Try again.')
      : error;
  });
  if (appeal && (input.label !== 'withdrawn' || decided(appeal, reviewer, last)))
    await tellDecision(edge, appeal, { label: input.label, reviewer, at: now });
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

/**
 * Whether what a reviewer takes back has decided an appeal. It may be taken back already: then they may not have been told, unless another
 * label has come since.
 */
function decided({ at, decided }: StoredAppeal, reviewer: string, last: LastStatement | undefined): boolean {
  if (!last || last.at < at) return false;
  if (last.label === 'withdrawn') return decided === null || decided.at < last.at;
  return decided?.reviewer === reviewer;
}

/** Tells webhooks what a label means for an appeal. A label that is taken back is told where that changes the state. Throws 503. */
async function tellDecision(
  edge: Edge,
  appeal: StoredAppeal,
  said: Decision & { label: LabelStatement },
): Promise<void> {
  const { label, reviewer, at } = said;
  if (label !== 'withdrawn') return edge.appeals.tell('appeal.decided', decidedBy(appeal, { label, reviewer, at }), at);
  // What is left when it is taken back.
  const { team, scope, id } = appeal;
  const labels = known(await edge.lookup.labels(team, scope, [id])).get(id) ?? [];
  const left = labels.find(
    (one) => one.policy_id === appeal.policy_id && one.reviewer !== reviewer && Date.parse(one.at) > appeal.at,
  );
  if (!left) return edge.appeals.tell('appeal.opened', { ...appeal, state: 'open', decided: null }, at);
  const earlier = { label: left.label, reviewer: left.reviewer, at: Date.parse(left.at) };
  const now = decidedBy(appeal, earlier);
  if (appeal.decided?.reviewer === reviewer && now.state === appeal.state) return;
  return edge.appeals.tell('appeal.decided', now, at);
}

const actOf = (label: LabelStatement, policy_id: string): Pick<AuditedAct, 'action' | 'details'> =>
  label === 'withdrawn'
    ? { action: 'label.withdrawn', details: { policy_id } }
    : { action: 'label.set', details: { policy_id, label } };

/** Throws 400 where a label says otherwise than the verdict can be. */
function requireMatch({ label }: LabelInput, verdict: boolean | null, flagged: boolean): void {
  if (label === 'withdrawn') return;
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

const queuedAppeal = ({ note, reference, at }: NonNullable<QueuedVerdict['appeal']>): QueuedAppeal => ({
  ...(note === null ? {} : { note }),
  ...(reference === null ? {} : { reference }),
  made_at: timestamp(at),
});

const queued = ({ item, id, team: _, scope, time, score, appeal, ...rest }: QueuedVerdict): QueuedLabel => ({
  [fieldOf(item)]: id,
  [item === 'event' ? 'environment_id' : 'deployment_id']: scope,
  ...rest,
  ...(score === null ? {} : { score }),
  ...(appeal === null ? {} : { appeal: queuedAppeal(appeal) }),
  created_at: timestamp(time),
});

export const labelRoutes = { label: answering('label', label), getLabelQueue } satisfies RouteHandlers;
