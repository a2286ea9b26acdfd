/**
 * Holds outcomes back until replicas have them (`WEIR_REDIS_REPLICAS`), so that a crash of the primary takes along nothing that was answered.
 *
 *     outcome ──waits for the round under way──> it is there, and enough replicas have all up to now ──> answered
 *                                                 ├── too few replicas in time ──> 503
 *                                                 └── it is gone: this primary never had it ──> 503, unless history has it
 *
 * A round asks on one connection for the keys, writes something, and waits (WAIT) until replicas have that: what was there before it, they have,
 * too. Outcomes that come meanwhile share the next round. The connection serves nothing else: WAIT holds up what comes behind it. In a Cluster
 * each primary has rounds of its own.
 */
import { ApiError } from '../../shared/api/errors.js';
import { partitionOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { connectCommands, isCluster, nodeOf, type Redis, waitForRedis } from '../../shared/streams/client.js';
import type { RedisEndpoint } from '../../shared/streams/endpoint.js';
import { keys, type Lane } from '../../shared/streams/keys.js';
import { type RedisCommand, type ScriptCall, script } from '../../shared/streams/script.js';
import { sendTogether } from '../../shared/streams/send.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { CheckOutcome } from './types.js';

export interface ReplicaRounds {
  /**
   * The outcome, once enough replicas have it. Rejects with an ApiError of status 503 where that cannot be told in time. Absent: none is waited
   * for. `lane`: that of its work.
   */
  confirm?(outcome: CheckOutcome, lane: Lane): Promise<CheckOutcome>;
  /** The same for an erasure: who was told of it must not find it forgotten itself. Resolves at once where no replicas are waited for. */
  confirmErasure(id: string): Promise<void>;
  /** how many wait */
  count(): number;
  close(): void;
}

const isUnderWay = script('work/is-under-way');

/** How long a round waits for replicas, and the next one after a round that failed. */
const ROUND_MS = 250;
const PAUSE_MS = 50;
/** Outcomes that one round asks for. */
const MOST_TOGETHER = 1000;
const MARK_SECONDS = 60;
/** Partitions of which one is at each primary, whether it is in use or not. */
const MARKS = 1024;

/** How to find something in Redis. */
interface StoredPlace {
  key: string;
  /** answers 0 where it is not there */
  look: RedisCommand | ScriptCall;
  /** where a mark is written, while no slot of its primary is known to stay */
  partition: number;
}

interface WaitingOutcome extends StoredPlace {
  until: number;
  /** Its slot is on its way, and it is there already. */
  moving?: boolean;
  resolve(verdict: 'there' | 'gone' | 'late'): void;
}

/** `self`: name of this process; `limitMs`: how long an outcome waits for its rounds. */
export async function createReplicaRounds(
  endpoint: RedisEndpoint,
  { replicas, self, limitMs = 2000 }: { replicas: number; self: string; limitMs?: number },
  { logger, registry }: { logger: Logger; registry: Registry },
): Promise<ReplicaRounds> {
  const help = 'Outcomes that were not answered, because too few replicas of Redis had them in time';
  const unsafe = metersOf(registry).counter('weir_replicas_late_total', help);
  if (replicas === 0) return { confirmErasure: async () => undefined, count: () => 0, close: () => undefined };
  const redis = connectCommands(endpoint, 'weir-replicas', limitMs + ROUND_MS);
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, endpoint);
  /** what waits for the rounds of each primary, while these go on */
  const queues = new Map<Redis | undefined, WaitingOutcome[]>();
  let count = 0;

  /** Where each primary was written to last: in a slot of its own that is not on its way. */
  const marked = new Map<Redis, number>();

  /** A key that is at this primary; undefined: it has no slot yet. */
  function markOf(node: Redis): string | undefined {
    for (let p = marked.get(node) ?? 0; p < MARKS; p++) {
      const key = keys.replicas(p, self);
      if (nodeOf(redis, key) !== node) continue;
      marked.set(node, p);
      return key;
    }
    marked.delete(node);
    return undefined;
  }

  async function round(node: Redis | undefined, asked: readonly WaitingOutcome[]): Promise<void> {
    if (!node) throw new Error('no primary has this slot');
    const key = markOf(node) ?? keys.replicas(asked[0]!.partition, self);
    const mark = ['SET', key, '', 'EX', MARK_SECONDS];
    // Means nothing where the slot is not on its way here.
    const asking = asked.some(({ moving }) => moving);
    const commands = [...asked.map((one) => one.look), mark];
    const sent = asking ? commands.flatMap((command) => [['ASKING'], command]) : commands;
    const replies = await sendTogether(node, [...sent, ['WAIT', replicas, ROUND_MS]]);
    const answers = asking ? replies.filter((_, i) => i % 2 === 1 || i === replies.length - 1) : replies;
    const [written, had] = answers.slice(-2);
    if (written instanceof Error) marked.set(node, (marked.get(node) ?? 0) + 1);
    // A replica refuses at once: without a pause, rounds would follow each other as fast as they can.
    const refused = [written, had].find((answer) => answer instanceof Error);
    if (refused) throw refused;
    const enough = (had as number) >= replicas;
    asked.forEach((one, i) => {
      const answer = answers[i];
      if (answer instanceof Error) putAgain(one, isCluster(redis) ? redis.learn(answer, node) : undefined);
      else if (answer === 0) one.resolve('gone');
      else if (enough) one.resolve('there');
      else putAgain(one);
    });
  }

  async function goRounds(node: Redis | undefined, waiting: WaitingOutcome[]): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.splice(0, MOST_TOGETHER);
      await round(node, asked).catch(async (error: unknown) => {
        logger.debug({ error: String(error) }, 'replicas were not asked');
        await new Promise((again) => setTimeout(again, PAUSE_MS));
        for (const one of asked) putAgain(one);
      });
    }
    queues.delete(node);
  }

  /** `node`: that which has it while its slot is on its way. */
  function putAgain(one: WaitingOutcome, node?: Redis): void {
    if (performance.now() > one.until) one.resolve('late');
    else put({ ...one, moving: node !== undefined }, node);
  }

  /** The primary that has its key now may be another one than before. */
  function put(one: WaitingOutcome, node = nodeOf(redis, one.key)): void {
    const waiting = queues.get(node);
    if (waiting) {
      waiting.push(one);
      return;
    }
    const queue = [one];
    queues.set(node, queue);
    void goRounds(node, queue);
  }

  async function ask(place: StoredPlace): Promise<'there' | 'gone' | 'late'> {
    count++;
    const asked = new Promise<'there' | 'gone' | 'late'>((resolve) =>
      put({ ...place, until: performance.now() + limitMs, resolve }),
    );
    return await asked.finally(() => count--);
  }

  function notSafe(what: string): ApiError {
    unsafe.inc();
    return new ApiError(
      'unavailable',
      `The ${what} is not safe, since Redis lacks replicas or was replaced. Try again.`,
    );
  }

  return {
    async confirm(outcome, lane) {
      const verdict = await ask(placeOf(outcome, lane));
      if (verdict === 'there' || (verdict === 'gone' && outcome.status === 'done' && outcome.archived)) return outcome;
      throw notSafe('verdict');
    },
    async confirmErasure(id) {
      const key = keys.erasures();
      const verdict = await ask({ key, look: ['HEXISTS', key, id], partition: 0 });
      if (verdict !== 'there') throw notSafe('erasure');
    },
    count: () => count,
    close: () => redis.disconnect(),
  };
}

/** How to find an outcome in Redis: a result, or a check whose work goes on, with its mark. */
function placeOf(outcome: CheckOutcome, lane: Lane): StoredPlace {
  const id = outcome.id ?? (outcome as { record: { id: string } }).record.id;
  const partition = partitionOf(id);
  const key = keys.result(partition, id);
  if (outcome.status === 'done') return { partition, key, look: ['EXISTS', key] };
  const { entry = '' } = outcome;
  const where = [keys.checks(partition, lane), key, keys.entry(partition, id), keys.await(partition, id)];
  return { partition, key, look: isUnderWay.prepare(where, [entry]) };
}
