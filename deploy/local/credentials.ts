/**
 * Who may use the stores that `npm start` runs. They listen on loopback, where every user of the machine can connect, so
 * each asks for a password: drawn once for a data folder, in files there that its owner alone can read.
 *
 * - `passwords.json`: of Redis, and of the two users of the ClickHouse engine
 * - `reader.netrc`: the one who reads, as `curl --netrc-file` takes it, so that no password stands in a command line
 * - `addresses.json`: where the stores of the installation that runs now are, for `weir` commands
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Passwords {
  redis: string;
  /** of the user `weir`: what Weir's own processes and `weir migrate` do */
  writer: string;
  /** of the user `reader`: people's SQL */
  reader: string;
}

/** Names of the users of the ClickHouse engine. */
export const ENGINE_USERS = { writer: 'weir', reader: 'reader' } as const;

export interface Addresses {
  /** without passwords */
  redis: string;
  clickhouse: string;
  database: string;
}

const NAMES = ['redis', 'writer', 'reader'] as const;
const file = (folder: string, name: string): string => join(folder, name);

/** The passwords of a data folder, which must be there; drawn when it has none. */
export function passwordsOf(folder: string): Passwords {
  const path = file(folder, 'passwords.json');
  const known = readJson<Partial<Passwords>>(path) ?? {};
  const passwords = Object.fromEntries(NAMES.map((name) => [name, known[name] || draw()])) as unknown as Passwords;
  if (NAMES.some((name) => known[name] !== passwords[name])) writeOwn(path, `${JSON.stringify(passwords, null, 2)}\n`);
  // Whoever copied the folder may have widened it.
  chmodSync(path, 0o600);
  writeOwn(readerFile(folder), `machine 127.0.0.1 login ${ENGINE_USERS.reader} password ${passwords.reader}\n`);
  return passwords;
}

/** The file that `curl --netrc-file` reads. */
export const readerFile = (folder: string): string => file(folder, 'reader.netrc');

/** Address of Redis with its password. */
export function redisUrlOf(passwords: Passwords, url: string): string {
  return withUser(url, '', passwords.redis);
}

/** Address of the ClickHouse engine with a user and his password. */
export function clickhouseUrlOf(passwords: Passwords, url: string, user: keyof typeof ENGINE_USERS): string {
  return withUser(url, ENGINE_USERS[user], passwords[user]);
}

function withUser(url: string, user: string, password: string): string {
  const [scheme, rest] = url.split('://');
  return `${scheme}://${user}:${password}@${rest}`;
}

/** Notes where the stores are. Returns what takes the note back. */
export function noteAddresses(folder: string, addresses: Addresses): () => void {
  const path = file(folder, 'addresses.json');
  writeOwn(path, `${JSON.stringify(addresses, null, 2)}\n`);
  return () => rmSync(path, { force: true });
}

/**
 * What the environment does not say of the stores, as the installation that runs on `folder` has it: addresses with
 * passwords, in the variables of the settings. Empty where none runs there, or its files are not ours to read.
 */
export function environmentOf(folder: string): Record<string, string> {
  const addresses = readJson<Addresses>(file(folder, 'addresses.json'));
  const passwords = readJson<Passwords>(file(folder, 'passwords.json'));
  if (!addresses || !passwords) return {};
  return {
    WEIR_REDIS_URL: redisUrlOf(passwords, addresses.redis),
    WEIR_CLICKHOUSE_URL: clickhouseUrlOf(passwords, addresses.clickhouse, 'writer'),
    WEIR_CLICKHOUSE_DATABASE: addresses.database,
  };
}

/** 256 bits, of letters and digits that need no quotes anywhere. */
const draw = (): string => randomBytes(32).toString('hex');

function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Whole or not at all, and never readable by others. */
function writeOwn(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(draft, path);
}
