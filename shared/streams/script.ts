/** The one loader of Lua: runs the scripts in `scripts/`. Each script states its contract at its top. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster, Redis } from 'ioredis';
import { packageRoot } from '../paths.js';

export type Connection = Redis | Cluster;
export type Argument = string | number | Buffer;

export interface Script {
  (connection: Connection, keys: readonly string[], values: readonly Argument[]): Promise<unknown>;
  /** A call with its text, for a transaction: a hash that Redis has forgotten would be found out after the commands before it. */
  whole(connection: Connection, keys: readonly string[], values: readonly Argument[]): Promise<unknown>;
}

type Command = (this: unknown, keyCount: number, ...rest: Argument[]) => Promise<unknown>;

/**
 * The script in `scripts/<name>.lua`, which is read at the first call. The client sends its text once per connection and
 * its hash from then on. When Redis has forgotten the script after a restart, the client sends the text again.
 */
export function script(name: string): Script {
  let text: string | undefined;
  let bare: string | undefined;

  function read(): string {
    text ??= readFileSync(join(packageRoot, 'shared/streams/scripts', `${name}.lua`), 'utf8');
    return text;
  }

  function commandOf(connection: Connection): Command {
    const commands = connection as unknown as Record<string, Command>;
    if (!(name in commands)) connection.defineCommand(name, { lua: read() });
    return commands[name]!;
  }

  const run = (connection: Connection, keys: readonly string[], values: readonly Argument[]): Promise<unknown> =>
    commandOf(connection).call(connection, keys.length, ...keys, ...values);
  return Object.assign(run, {
    whole(connection, keys, values) {
      bare ??= read().replaceAll(/^--.*\n|^ +/gm, '');
      return connection.eval(bare, keys.length, ...keys, ...values);
    },
  } satisfies Pick<Script, 'whole'>);
}
