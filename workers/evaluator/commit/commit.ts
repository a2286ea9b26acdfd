/** Commits: what makes finished checks final, each by one script. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isCluster, isOutOfMemory, isPassing, type Redis } from '../../../shared/streams/client.js';
import { MOST_INDEX_MEMBERS } from '../../../shared/streams/hot/indexes.js';
import { GROUP, keys, type WorkStream } from '../../../shared/streams/keys.js';
import { type Argument, type RedisCommand, type ScriptCall, script } from '../../../shared/streams/script.js';
import { isLarge, type SegmentsReference, segmentsKey, writeSegments } from '../../../shared/streams/segments.js';
import { sendTogether } from '../../../shared/streams/send.js';
import { CONTEXT_SECONDS } from '../gather/context.js';

/**
 * Records and rows of so many bytes together are staged before the script (`commit-results.lua`). Replies are not published then, or
 * where they are this large: ingress reads the stored results.
 */
const STAGED_BYTES = 8 * 1024;
/** Limits of the dead letters of a partition: their number, and their bytes (twice the largest body, 32 MiB). */
const MOST_DEAD_LETTERS = 10_000;
const MOST_DEAD_BYTES = 64 * 1024 * 1024;
/** How long a commit waits for indexes at other nodes. */
const INDEX_MS = 500;
/** How many entries of indexes wait for a node that is away, for how long, and how often it is tried. */
const MOST_LATE = 10_000;
const LATE_MS = 60_000;
const LATE_AGAIN_MS = 200;
/** An index lives this long after its last write (a week), in case that no archiver ever shortens it. */
const INDEX_SECONDS = 604_800;

/** How long a request is marked as unfinished after its commit. */
const MARK_SECONDS = 60;

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
  /** where the body of its entry is, if that is large; else empty */
  segments: SegmentsReference;
  /** of the packed rows */
  format: string;
  /** what the log says of its trace (`traceNote`), or '' */
  trace: string;
  /** what finds this request: index key and member */
  index: readonly (readonly [key: string, member: string])[];
  sequence: number;
  /** true for a replayed dead letter, whose result replaces the stored failure */
  replace: boolean;
  /** texts that later checks may look back on: conversation key and members */
  context: readonly (readonly [key: string, members: readonly string[], seconds?: number])[];
  /** limits of the texts that are kept of a conversation: their number */
  contextDepth: number;
  /** and their bytes */
  contextBytes: number;
  /** it may be marked as unfinished (`await:…`) from its acceptance on */
  marked: boolean;
}

/**
 * Writes the indexes and commits, in one round trip. The index calls stand before the commit on the same connection, so a
 * caller that has its answer also finds the check. In a Cluster they go to other nodes, and are awaited first. Archived index members with a sequence below `dropBelow` are dropped.
 * Returns which of the checks this call committed.
 */
export async function commitResults(
  redis: Redis,
  stream: WorkStream,
  finished: readonly Finished[],
  dropBelow: number,
): Promise<boolean[]> {
  const bytes = finished.reduce((sum, { record, rows }) => sum + record.length + rows.length, 0);
  try {
    const logged = finished.some(({ rows }) => isLarge(rows))
      ? await Promise.all(finished.map(({ rows }) => loggedRows(redis, stream.partition, rows)))
      : finished.map(inEntry);
    return await commitAs(bytes < STAGED_BYTES ? 'given' : 'staged', redis, stream, { finished, logged, dropBelow });
  } catch (error) {
    // A full Redis refuses to stage, and nothing has changed. It lets a script do the same, which frees memory in the end.
    if (bytes < STAGED_BYTES || !isOutOfMemory(error)) throw error;
    const logged = finished.map(inEntry);
    return await commitAs('given', redis, stream, { finished, logged, dropBelow });
  }
}

/** Rows as an entry of the log has them: in the entry, or in segments. */
interface LoggedRows {
  rows: Buffer;
  segments: SegmentsReference;
}

