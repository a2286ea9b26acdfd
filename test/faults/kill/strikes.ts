/** Ways to end a part of an installation without a word, each of which brings it back. */
import { existsSync, readdirSync, statSync, truncateSync, type WatchEventType, watch } from 'node:fs';
import { join } from 'node:path';
import type { WorkloadRandom } from '#weir/bench/workloads/random';
import type { InstallationPart } from '#weir/deploy/local/processes/part';
import type { TestStack } from '../../support/installation/stack.ts';
import { select } from '../../support/installation/tables.ts';
import { sleep } from '../../support/wait.ts';

/** Kills a part and starts it again after a moment. Resolves with what exactly happened. */
export type Strike = () => Promise<string>;

/** ms that a part is away, at most. */
const AWAY_MS = 1500;
/** Time in which some insert must come along. */
const INSERT_MS = 8000;

export const kill =
  (part: InstallationPart, random: WorkloadRandom): Strike =>
  async () => {
    await part.kill();
    await sleep(AWAY_MS * random.next());
    await part.restart();
    return part.name;
  };

/**
 * Kills the engine at the moment at which a part of a table gets its name: before or after it, as chance has it. What has no name by then
 * is gone, whatever was logged of it.
 */
export function killAtPart(
  stack: Pick<TestStack, 'clickhouse' | 'clickhouseUrl'>,
  table: string,
  random: WorkloadRandom,
): Strike {
  return async () => {
    const { clickhouse } = stack;
    const rows = await select<{ path: string }>(
      stack as TestStack,
      `SELECT data_paths[1] AS path FROM system.tables WHERE database = 'weir' AND name = '${table}'`,
    );
    const when = await stopAtPart(clickhouse.pid, rows[0]!.path);
    await clickhouse.kill();
    await sleep(AWAY_MS * random.next());
    await clickhouse.restart();
    return `the engine ${when}`;
  };
}

/** Stops the process when a part comes into `folder`. Resolves with whether it had its name by then. */
function stopAtPart(pid: number, folder: string): Promise<string> {
  return new Promise((resolve) => {
    const settle = (when: string): void => {
      clearTimeout(timer);
      watcher.close();
      resolve(when);
    };
    const look = (_: WatchEventType, name: string | null): void => {
      if (!name?.startsWith('tmp_insert_')) return;
      process.kill(pid, 'SIGSTOP');
      settle(existsSync(join(folder, name)) ? 'before a part had its name' : 'after a part had its name');
    };
    const watcher = watch(folder, look);
    const timer = setTimeout(() => settle('while no part was made'), INSERT_MS);
  });
}

/** How much of its append-only file Redis may still lose: it is on disk a second later, two where the disk is slow. */
const MAY_LOSE_MS = 1500;
const SAMPLE_MS = 100;

/**
 * Kills Redis. With `loses` its append-only file also loses what came last, as where the machine ends with it: at most what `everysec`
 * may not have on disk yet.
 */
export function createRedisStrike(
  stack: TestStack,
  random: WorkloadRandom,
  loses: boolean,
): { strike: Strike; end(): void } {
  const folder = join(stack.dataDir, 'redis', 'appendonlydir');
  const sizes: { at: number; file: string; size: number }[] = [];
  const sample = (): void => {
    const file = readdirSync(folder).find((name) => name.endsWith('.incr.aof'));
    if (file === undefined) return;
    sizes.push({ at: Date.now(), file, size: statSync(join(folder, file)).size });
    if (sizes.length > 100) sizes.shift();
  };
  const timer = loses ? setInterval(sample, SAMPLE_MS) : undefined;
  return {
    async strike() {
      await stack.redis.kill();
      let said = stack.redis.name;
      if (loses) {
        const until = Date.now() - MAY_LOSE_MS * random.next();
        const kept = sizes.findLast(({ at }) => at <= until);
        if (kept) {
          const path = join(folder, kept.file);
          const lost = statSync(path).size - kept.size;
          truncateSync(path, kept.size);
          said += `, without ${Math.round((Date.now() - kept.at) / 10) / 100} s (${lost} bytes)`;
        }
        sizes.length = 0;
      }
      await sleep(AWAY_MS * random.next());
      await stack.redis.restart();
      return said;
    },
    end: () => clearInterval(timer),
  };
}
