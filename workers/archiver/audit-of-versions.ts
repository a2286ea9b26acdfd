/** What the audit log tells of a configuration: that it was applied, and how its keys differ from those of the one before. */
import type { Configuration, KeyConfiguration } from '../../shared/configuration/types.js';
import { type AuditActor, type AuditedAct, type AuditLogRow, auditId, auditRow } from '../../shared/streams/audit.js';
import type { Operator } from '../../shared/streams/configuration.js';

/** A version that was applied. */
export interface AuditedVersion {
  number: number;
  /** number, hash of the content and installation (`Identity`) */
  id: string;
  applied: Operator & { at: Date };
  keys: readonly KeyConfiguration[];
}

/** The keys in the text of a version. */
export const keysIn = (text: string): KeyConfiguration[] => (JSON.parse(text) as Pick<Configuration, 'keys'>).keys;

/** The rows of a version. `before`: the versions that were applied before, the oldest first. */
export function auditOfVersion(version: AuditedVersion, before: readonly AuditedVersion[]): AuditLogRow[] {
  const { id, number, applied } = version;
  const actor: AuditActor = {
    kind: 'command',
    id: applied.host === '' ? applied.user : `${applied.user}@${applied.host}`,
    address: applied.host,
    request: '',
  };
  const previous = before.at(-1);
  const same = before.slice(0, -1).findLast((one) => contentOf(one) === contentOf(version));
  const details = {
    ...(applied.message === '' ? {} : { message: applied.message }),
    ...(same === undefined ? {} : { rolled_back_to: same.number }),
  };
  const act: AuditedAct = {
    team: '',
    action: same === undefined ? 'configuration.applied' : 'configuration.rolled_back',
    actor,
    scope: '',
    subject: { kind: 'configuration', id: String(number) },
    details,
  };
  const ms = applied.at.getTime();
  const rows = [act, ...changedKeys(previous?.keys ?? [], version.keys, actor)].map((one) =>
    auditRow(one, ms, auditId(ms, `${id} ${one.action} ${one.team} ${one.subject.id}`)),
  );
  return previous ? [...expiredKeys(previous, previous.applied.at.getTime(), ms), ...rows] : rows;
}

const contentOf = ({ id }: AuditedVersion): string => id.slice(id.indexOf('-') + 1, id.indexOf('@'));

/** A key that goes to another team is removed from one and added to the other. */
function changedKeys(
  before: readonly KeyConfiguration[],
  after: readonly KeyConfiguration[],
  actor: AuditActor,
): AuditedAct[] {
  const named = (keys: readonly KeyConfiguration[]): Map<string, KeyConfiguration> =>
    new Map(keys.map((key) => [`${key.team ?? ''} ${key.id}`, key]));
  const [old, now] = [named(before), named(after)];
  const act = (
    { team, id }: KeyConfiguration,
    action: AuditedAct['action'],
    details: AuditedAct['details'] = {},
  ): AuditedAct => ({ team: team ?? '', action, actor, scope: '', subject: { kind: 'key', id }, details });
  const acts: AuditedAct[] = [];
  for (const [name, key] of old) if (!now.has(name)) acts.push(act(key, 'key.removed'));
  for (const [name, key] of now) {
    const earlier = old.get(name);
    if (!earlier) acts.push(act(key, 'key.added'));
    const changed = earlier ? differing(earlier, key) : [];
    if (changed.length > 0) acts.push(act(key, 'key.changed', { changed }));
  }
  return acts;
}

/** Names of the fields that differ. */
function differing(a: KeyConfiguration, b: KeyConfiguration): string[] {
  const fields = [...new Set([...Object.keys(a), ...Object.keys(b)])] as (keyof KeyConfiguration)[];
  return fields.filter((field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));
}

const NOBODY: AuditActor = { kind: 'weir', id: '', address: '', request: '' };

/** The rows of keys that expired after `from`, and not after `to`, in ms. */
export function expiredKeys(
  { id, keys }: Pick<AuditedVersion, 'id' | 'keys'>,
  from: number,
  to: number,
): AuditLogRow[] {
  const installation = id.slice(id.indexOf('@'));
  return keys.flatMap((key) => {
    const at = key.expires_at ? Date.parse(key.expires_at) : Number.POSITIVE_INFINITY;
    if (!(at > from && at <= to)) return [];
    const team = key.team ?? '';
    const act: AuditedAct = {
      team,
      action: 'key.expired',
      actor: NOBODY,
      scope: '',
      subject: { kind: 'key', id: key.id },
    };
    return [auditRow(act, at, auditId(at, `${installation} key.expired ${team} ${key.id}`))];
  });
}