const IN_SEGMENTS = Buffer.alloc(0);
const inEntry = ({ rows }: Pick<Finished, 'rows'>): LoggedRows => ({ rows, segments: '' });

async function loggedRows(redis: Redis, partition: number, rows: Buffer): Promise<LoggedRows> {
  if (!isLarge(rows)) return inEntry({ rows });
  return { rows: IN_SEGMENTS, segments: await writeSegments(redis, partition, rows) };
}

interface CommitGroup {
  finished: readonly Finished[];
  /** of each */
  logged: readonly LoggedRows[];
  dropBelow: number;
}

async function commitAs(
  way: 'given' | 'staged',
  redis: Redis,
  { partition, lane }: WorkStream,
  { finished, logged, dropBelow }: CommitGroup,
): Promise<boolean[]> {
  const log = keys.results(partition);
  const results = finished.map(({ requestId }) => keys.result(partition, requestId));
  const records = way === 'staged' ? finished.map((_, i) => keys.staged(partition, i)) : [];
  const scriptKeys = [keys.checks(partition, lane), log, keys.logSegments(partition), ...results, ...records];
  const values: Argument[] = [GROUP, STAGED_BYTES, way];
  finished.forEach(({ entryId, requestId, reply, replace, record, index, format, trace, segments: body }, i) => {
    const { rows, segments } = logged[i]!;
    values.push(entryId, requestId, reply === '' ? '' : keys.reply(partition, reply), replace ? 'replace' : 'new');
    if (way === 'staged') values.push('', '', '', '', '');
    else values.push(record, rows, indexKeys(index), format, trace);
    values.push(segments, body);
    for (const each of [segments, body]) if (each !== '') scriptKeys.push(segmentsKey(partition, each));
  });
  // The commit does not depend on the indexes: one that could not be written only delays look-ups until the rows are archived.
  const indexes = await indexesBefore(redis, (late) => finished.flatMap((check) => indexCalls(check, dropBelow, late)));
  // After the commit: a look-up that has missed the result still finds the mark, and looks again.
  const marks = finished.filter(({ marked }) => marked);
  const ends = marks.map(({ requestId }): RedisCommand => ['EXPIRE', keys.await(partition, requestId), MARK_SECONDS]);
  if (way === 'given') {
    const answers = await sendTogether(redis, [...indexes, commit.prepare(scriptKeys, values), ...ends]);
    return committedIn(answers[indexes.length]);
  }
  const answers = await sendTogether(redis, [
    ...indexes,
    ['MULTI'],
    ['MSET', ...finished.flatMap(({ record }, i) => [records[i]!, record])],
    ...finished.map(({ requestId, format, index, trace }, i): RedisCommand => {
      const { rows, segments } = logged[i]!;
      const fields = ['id', requestId, 'format', format, 'rows', rows, 'index', indexKeys(index)];
      if (trace !== '') fields.push('trace', trace);
      if (segments !== '') fields.push('segments', segments);
      return ['XADD', log, '*', ...fields];
    }),
    commit.whole(scriptKeys, values),
    ['EXEC'],
    ...ends,
  ]);
  const own = answers.slice(indexes.length, answers.length - ends.length);
  const refused = own.find((answer) => answer instanceof Error);
  if (refused) throw refused;
  return committedIn((own.at(-1) as unknown[]).at(-1));
}

/** Those that are sent with the commit: all, or none where they are at other nodes and have been sent. What could not be written follows. */
async function indexesBefore(
  redis: Redis,
  callsOf: (late: boolean) => readonly ScriptCall[],
): Promise<readonly ScriptCall[]> {
  const indexes = callsOf(false);
  if (!isCluster(redis)) return indexes;
  const answers = await sendTogether(redis, indexes, INDEX_MS).catch((error: unknown) => indexes.map(() => error));
  if (answers.some(isPassing)) {
    const late = callsOf(true).filter((_, i) => isPassing(answers[i]));
    void writeLate(redis, late);
  }
  return [];
}

