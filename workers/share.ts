/** The partitions of a worker: they are dealt out among the live workers with a role, in the order of their names. */
import { inTime } from '../shared/async.js';
import { isAway, isCluster, type Redis } from '../shared/streams/client.js';
import { LOOK_MS, lookAtFleet } from '../shared/streams/fleet.js';
import { keys, type MemberKind } from '../shared/streams/keys.js';

export interface PartitionShare {
  /**
   * The partitions of this worker now. Empty where it has not been heard of. Two workers may have the same one for some seconds, and a
   * partition may have none: so what is done with it must be right when it is done twice. In a Cluster, without those of a node that is away.
   */
  own(): Promise<number[]>;
}

export interface ShareOptions {
  redis: Redis;
  /** the connection by which the roles of a process ask for the fleet; default: `redis` */
  fleet?: Redis | undefined;
  partitions(): number;
  /** this worker among the live ones with the role */
  name: string;
  /** ms of silence after which a worker has no share any more; default: it counts as dead */
  silenceMs?: number;
  /** how often the live workers are asked for; default {@link LOOK_MS} */
  everyMs?: number;
}

const ANSWER_MS = 1000;

export function createShare(kind: Exclude<MemberKind, 'ingress'>, options: ShareOptions): PartitionShare {
  const { redis, fleet = redis, partitions, name, silenceMs, everyMs = LOOK_MS } = options;
  let names: string[] = [];
  const ask = async (sharedMs: number): Promise<string[]> => {
    const live = await inTime(lookAtFleet(fleet, sharedMs), ANSWER_MS, 'no answer in time');
    return live.names(kind, silenceMs).sort();
  };
  return {
    async own() {
      try {
        names = await ask(everyMs);
        if (!names.includes(name)) names = await ask(0);
      } catch (error) {
        // Of a Cluster, the primary that knows the processes may be away alone.
        if (!isCluster(redis) || !names.includes(name)) throw error;
      }
      const place = names.indexOf(name);
      const all = Array.from({ length: partitions() }, (_, p) => p);
      return place < 0 ? [] : all.filter((p) => p % names.length === place && !isAway(redis, keys.results(p)));
    },
  };
}
