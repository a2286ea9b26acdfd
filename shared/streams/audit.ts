/**
 * The audit log, on its way to ClickHouse: who did what, when and from where. An entry is in Redis before what it tells is done, or in the same
 * step; so nothing is done that is not told, and what fails after that is told too. Archivers move entries on (`workers/archiver/audit.ts`).
 *
 * Entries have ids and hashes, and never content.
 */
import { createHash } from 'node:crypto';
import type { AuditAction, AuditActorKind, AuditDetails, AuditSubject } from '../api/audit.js';
import { timestamp } from '../api/results/render.js';
import { newRequestId } from '../ids.js';
import type { Redis } from './client.js';
import { keys } from './keys.js';
import { type RedisConnection, script } from './script.js';

/** Who does something, and from where. */
export interface AuditActor {
  kind: AuditActorKind;
  id: string;
  address: string;
  /** id of the request; '' of a command */
  request: string;
}

/** What is done. */
export interface AuditedAct {
  /** '': it concerns the installation */
  team: string;
  action: AuditAction;
  actor: AuditActor;
  /** environment or deployment; '': none */
  scope: string;
  subject: { kind: AuditSubject; id: string };
  details?: AuditDetails;
}

/** Columns of `weir.audit`. */
export interface AuditLogRow {
  ts: string;
  id: string;
  team: string;
  action: AuditAction;
  actor_kind: AuditActorKind;
  actor: string;
  address: string;
  request: string;
  scope: string;
  subject_kind: AuditSubject;
  subject: string;
  /** JSON */
  details: string;
}

/** Entries that Redis has at most, of one team half as many. An archiver takes thousands a second, so this is an outage of ClickHouse. */
export const MOST_AUDITED = 50_000;

/** The row of an act at `ms`. It is known by `id`, whose time is `ms`. */
export function auditRow({ actor, subject, ...act }: AuditedAct, ms: number, id: string): AuditLogRow {
  return {
    ts: timestamp(ms).replace('T', ' ').slice(0, -1),
    id,
    team: act.team,
    action: act.action,
    actor_kind: actor.kind,
    actor: actor.id,
    address: actor.address,
    request: actor.request,
    scope: act.scope,
    subject_kind: subject.kind,
    subject: subject.id,
    details: JSON.stringify(act.details ?? {}),
  };
}

/** That of an act which happens now. */
export function auditRowNow(act: AuditedAct): AuditLogRow {
  const now = Date.now();
  return auditRow(act, now, newRequestId(0, now));
}

/** An id of our form that follows from a time and a text: who writes the same row twice replaces it. */
export function auditId(ms: number, text: string): string {
  const time = ms.toString(16).padStart(12, '0');
  const hash = createHash('sha256').update(text).digest('hex');
  // The number of the region, the partition and the item are 0, as in the ids of other rows.
  const variant = (0x8000 | (Number.parseInt(hash.slice(3, 7), 16) & 0x03ff)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}-${hash.slice(7, 15)}0000`;
}

const add = script('audit/add-entries');
const drop = script('audit/drop-entries');
const places = (): string[] => [keys.audit(), keys.auditTeams()];

/**
 * Adds entries, and says of each whether there was room for it. A team leaves as many places free as it holds. Rejects with the error of
 * Redis: then none was added, as far as is known.
 */
export async function addAudit(redis: RedisConnection, rows: readonly AuditLogRow[]): Promise<boolean[]> {
  const entries = rows.flatMap((row) => [row.team, JSON.stringify(row)]);
  const taken = (await add(redis, places(), [MOST_AUDITED, ...entries])) as number[];
  return taken.map((one) => one === 1);
}

/** Adds one entry. Rejects where there is no room for it, or with the error of Redis. */
export async function addOneAudit(redis: RedisConnection, act: AuditedAct): Promise<void> {
  const [taken] = await addAudit(redis, [auditRowNow(act)]);
  if (!taken) throw new Error('The audit log has no room until ClickHouse takes its entries; so this is not done.');
}

/** The oldest entries, at most `most`, by their ids in the stream. */
export async function oldestAudit(redis: Redis, most: number): Promise<{ entry: string; row: AuditLogRow }[]> {
  const found = await redis.xrange(keys.audit(), '-', '+', 'COUNT', most);
  return found.map(([entry, [, text = '']]) => ({ entry, row: JSON.parse(text) as AuditLogRow }));
}

/** Takes entries out that ClickHouse has. */
export async function dropAudit(redis: Redis, entries: Awaited<ReturnType<typeof oldestAudit>>): Promise<void> {
  if (entries.length === 0) return;
  await drop(
    redis,
    places(),
    entries.flatMap(({ entry, row }) => [entry, row.team]),
  );
}
