/** How people sign in to the console, and leave it. */
import { ApiError } from '../../shared/api/errors.js';
import type { LoginState } from '../../shared/api/login.js';
import type { AuditedAct } from '../../shared/streams/audit.js';
import { addressOf } from '../admission/failed-keys.js';
import { csrfError } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { redirect, sendJson } from '../http/response.js';
import type { Logins } from '../logins/types.js';

/** From the address of the provider's answer. */
const CONSOLE = '../console';

async function getLogin(edge: Edge, exchange: Exchange): Promise<void> {
  const { location, cookie } = await loginsOf(edge).begin();
  redirect(edge, exchange, { location, cookies: [cookie] });
}

async function getLoginAnswer(edge: Edge, exchange: Exchange): Promise<void> {
  const logins = loginsOf(edge);
  const address = addressOf(exchange.res);
  const person = await logins.finish(exchange.query, exchange.headers.cookie);
  const key = edge.directory().login(person.user, person.groups);
  const action = key ? 'login.begun' : 'login.refused';
  await edge.audit.tell([actOf(action, { team: key?.team ?? '', user: person.user }, address, exchange)]);
  if (!key)
    throw new ApiError(
      'permission_denied',
      'You have signed in, but no group of yours may use Weir. Ask whoever runs it to name one of them in `logins`.',
    );
  redirect(edge, exchange, { location: CONSOLE, cookies: await logins.open(person) });
}

async function getLoginSession(edge: Edge, exchange: Exchange): Promise<void> {
  const { logins } = edge;
  const token = logins?.tokenIn(exchange.headers.cookie) ?? '';
  const found = token === '' ? undefined : await logins?.find(token);
  sendState(edge, exchange, found && logins ? { csrf_token: logins.csrfToken(token) } : {});
}

/** What has ended already, or never began, is ended. */
async function endLoginSession(edge: Edge, exchange: Exchange): Promise<void> {
  const { logins } = edge;
  const { cookie } = exchange.headers;
  const address = addressOf(exchange.res);
  const token = logins?.tokenIn(cookie) ?? '';
  const found = token === '' ? undefined : await logins?.find(token);
  if (found && logins) {
    const refusal = csrfError(logins, exchange, token);
    if (refusal) throw refusal;
    await edge.audit.tell([actOf('login.ended', { team: found.team, user: found.id }, address, exchange)]);
    exchange.cookies = [await logins.end(token)];
  }
  sendState(edge, exchange, {});
}

function sendState(edge: Edge, exchange: Exchange, more: Omit<LoginState, 'sign_in'>): void {
  sendJson(edge, exchange, JSON.stringify({ sign_in: edge.logins !== undefined, ...more } satisfies LoginState));
}

function loginsOf({ logins }: Edge): Logins {
  if (logins) return logins;
  throw new ApiError('not_found', 'There is no identity provider to sign in with. Use an API key.');
}

const actOf = (
  action: AuditedAct['action'],
  { team, user }: { team: string; user: string },
  address: string,
  { requestId: request }: Exchange,
): AuditedAct => ({
  team,
  action,
  actor: { kind: 'login', id: user, address, request },
  scope: '',
  subject: { kind: 'login', id: user },
});

export const loginRoutes = { getLogin, getLoginAnswer, getLoginSession, endLoginSession } satisfies RouteHandlers;
