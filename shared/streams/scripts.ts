/** The scripts in `scripts/`, typed. Each says its contract in its own head; keys of one call share a slot. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../paths.js';
import type { Redis } from './client.js';
import { CONTEXT_SECONDS } from './context.js';
import { GROUP, keys, type Place } from './keys.js';
import { script } from './script.js';

/** Replies above this many bytes are fetched from the stored result instead of being published. */
export const LARGEST_REPLY = 256 * 1024;
/** Dead letters kept per partition, and their bytes: twice the largest body (32 MiB). */
const MOST_DEAD_LETTERS = 10_000;
const MOST_DEAD_BYTES = 64 * 1024 * 1024;
/** Members kept in an index. */
export const MOST_INDEX_MEMBERS = 10_000;
/** An index outlives its last write by this much when the archiver never comes to shorten it: a week. */
const INDEX_SECONDS = 604_800;

type Argument = string | number | Buffer;
type ScriptCall = (keyCount: number, ...rest: Argument[]) => Promise<unknown>;

/** A connection, or a pipeline on one, with our scripts. Missing scripts are loaded by the client on NOSCRIPT. */
export interface Scripted {
  weirCommit: ScriptCall;
  weirBury: ScriptCall;
  weirIndex: ScriptCall;
  weirPressure: ScriptCall;
  weirRenew: ScriptCall;
  weirForget: ScriptCall;
  weirPartitions: ScriptCall;
  weirContext: ScriptCall;
}

const FILES: Readonly<Record<keyof Scripted, string>> = {
  weirCommit: 'results/commit-results',
  weirBury: 'work/bury-entry',
  weirIndex: 'indexes/add-member',
  weirPressure: 'work/measure-pressure',
  weirRenew: 'work/renew-entries',
  weirForget: 'work/delete-consumers',
  weirPartitions: 'work/ensure-partitions',
  weirContext: 'results/add-context',
};

/** Adds the scripts to a connection. */
export function withScripts(redis: Redis): Redis & Scripted {
  for (const [name, file] of Object.entries(FILES)) {
    redis.defineCommand(name, {
      lua: readFileSync(join(packageRoot, 'shared/streams/scripts', `${file}.lua`), 'utf8'),
    });
  }
  return redis as Redis & Scripted;
}

/** A finished check, ready to be committed. */
export interface Finished {
  entryId: string;
  requestId: string;
  /** id of the ingress process that waits; empty: nobody */
  reply: string;
  record: Buffer;
  rows: Buffer;
  /** of the packed rows */
  format: string;
  /** what finds this request: index key and member */
  index: readonly (readonly [key: string, member: string])[];
  sequence: number;
  /** a replayed dead letter replaces the stored failure */
  replace: boolean;
  /** texts that later checks may look back on: conversation key and members */
  context: readonly (readonly [key: string, members: readonly string[]])[];
  /** how many texts of a conversation are kept */
  contextDepth: number;
  /** and how many bytes of it */
  contextBytes: number;
}

/**
 * Writes the indexes and commits, in one round trip: the index calls stand before the commit on the same connection,
 * so whoever is answered also finds. Index members with a sequence below `dropBelow` go once they are archived.
 * Returns which checks this call committed.
 */
export async function commit(
  redis: Redis & Scripted,
  { partition, lane }: Place,
  finished: readonly Finished[],
  dropBelow: number,
): Promise<boolean[]> {
  const pipeline = redis.pipeline() as ReturnType<Redis['pipeline']> & Scripted;
  const keyList: string[] = [keys.checks(partition, lane), keys.results(partition)];
  const args: Argument[] = [GROUP, LARGEST_REPLY];
  for (const check of finished) {
    keyList.push(keys.result(partition, check.requestId));
    args.push(check.entryId, check.requestId);
    args.push(check.reply === '' ? '' : keys.reply(partition, check.reply));
    args.push(check.record, check.rows, JSON.stringify(check.index.map(([key]) => key)));
    args.push(check.format, check.replace ? 'replace' : 'new');
    for (const [key, member] of check.index) {
      pipeline.weirIndex(2, ...indexCall(key, member, check, dropBelow));
    }
    for (const [key, members] of check.context) {
      const { sequence, contextDepth, contextBytes } = check;
      pipeline.weirContext(1, key, sequence, contextDepth, contextBytes, CONTEXT_SECONDS, ...members);
    }
  }
  pipeline.weirCommit(keyList.length, ...keyList, ...args);
  const replies = (await pipeline.exec()) ?? [];
  // A commit decides by itself; an index that could not be written only delays look-ups until the rows are archived.
  const [error, committed] = replies.at(-1)!;
  if (error) throw error;
  return (committed as number[]).map((one) => one === 1);
}

