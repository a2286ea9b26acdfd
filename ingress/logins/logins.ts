/**
 * People who sign in to the console, in place of a key. What they may do follows from the groups that their provider has told, by `logins` of
 * the configuration in force: it is looked up at each request, so it changes with the configuration.
 *
 *     page ──/console/login──> provider ──/console/callback──> signed in ──idle, too old, left, or no group is named any more──> signed out
 *
 * A cookie comes with every request that a browser makes. So a request that changes something needs a token in a header as well, which only a
 * page of this server can know.
 */
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../../shared/api/errors.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import type { Redis } from '../../shared/streams/client.js';
import { addLogin, endLogin, useLogin } from '../../shared/streams/logins.js';
import type { Directory } from '../admission/directory.js';
import { cookieIn, cookieNames, setCookie } from './cookies.js';
import { createIdentityProvider, type ProviderSettings, type SignInSecrets } from './provider.js';
import type { Logins } from './types.js';

export type LoginSettings = ProviderSettings & Settings<'loginIdleMinutes' | 'loginHours'>;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** How long a person may take at the provider. */
const SIGN_IN_SECONDS = 600;

/** Undefined: there is no provider. */
export function createLogins(
  redis: Redis,
  settings: LoginSettings,
  { logger, directory }: { logger: Logger; directory(): Directory },
): Logins | undefined {
  if (settings.oidcIssuer === '') return undefined;
  const provider = createIdentityProvider(settings, logger);
  const secure = settings.oidcRedirectUrl.startsWith('https:');
  const names = cookieNames(secure);
  const idleMs = settings.loginIdleMinutes * 60_000;
  const mostSeconds = settings.loginHours * 3600;
  const drop = (name: string): string => setCookie(name, '', { secure, sameSite: 'Strict', seconds: 0 });

  return {
    async begin() {
      const { location, secrets } = await provider.begin();
      const value = [secrets.state, secrets.nonce, secrets.verifier].join('.');
      return { location, cookie: setCookie(names.login, value, { secure, sameSite: 'Lax', seconds: SIGN_IN_SECONDS }) };
    },
    async finish(query, cookies) {
      const secrets = secretsIn(cookieIn(cookies, names.login));
      if (secrets) return await provider.finish(query, secrets);
      throw new ApiError('permission_denied', 'This sign-in is over, or was begun in another browser. Sign in again.');
    },
    async open({ user, groups }) {
      const token = randomBytes(32).toString('base64url');
      const login = { user, groups, ends: Date.now() + mostSeconds * 1000 };
      const added = await asked(() => addLogin(redis, token, login, idleMs));
      if (!added)
        throw new ApiError('overloaded', 'As many people have signed in as there is room for. Try again later.');
      return [drop(names.login), setCookie(names.session, token, { secure, sameSite: 'Strict', seconds: mostSeconds })];
    },
    tokenIn: (cookies) => cookieIn(cookies, names.session),
    async find(token) {
      if (!TOKEN.test(token)) return undefined;
      const login = await asked(() => useLogin(redis, token, idleMs));
      if (!login) return undefined;
      const person = directory().login(login.user, login.groups);
      // Nobody gets back in by a later configuration without signing in.
      if (!person) await asked(() => endLogin(redis, token));
      return person;
    },
    async end(token) {
      if (TOKEN.test(token)) await asked(() => endLogin(redis, token));
      return drop(names.session);
    },
    csrfToken: (token) => createHash('sha256').update(`csrf ${token}`).digest('base64url'),
  };
}

function secretsIn(value: string): SignInSecrets | undefined {
  const [state = '', nonce = '', verifier = '', ...more] = value.split('.');
  return verifier === '' || more.length > 0 ? undefined : { state, nonce, verifier };
}

async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    throw new ApiError('unavailable', 'Nobody can sign in or be known at the moment. Try again.');
  }
}
