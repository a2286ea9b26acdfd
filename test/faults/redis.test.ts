/** Redis ends without a word, or connections to it break, under load. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { sleep, until } from '../support/wait.js';

async function withStack(
  options: Parameters<typeof startTestStack>[0],
  use: (stack: TestStack) => Promise<void>,
): Promise<void> {
  // What is lost with a connection is waited for until the deadline.
  const stack = await startTestStack({ ...options, env: { WEIR_DEADLINE_MS: '5000', ...options?.env } });
  try {
    await use(stack);
  } finally {
    await stack.close();
  }
}

/** Ids of the connections of one kind, named as in `connectCommands`. */
async function connections(stack: TestStack, name: string): Promise<string[]> {
  const list = (await stack.connection.client('LIST')) as string;
  return list.split('\n').flatMap((line) => (line.includes(` name=${name} `) ? [/^id=(\d+)/.exec(line)![1]!] : []));
}

async function cut(stack: TestStack, name: string): Promise<void> {
  for (const id of await connections(stack, name)) await stack.connection.client('KILL', 'ID', id);
}

/**
 * Ends ingress's connection after its XADDs have run and before their answers are written: both wait in their sockets
 * while Redis is stopped, and are read in the order in which they came.
 */
async function cutAfterXadd(stack: TestStack): Promise<void> {
  const [id] = await connections(stack, 'weir-ingress');
  if (id === undefined) return;
  process.kill(stack.redis.pid, 'SIGSTOP');
  try {
    await sleep(60);
    const killed = stack.connection.client('KILL', 'ID', id);
    await sleep(10);
    process.kill(stack.redis.pid, 'SIGCONT');
    await killed;
  } finally {
    process.kill(stack.redis.pid, 'SIGCONT');
  }
}

/** Breaks each connection, those of ingress right after XADD: no check may be seen twice. */
async function breakConnections(stack: TestStack): Promise<void> {
  const load = stack.load('cut', { rate: 60 });
  for (let i = 0; i < 8; i++) {
    const before = load.accepted();
    await until('answers', () => load.accepted() > before + 10);
    await cutAfterXadd(stack);
  }
  for (const name of ['weir-ingress', 'weir-large', 'weir-replies', 'weir-worker', 'weir-consumer', 'weir-archiver']) {
    for (let i = 0; i < 2; i++) {
      await sleep(200 * Math.random());
      await cut(stack, name);
    }
  }
  const before = load.accepted();
  await until('answers', () => load.accepted() > before + 15);
  // An XADD whose connection broke may not have arrived: it is awaited all the same, and then answered 504.
  const { accepted, broken } = await stack.settle('cut', load, { timeoutsAreStored: false });
  assert.ok(accepted > 60, `${accepted} answers`);
  assert.deepEqual(broken, []);
}

describe('Redis', () => {
  it('that is killed keeps every answered check with appendfsync always, and sees none twice when a connection breaks', async () => {
    await withStack({ appendfsync: 'always' }, async (stack) => {
      const load = stack.load('always');
      for (let i = 0; i < 2; i++) {
        const before = load.accepted();
        await until('answers', () => load.accepted() > before + 15);
        await sleep(300 * Math.random());
        await stack.redis.kill();
        await sleep(300 * Math.random());
        await stack.redis.restart();
      }
      const before = load.accepted();
      await until('answers', () => load.accepted() > before + 15);
      const { broken } = await stack.settle('always', load, { timeoutsAreStored: false });
      assert.deepEqual(broken, []);
      await breakConnections(stack);
    });
  });

  it('that is killed loses at most the last two seconds with appendfsync everysec, and doubles nothing', async () => {
    // What may still be lost must not be archived yet: the delay of blocks is that of the setting's default.
    await withStack({ appendfsync: 'everysec', env: { WEIR_BLOCK_DELAY_MS: '2000' } }, async (stack) => {
      const kills: number[] = [];
      const load = stack.load('everysec');
      for (let i = 0; i < 2; i++) {
        const before = load.accepted();
        await until('answers', () => load.accepted() > before + 15);
        await sleep(1000 * Math.random());
        kills.push(Date.now());
        await stack.redis.kill();
        await stack.redis.restart();
      }
      const before = load.accepted();
      await until('answers', () => load.accepted() > before + 15);
      const mayBeLost = ({ answeredAt }: { answeredAt: number }): boolean =>
        kills.some((at) => answeredAt > at - 2000 && answeredAt < at + 1000);
      await stack.settle('everysec', load, { timeoutsAreStored: false, mayBeLost });
    });
  });
});
