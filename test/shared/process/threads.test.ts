import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { packageRoot } from '#weir/shared/paths';
import {
  createThreads,
  ThreadLost,
  type Threads,
  type ThreadsOptions,
  TookTooLong,
} from '#weir/shared/process/threads';
import { until } from '../../support/wait.js';

const folder = mkdtempSync(join(tmpdir(), 'weir-threads-'));
const program = join(folder, 'program.mjs');
writeFileSync(
  program,
  `import { threadId, workerData } from 'node:worker_threads';
  import { moved } from '${pathToFileURL(join(packageRoot, 'dist/shared/process/threads.js')).href}';
  export function run({ does, memory }) {
    if (does === 'throw') throw new TypeError('no');
    if (does === 'exit') process.exit(3);
    if (does === 'exit when told') return void memory.once('message', () => process.exit(3));
    if (does === 'grow') for (const all = []; ; ) all.push(new Array(1000).fill(all.length));
    if (does === 'data') return { threadId: workerData };
    for (const end = performance.now() + does; performance.now() < end; );
    return memory ? moved({ threadId, memory }, [memory]) : { threadId };
  }`,
);

const made: Threads[] = [];
after(async () => {
  await Promise.all(made.map((threads) => threads.end()));
  rmSync(folder, { recursive: true });
});

const LONG = 60_000;
function threadsOf(options: Partial<ThreadsOptions> = {}, errors: unknown[] = []) {
  const threads = createThreads({ program, threads: 1, tasks: 1, onError: (error) => errors.push(error), ...options });
  made.push(threads);
  const run = async (does: number | string, limitMs: number = LONG): Promise<number> => {
    const { threadId } = (await threads.run({ does }, [], limitMs)).result as { threadId: number };
    return threadId;
  };
  return { threads, run };
}

