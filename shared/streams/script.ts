/** The one loader of Lua: runs the scripts in `scripts/`. Each script states its contract at its top. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainableCommander, Cluster, Redis } from 'ioredis';
import { packageRoot } from '../paths.js';

export type Connection = Redis | Cluster;
export type Argument = string | number | Buffer;

export interface Script {
  (connection: Connection, keys: readonly string[], values: readonly Argument[]): Promise<unknown>;
  /** Adds a call to a pipeline of `connection`. */
  queue(
    pipeline: ChainableCommander,
    connection: Connection,
    keys: readonly string[],
    values: readonly Argument[],
  ): void;
}

type Command = (this: unknown, keyCount: number, ...rest: Argument[]) => Promise<unknown>;

/**
 * The script in `scripts/<name>.lua`, which is read at the first call. The client sends its text once per connection and
 * its hash from then on. When Redis has forgotten the script after a restart, the client sends the text again.
 */
export function script(name: string): Script {
  let lua: string | undefined;

  function commandOf(connection: Connection): Command {
    const commands = connection as unknown as Record<string, Command>;
    if (!(name in commands)) {
      lua ??= readFileSync(join(packageRoot, 'shared/streams/scripts', `${name}.lua`), 'utf8');
      connection.defineCommand(name, { lua });
    }
    return commands[name]!;
  }

  const run = (connection: Connection, keys: readonly string[], values: readonly Argument[]): Promise<unknown> =>
    commandOf(connection).call(connection, keys.length, ...keys, ...values);
  return Object.assign(run, {
    queue(pipeline, connection, keys, values) {
      void commandOf(connection).call(pipeline, keys.length, ...keys, ...values);
    },
  } satisfies Pick<Script, 'queue'>);
}
