/** Session checks of a user among hot results, so that user risk includes a check as soon as it is answered. */
import { decodeRecord } from '../../../shared/api/results/record.js';
import type { UserIdentity } from '../../../shared/history/read/risk.js';
import { itemId, partsOf } from '../../../shared/ids.js';
import type { Redis } from '../../../shared/streams/client.js';
import { mayViolate, requestOf } from '../../../shared/streams/hot/indexes.js';
import { keys } from '../../../shared/streams/keys.js';
import type { RedisCommand } from '../../../shared/streams/script.js';
import { sendTogether } from '../../../shared/streams/send.js';

/** Members read from an index at a time. */
const PAGE = 128;
/** Item number of a session check. */
const SESSION = 1;

export interface HotUser {
  /** the user has a hot check, whatever its verdict */
  seen: boolean;
  /** ids of the checks that `take` got */
  taken: string[];
}

/**
 * Hands `take` every hot check of the user that violated a policy, newest first, with the ids of those policies. Stops when
 * `take` returns false. Each check comes once, in its newest version.
 */
export async function hotUser(
  redis: Redis,
  user: UserIdentity,
  take: (check: { id: string; time: number; policies: string[] }) => boolean,
): Promise<HotUser> {
  const key = keys.user(user.team, user.kind, user.user);
  const known = new Set<string>();
  const result: HotUser = { seen: false, taken: [] };
  for (let from = 0; ; from += PAGE) {
    const members = await redis.zrevrange(key, from, from + PAGE - 1);
    const commands: RedisCommand[] = [];
    const asked: { id: string; time: number; violating: boolean }[] = [];
    for (const member of members) {
      const parts = partsOf(requestOf(member));
      const violating = mayViolate(member);
      // A clean check only shows that the user is known. One is enough for that.
      if (!parts || known.has(parts.requestId) || (!violating && result.seen)) continue;
      if (violating) known.add(parts.requestId);
      const record = keys.result(parts.partition, parts.requestId);
      commands.push([violating ? 'GET' : 'EXISTS', record]);
      asked.push({ id: itemId(parts.requestId, SESSION), time: parts.time, violating });
    }
    const replies = await sendTogether(redis, commands);
    for (const [i, { id, time, violating }] of asked.entries()) {
      const reply = replies[i];
      if (reply instanceof Error) throw reply;
      // A member without a result belongs to a check in flight.
      if (reply === null || reply === 0) continue;
      result.seen = true;
      if (!violating) continue;
      const policies = violatedIn(reply as Buffer, user.team);
      if (policies.length === 0) continue;
      result.taken.push(id);
      if (!take({ id, time, policies })) return result;
    }
    if (members.length < PAGE) return result;
  }
}

/** Ids of the policies that a stored session check violated. */
function violatedIn(bytes: Buffer, team: string): string[] {
  const record = decodeRecord(bytes);
  const item = record.items[0];
  if (record.team !== team || record.kind !== 'session' || !item) return [];
  const policies = JSON.parse(record.fragments[item.policies] ?? '{}') as Record<string, { flagged: boolean }>;
  return Object.keys(policies).filter((id) => policies[id]!.flagged);
}
