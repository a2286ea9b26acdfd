/** The risk level of a user (2.10, 4.11). */

import type { RiskLevel, UserRisk } from '../../shared/api/types.js';
import { emailOf, lengthProblem } from '../../shared/api/validate/named.js';
import type { RiskConfiguration } from '../../shared/configuration/types.js';
import type { UserIdentity } from '../../shared/history/read/risk.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readQuery, refuse } from '../http/query.js';
import { sendJson } from '../http/response.js';
import { foundValue } from './found.js';

const DAY_MS = 86_400_000;

async function getRisk(edge: Edge, exchange: Exchange): Promise<void> {
  const user = { team: exchange.key.team, ...identityOf(exchange.query) };
  const { risk, severity } = edge.directory();
  const weight = (policy: string): number => {
    const configured = severity(user.team, policy);
    return configured === undefined ? 0 : risk.weights[configured];
  };
  const since = exchange.received - risk.window_days * DAY_MS;
  const score = foundValue(await edge.lookup.riskScore({ user, since, weight, enough: risk.severe }), user.kind);
  const answer: UserRisk = { risk_level: levelOf(score, risk), window_days: risk.window_days };
  sendJson(edge, exchange, JSON.stringify(answer));
}

/** The user that a query names. Throws 400. */
export function identityOf(text: string): Pick<UserIdentity, 'kind' | 'user'> {
  const query = readQuery(text, ['email', 'id']);
  const email = emailOf(query.email);
  if ((email === '') === (query.id === '')) {
    throw queryError('email', 'required', 'expected exactly one of email and id');
  }
  const [kind, user] = email === '' ? (['id', query.id] as const) : (['email', email] as const);
  refuse(kind, lengthProblem(user));
  return { kind, user };
}

export function levelOf(score: number, { elevated, severe }: RiskConfiguration): RiskLevel {
  if (score >= severe) return 'severe';
  return score >= elevated ? 'elevated' : 'normal';
}

export const riskRoutes = { getRisk } satisfies RouteHandlers;
