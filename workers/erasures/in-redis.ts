/**
 * Erases in Redis what the log does not take along when it is archived: dead letters, refused entries, deliveries of webhooks, open streams, earlier
 * texts of conversations, hot results and what finds them. Every step may run again.
 */
import { conversationOf, sessionConversationOf } from '../../shared/api/conversation.js';
import { marksOf } from '../../shared/erasure-marks.js';
import { isUuid, itemId, partsOf, sequenceOf } from '../../shared/ids.js';
import { nodesOf, type Redis } from '../../shared/streams/client.js';
import { dropDeadLetter, listDeadLetters, readDeadLetter } from '../../shared/streams/dead-letters.js';
import type { ErasedMarks, Erasure, ErasureCounts } from '../../shared/streams/erasures.js';
import { settleDelivery } from '../../shared/streams/hooks.js';
import { requestOf } from '../../shared/streams/hot/indexes.js';
import { keys, OPEN_STREAM_SETS } from '../../shared/streams/keys.js';
import { dropRefused, listRefused, readRefused, replaceRefused } from '../../shared/streams/refused.js';
import { sendTogether } from '../../shared/streams/send.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import { leaveOut, type RowIdentity } from '../rows/leave-out.js';
import { DamagedRows } from '../rows/unpack-rows.js';
import { createErasedAmong } from './erased.js';
import type { ErasedItem, HistoryEraser } from './history.js';
import { namesIn } from './names-in.js';

export interface RedisErasing {
  redis: Redis;
  partitions(): number;
  history: Pick<HistoryEraser, 'erasedAmong' | 'itemsSince' | 'noteItems'>;
  /** adds to what is told of an erasure */
  count(erasure: Erasure, what: keyof ErasureCounts, many: number): void;
}

/** Letters, entries and deliveries that are looked at together. */
const PAGE = 200;
/** Longer than anything but what is refused lives in Redis, and longer than an index names what is refused. */
const HOT_MS = 8 * 86_400_000;

/** Removes what is left of these erasures. Rejects with the error of a store. */
export async function eraseInRedis(tools: RedisErasing, { salt, erasures }: ErasedMarks): Promise<void> {
  for (let p = 0; p < tools.partitions(); p++) await eraseLetters(tools, p, { salt, erasures });
  for (let p = 0; p < tools.partitions(); p++) await eraseRefused(tools, p, { salt, erasures });
  await eraseDeliveries(tools, erasures);
  await eraseStreams(tools, { salt, erasures });
  for (const erasure of erasures) {
    for await (const items of tools.history.itemsSince(erasure, erasure.requested - HOT_MS)) {
      await eraseHot(tools, erasure, items);
    }
  }
}

/** Whether anything of `named` is of an erasure; `internal`: id of the request that it is in. */
function isOf(salt: string, erasure: Erasure, named: readonly Parameters<typeof marksOf>[1][], internal = ''): boolean {
  if (erasure.internal !== '' && partsOf(erasure.internal)?.requestId === internal) return true;
  const owner = { salt, team: erasure.team };
  return named.some((one) => marksOf(owner, one).some((mark) => erasure.marks.includes(mark)));
}

/** A letter is dropped as a whole: it is of one request, and what is stored of its items stays or goes with history. */
async function eraseLetters(tools: RedisErasing, p: number, { salt, erasures }: ErasedMarks): Promise<void> {
  const { redis } = tools;
  const teams = new Set(erasures.map(({ team }) => team));
  for (const { id, header, entry } of await listDeadLetters(redis, p, Number.MAX_SAFE_INTEGER)) {
    if (!header || !teams.has(header.team)) continue;
    const sequence = header.sequence ?? sequenceOf(entry);
    const wanted = erasures.filter(({ team, until }) => team === header.team && sequence <= until);
    if (wanted.length === 0) continue;
    const letter = await readDeadLetter(redis, p, id);
    if (!letter) continue;
    const named = namesIn(letter.body, header);
    const of =
      wanted.find((erasure) => isOf(salt, erasure, named, header.id)) ?? (await ofSession(tools, header, wanted));
    if (of && (await dropDeadLetter(redis, p, id))) tools.count(of, 'deadLetters', 1);
  }
}

/** An image that was sent for a session by itself names no user: it is of whatever the session is of. */
async function ofSession(
  { history }: RedisErasing,
  { session }: WorkHeader,
  erasures: readonly Erasure[],
): Promise<Erasure | undefined> {
  const id = session?.internal.toLowerCase() ?? '';
  return isUuid(id) ? (await history.erasedAmong(erasures, [id])).get(id) : undefined;
}

/**
 * Takes the items out of entries that were set aside. History has none of these, so it is noted first what they were: whoever goes on in the
 * middle finds by the entry, or by its note, what else Redis has of them.
 */