/** Index entries that wait for their node. */
let lateCalls = 0;

/** Writes indexes once their node is there again. Beyond a number, and where it takes too long, look-ups find the checks once they are archived. */
async function writeLate(redis: Redis, calls: readonly ScriptCall[]): Promise<void> {
  if (lateCalls + calls.length > MOST_LATE) return;
  lateCalls += calls.length;
  const until = performance.now() + LATE_MS;
  let left = calls;
  while (left.length > 0 && performance.now() < until && redis.status !== 'end') {
    await sleep(LATE_AGAIN_MS);
    const sent = left;
    const answers = await sendTogether(redis, sent, INDEX_MS).catch((error: unknown) => sent.map(() => error));
    left = sent.filter((_, i) => isPassing(answers[i]));
  }
  lateCalls -= calls.length;
}

/** What writes the indexes of a check. `late`: after its commit. */
function indexCalls(check: Finished, dropBelow: number, late: boolean): ScriptCall[] {
  const { index, context, sequence, contextDepth, contextBytes } = check;
  const limits = [sequence, contextDepth, contextBytes];
  const how = check.replace ? 'replace' : late ? 'late' : 'new';
  return [
    ...index.map(([key, member]) =>
      addMember.prepare([key, keys.unarchived(key)], memberValues(member, sequence, { how, dropBelow })),
    ),
    ...context.map(([key, members, seconds = CONTEXT_SECONDS]) =>
      addContext.prepare([key], [...limits, seconds, ...members]),
    ),
  ];
}

function committedIn(answer: unknown): boolean[] {
  if (answer instanceof Error) throw answer;
  return (answer as number[]).map((one) => one === 1);
}

const indexKeys = (index: Finished['index']): string => JSON.stringify(index.map(([key]) => key));

function memberValues(
  member: string,
  sequence: number,
  { how, dropBelow }: { how: 'replace' | 'late' | 'new'; dropBelow: number },
): Argument[] {
  return [sequence, member, dropBelow, MOST_INDEX_MEMBERS, INDEX_SECONDS, how];
}

/** An entry that is given up. Its request id is empty when the header could not be read. */
export interface Buried extends Omit<Finished, 'context' | 'contextDepth' | 'contextBytes' | 'marked'> {
  header: Buffer;
  body: Buffer;
  reason: string;
  attempts: number;
}

/** Commits a terminal failure and keeps the entry as a dead letter. False: another worker had finished it. */
export async function buryEntry(redis: Redis, { partition, lane }: WorkStream, dead: Buried): Promise<boolean> {
  const how = dead.replace ? 'replace' : 'new';
  await sendTogether(
    redis,
    dead.index.map(([key, member]) =>
      addMember.prepare([key, keys.unarchived(key)], memberValues(member, dead.sequence, { how, dropBelow: 0 })),
    ),
    INDEX_MS,
  ).catch((error: unknown) => {
    if (!isCluster(redis)) throw error;
  });
  const scriptKeys = [
    keys.checks(partition, lane),
    keys.results(partition),
    keys.result(partition, dead.requestId === '' ? 'none' : dead.requestId),
    keys.dead(partition),
    keys.deadBytes(partition),
    ...(dead.segments === '' ? [] : [segmentsKey(partition, dead.segments)]),
  ];
  const done = await bury(redis, scriptKeys, [
    GROUP,
    dead.entryId,
    dead.requestId,
    dead.requestId === '' || dead.reply === '' ? '' : keys.reply(partition, dead.reply),
    dead.record,
    dead.rows,
    indexKeys(dead.index),
    dead.format,
    dead.replace ? 'replace' : 'new',
    dead.header,
    dead.body,
    dead.reason,
    dead.attempts,
    MOST_DEAD_LETTERS,
    MOST_DEAD_BYTES,
    dead.trace,
  ]);
  return done === 1;
}
