/** Commits: what makes finished checks final, each by one script. */
import type { Redis } from '../../../shared/streams/client.js';
import { MOST_INDEX_MEMBERS } from '../../../shared/streams/hot/indexes.js';
import { GROUP, keys, type WorkStream } from '../../../shared/streams/keys.js';
import { type Argument, script } from '../../../shared/streams/script.js';
import { CONTEXT_SECONDS } from '../gather/context.js';

/** Larger replies, in bytes, are not published: ingress reads the stored result. */
const LARGEST_REPLY = 256 * 1024;
/** Limits of the dead letters of a partition: their number, and their bytes (twice the largest body, 32 MiB). */
const MOST_DEAD_LETTERS = 10_000;
const MOST_DEAD_BYTES = 64 * 1024 * 1024;
/** An index lives this long after its last write (a week), in case that no archiver ever shortens it. */
const INDEX_SECONDS = 604_800;

const addMember = script('indexes/add-member');
const addContext = script('results/add-context');
const commit = script('results/commit-results');
const bury = script('work/bury-entry');

/** A finished check that can be committed. */
export interface Finished {
  entryId: string;
  requestId: string;
  /** id of the ingress process that waits; empty: none does */
  reply: string;
  record: Buffer;
  rows: Buffer;
  /** of the packed rows */
  format: string;
  /** what finds this request: index key and member */
  index: readonly (readonly [key: string, member: string])[];
  sequence: number;
  /** true for a replayed dead letter, whose result replaces the stored failure */
  replace: boolean;
  /** texts that later checks may look back on: conversation key and members */
  context: readonly (readonly [key: string, members: readonly string[]])[];
  /** limits of the texts that are kept of a conversation: their number */
  contextDepth: number;
  /** and their bytes */
  contextBytes: number;
}

/**
 * Writes the indexes and commits, in one round trip. The index calls stand before the commit on the same connection, so a
 * caller that has its answer also finds the check. Archived index members with a sequence below `dropBelow` are dropped.
 * Returns which of the checks this call committed.
 */
export async function commitResults(
  redis: Redis,
  { partition, lane }: WorkStream,
  finished: readonly Finished[],
  dropBelow: number,
): Promise<boolean[]> {
  const pipeline = redis.pipeline();
  const keyList: string[] = [keys.checks(partition, lane), keys.results(partition)];
  const args: Argument[] = [GROUP, LARGEST_REPLY];
  for (const check of finished) {
    keyList.push(keys.result(partition, check.requestId));
    args.push(check.entryId, check.requestId);
    args.push(check.reply === '' ? '' : keys.reply(partition, check.reply));
    args.push(check.record, check.rows, JSON.stringify(check.index.map(([key]) => key)));
    args.push(check.format, check.replace ? 'replace' : 'new');
    for (const [key, member] of check.index) {
      addMember.queue(pipeline, redis, [key, keys.unarchived(key)], memberValues(member, check, dropBelow));
    }
    for (const [key, members] of check.context) {
      const { sequence, contextDepth, contextBytes } = check;
      const values = [sequence, contextDepth, contextBytes, CONTEXT_SECONDS, ...members];
      addContext.queue(pipeline, redis, [key], values);
    }
  }
  commit.queue(pipeline, redis, keyList, args);
  const replies = (await pipeline.exec()) ?? [];
  // The commit does not depend on the indexes: one that could not be written only delays look-ups until the rows are archived.
  const [error, committed] = replies.at(-1)!;
  if (error) throw error;
  return (committed as number[]).map((one) => one === 1);
}

function memberValues(
  member: string,
  { sequence, replace }: { sequence: number; replace: boolean },
  dropBelow: number,
): Argument[] {
  return [sequence, member, dropBelow, MOST_INDEX_MEMBERS, INDEX_SECONDS, replace ? 'replace' : 'new'];
}

/** An entry that is given up. Its request id is empty when the header could not be read. */
export interface Buried extends Omit<Finished, 'context' | 'contextDepth' | 'contextBytes'> {
  header: Buffer;
  body: Buffer;
  reason: string;
  attempts: number;
}

/** Commits a terminal failure and keeps the entry as a dead letter. False: another worker had finished it. */
export async function buryEntry(redis: Redis, { partition, lane }: WorkStream, dead: Buried): Promise<boolean> {
  for (const [key, member] of dead.index) {
    await addMember(redis, [key, keys.unarchived(key)], memberValues(member, dead, 0));
  }
  const scriptKeys = [
    keys.checks(partition, lane),
    keys.results(partition),
    keys.result(partition, dead.requestId === '' ? 'none' : dead.requestId),
    keys.dead(partition),
    keys.deadBytes(partition),
  ];
  const done = await bury(redis, scriptKeys, [
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
  ]);
  return done === 1;
}