async function eraseRefused(tools: RedisErasing, p: number, { salt, erasures }: ErasedMarks): Promise<void> {
  const { redis, history } = tools;
  const amongEach = erasures.map((erasure) => {
    const { team } = erasure;
    return { erasure, team, among: createErasedAmong({ salt, erasures: [erasure] }) };
  });
  for (const { id } of await listRefused(redis, p, { from: '-', to: '+', most: Number.MAX_SAFE_INTEGER })) {
    const entry = await readRefused(redis, p, id);
    const all = entry ? itemsIn(entry) : [];
    const own = amongEach.filter(({ team }) => team === all[0]?.team);
    if (!entry || own.length === 0) continue;
    const sessions = all.map(({ sessionId }) => sessionId).filter((session) => session !== '');
    const ofSessions = await history.erasedAmong(
      own.map(({ erasure }) => erasure),
      [...new Set(sessions)],
    );
    const taken = new Map<Erasure, RowIdentity[]>();
    const gone = new Set<string>();
    for (const { erasure, among } of own) {
      const ids = among(all);
      const isOwn = (item: RowIdentity): boolean =>
        ids.has(item.id) || (ofSessions.get(item.sessionId) === erasure && item.sequence <= erasure.until);
      const items = all.filter((item) => !gone.has(item.id) && isOwn(item));
      if (items.length > 0) taken.set(erasure, items);
      for (const item of items) gone.add(item.id);
    }
    const left = leaveOut(entry.format, entry.rows, () => gone);
    if (!left) continue;
    for (const [erasure, items] of taken) {
      await history.noteItems(erasure, items);
      await eraseHot(tools, erasure, items);
    }
    const isEmpty = gone.size === all.length;
    const done = isEmpty ? await dropRefused(redis, p, id) : await replaceRefused(redis, p, id, left.packed);
    if (!done) continue;
    for (const [erasure, items] of taken) {
      tools.count(erasure, 'refusedEntries', 1);
      tools.count(erasure, 'items', items.length);
    }
  }
}

/** The items in an entry; none where its rows are damaged: it cannot be told whose they are. They go once they are as old as content may be. */
function itemsIn({ format, rows }: { format: string; rows: Buffer }): readonly RowIdentity[] {
  let all: readonly RowIdentity[] = [];
  try {
    leaveOut(format, rows, (items) => {
      all = items;
      return new Set();
    });
  } catch (error) {
    if (!(error instanceof DamagedRows)) throw error;
  }
  return all;
}

/** Ids of deliveries begin with that of their item. */
const DELIVERY = /^msg_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})/;
const QUEUE = /^hook:\{(?:[^}]*)\}:(.+)\/([^/]+)$/;

async function eraseDeliveries(tools: RedisErasing, erasures: readonly Erasure[]): Promise<void> {
  const { redis, history, partitions } = tools;
  for (const queue of await queuesOf(redis)) {
    const [, team = '', hook = ''] = QUEUE.exec(queue) ?? [];
    const own = erasures.filter((erasure) => erasure.team === team);
    if (own.length === 0) continue;
    const name = `${team}/${hook}`;
    const partition = Array.from({ length: partitions() }, (_, p) => p).find(
      (p) => keys.hookDeliveries(p, name) === queue,
    );
    if (partition === undefined) continue;
    for (let cursor = '0'; ; ) {
      const [next, found] = await redis.hscan(queue, cursor, 'MATCH', 'msg_*', 'COUNT', PAGE);
      const byItem = new Map<string, string[]>();
      for (let i = 0; i < found.length; i += 2) {
        const item = DELIVERY.exec(found[i]!)?.slice(1).join('-');
        if (item !== undefined) byItem.set(item, [...(byItem.get(item) ?? []), found[i]!]);
      }
      for (const [item, erasure] of await history.erasedAmong(own, [...byItem.keys()])) {
        for (const id of byItem.get(item) ?? []) {
          const delivery = { id, body: '', attempts: 0, since: 0, outcome: '-' };
          if (await settleDelivery(redis, { partition, hook: name }, delivery, 'done'))
            tools.count(erasure, 'deliveries', 1);
        }
      }
      cursor = next;
      if (cursor === '0') break;
    }
  }
}

/** Queues of webhooks, also of those that no configuration names any more. */
async function queuesOf(redis: Redis): Promise<string[]> {
  const found = new Set<string>();
  for (const node of nodesOf(redis)) {
    for (let cursor = '0'; ; ) {
      const [next, some] = await node.scan(cursor, 'MATCH', 'hook:*', 'COUNT', 1000);
      for (const key of some) if (!key.endsWith(':due')) found.add(key);
      cursor = next;
      if (cursor === '0') break;
    }
  }
  return [...found];
}

/**
 * Texts that are being written, and were begun before: nothing of them is stored yet, and their next piece begins a stream that lacks what came
 * before.
 */
