/**
 * Erasures: what was asked to be forgotten, and how far that is. States (`workers/erasures/eraser.ts`):
 *
 *     waiting ──all that was accepted before is archived──> removing ──nothing of it is found──> erased ──no file has it──> complete
 *
 * An erasure is kept for a week after it is complete: meanwhile archivers leave out what it is of, so that nothing that comes a second time
 * brings it back.
 */
import { randomBytes } from 'node:crypto';
import { newRequestId, sequenceOf } from '../ids.js';
import { type AuditActor, auditRow, MOST_AUDITED } from './audit.js';
import { nodesOf, type Redis } from './client.js';
import { keys } from './keys.js';
import { type RedisCommand, script } from './script.js';
import { transact } from './send.js';

export type ErasureSubject = 'user' | 'session' | 'run' | 'event';

/** What was removed, as counts; what two attempts removed is counted once. */
export interface ErasureCounts {
  items: number;
  deadLetters: number;
  refusedEntries: number;
  deliveries: number;
  streams: number;
  contexts: number;
}

export const NOTHING_REMOVED: ErasureCounts = {
  items: 0,
  deadLetters: 0,
  refusedEntries: 0,
  deliveries: 0,
  streams: 0,
  contexts: 0,
};

/** A run of `weir export` that was begun before, and may have what is erased. */
export interface ErasedExport {
  id: string;
  /** Unix ms */
  begun: number;
  since: number;
  until: number;
  format: string;
}

/** Files that Weir cannot reach: of Redis where it refuses a rewrite or writes none, of its replicas, of other replicas of ClickHouse. */
export type HeldBy = 'redis' | 'redis_replicas' | 'clickhouse_replicas';

export interface Erasure {
  id: string;
  team: string;
  subject: ErasureSubject;
  /** environment or deployment; '' of a user */
  scope: string;
  /** our id of an event or of a session check; '' of others */
  internal: string;
  /** of what is erased (`erasure-marks.ts`) */
  marks: string[];
  /** sequence of the last check that it is of: what comes later stays */
  until: number;
  /** id of the API key, or who ran the command */
  by: string;
  /** Unix ms, by Redis's clock; 0: not yet */
  requested: number;
  erased: number;
  complete: number;
  state: 'waiting' | 'removing' | 'erased' | 'complete';
  /** what may still have it when it is complete */
  held: HeldBy[];
  /** what it waits for, in words; '' : nothing */
  waits: string;
  removed: ErasureCounts;
  /** once it is erased: the newest first, some */
  exports?: ErasedExport[];
}

/** What is asked for. */
export type ErasureOrder = Pick<Erasure, 'team' | 'subject' | 'scope' | 'internal'> & {
  /** who asks for it */
  actor: AuditActor;
  /** its marks, under the salt of the installation */
  marks(salt: string): string[];
};

/** Erasures that are not complete, of all teams, and those that are known. */
export const MOST_OPEN = 1000;
const MOST_KNOWN = 10_000;
/** How long an erasure is obeyed after it is complete. */
export const OBEYED_MS = 7 * 86_400_000;

const add = script('erasures/add-erasure');

/** The salt of the installation, drawn at its first erasure. */
async function saltOf(redis: Redis): Promise<string> {
  await redis.set(keys.erasureSalt(), randomBytes(16).toString('hex'), 'NX');
  return (await redis.get(keys.erasureSalt()))!;
}

/** Unix ms of the clock that is most ahead, of all primaries: what was accepted before has entries up to this. */
export async function latestTime(redis: Redis): Promise<number> {
  const times = await Promise.all(nodesOf(redis).map((node) => node.time()));
  return Math.max(...times.map(([seconds, micros]) => Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)));
}

