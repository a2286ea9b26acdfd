/** Ids of policies and metrics that a file does not give: each follows from the team and the name. */
import { createHash } from 'node:crypto';
import { type Cursor, isAbsent, readUuid } from './fields.js';

/** Such ids, and those of policies of packs, are UUIDs of version 5 (RFC 9562) in this namespace, which was drawn at random. */
const NAMESPACE = Buffer.from('3b1f0c5e9a4d4c0e8f7255d1a86e7c24', 'hex');

/** The UUID of a value: always the same. */
export function uuidOf(value: unknown): string {
  const hash = createHash('sha1').update(NAMESPACE).update(JSON.stringify(value)).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** The id of a policy without one. Policies of packs have three parts, so that none has the id of another. */
export const policyIdOf = (team: string, name: string): string => uuidOf([team, name]);

export const metricIdOf = (team: string, name: string): string => uuidOf({ metric: [team, name] });

/** The id at `cursor`; where it may be left out and is, that of the name. */
export function derivedId(cursor: Cursor, of: 'policy' | 'metric', team: string, name: string): string {
  if (!cursor.report.short || !isAbsent(cursor)) return readUuid(cursor);
  return (of === 'policy' ? policyIdOf : metricIdOf)(team, name);
}

/** Whether the id of a policy follows from its name, so that another name makes another policy. */
export const followsFromName = ({ id, team, name }: { id: string; team: string; name: string }): boolean =>
  id === policyIdOf(team, name);
