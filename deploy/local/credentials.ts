/**
 * Who may use the stores that `npm start` runs. They listen on loopback, where every user of the machine can connect, so
 * each asks for a password. Passwords are drawn once for a data folder. They are in files there that only the owner can
 * read:
 *
 * - `passwords.json`: passwords of Redis and of the two users of the ClickHouse engine
 * - `reader.netrc`: the user who reads, for `curl --netrc-file`, so that no command line holds a password
 * - `addresses.json`: addresses of the stores while the installation runs, for `weir` commands
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Passwords {
  redis: string;
  /** of the user `weir`: Weir's own processes and `weir migrate` */
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

/** The passwords of a data folder, which must exist. Draws those that it does not have. */
export function passwordsOf(folder: string): Passwords {
  const path = file(folder, 'passwords.json');
  const known = readJson<Partial<Passwords>>(path) ?? {};
  const passwords = Object.fromEntries(NAMES.map((name) => [name, known[name] || draw()])) as unknown as Passwords;
  if (NAMES.some((name) => known[name] !== passwords[name])) writeOwn(path, `${JSON.stringify(passwords, null, 2)}\n`);
  // A copy of the folder may have lost the mode.
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

/** Address of the ClickHouse engine with a user and its password. */
export function clickhouseUrlOf(passwords: Passwords, url: string, user: keyof typeof ENGINE_USERS): string {
  return withUser(url, ENGINE_USERS[user], passwords[user]);
}

function withUser(url: string, user: string, password: string): string {
  const [scheme, rest] = url.split('://');
  return `${scheme}://${user}:${password}@${rest}`;
}

/** Writes down where the stores are. The result removes that again. */
export function noteAddresses(folder: string, addresses: Addresses): () => void {
  const path = file(folder, 'addresses.json');
  writeOwn(path, `${JSON.stringify(addresses, null, 2)}\n`);
  return () => rmSync(path, { force: true });
}

/**
 * Addresses, with passwords, of the stores of the installation that runs on `folder`, as variables of the settings. Empty
 * when none runs there, or when its files cannot be read.
 */
export function environmentOf(folder: string, user: keyof typeof ENGINE_USERS = 'writer'): Record<string, string> {
  const addresses = readJson<Addresses>(file(folder, 'addresses.json'));
  const passwords = readJson<Passwords>(file(folder, 'passwords.json'));
  if (!addresses || !passwords) return {};
  return {
    WEIR_REDIS_URL: redisUrlOf(passwords, addresses.redis),
    WEIR_CLICKHOUSE_URL: clickhouseUrlOf(passwords, addresses.clickhouse, user),
    WEIR_CLICKHOUSE_DATABASE: addresses.database,
  };
}

/** 256 bits, as letters and digits that need no quotes anywhere. */
const draw = (): string => randomBytes(32).toString('hex');

function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** Writes a file as a whole or not at all. Others can never read it. */
function writeOwn(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(draft, path);
}