/** Takes an erasure of all that was accepted until now, and tells the audit log; undefined where there is no room for it. */
export async function addErasure(redis: Redis, { marks, actor, ...order }: ErasureOrder): Promise<Erasure | undefined> {
  const salt = await saltOf(redis);
  const now = await latestTime(redis);
  const erasure: Erasure = {
    ...order,
    by: actor.id,
    id: newRequestId(0, now),
    marks: marks(salt),
    until: sequenceOf(`${now}-4095`),
    requested: now,
    erased: 0,
    complete: 0,
    state: 'waiting',
    waits: '',
    held: [],
    removed: NOTHING_REMOVED,
  };
  const { id, team, scope, subject } = erasure;
  const what = { kind: subject, id: erasure.internal || erasure.marks[0]! };
  const audited = auditRow({ team, scope, action: 'erasure.requested', actor, subject: what }, now, id);
  const names = [keys.erasures(), keys.erasuresOpen(), keys.erasuresChanged(), keys.audit(), keys.auditTeams()];
  const limits = [MOST_OPEN, MOST_KNOWN, MOST_AUDITED];
  const taken = await add(redis, names, [id, JSON.stringify(erasure), team, now, ...limits, JSON.stringify(audited)]);
  return taken === 1 ? erasure : undefined;
}

/** An erasure; undefined where none is known by this id. */
export async function readErasure(redis: Redis, id: string): Promise<Erasure | undefined> {
  const text = await redis.hget(keys.erasures(), id);
  return text === null ? undefined : (JSON.parse(text) as Erasure);
}

/** All that are known, the oldest first. */
export async function listErasures(redis: Redis): Promise<Erasure[]> {
  const texts = await redis.hvals(keys.erasures());
  return texts.map((text) => JSON.parse(text) as Erasure).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** At most `most` that are not complete: each team in turn, the oldest of each first. */
export async function openErasures(redis: Redis, most: number): Promise<Erasure[]> {
  const members = await redis.zrange(keys.erasuresOpen(), '0', '-1');
  const byTeam = new Map<string, string[]>();
  for (const member of members) {
    const slash = member.lastIndexOf('/');
    const team = member.slice(0, slash);
    byTeam.set(team, [...(byTeam.get(team) ?? []), member.slice(slash + 1)]);
  }
  const inTurn: string[] = [];
  for (let place = 0; inTurn.length < Math.min(most, members.length); place++) {
    for (const ids of byTeam.values()) if (place < ids.length) inTurn.push(ids[place]!);
  }
  const taken = inTurn.slice(0, most);
  if (taken.length === 0) return [];
  const texts = await redis.hmget(keys.erasures(), ...taken);
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as Erasure]));
}

/** Stores how far erasures are. */
export async function storeErasures(redis: Redis, erasures: readonly Erasure[]): Promise<void> {
  if (erasures.length === 0) return;
  const complete = erasures.filter(({ state }) => state === 'complete');
  const commands: RedisCommand[] = [
    ['HSET', keys.erasures(), ...erasures.flatMap((one) => [one.id, JSON.stringify(one)])],
    ['INCR', keys.erasuresChanged()],
  ];
  if (complete.length > 0)
    commands.push(['ZREM', keys.erasuresOpen(), ...complete.map(({ team, id }) => `${team}/${id}`)]);
  await transact(redis, commands);
}

/** Forgets those that were complete before `ms`; returns how many are left. */
export async function dropErasures(redis: Redis, ms: number): Promise<number> {
  const all = await listErasures(redis);
  const old = all.filter(({ state, complete }) => state === 'complete' && complete < ms).map(({ id }) => id);
  const drop: RedisCommand[] = [
    ['HDEL', keys.erasures(), ...old],
    ['INCR', keys.erasuresChanged()],
  ];
  if (old.length > 0) await transact(redis, drop);
  return all.length - old.length;
}

/** What archivers obey: erasures whose items are gone from history, with the salt of their marks. */
export interface ErasedMarks {
  salt: string;
  erasures: Erasure[];
}

/**
 * Follows what is erased. Asks Redis for the number of changes, and for all where it is another one than at the last call. Rejects with its error.
 */
export function createErasedFollower(redis: Redis): () => Promise<ErasedMarks> {
  let changes: string | null = null;
  let known: ErasedMarks = { salt: '', erasures: [] };
  return async () => {
    const now = await redis.get(keys.erasuresChanged());
    if (now === changes) return known;
    const [all, salt] = await Promise.all([listErasures(redis), redis.get(keys.erasureSalt())]);
    known = { salt: salt ?? '', erasures: all.filter(({ state }) => state === 'erased' || state === 'complete') };
    changes = now;
    return known;
  };
}
