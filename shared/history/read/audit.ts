/** Reads the audit log: who did what, when and from where. */
import type { AuditDetails, AuditEntry } from '../../api/audit.js';
import { timestamp } from '../../api/results/render.js';
import { partsOf } from '../../ids.js';
import type { AuditLogRow } from '../../streams/audit.js';
import type { Ask } from './ask.js';

export interface AuditQuestion {
  /** undefined: all teams, and what concerns the installation. Of a team that has configurations, too: they are those of all teams */
  team: string | undefined;
  /** Unix ms; `to` is not in it */
  from: number;
  to: number;
  /** '': any */
  action: string;
  actor: string;
  subject: string;
  /** id of an entry: only those that came before it; '': from the newest on */
  before: string;
  limit: number;
}

export interface AuditedEntry extends Omit<AuditLogRow, 'ts' | 'details'> {
  details: AuditDetails;
  /** Unix ms */
  at: number;
}

export interface AuditQueries {
  /** The newest first. `next`: there are more before this entry. */
  audit(question: AuditQuestion): Promise<{ entries: AuditedEntry[]; next: string | undefined }>;
}

interface StoredEntry extends Omit<AuditedEntry, 'details' | 'at'> {
  details: string;
  ms: string | number;
}

const OF_TEAM = "(team = {team:String} OR (team = '' AND subject_kind = 'configuration'))";
/** The time of an entry is that of its id. */
const BEFORE = `(ts, toUInt128(audit.id)) < (fromUnixTimestamp64Milli({before_ms:Int64}, 'UTC'), toUInt128({before:UUID}))`;

function entries({ team, action, actor, subject, before }: AuditQuestion): string {
  const conditions = [
    team === undefined ? [] : OF_TEAM,
    "ts >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({to:Int64}, 'UTC')",
    action === '' ? [] : 'action = {action:String}',
    actor === '' ? [] : 'actor = {actor:String}',
    subject === '' ? [] : 'subject = {subject:String}',
    before === '' ? [] : BEFORE,
  ];
  return `SELECT toString(id) AS id, team, action, actor_kind, actor, address, request, scope, subject_kind, subject, details,
      toUnixTimestamp64Milli(ts) AS ms
    FROM audit FINAL WHERE ${conditions.flat().join(' AND ')}
    ORDER BY ts DESC, toUInt128(audit.id) DESC LIMIT {most:UInt32}`;
}

/** As callers see it. */
export function auditEntryOf({
  id,
  at,
  action,
  actor_kind,
  actor,
  subject_kind,
  subject,
  details,
  ...rest
}: AuditedEntry): AuditEntry {
  const { address, request, team, scope } = rest;
  return {
    audit_id: id,
    at: timestamp(at),
    action,
    actor_kind,
    actor,
    ...(address === '' ? {} : { address }),
    ...(request === '' ? {} : { request_id: request }),
    ...(team === '' ? {} : { team }),
    ...(scope === '' ? {} : { scope }),
    subject_kind,
    subject,
    ...details,
  };
}

type Select = <T>(query: string, parameters: Record<string, unknown>) => Promise<T[]>;

/** A page of the log, the newest entry first. */
export async function auditLog(
  select: Select,
  question: AuditQuestion,
): Promise<{ entries: AuditedEntry[]; next: string | undefined }> {
  const { limit, before, team = '', ...rest } = question;
  const cursor = before === '' ? {} : { before, before_ms: partsOf(before)!.time };
  const rows = await select<StoredEntry>(entries(question), { ...rest, team, ...cursor, most: limit + 1 });
  const page = rows.slice(0, limit).map(
    ({ details, ms, ...entry }): AuditedEntry => ({
      ...entry,
      details: JSON.parse(details) as AuditDetails,
      at: Number(ms),
    }),
  );
  return { entries: page, next: rows.length > limit ? page.at(-1)!.id : undefined };
}

export function auditQueries({ bounded, select }: Ask): AuditQueries {
  return {
    audit: (question) =>
      bounded(question.team ?? '', (signal) =>
        auditLog((query, parameters) => select(query, parameters, signal), question),
      ),
  };
}
