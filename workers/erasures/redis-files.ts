/** Has each Redis write its append-only file anew, so that what was removed is in none. */
import { nodesOf, type Redis } from '../../shared/streams/client.js';
import type { HeldBy } from '../../shared/streams/erasures.js';

/** How far the files of all primaries are. `at` is one time for those who wait together. */
export interface RedisFiles {
  /** Undefined: not yet, ask again. Rejects where Redis cannot be asked. */
  rewritten(at: number): Promise<HeldBy[] | undefined>;
}

interface FileState {
  /** for whom it was asked; a rewrite that had begun before is waited for and not counted */
  asked: number;
  isRefused: boolean;
}

export function createRedisFiles(redis: Redis): RedisFiles {
  const states = new Map<string, FileState>();

  async function fileOf(node: Redis, at: number): Promise<HeldBy[] | undefined> {
    const name = `${node.options.host}:${node.options.port}`;
    const state = states.get(name) ?? { asked: 0, isRefused: false };
    states.set(name, state);
    const info = await node.info('persistence', 'replication');
    const replicas: HeldBy[] = /^connected_slaves:0/m.test(info) ? [] : ['redis_replicas'];
    if (!/^aof_enabled:1/m.test(info)) return ['redis', ...replicas];
    if (/^aof_rewrite_(?:in_progress|scheduled):1/m.test(info)) return undefined;
    if (state.asked < at) {
      state.isRefused = await node.bgrewriteaof().then(
        () => false,
        () => true,
      );
      state.asked = at;
      return state.isRefused ? ['redis', ...replicas] : undefined;
    }
    if (state.isRefused) return ['redis', ...replicas];
    if (/^aof_last_bgrewrite_status:ok/m.test(info)) return replicas;
    // It has failed, as on a full disk: asked again.
    state.asked = 0;
    return undefined;
  }

  return {
    async rewritten(at) {
      const files = await Promise.all(nodesOf(redis).map((node) => fileOf(node, at)));
      return files.some((file) => file === undefined) ? undefined : [...new Set(files.flatMap((file) => file!))];
    },
  };
}