describe('threads of a program', () => {
  it('shares tasks among as many threads as it may have', async () => {
    const { run } = threadsOf({ threads: 2 });
    const ids = await Promise.all([run(50), run(50), run(0), run(0)]);
    assert.equal(new Set(ids).size, 2);
  });

  it('moves memory to the thread and back', async () => {
    const { threads } = threadsOf();
    const memory = new ArrayBuffer(8);
    const answer = threads.run({ does: 0, memory }, [memory], LONG);
    assert.equal(memory.byteLength, 0);
    assert.equal(((await answer).result as { memory: ArrayBuffer }).memory.byteLength, 8);
  });

  it('rejects a task that throws, and goes on with the same thread', async () => {
    const { run } = threadsOf({ tasks: 2 });
    const first = await run(0);
    const [thrown, next] = await Promise.allSettled([run('throw'), run(0)]);
    assert.match(String(thrown.status === 'rejected' && thrown.reason), /TypeError: no/);
    assert.deepEqual(next, { status: 'fulfilled', value: first });
  });

  it('rejects what a thread was given when it ends, says which task was not at work, and runs what waits on another one', async () => {
    const { run } = threadsOf({ tasks: 2, standing: true });
    const first = await run(0);
    const [ends, ready, waits] = await Promise.allSettled([run('exit'), run(0), run(0)]);
    assert.ok(ends.status === 'rejected' && !(ends.reason instanceof ThreadLost));
    assert.ok(ready.status === 'rejected' && ready.reason instanceof ThreadLost);
    assert.ok(waits.status === 'fulfilled' && waits.value !== first);
  });

  it('runs a task on the thread of an earlier one where it must, also when others are free', async () => {
    const { threads } = threadsOf({ threads: 3 });
    const all = await Promise.all([30, 30, 30].map((does) => threads.run({ does }, [], LONG)));
    const { thread, result } = all[1]!;
    const [busy, ...same] = [50, 0, 0, 0].map((does) => threads.run({ does }, [], LONG, thread));
    const other = await threads.run({ does: 0 }, [], LONG);
    assert.notEqual(other.thread, thread);
    for (const one of [busy!, ...same]) assert.deepEqual((await one).result, result);
  });

  it('says so where the thread of an earlier task is gone, before and after the task was given to it', async () => {
    const { threads } = threadsOf();
    const { thread } = await threads.run({ does: 0 }, [], LONG);
    const ends = threads.run({ does: 'exit' }, [], LONG);
    await assert.rejects(threads.run({ does: 0 }, [], LONG, thread), ThreadLost);
    await assert.rejects(ends);
    await assert.rejects(threads.run({ does: 0 }, [], LONG, thread), ThreadLost);
    await threads.run({ does: 0 }, [], LONG);
  });

  it('ends a thread whose task takes too long', async () => {
    const { run } = threadsOf();
    const first = await run(0);
    const hangs = run(LONG, 100);
    const waits = run(0, 30_000);
    const next = run(0);
    await assert.rejects(hangs, TookTooLong);
    assert.notEqual(await waits, first);
    assert.notEqual(await next, first);
  });

  it('counts no time of a task in which another one is at work, whether it waits for any thread or for its thread', async () => {
    const { run } = threadsOf({ tasks: 2 });
    const first = await run(0);
    // Far longer than the limit of those behind it, each of which has a limit of its own.
    const all = [run(1500), run(0, 1000), run(0, 1000), run(0, 1000)];
    assert.deepEqual(await Promise.all(all), [first, first, first, first]);
  });

  it('counts the time of a task from its own beginning', async () => {
    const { run } = threadsOf({ tasks: 2 });
    await run(0);
    const [busy, hangs] = await Promise.allSettled([run(150), run(LONG, 150)]);
    assert.equal(busy.status, 'fulfilled');
    assert.ok(hangs.status === 'rejected' && hangs.reason instanceof TookTooLong);
  });

  it('ends a thread that has had no task for long, and starts another when one comes', async () => {
    const errors: unknown[] = [];
    const { run } = threadsOf({ idleMs: 20 }, errors);
    const first = await run(0);
    await until('another thread', async () => (await run(0)) !== first);
    assert.deepEqual(errors, []);
  });

  it('starts a thread with its data, and ends it when it needs more memory than it may', async () => {
    const { run } = threadsOf({ data: 5, heapMb: 32 });
    assert.equal(await run('data'), 5);
    const first = await run(0);
    await assert.rejects(run('grow'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
    assert.notEqual(await run(0), first);
  });

  it('tells of a thread that ends without a task, and runs no task that goes on with its work', async () => {
    const errors: unknown[] = [];
    const { threads } = threadsOf({ standing: true }, errors);
    const { port1, port2 } = new MessageChannel();
    const { thread } = await threads.run({ does: 'exit when told', memory: port2 }, [port2], LONG);
    // Its end may overtake an answer that has not been taken yet, and then the task is one that was at work.
    port1.postMessage('end');
    await until('the end', () => errors.length === 1);
    await assert.rejects(threads.run({ does: 0 }, [], LONG, thread), ThreadLost);
    await threads.run({ does: 0 }, [], LONG);
  });

  it('does not start again and again what cannot start', async () => {
    const errors: unknown[] = [];
    const { run } = threadsOf({ program: join(folder, 'absent.mjs'), threads: 2, standing: true }, errors);
    await until('the errors', () => errors.length === 2);
    await assert.rejects(run(0), /absent/);
    await assert.rejects(run(0), /absent/);
    assert.equal(errors.length, 2);
  });

  it('takes an answer that has come in time, though this thread comes to it late', async () => {
    const { run } = threadsOf();
    const first = await run(0);
    const all = [run(100, 200), run(0), run(0), run(0)];
    setTimeout(() => {
      for (const end = performance.now() + 400; performance.now() < end; );
    }, 20);
    assert.deepEqual(await Promise.all(all), [first, first, first, first]);
  });

  it('starts one thread for all tasks that wait behind one that takes too long', async () => {
    const { run } = threadsOf();
    const first = await run(0);
    const late = run(LONG, 100);
    const others = Array.from({ length: 30 }, () => run(0, 30_000));
    await assert.rejects(late, TookTooLong);
    assert.equal(new Set(await Promise.all(others)).size, 1);
    assert.ok((await run(0)) - first < 10);
  });

  it('rejects all tasks when it ends', async () => {
    const { threads, run } = threadsOf();
    const all = Promise.allSettled([run(LONG), run(0)]);
    await threads.end();
    assert.deepEqual(
      (await all).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await assert.rejects(run(0), /were ended/);
  });
});
