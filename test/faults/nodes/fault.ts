/** What happens to the nodes of Redis, and what of it callers may see. */
import type { Redis } from '#weir/shared/streams/client';
import type { TestRedis } from '../../support/stores/redis.ts';
import { sleep } from '../../support/wait.ts';

export interface Bars {
  /** for how long checks may be refused; 0: nothing but 200 */
  seconds: number;
  /** of requests without an Idempotency-Key meanwhile, how many may be refused; absent: all */
  share?: number;
}

export interface Fault {
  name: string;
  bars: Bars;
  /** Resolves once the node is back, where it went, and all replicas follow. */
  happen(): Promise<void>;
}

export interface FaultSource {
  /** as `WEIR_REDIS_URL` has it, without a user */
  url: string;
  faults: readonly Fault[];
  close(): Promise<void>;
}

/** How long a node hangs, and how far replicas lag behind before a primary crashes. */
export const HANG_MS = 20_000;
const LAG_MS = 300;
/** What is under way at a node that hangs is given up late. */
export const HANGING: Bars = { seconds: 10 };

/** Who Weir is for the nodes. */
export const USER = 'weir';
export const PASSWORDS = ['at-first', 'from-now-on'] as const;

/** Lets Weir in by `password`, and by no other one any more unless `beside`. */
export async function letIn(redis: Redis, password: string, beside = false): Promise<void> {
  const rights = ['on', '~*', '&*', '+@all'];
  await redis.call('ACL', 'SETUSER', USER, ...(beside ? [] : ['resetpass']), ...rights, `>${password}`);
}

/** The password changes as the page says, and connections are cut. */
export async function rotate(nodes: readonly Redis[], password: string, write: (password: string) => void) {
  for (const redis of nodes) await letIn(redis, password, true);
  write(password);
  for (const redis of nodes) await letIn(redis, password);
  for (const redis of nodes) await redis.call('CLIENT', 'KILL', 'USER', USER);
}

/** A node stops for a while without a word; its connections stay. */
export async function hang({ pid }: Pick<TestRedis, 'pid'>, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** A primary crashes whose replicas have nothing of what it did last. */
export async function crashBehind(primary: TestRedis, replicas: readonly TestRedis[]): Promise<void> {
  for (const { pid } of replicas) process.kill(pid, 'SIGSTOP');
  try {
    await sleep(LAG_MS);
    await primary.kill('SIGKILL');
  } finally {
    for (const { pid } of replicas) process.kill(pid, 'SIGCONT');
  }
}