export async function eraseStreams(
  tools: Pick<RedisErasing, 'redis' | 'count'>,
  { salt, erasures }: ErasedMarks,
): Promise<void> {
  const { redis } = tools;
  const teams = new Set(erasures.map(({ team }) => team));
  for (let set = 0; set < OPEN_STREAM_SETS; set++) {
    for (const member of await redis.zrange(keys.openStreams(set), '0', '-1')) {
      const [team, kind, scope, id] = JSON.parse(member) as [string, string, string, string];
      if (!teams.has(team)) continue;
      const key = keys.stream(team, kind, scope, id);
      const [run, session, metadata, begun] = await redis.hmget(key, 'run', 'session', 'metadata', 'begun');
      const isEvent = kind === 'environment';
      const body = Buffer.from(JSON.stringify({ metadata: parsed(metadata) }));
      const header = { kind: isEvent ? 'event' : 'session', scope } as Parameters<typeof namesIn>[1];
      const own = {
        isEvent,
        scope,
        userId: '',
        userEmail: '',
        externalSessionId: session ?? '',
        runId: run ?? '',
      };
      const of = erasures.find(
        (erasure) =>
          erasure.team === team &&
          Number(begun ?? 0) <= erasure.requested &&
          isOf(salt, erasure, [own, ...namesIn(body, header)]),
      );
      if (!of) continue;
      await redis.unlink(key, keys.streamText(key));
      await redis.zrem(keys.openStreams(set), member);
      tools.count(of, 'streams', 1);
    }
  }
}

function parsed(json: string | null | undefined): unknown {
  try {
    return json ? JSON.parse(json) : undefined;
  } catch {
    return undefined;
  }
}

/** Keys whose members begin with the id of a request, and of which those of `items` go. */
function indexesOf({ team }: Erasure, item: ErasedItem): string[] {
  const { kind, scope, type, runId, externalSessionId, externalArtifactId, userId, userEmail, id, request } = item;
  const isEvent = kind === 'events' || kind === 'event';
  const found: string[] = [];
  if (userId !== '') found.push(keys.user(team, 'id', userId));
  if (userEmail !== '') found.push(keys.user(team, 'email', userEmail));
  if (isEvent && runId !== '') found.push(keys.run(team, scope, runId), keys.accepted(team, scope, 'event', runId));
  if (isEvent) return [...found, keys.context(team, scope, conversationOf(externalSessionId, runId))];
  if (externalSessionId !== '') {
    found.push(
      keys.ext(team, scope, externalSessionId),
      keys.sessionArtifacts(team, scope, 'external', externalSessionId),
      keys.accepted(team, scope, 'external', externalSessionId),
      keys.accepted(team, scope, 'late', externalSessionId),
    );
  }
  if (externalArtifactId !== '')
    found.push(
      keys.artifact(team, scope, externalArtifactId),
      keys.accepted(team, scope, 'artifact', externalArtifactId),
    );
  if (type === 'artifact') return found;
  const own = itemId(request, 1);
  found.push(keys.sessionArtifacts(team, scope, 'internal', id), keys.accepted(team, scope, 'internal', id));
  return [...found, keys.context(team, scope, sessionConversationOf(externalSessionId || own))];
}

/** Keys that are read at a time: an index has 10,000 members at most. */
const KEYS_TOGETHER = 50;

/**
 * What is archived is found in history, so nothing else is lost with a member or a result. Of a batch that is refused the others are found again
 * once an operator has it archived.
 */
async function eraseHot(tools: RedisErasing, erasure: Erasure, items: readonly ErasedItem[]): Promise<void> {
  const { redis } = tools;
  const requests = new Set(items.map(({ request }) => request));
  const texts = new Set(items.map(({ id, request }) => request + String(partsOf(id)?.item ?? 0).padStart(2, '0')));
  const sessions = new Set(items.filter(({ kind }) => kind === 'session').map(({ request }) => request));
  /** A text of an event is that of its item; those of a session are all of it. */
  const isGone = (member: string): boolean => texts.has(member.slice(0, 38)) || sessions.has(requestOf(member));
  const all = [...new Set(items.flatMap((item) => indexesOf(erasure, item)))];
  const named = all.flatMap((key) => (/^(?:ctx|accepted):/.test(key) ? [key] : [key, keys.unarchived(key)]));
  for (let i = 0; i < named.length; i += KEYS_TOGETHER) {
    const some = named.slice(i, i + KEYS_TOGETHER);
    const read = await sendTogether(
      redis,
      some.map((key) => ['ZRANGE', key, 0, -1]),
    );
    for (const [at, members] of read.entries()) {
      if (members instanceof Error) throw members;
      const key = some[at]!;
      const isContext = key.startsWith('ctx:');
      const gone = (members as Buffer[]).filter((bytes) => {
        const member = bytes.toString();
        return isContext ? isGone(member) : requests.has(requestOf(member));
      });
      if (gone.length === 0) continue;
      await redis.zrem(key, ...gone);
      if (isContext) tools.count(erasure, 'contexts', gone.length);
    }
  }
  const results = [...requests].flatMap((request) => {
    const partition = partsOf(request)?.partition ?? 0;
    return [keys.result(partition, request), keys.await(partition, request)];
  });
  for (let i = 0; i < results.length; i += PAGE) {
    const gone = await sendTogether(
      redis,
      results.slice(i, i + PAGE).map((key) => ['UNLINK', key]),
    );
    const failed = gone.find((one) => one instanceof Error);
    if (failed) throw failed;
  }
}
