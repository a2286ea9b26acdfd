/**
 * Marks: salted hashes of what names a person or a conversation. An erasure keeps these alone, so that it does not hold on to what it erases.
 * ClickHouse computes the same ({@link markIn}).
 */
import { createHash } from 'node:crypto';

/**
 * What a mark is of. `lone-id` and `lone-email` are of items that name a user by the one identifier and not by the other: an address that
 * two users share does not erase what names the other one.
 */
export type MarkKind = 'user-id' | 'user-email' | 'lone-id' | 'lone-email' | 'session' | 'run';

/** Whose a value is. */
export interface MarkOwner {
  /** of the installation */
  salt: string;
  team: string;
  /** environment of a run, deployment of a session; absent: of a user, who is the team's */
  scope?: string;
}

/** What stands before the value: JSON, which ends with its bracket, so no value reads as that of another owner. */
export const markPrefix = ({ salt, team, scope = '' }: MarkOwner, kind: MarkKind): string =>
  JSON.stringify([salt, kind, team, scope]);

/** SHA-256, 64 hexadecimal digits. */
export const markOf = (owner: MarkOwner, kind: MarkKind, value: string): string =>
  createHash('sha256')
    .update(markPrefix(owner, kind) + value)
    .digest('hex');

/** The same in SQL. `prefix` and `value`: expressions. Null where the value is. */
export const markIn = (prefix: string, value: string): string => `lower(hex(SHA256(concat(${prefix}, ${value}))))`;

/** What an item says of whom and what it belongs to. What is absent is empty. */
export interface MarkedItem {
  /** events are of an environment, sessions and images of a deployment: both may have the same id */
  isEvent: boolean;
  scope: string;
  userId: string;
  userEmail: string;
  externalSessionId: string;
  runId: string;
}

/** The marks of an item. */
export function marksOf({ salt, team }: MarkOwner, item: MarkedItem): string[] {
  const { isEvent, scope, userId, userEmail, externalSessionId, runId } = item;
  const marks = marksOfUser({ salt, team }, userId, userEmail);
  const own = { salt, team, scope };
  if (!isEvent && externalSessionId !== '') marks.push(markOf(own, 'session', externalSessionId));
  if (isEvent && runId !== '') marks.push(markOf(own, 'run', runId));
  return marks;
}

function marksOfUser(owner: MarkOwner, id: string, email: string): string[] {
  if (id === '') return email === '' ? [] : [markOf(owner, 'user-email', email), markOf(owner, 'lone-email', email)];
  if (email === '') return [markOf(owner, 'user-id', id), markOf(owner, 'lone-id', id)];
  return [markOf(owner, 'user-id', id), markOf(owner, 'user-email', email)];
}

/** The marks of all that names a user by this identifier. Addresses are in lower case. */
export const userMarks = (owner: MarkOwner, kind: 'id' | 'email', value: string): string[] => [
  markOf(owner, `user-${kind}`, value),
];

/** The marks of a session: checks that joined one without a name have its internal id for one. */
export const sessionMarks = (owner: MarkOwner, internal: string, external: string): string[] => [
  markOf(owner, 'session', external || internal),
];

export const runMarks = (owner: MarkOwner, run: string): string[] => [markOf(owner, 'run', run)];
