/** What the audit log tells (`/api/audit`, `/api/operation/audit`). */
import type { LabelKind } from './types.js';

/** What was done. */
export type AuditAction =
  | 'configuration.applied'
  | 'configuration.rolled_back'
  | 'key.added'
  | 'key.changed'
  | 'key.removed'
  | 'key.expired'
  | 'content.read'
  | 'label.set'
  | 'label.withdrawn'
  | 'appeal.made'
  | 'erasure.requested'
  | 'export.begun'
  | 'replay.requested'
  | 'policies.tried'
  | 'login.begun'
  | 'login.refused'
  | 'login.ended';

/** What it was done to. */
export type AuditSubject =
  | 'configuration'
  | 'key'
  | 'event'
  | 'session'
  | 'artifact'
  | 'run'
  | 'user'
  | 'dead_letter'
  | 'refused'
  | 'export'
  | 'scope'
  | 'login';

/** Who has done it: an API key; a person who has signed in; a person or a program that ran a command; Weir itself. */
export type AuditActorKind = 'key' | 'login' | 'command' | 'weir';

/** What is said of some actions beside their subject. */
export interface AuditDetails {
  /** Of a key that changed: the fields that differ. `sha256`: its secret is another one. */
  changed?: string[];
  /** Of a label or an appeal: the policy. @x-form uuid */
  policy_id?: string;
  /** Of a label: what was said. */
  label?: LabelKind;
  /** Of a configuration: what the person who applied it said of it. For operators alone, since it may be about any team. */
  message?: string;
  /** Of a configuration that was rolled back: the version whose content is in force again. @x-form count */
  rolled_back_to?: number;
}

/** One thing that was done. It has ids and hashes, and never content. */
export interface AuditEntry extends AuditDetails {
  /** The id of the entry. @x-form uuid */
  audit_id: string;
  /** When it was done. @x-form time */
  at: string;
  /** What was done. */
  action: AuditAction;
  /** Whether a key, a person who has signed in, a command or Weir itself did it. */
  actor_kind: AuditActorKind;
  /** Who: the name of the key, the person as their provider names them, or the user who ran the command and their machine, as `user@host`. Empty if it was Weir. */
  actor: string;
  /** From where: the address that the request came from, as Weir sees it, or the machine where the command ran. Absent if it was Weir. */
  address?: string;
  /** The request that did it, by the `X-Request-Id` of its answer. Absent of commands. */
  request_id?: string;
  /** The team that it concerns. Absent if it concerns the installation. */
  team?: string;
  /** The environment or the deployment where the subject is. Absent if it is in none. */
  scope?: string;
  /** What kind of thing it was done to. */
  subject_kind: AuditSubject;
  /** What it was done to: an id; of a user, a session or a run that is erased a salted hash. */
  subject: string;
}

/** A page of the audit log. */
export interface AuditPage {
  /** The entries, the newest first. */
  entries: AuditEntry[];
  /** What to send as `before` for the next page. Absent: there are no more. @x-form uuid */
  next?: string;
}