function indexCall(
  key: string,
  member: string,
  check: { sequence: number; replace: boolean },
  dropBelow: number,
): Argument[] {
  const limits = [dropBelow, MOST_INDEX_MEMBERS, INDEX_SECONDS];
  return [key, keys.unarchived(key), check.sequence, member, ...limits, check.replace ? 'replace' : 'new'];
}

export interface Buried {
  entryId: string;
  /** empty when the header could not be read */
  requestId: string;
  reply: string;
  record: Buffer;
  rows: Buffer;
  /** of the packed rows */
  format: string;
  replace: boolean;
  index: Finished['index'];
  sequence: number;
  header: Buffer;
  body: Buffer;
  reason: string;
  attempts: number;
}

/** Commits a terminal failure and keeps the entry as a dead letter. False: somebody else had finished it. */
export async function bury(redis: Redis & Scripted, { partition, lane }: Place, dead: Buried): Promise<boolean> {
  for (const [key, member] of dead.index) {
    await redis.weirIndex(2, ...indexCall(key, member, dead, 0));
  }
  const done = await redis.weirBury(
    5,
    keys.checks(partition, lane),
    keys.results(partition),
    keys.result(partition, dead.requestId === '' ? 'none' : dead.requestId),
    keys.dead(partition),
    keys.deadBytes(partition),
    GROUP,
    dead.entryId,
    dead.requestId,
    dead.requestId === '' || dead.reply === '' ? '' : keys.reply(partition, dead.reply),
    dead.record,
    dead.rows,
    JSON.stringify(dead.index.map(([key]) => key)),
    dead.format,
    dead.replace ? 'replace' : 'new',
    dead.header,
    dead.body,
    dead.reason,
    dead.attempts,
    MOST_DEAD_LETTERS,
    MOST_DEAD_BYTES,
  );
  return done === 1;
}

export interface Pressure {
  /** ms, 0 when everything has been read */
  oldestUnread: number;
  entries: number;
  pending: number;
  /** id of the oldest unread entry, if there is one; `ahead`: it lies ahead of Redis's clock, which was set back */
  oldest?: { ms: number; number: number; ahead: boolean };
}

/** How far behind the evaluators of one stream are. */
export async function pressure(redis: Redis & Scripted, { partition, lane }: Place): Promise<Pressure> {
  const stream = keys.checks(partition, lane);
  const reply = (await redis.weirPressure(1, stream, GROUP)) as number[];
  const [oldestUnread, entries, pending, ms, number, ahead] = reply as [number, number, number, ...number[]];
  const oldest = ms === undefined ? {} : { oldest: { ms, number: number!, ahead: ahead === 1 } };
  return { oldestUnread, entries, pending, ...oldest };
}

/** Renews `consumer`'s claims on `entries`; returns how many are still its own. */
export async function renew(
  redis: Redis & Scripted,
  { partition, lane }: Place,
  consumer: string,
  entries: readonly string[],
): Promise<number> {
  return (await redis.weirRenew(1, keys.checks(partition, lane), GROUP, consumer, ...entries)) as number;
}

const silent = script('work/list-silent-entries');

/** Entries whose consumer has been silent for `idleMs`, from `from` on ('-', or '(' and an id), at most `most`. */
export async function silentEntries(
  redis: Redis,
  { partition, lane }: Place,
  { idleMs, from, most }: { idleMs: number; from: string; most: number },
): Promise<{ id: string; delivered: number }[]> {
  const found = await silent(redis, [keys.checks(partition, lane)], [GROUP, idleMs, most, from]);
  return (found as [string, string, number, number][]).map(([id, , , delivered]) => ({ id, delivered }));
}

/** Deletes consumers that have been silent for `silenceMs` with nothing pending. */
export async function forgetConsumers(
  redis: Redis & Scripted,
  { partition, lane }: Place,
  silenceMs: number,
): Promise<number> {
  return (await redis.weirForget(1, keys.checks(partition, lane), GROUP, silenceMs)) as number;
}

/** The number of partitions in force, after asking for at least `wanted`. */
export async function ensurePartitions(redis: Redis & Scripted, wanted: number): Promise<number> {
  const now = Number((await redis.get(keys.partitions())) ?? '0');
  // What is to be read only is read, so that a process also starts on a Redis that takes no writes, and says why it is not ready.
  if (now >= wanted) return now;
  return (await redis.weirPartitions(1, keys.partitions(), wanted)) as number;
}
