/**
 * Indexes of a Cluster that may lack their newest members. They are at other nodes than the checks that they name, and a commit does not wait
 * for replicas there: a primary that crashes may take members along whose checks are answered. ClickHouse has these once they are archived.
 *
 *     whole ──its newest writes may be lost (`cluster/topology.ts`)──> in doubt ──all that the logs had then is archived──> whole
 *
 * While an index is in doubt, look-ups by it are `unavailable`: one that misses may be wrong, and what it finds may not be the latest. After
 * that ClickHouse has what it lacks, so a hot result of before is no more the latest for certain. One Redis, with or without replicas, loses an index only with the
 * commits behind it.
 */

import { within } from '../../async.js';
import { HistoryUnavailable } from '../../history/read/breaker.js';
import { isCluster, isPassing, type Redis } from '../client.js';
import type { ClusterClient } from '../cluster/client.js';
import type { SlotLoss } from '../cluster/topology.js';
import { keys } from '../keys.js';
import { readPartitions } from '../partitions.js';
import { script } from '../script.js';
import { sendTogether } from '../send.js';

/** What was under way to the primary that is lost is in the log by then. */
const UNDER_WAY_MS = 1000;
/** How often the logs are looked at. */
const LOOK_MS = 200;
/** How long the logs are waited for. */
const ANSWER_MS = 1000;
/** Marks of what is accepted, which nobody archives, are of no use longer than checks take. */
const ACCEPTED_MS = 10_000;

const lookAtLog = script('archive/look-at-log');

const DOUBT = 'Redis may have lost the newest of this index with a primary, and they are not archived yet';

/** What is known of a loss. */
interface Settling {
  /** what the logs had at the first look, by partition: up to this ms of their Redis, or of what was lost before; only those that are not archived */
  open: Map<number, number> | undefined;
  lookedAt: number;
  looking: Promise<void> | undefined;
}

const settlings = new WeakMap<SlotLoss, Settling>();

/**
 * Throws a {@link HistoryUnavailable} while an index may lack members that ClickHouse does not have. Returns the sequence below which members may
 * be missing. To be called after the index was read.
 */
export async function wholeFrom(redis: Redis, index: string): Promise<number> {
  const loss = await lossOf(redis, index);
  if (!loss) return 0;
  if (!(await isArchived(redis as ClusterClient, loss))) throw new HistoryUnavailable(DOUBT);
  return (loss.at + UNDER_WAY_MS) * 4096;
}

/** Throws a {@link HistoryUnavailable} where a key of what is accepted may lack what is still under way. */
export async function checkAccepted(redis: Redis, key: string): Promise<void> {
  const loss = await lossOf(redis, key);
  if (loss && Date.now() < loss.at + ACCEPTED_MS) throw new HistoryUnavailable(DOUBT);
}

const lossOf = async (redis: Redis, key: string): Promise<SlotLoss | undefined> =>
  isCluster(redis) ? await redis.lossOf(key) : undefined;

async function isArchived(redis: ClusterClient, loss: SlotLoss): Promise<boolean> {
  const settling = settlings.get(loss) ?? { open: undefined, lookedAt: 0, looking: undefined };
  settlings.set(loss, settling);
  const isDone = (): boolean => settling.open?.size === 0;
  if (isDone()) return true;
  const now = Date.now();
  if (now < loss.at + UNDER_WAY_MS || now < settling.lookedAt + LOOK_MS) return false;
  settling.looking ??= within(look(redis, settling, loss), { ms: ANSWER_MS })
    .catch(unlessAway)
    .finally(() => {
      settling.lookedAt = Date.now();
      settling.looking = undefined;
    });
  await settling.looking;
  return isDone();
}

/** While a primary is away, or does not answer, nobody knows what its log has. */
function unlessAway(error: unknown): void {
  if (!isPassing(error)) throw error;
}

/** Leaves the partitions in `open` that have something of the first look that is not archived. Rejects where one cannot be asked. */
async function look(redis: ClusterClient, settling: Settling, { before = Infinity }: SlotLoss): Promise<void> {
  const { open } = settling;
  const partitions = open ? [...open.keys()] : Array.from({ length: await readPartitions(redis) }, (_, p) => p);
  const calls = partitions.map((p) => lookAtLog.prepare([keys.position(p), keys.results(p)], ['']));
  const answers = await sendTogether(redis, calls);
  const left = new Map<number, number>();
  partitions.forEach((p, i) => {
    const answer = answers[i];
    if (answer instanceof Error) throw answer;
    const [, first, now] = answer as [unknown, Buffer, number];
    const upTo = open?.get(p) ?? Math.min(now, before);
    const next = first.toString();
    if (next !== '' && Number(next.slice(0, next.indexOf('-'))) <= upTo) left.set(p, upTo);
  });
  settling.open = left;
}
