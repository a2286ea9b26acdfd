/** The one loader of Lua: runs the scripts in `scripts/`. Each script states its contract at its top. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { packageRoot } from '../paths.js';

export type RedisConnection = Redis;
export type Argument = string | number | Buffer;

/** A command. */
export type RedisCommand = readonly Argument[];

/** A call of a script, for `sendTogether`. */
export interface ScriptCall {
  /** its first key */
  key: string | undefined;
  /** The command, with the text of the script the first time on this connection, and with its hash from then on. */
  on(redis: Redis): RedisCommand;
  /** Calls the script by itself. */
  run(redis: Redis): Promise<unknown>;
}

export interface Script {
  (connection: RedisConnection, keys: readonly string[], values: readonly Argument[]): Promise<unknown>;
  /** The same; texts of the answer are bytes. */
  bytes(connection: RedisConnection, keys: readonly string[], values: readonly Argument[]): Promise<unknown>;
  prepare(keys: readonly string[], values: readonly Argument[]): ScriptCall;
  /** A call with its text, for a transaction: a hash that Redis has forgotten would be found out after the commands before it. */
  whole(keys: readonly string[], values: readonly Argument[]): RedisCommand;
}

type Method = (this: unknown, keyCount: number, ...rest: Argument[]) => Promise<unknown>;

/**
 * The script in `scripts/<name>.lua`, which is read at the first call. The client sends its text once per connection and
 * its hash from then on. When Redis has forgotten the script after a restart, the client sends the text again.
 */
export function script(name: string): Script {
  let text: string | undefined;
  let bare: Buffer | undefined;
  let hash = '';
  /** sockets that the text was sent on */
  const sent = new WeakSet<Redis['stream']>();

  function read(): string {
    text ??= readFileSync(join(packageRoot, 'shared/streams/scripts', `${name}.lua`), 'utf8');
    return text;
  }

  function methodOf(connection: RedisConnection, suffix: '' | 'Buffer'): Method {
    const commands = connection as unknown as Record<string, Method>;
    if (!(name in commands)) connection.defineCommand(name, { lua: read() });
    return commands[name + suffix]!;
  }

  const run = (connection: RedisConnection, keys: readonly string[], values: readonly Argument[]): Promise<unknown> =>
    methodOf(connection, '').call(connection, keys.length, ...keys, ...values);
  function commandOn({ stream }: Redis, keys: readonly string[], values: readonly Argument[]): RedisCommand {
    hash ||= createHash('sha1').update(read()).digest('hex');
    const how = sent.has(stream) ? ['EVALSHA', hash] : ['EVAL', read()];
    sent.add(stream);
    return [...how, keys.length, ...keys, ...values];
  }

  return Object.assign(run, {
    bytes: (connection, keys, values) =>
      methodOf(connection, 'Buffer').call(connection, keys.length, ...keys, ...values),
    prepare: (keys, values) => ({
      key: keys[0],
      on: (redis) => commandOn(redis, keys, values),
      run: (redis) => run(redis, keys, values),
    }),
    whole(keys, values) {
      bare ??= Buffer.from(read().replaceAll(/^--.*\n|^ +/gm, ''));
      return ['EVAL', bare, keys.length, ...keys, ...values];
    },
  } satisfies Pick<Script, 'bytes' | 'prepare' | 'whole'>);
}
