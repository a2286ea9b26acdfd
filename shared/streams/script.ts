/** Calls a script of `scripts/` on any connection: by its hash, and whole where Redis does not know it yet. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster, Redis } from 'ioredis';
import { packageRoot } from '../paths.js';

export type Connection = Redis | Cluster;
export type Argument = string | number | Buffer;
export type Script = (connection: Connection, keys: readonly string[], values: readonly Argument[]) => Promise<unknown>;

/** The script in `scripts/<name>.lua`, read at the first call. Its contract stands in its head. */
export function script(name: string): Script {
  let read: { source: string; sha: string } | undefined;
  return async (connection, keys, values) => {
    read ??= load(name);
    try {
      return await connection.evalsha(read.sha, keys.length, ...keys, ...values);
    } catch (error) {
      // A Redis that was restarted knows no scripts.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await connection.eval(read.source, keys.length, ...keys, ...values);
    }
  };
}

function load(name: string): { source: string; sha: string } {
  const source = readFileSync(join(packageRoot, 'shared/streams/scripts', `${name}.lua`), 'utf8');
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}
