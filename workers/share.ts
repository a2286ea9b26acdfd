/** The partitions of a worker: they are dealt out among the live workers with a role, in the order of their names. */
import type { Redis } from '../shared/streams/client.js';
import { liveMembers } from '../shared/streams/fleet.js';
import type { Follower } from '../shared/streams/keys.js';

export interface PartitionShare {
  /**
   * The partitions of this worker now. Empty where it has not been heard of. Two workers may have the same one for some seconds, and a
   * partition may have none: so what is done with it must be right when it is done twice.
   */
  own(): Promise<number[]>;
}

export interface ShareOptions {
  redis: Redis;
  partitions(): number;
  /** this worker among the live ones with the role */
  name: string;
}

/** How often the live workers are asked for. */
export const MEMBERS_MS = 2000;

export function createShare(kind: 'archiver' | Follower, { redis, partitions, name }: ShareOptions): PartitionShare {
  let names: string[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    async own() {
      if (performance.now() - askedAt > MEMBERS_MS || !names.includes(name)) {
        names = (await liveMembers(redis, kind)).map((member) => member.name).sort();
        askedAt = performance.now();
      }
      const place = names.indexOf(name);
      const all = Array.from({ length: partitions() }, (_, p) => p);
      return place < 0 ? [] : all.filter((p) => p % names.length === place);
    },
  };
}
