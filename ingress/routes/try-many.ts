/** What edited policies would change in what was checked, and whether cases pass by them (decisions, Try). Nothing of it is stored. */
import { ApiError } from '../../shared/api/errors.js';
import type { BacktestPage, BacktestPolicy, PolicyTestResult } from '../../shared/api/try.js';
import type { ItemLabel } from '../../shared/api/types.js';
import type { CheckInput, ManyInput } from '../../shared/api/validate/issues.js';
import { verdictsOf } from '../../shared/history/read/label-verdicts.js';
import type { ReadPage } from '../../shared/history/read/stored-page.js';
import { partsOf } from '../../shared/ids.js';
import type { BacktestedPage, BacktestedPolicy, StoredAgain, StoredPage } from '../../shared/streams/tries.js';
import type { Scope } from '../admission/directory.js';
import { actorOf } from '../audit/actor.js';
import { writableScope } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, timesOf } from '../http/query.js';
import { answering } from './body.js';
import { callerOf } from './check.js';
import { foundValue, known } from './found.js';

async function backtest(edge: Edge, exchange: Exchange, { many, scope: id }: CheckInput): Promise<string> {
  if (!many?.backtest) throw new Error('a backtest was not read as one');
  const { kind, edits, backtest } = many;
  const scope = writableScope(edge, exchange.key, kind, id);
  const { before } = backtest;
  const times = timesOf(backtest, exchange.received);
  if (before !== '' && !partsOf(before)?.item)
    throw queryError('before', 'id', 'expected the id of an item, as `next` of the page before has it');
  await tell(edge, exchange, scope, ['policies.tried', 'content.read']);
  let read: ReadPage | undefined;
  const done = await edge.tries.backtest(callerOf(exchange, false), { kind, scope, edits }, async () => {
    read = known(await edge.lookup.storedPage({ team: scope.team, scope: scope.id, kind, before, ...times }));
    return exchange.key.scopes.has('review') ? await withTruths(edge, scope, read.page) : read.page;
  });
  return JSON.stringify(pageOf(kind, read!, done));
}

async function tell(
  edge: Edge,
  exchange: Exchange,
  { team, id }: Scope,
  actions: readonly ('policies.tried' | 'content.read')[],
): Promise<void> {
  const actor = actorOf(exchange);
  await edge.audit.tell(
    actions.map((action) => ({ team, action, actor, scope: id, subject: { kind: 'scope' as const, id } })),
  );
}

/** With what people said of the items. */
async function withTruths(edge: Edge, { team, id }: Scope, { items, maps }: StoredPage): Promise<StoredPage> {
  const labels = foundValue(
    await edge.lookup.labels(
      team,
      id,
      items.map((item) => item.id),
    ),
    'labels',
  );
  return { maps, items: items.map((item) => ({ ...item, truths: truthsOf(item.id, labels.get(item.id) ?? []) })) };
}

/** Those with a majority. What was missed was not flagged. */
function truthsOf(id: string, labels: readonly ItemLabel[]): StoredAgain['truths'] {
  const cast = labels.map(({ policy_id, policy_name, label }) => {
    return { id, policy: policy_id, name: policy_name, label, flagged: label !== 'missed' };
  });
  return verdictsOf(cast).flatMap(({ policy, name, flagged, truth }) =>
    truth === undefined ? [] : [{ policy, name, flagged, truth }],
  );
}

function pageOf(kind: ManyInput['kind'], { page, more, total }: ReadPage, done: BacktestedPage): BacktestPage {
  const { evaluated, not_stored, images, failed, policies, differing } = done;
  const isLast = done.done === page.items.length && !more;
  const field = kind === 'environment' ? 'internal_event_id' : 'internal_session_id';
  return {
    ...(total === undefined ? {} : { total }),
    items: done.done,
    evaluated,
    not_stored,
    images,
    failed,
    policies: policies.map(policyOf),
    differing: differing.map(({ id, newly_flagged, newly_cleared }) => ({ [field]: id, newly_flagged, newly_cleared })),
    ...(isLast ? {} : { next: page.items[done.done - 1]!.id }),
  };
}

const policyOf = ({ id, name, ...counts }: BacktestedPolicy): BacktestPolicy => ({
  policy_id: id,
  policy_name: name,
  ...counts,
});

async function test(edge: Edge, exchange: Exchange, { many, scope: id }: CheckInput): Promise<string> {
  if (!many?.cases) throw new Error('cases were not read as such');
  const { kind, edits, cases } = many;
  const { key } = exchange;
  const scope = writableScope(edge, key, kind, id);
  await tell(edge, exchange, scope, ['policies.tried']);
  const seen = { environments: [...key.environments], deployments: [...key.deployments] };
  const done = await edge.tries.test(callerOf(exchange, false), { kind, scope, edits }, { ...cases, ...seen });
  const end = cases.start + done.results.length;
  if (cases.start > 0 && cases.start >= done.total)
    throw new ApiError('validation_failed', `start: expected less than ${done.total}, the number of cases.`, {
      param: 'start',
    });
  const answer: PolicyTestResult = {
    total: done.total,
    cases: done.results,
    ...(end < done.total ? { next: end } : {}),
  };
  return JSON.stringify(answer);
}

export const tryManyRoutes = {
  backtestPolicies: answering('backtest', backtest),
  testPolicies: answering('policyTests', test),
} satisfies RouteHandlers;
