/** The OpenID Connect provider that people sign in with: an authorization code with PKCE, state and nonce. */
import type { Configuration, IDToken } from 'openid-client';
import { ApiError } from '../../shared/api/errors.js';
import { readTextAtMost } from '../../shared/files.js';
import type { Logger } from '../../shared/log.js';
import { isLoopbackHost } from '../../shared/loopback.js';
import { type Settings, SettingsError } from '../../shared/settings.js';
import { createSlots } from '../../shared/slots.js';
import type { SignedIn } from './types.js';

export type ProviderSettings = Settings<
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecretFile'
  | 'oidcRedirectUrl'
  | 'oidcScopes'
  | 'oidcGroupsClaim'
  | 'oidcUserClaim'
>;

/** What a browser keeps while its person is at the provider. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

export interface IdentityProvider {
  /** Where people go to sign in. */
  begin(): Promise<{ location: string; secrets: SignInSecrets }>;
  /** Who came back with this query. Rejects with 403 where the provider did not say so, and with 503 where it cannot be asked. */
  finish(query: string, secrets: SignInSecrets): Promise<SignedIn>;
}

const ANSWER_SECONDS = 5;
/** How long what the provider says of itself is used. */
const KNOWN_MS = 3_600_000;
const MOST_SECRET_BYTES = 4096;
const MOST_GROUPS = 500;
const MOST_NAME = 256;
const AT_ONCE = { total: 8, perHost: 8, waiting: 64 };
const WAIT_MS = 5000;

/** Throws {@link SettingsError} where the settings do not fit together. */
export function createIdentityProvider(settings: ProviderSettings, logger: Logger): IdentityProvider {
  const { oidcIssuer, oidcClientId, oidcRedirectUrl } = settings;
  if (oidcClientId === '' || oidcRedirectUrl === '' || settings.oidcClientSecretFile === '') {
    throw new SettingsError(
      'WEIR_OIDC_ISSUER needs WEIR_OIDC_CLIENT_ID, WEIR_OIDC_CLIENT_SECRET_FILE and WEIR_OIDC_REDIRECT_URL.',
    );
  }
  const issuer = new URL(oidcIssuer);
  const plain = issuer.protocol === 'http:';
  if (plain && !isLoopbackHost(issuer.host))
    throw new SettingsError('WEIR_OIDC_ISSUER: expected https, but for a provider on this machine.');
  const slots = createSlots(AT_ONCE);
  let known: { at: number; secret: string; configuration: Configuration } | undefined;

  /** Anew where the secret was replaced, or the provider may have changed. */
  async function discovered(): Promise<Configuration> {
    const secret = readTextAtMost(settings.oidcClientSecretFile, MOST_SECRET_BYTES).trim();
    if (known && known.secret === secret && performance.now() - known.at < KNOWN_MS) return known.configuration;
    // Loaded when it is first needed: most installations have no provider.
    const { allowInsecureRequests, ClientSecretBasic, discovery } = await import('openid-client');
    const options = { timeout: ANSWER_SECONDS, execute: plain ? [allowInsecureRequests] : [] };
    const configuration = await discovery(issuer, oidcClientId, undefined, ClientSecretBasic(secret), options);
    configuration.timeout = ANSWER_SECONDS;
    known = { at: performance.now(), secret, configuration };
    return configuration;
  }

  async function ask<T>(work: () => Promise<T>): Promise<T> {
    const leave = await slots.take('', AbortSignal.timeout(WAIT_MS)).catch(() => undefined);
    if (!leave) throw new ApiError('overloaded', 'Many people sign in at the moment. Try again.');
    try {
      return await work();
    } catch (error) {
      throw refusalOf(error, logger);
    } finally {
      leave();
    }
  }

  async function claimsOf(configuration: Configuration, query: string, secrets: SignInSecrets): Promise<SignedIn> {
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
    const came = new URL(oidcRedirectUrl);
    came.search = query;
    const tokens = await authorizationCodeGrant(configuration, came, {
      pkceCodeVerifier: secrets.verifier,
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
    // Some providers tell groups there alone.
    const more =
      claims[settings.oidcGroupsClaim] === undefined && endpoint !== undefined
        ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
    return personIn({ ...more, ...claims }, settings);
  }

  return {
    begin: () =>
      ask(async () => {
        const configuration = await discovered();
        const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
          await import('openid-client');
        const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
        const location = buildAuthorizationUrl(configuration, {
          redirect_uri: oidcRedirectUrl,
          scope: settings.oidcScopes,
          code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: 'S256',
          state: secrets.state,
          nonce: secrets.nonce,
        });
        return { location: location.href, secrets };
      }),
    finish: (query, secrets) => ask(async () => claimsOf(await discovered(), query, secrets)),
  };
}

/** An address that the provider has not seen to be theirs names nobody. */
function personIn(claims: IDToken | Record<string, unknown>, settings: ProviderSettings): SignedIn {
  const named = claims[settings.oidcUserClaim];
  const unproven = settings.oidcUserClaim === 'email' && claims.email_verified === false;
  const user = typeof named === 'string' && named !== '' && !unproven ? named : String(claims.sub);
  const told = claims[settings.oidcGroupsClaim];
  const groups = (Array.isArray(told) ? told : [told]).filter((one): one is string => typeof one === 'string');
  return { user: user.slice(0, MOST_NAME), groups: groups.slice(0, MOST_GROUPS) };
}

/** A message of the provider may have what a person typed: the log has its kind alone. */
function refusalOf(error: unknown, logger: Logger): ApiError {
  if (error instanceof ApiError) return error;
  const { name, code, error: said } = error as { name?: string; code?: string; error?: string };
  logger.warn({ problem: name, code, said }, 'a sign-in has failed');
  if (name === 'AuthorizationResponseError')
    return new ApiError(
      'permission_denied',
      'The identity provider did not sign you in. Try again, or ask who runs it.',
    );
  // What comes from the browser did not fit, or the provider has refused the code.
  if (code === 'OAUTH_INVALID_RESPONSE' || name === 'ResponseBodyError' || code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED')
    return new ApiError('permission_denied', 'This sign-in is not valid, or is over. Sign in again.');
  return new ApiError('unavailable', 'The identity provider cannot be asked at the moment. Try again.');
}
