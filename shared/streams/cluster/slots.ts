/** Slots of a Redis Cluster, and what a command is routed by. */
// @ts-expect-error The package has no types.
import calculateSlot from 'cluster-key-slot';
import type { Argument, RedisCommand, ScriptCall } from '../script.js';

/** Slots of every Cluster. */
export const SLOTS = 16_384;

/** The slot of a key or a sharded channel: of the part in its first braces where it has some. */
export const slotOf: (key: string | Buffer) => number = calculateSlot;

const KEYLESS = new Set(['MULTI', 'EXEC', 'WAIT', 'ASKING', 'PING', 'INFO', 'TIME', 'ROLE', 'CONFIG', 'CLIENT']);
/** Their key is behind a subcommand. */
const BEHIND = new Set(['XINFO', 'XGROUP', 'OBJECT', 'MEMORY']);

/** The first key of a command; undefined where it has none. */
export function keyOf(command: RedisCommand | ScriptCall): string | Buffer | undefined {
  if ('on' in command) return command.key;
  const name = String(command[0]).toUpperCase();
  if (KEYLESS.has(name)) return undefined;
  const key = command[placeOfKey(name, command)];
  return key === undefined || Buffer.isBuffer(key) ? key : String(key);
}

function placeOfKey(name: string, command: readonly Argument[]): number {
  if (name === 'EVAL' || name === 'EVALSHA') return Number(command[2]) > 0 ? 3 : command.length;
  if (name === 'XREADGROUP' || name === 'XREAD') return command.indexOf('STREAMS') + 1;
  return BEHIND.has(name) ? 2 : 1;
}
