/** What an installation without requests asks of Redis: no more for every process that there is more, and little for a partition. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FOLLOWERS, keys } from '#weir/shared/streams/keys';
import { configurationWithMore, startTestStack, type TestStack } from '../support/installation/stack.js';
import { until } from '../support/wait.js';

/** Most commands a second, also those within scripts: for a partition, all processes together, and for a process. */
const OF_A_PARTITION = 10;
const OF_A_PROCESS = 20;
const PARTITIONS = 64;
/** Of the small installation, in which what a process asks for itself shows. */
const FEW = 2;

/** What is asked every few seconds may be asked once more within a short time. */
const MORE = 12;

/** By the names that Redis knows. */
const WORKER_CONNECTIONS = ['weir-worker', 'weir-archiver', 'weir-metrics', 'weir-hooks', 'weir-consumer'];
const INGRESS_CONNECTIONS = ['weir-ingress', 'weir-lookups', 'weir-replies', 'weir-streams'];

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

describe('an ingress and a worker of all roles, with metrics and webhooks in use', () => {
  let small: TestStack;
  before(async () => {
    const configuration = configurationWithMore({ notify: 'http://127.0.0.1:1/' });
    small = await startTestStack({
      partitions: FEW,
      ingresses: 1,
      evaluators: 1,
      separateArchiver: false,
      configuration: { text: configuration, file: 'weir.yaml' },
      env: { WEIR_CLAIM_IDLE_MS: '4000' },
    });
  });
  after(() => small?.close());

  it('ask no more than their partitions and themselves may, also the ingress that measures', async () => {
    const { connection } = small;
    const places = FOLLOWERS.flatMap((follower) => Array.from({ length: FEW }, (_, p) => keys.place(follower, p)));
    await until('the followers follow', async () => (await connection.exists(...places)) === places.length);
    const names = new Map<string, string>();
    for (const line of String(await connection.client('LIST')).split('\n')) {
      const [, address, name] = /addr=(\S+).* name=(\S*)/.exec(line) ?? [];
      if (address) names.set(address, name!);
    }
    const monitor = await connection.duplicate().monitor();
    try {
      const counts = new Map<string, number>();
      let [by, rounds, lengths] = ['', 0, 0];
      monitor.on('monitor', (_: string, [name]: string[], source: string) => {
        // A command within a script is told behind the call of the script.
        if (source !== 'lua') by = names.get(source) ?? '';
        counts.set(by, (counts.get(by) ?? 0) + 1);
        if (by !== 'weir-ingress') return;
        if (name?.toLowerCase() === 'info') rounds++;
        // Of a stream that may have unread entries: what a partition costs the ingress that measures.
        if (name?.toLowerCase() === 'xlen') lengths++;
      });
      const started = performance.now();
      await until('the pressure was measured for some rounds', () => rounds >= 40);
      const seconds = (performance.now() - started) / 1000;
      const told = `${lengths} lengths, ${JSON.stringify([...counts])} in ${seconds.toFixed(1)} s`;
      const asked = (connections: readonly string[]): number => {
        const spent = connections.map((name) => counts.get(name) ?? 0);
        for (const part of spent) assert.ok(part > 0, told);
        return spent.reduce((sum, each) => sum + each, 0);
      };
      assert.ok(asked(WORKER_CONNECTIONS) <= (OF_A_PARTITION * FEW + OF_A_PROCESS) * seconds, told);
      assert.ok(lengths > 0 && asked(INGRESS_CONNECTIONS) - lengths <= OF_A_PROCESS * seconds + MORE, told);
    } finally {
      monitor.disconnect();
    }
  });
});
