/**
 * People who have signed in to the console. The browser has a token; Redis has its hash alone. States:
 *
 *     begun ──used──> begun ──not used for a while, or too old, or left──> ended
 */
import { createHash } from 'node:crypto';
import type { Redis } from './client.js';
import { keys } from './keys.js';
import { script } from './script.js';

export interface Login {
  /** as the identity provider names them */
  user: string;
  /** of the identity provider, those that a configuration could name */
  groups: string[];
  /** Unix ms at which it ends in any case */
  ends: number;
}

/** Of all people. */
const MOST_LOGINS = 10_000;

const add = script('logins/add-login');

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** false: there is no room */
export async function addLogin(redis: Redis, token: string, login: Login, idleMs: number): Promise<boolean> {
  const hash = hashOf(token);
  const now = Date.now();
  const values = [JSON.stringify(login), hash, now, Math.min(idleMs, login.ends - now), login.ends, MOST_LOGINS];
  return (await add(redis, [keys.login(hash), keys.logins()], values)) === 1;
}

/** The login of a token, which is used now; undefined: it has ended, or there never was one. */
export async function useLogin(redis: Redis, token: string, idleMs: number): Promise<Login | undefined> {
  const text = await redis.getex(keys.login(hashOf(token)), 'PX', idleMs);
  if (text === null) return undefined;
  const login = JSON.parse(text) as Login;
  return login.ends > Date.now() ? login : undefined;
}

export async function endLogin(redis: Redis, token: string): Promise<void> {
  const hash = hashOf(token);
  await Promise.all([redis.del(keys.login(hash)), redis.zrem(keys.logins(), hash)]);
}
