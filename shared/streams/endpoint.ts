/**
 * Where Redis is, and how Weir shows who it is: one server, the Sentinels that know the primary, or nodes of a Cluster, with or without TLS.
 * Passwords and certificates may be in files. These are read again before each connection, so that they can be changed without a restart.
 */
import { readFileSync } from 'node:fs';
import type { RedisOptions } from 'ioredis';
import { type SettingName, type Settings, SettingsError } from '../settings.js';

/** Settings that say where Redis is. */
export const REDIS_SETTINGS = [
  'redisUrl',
  'redisPasswordFile',
  'redisSentinelUser',
  'redisSentinelPasswordFile',
  'redisCaFile',
  'redisCertFile',
  'redisKeyFile',
] as const satisfies readonly SettingName[];

/** The address, and what else is set. */
export type RedisEndpoint = Pick<Settings, 'redisUrl'> & Partial<Settings<(typeof REDIS_SETTINGS)[number]>>;

const SENTINEL =
  /^(?<scheme>rediss?)-sentinel:\/\/(?:(?<who>[^@/]*)@)?(?<hosts>[^@/?#]+)\/(?<name>[^/?#]+)(?:\/(?<db>\d+))?$/;
/** Some nodes of a Cluster, which know the others. */
const CLUSTER = /^(?<scheme>rediss?)-cluster:\/\/(?:(?<who>[^@/]*)@)?(?<hosts>[^@/?#]+)\/?$/;
const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6379;
const REDIS_FORMS =
  'redis://host:6379, rediss://host:6379, redis-sentinel://host:26379,host:26379/name or redis-cluster://host:6379,host:6379';

export interface RedisHost {
  host: string;
  port: number;
}

interface RedisPlace {
  tls: boolean;
  user: string;
  password: string;
  db: number;
  /** of the server, of the Sentinels, or of nodes of the Cluster */
  hosts: readonly RedisHost[];
  isCluster: boolean;
  /** what the Sentinels call the primary; absent: there are none */
  name?: string;
}

/** Reads an address. Throws {@link SettingsError}, without the address: it may hold a password. */
function placeOf(url: string): RedisPlace {
  const sentinel = SENTINEL.exec(url)?.groups;
  if (sentinel) {
    const { scheme, who, hosts = '', name = '', db = '0' } = sentinel;
    return {
      tls: scheme === 'rediss',
      ...credentialsOf(who),
      db: Number(db),
      hosts: hosts.split(',').map((text) => hostOf(text, SENTINEL_PORT)),
      isCluster: false,
      name: decoded(name),
    };
  }
  const cluster = CLUSTER.exec(url)?.groups;
  if (cluster) {
    const { scheme, who, hosts = '' } = cluster;
    const nodes = hosts.split(',').map((text) => hostOf(text, REDIS_PORT));
    return { tls: scheme === 'rediss', ...credentialsOf(who), db: 0, hosts: nodes, isCluster: true };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const db = parsed?.pathname.replace(/^\//, '') ?? '';
  const isKnown = parsed?.hostname && /^rediss?:$/.test(parsed.protocol) && /^\d*$/.test(db);
  // What is behind a question mark would be left out.
  if (!isKnown || parsed.search !== '' || parsed.hash !== '') throw notAnAddress();
  return {
    tls: parsed.protocol === 'rediss:',
    user: decoded(parsed.username),
    password: decoded(parsed.password),
    db: Number(db),
    hosts: [{ host: bare(parsed.hostname), port: Number(parsed.port || REDIS_PORT) }],
    isCluster: false,
  };
}

function credentialsOf(who = ''): Pick<RedisPlace, 'user' | 'password'> {
  const colon = who.includes(':') ? who.indexOf(':') : who.length;
  return { user: decoded(who.slice(0, colon)), password: decoded(who.slice(colon + 1)) };
}

/** Nodes of the Cluster that the address names; undefined where it names none. */
export function clusterNodes({ redisUrl }: RedisEndpoint): readonly RedisHost[] | undefined {
  const { isCluster, hosts } = placeOf(redisUrl);
  return isCluster ? hosts : undefined;
}

/** The Sentinels that the address names, and what they call the primary; undefined where it names none. */
export function sentinelsIn({ redisUrl }: RedisEndpoint): { hosts: readonly RedisHost[]; name: string } | undefined {
  const { hosts, name } = placeOf(redisUrl);
  return name === undefined ? undefined : { hosts, name };
}

const notAnAddress = (): SettingsError =>
  new SettingsError(`WEIR_REDIS_URL must be an address such as ${REDIS_FORMS}, but is none.`);

function hostOf(text: string, defaultPort: number): RedisHost {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(text.trim());
  if (!match || Number(match[2] ?? defaultPort) > 65_535) throw notAnAddress();
  return { host: bare(match[1]!), port: Number(match[2] ?? defaultPort) };
}

/** An IPv6 address without its brackets. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

/** A percent sign that stands for itself is written %25. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notAnAddress();
  }
}

/** What of the options of a connection may change while the process runs. */
type ChangingOptions = Pick<RedisOptions, 'password' | 'sentinelPassword' | 'tls' | 'sentinelTLS'>;

/**
 * Options of a connection to the endpoint; `at`: to this server of it. Throws {@link SettingsError} where an address or a file cannot be
 * read.
 */
export function optionsOf(endpoint: RedisEndpoint, at?: RedisHost): RedisOptions {
  const place = placeOf(endpoint.redisUrl);
  const { hosts, user, db, name } = place;
  return {
    db,
    ...(user === '' ? {} : { username: user }),
    ...(at ?? (name === undefined ? hosts[0] : sentinelsOf(place, endpoint))),
    ...changingOptions(endpoint),
  };
}

/** The primary is asked for again at each connection, by the Sentinel that answers first. */
const sentinelsOf = ({ tls, hosts, name }: RedisPlace, { redisSentinelUser = '' }: RedisEndpoint): RedisOptions => ({
  sentinels: hosts.map((each) => ({ ...each })),
  name: name!,
  role: 'master',
  sentinelCommandTimeout: 1000,
  enableTLSForSentinelMode: tls,
  ...(redisSentinelUser === '' ? {} : { sentinelUsername: redisSentinelUser }),
});

/** Options of a connection to a Sentinel itself. */
export function sentinelOptionsOf(endpoint: RedisEndpoint, at: RedisHost): RedisOptions {
  const { sentinelPassword, sentinelTLS } = changingOptions(endpoint);
  const { redisSentinelUser = '' } = endpoint;
  return {
    ...at,
    ...(redisSentinelUser === '' ? {} : { username: redisSentinelUser }),
    ...(sentinelPassword == null ? {} : { password: sentinelPassword }),
    ...(sentinelTLS ? { tls: sentinelTLS } : {}),
  };
}

/** Reads the files of the endpoint. */
export function changingOptions(endpoint: RedisEndpoint): ChangingOptions {
  const { redisPasswordFile = '', redisSentinelPasswordFile = '' } = endpoint;
  const { tls, password, name } = placeOf(endpoint.redisUrl);
  if (password !== '' && redisPasswordFile !== '') {
    throw new SettingsError(
      'WEIR_REDIS_URL has a password, and WEIR_REDIS_PASSWORD_FILE names another: leave one out.',
    );
  }
  const own = redisPasswordFile === '' ? password : textOf(redisPasswordFile, 'WEIR_REDIS_PASSWORD_FILE');
  const options: ChangingOptions = {};
  if (own !== '') options.password = own;
  if (redisSentinelPasswordFile !== '' && name !== undefined)
    options.sentinelPassword = textOf(redisSentinelPasswordFile, 'WEIR_REDIS_SENTINEL_PASSWORD_FILE');
  if (!tls) return options;
  options.tls = certificatesOf(endpoint);
  if (name !== undefined) options.sentinelTLS = options.tls;
  return options;
}

function certificatesOf({ redisCaFile = '', redisCertFile = '', redisKeyFile = '' }: RedisEndpoint): {
  ca?: string;
  cert?: string;
  key?: string;
} {
  if ((redisCertFile === '') !== (redisKeyFile === ''))
    throw new SettingsError('WEIR_REDIS_CERT_FILE and WEIR_REDIS_KEY_FILE belong together: set both, or none.');
  return {
    ...(redisCaFile === '' ? {} : { ca: textOf(redisCaFile, 'WEIR_REDIS_CA_FILE') }),
    ...(redisCertFile === '' ? {} : { cert: textOf(redisCertFile, 'WEIR_REDIS_CERT_FILE') }),
    ...(redisKeyFile === '' ? {} : { key: textOf(redisKeyFile, 'WEIR_REDIS_KEY_FILE') }),
  };
}

/** The text of a file, without the line break at its end. */
function textOf(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new SettingsError(`${variable}: ${(error as Error).message}. Name a file that this process may read.`);
  }
}

/** The address without user and password, for logs. */
export function withoutPassword(url: string): string {
  const sentinel = SENTINEL.exec(url)?.groups;
  if (sentinel) return `${sentinel.scheme}-sentinel://${sentinel.hosts}/${sentinel.name}`;
  const cluster = CLUSTER.exec(url)?.groups;
  if (cluster) return `${cluster.scheme}-cluster://${cluster.hosts}`;
  try {
    const parsed = new URL(url);
    // Without "//" the whole address is a path, which may contain the password.
    if (parsed.host === '') return '(an address that names no host)';
    parsed.password = '';
    parsed.username = '';
    return parsed.href;
  } catch {
    return '(an address that is no URL)';
  }
}
