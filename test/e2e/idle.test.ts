/** What an installation without requests asks of Redis: no more for every process that there is more, and little for a partition. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { keys } from '#weir/shared/streams/keys';
import { startTestStack } from '../support/installation/stack.js';
import { until } from '../support/wait.js';

/** Most commands a second, also those within scripts: for a partition, all processes together, and for a process. */
const OF_A_PARTITION = 10;
const OF_A_PROCESS = 20;
const PARTITIONS = 64;

const stack = await startTestStack({
  partitions: PARTITIONS,
  ingresses: 2,
  evaluators: 2,
  env: { WEIR_CLAIM_IDLE_MS: '4000' },
});
after(() => stack.close());

const { connection: redis } = stack;

/** Beside those of the connection of the test. */
async function commands(): Promise<number> {
  return Number(/^total_commands_processed:(\d+)/m.exec(await redis.info('stats'))?.[1]);
}

it('costs at most so many commands a second, however many processes there are', async () => {
  const rounds = async (): Promise<number> => JSON.parse((await redis.get(keys.pressure(0))) ?? '{}').round ?? 0;
  await until('its pressure is measured', async () => (await rounds()) > 12);
  const started = performance.now();
  const [before, first] = [await commands(), await rounds()];
  let asked = 0;
  await until('some rounds are over', async () => {
    asked++;
    return (await rounds()) >= first + 16;
  });
  const seconds = (performance.now() - started) / 1000;
  const count = (await commands()) - before - asked - 2;
  // One ingress measures. Of the processes that share it, the archiver has three roles.
  const most = (OF_A_PARTITION * PARTITIONS + OF_A_PROCESS * 5) * seconds;
  assert.ok(count <= most, `${count} commands in ${seconds.toFixed(1)} s`);
});
