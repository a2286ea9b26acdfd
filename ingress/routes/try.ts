/** What a check would come to, maybe by edited policies (decisions, Try). Nothing of it is stored. */
import { viewedItem } from '../../shared/api/results/explanation.js';
import type { TryResult } from '../../shared/api/try.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import { MAX_CONDITION_STEPS } from '../../shared/policy/condition-steps.js';
import type { Scope } from '../admission/directory.js';
import { actorOf } from '../audit/actor.js';
import { writableScope } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import type { TriedOut } from '../tries/types.js';
import { answering } from './body.js';
import { callerOf } from './check.js';
import { sessionCheck } from './sessions.js';

const EXPLAINED = { explain: true, flaggedOnly: false };

async function tryOut(edge: Edge, exchange: Exchange, input: CheckInput): Promise<string> {
  const { tried, images, messageBytes } = input;
  if (!tried) throw new Error('a try was not read as one');
  const scope = scopeOf(edge, exchange, input);
  const { id } = scope;
  const subject = { kind: 'scope', id } as const;
  await edge.audit.tell([{ team: scope.team, action: 'policies.tried', actor: actorOf(exchange), scope: id, subject }]);
  const made = await edge.tries.run(callerOf(exchange, false), { tried, scope, images, messageBytes });
  return render(made);
}

/** Where the check would run. Throws 400, 403 or 404 as it does. */
function scopeOf(edge: Edge, exchange: Exchange, input: CheckInput): Scope {
  if (input.tried?.kind === 'event') return writableScope(edge, exchange.key, 'environment', input.scope);
  return sessionCheck.permit(edge, exchange, input);
}

function render({ verdict, cost }: TriedOut): string {
  const { policies, explained, flagged, note, shadow, scores, conditions, steps } = verdict;
  const rest: Omit<TryResult, 'policies'> = {
    flagged,
    ...(note === '' ? {} : { note }),
    shadow: shadow.map(({ id, name, flagged }) => ({ policy_id: id, policy_name: name, flagged })),
    scores: scores.map(({ policy, asks, ...score }) => ({
      policy_id: policy,
      ...score,
      ...(asks === undefined ? {} : { asks_from: asks }),
    })),
    conditions,
    cost: {
      evaluation_us: cost.evaluating,
      images_us: cost.images,
      asking_us: cost.asking,
      condition_steps: steps,
      most_condition_steps: MAX_CONDITION_STEPS,
    },
  };
  const map = viewedItem({ policies, explained }, EXPLAINED).policies;
  return `{"policies":${map},${JSON.stringify(rest).slice(1)}`;
}

export const tryRoutes = { tryPolicies: answering('try', tryOut) } satisfies RouteHandlers;
