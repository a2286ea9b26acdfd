/** Which user sends a request. As in ClickHouse: Basic authentication, its own headers, or parameters of the address. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ENGINE_USERS, type Passwords } from '../credentials.js';
import type { ClickHouseRole } from './engine.js';
import { ClickHouseError } from './errors.js';

export type ClickHouseAccess = (request: IncomingMessage, parameters: URLSearchParams) => ClickHouseRole;

/** Finds the user of a request. Throws error 194 when the request names none, 516 when user or password is wrong. */
export function createAccess(passwords: Pick<Passwords, ClickHouseRole>): ClickHouseAccess {
  const known = (['writer', 'reader'] as const).map((role) => ({
    role,
    hash: hashOf(ENGINE_USERS[role], passwords[role]),
  }));
  return (request, parameters) => {
    const given = credentialsOf(request, parameters);
    if (!given) {
      throw new ClickHouseError(
        194,
        'REQUIRED_PASSWORD',
        `A user and a password are required: the user ${ENGINE_USERS.reader} may read, "curl --netrc-file" takes it from reader.netrc in the data folder`,
      );
    }
    const hash = hashOf(given.user, given.password);
    const found = known.find((one) => timingSafeEqual(one.hash, hash));
    if (found) return found.role;
    throw new ClickHouseError(
      516,
      'AUTHENTICATION_FAILED',
      'Authentication failed: there is no such user and password',
    );
  };
}

/** Hashes have one length, so the time to compare them tells nothing. */
const hashOf = (user: string, password: string): Buffer => createHash('sha256').update(`${user}\0${password}`).digest();

function credentialsOf(
  request: IncomingMessage,
  parameters: URLSearchParams,
): { user: string; password: string } | undefined {
  const basic = /^Basic ([A-Za-z0-9+/=]{1,1000})$/i.exec(request.headers.authorization ?? '')?.[1];
  if (basic !== undefined) {
    const [user = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':');
    return { user, password: rest.join(':') };
  }
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const user = header('x-clickhouse-user') ?? parameters.get('user');
  const password = header('x-clickhouse-key') ?? parameters.get('password');
  return user === null || password === null ? undefined : { user, password };
}
