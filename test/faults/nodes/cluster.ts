/** Faults of a Cluster of three primaries with two replicas each. */
import { SLOTS, slotOf } from '#weir/shared/streams/cluster/slots';
import { keys } from '#weir/shared/streams/keys';
import { startBus } from '../../support/stores/bus.ts';
import { type ClusterNode, startTestCluster } from '../../support/stores/cluster.ts';
import { sleep, until } from '../../support/wait.ts';
import {
  crashBehind,
  type Fault,
  type FaultSource,
  HANG_MS,
  HANGING,
  hang,
  letIn,
  PASSWORDS,
  rotate,
} from './fault.ts';

const PRIMARIES = 3;
const REPLICAS = 2;
/** The first primary has it, and what is remembered of the Idempotency-Keys of the load. */
const CONFIGURATION = slotOf(keys.configActive());
/** Slots that move at a time. */
const TOGETHER = 32;
const CUT_MS = 10_000;
const SHARE = { seconds: 8, share: 0.4 };

export async function clusterFaults(setPassword: (password: string) => void): Promise<FaultSource> {
  const bus = startBus();
  const { config } = bus;
  const cluster = await startTestCluster({ primaries: PRIMARIES, replicas: REPLICAS, silentMs: 3000, config });
  let password: string = PASSWORDS[0];
  for (const { redis } of cluster.nodes) await letIn(redis, password);
  // Each in another primary; that with the configuration is an event of its own.
  const slots = Array.from({ length: PRIMARIES }, (_, i) => Math.floor(((i + 0.5) * SLOTS) / PRIMARIES));

  const wholeAgain = (): Promise<void> => until('the Cluster is whole again', cluster.whole);

  async function replicasOf(primary: ClusterNode): Promise<ClusterNode[]> {
    const said = String(await primary.redis.cluster('NODES'));
    const lines = said.split('\n').filter((line) => line.includes(` slave ${primary.id} `));
    return cluster.nodes.filter(({ id }) => lines.some((line) => line.startsWith(id)));
  }

  /** `end` ends the primary. Resolves once it is a replica of another one. */
  async function replaced(slot: number, end: (primary: ClusterNode) => Promise<void>): Promise<void> {
    const primary = await cluster.ownerOf(slot);
    await end(primary);
    const others = cluster.nodes.find((node) => node !== primary)!;
    await until('a replica takes its place', async () => {
      const said = String(await others.redis.cluster('NODES'));
      const line = said.split('\n').find((one) => one.startsWith(primary.id))!;
      return !/\d+-\d+/.test(line.split(' ').slice(8).join(' '));
    });
    if (await isGone(primary)) await cluster.restart(primary);
    await until('it answers', () => primary.redis.status === 'ready');
    await letIn(primary.redis, password);
    await wholeAgain();
  }

  const crash = ({ server }: ClusterNode): Promise<void> => server.kill('SIGKILL');

  /** Clients still reach the primary, and so do its replicas. */
  async function cutOff(primary: ClusterNode): Promise<void> {
    await bus.cut(primary);
    await sleep(CUT_MS);
    bus.heal();
  }

  async function moveSlots(from: ClusterNode, to: ClusterNode, first: number, end: number): Promise<void> {
    for (let slot = first; slot < end; slot += TOGETHER) {
      const some = Array.from({ length: Math.min(TOGETHER, end - slot) }, (_, i) => cluster.move(slot + i, from, to));
      await Promise.all(some);
    }
  }

  /** All slots of one of the two lie behind those of the other, or between. */
  async function rangeOf({ id, redis }: ClusterNode): Promise<[first: number, end: number]> {
    const line = String(await redis.cluster('NODES'))
      .split('\n')
      .find((one) => one.startsWith(id))!;
    const range = line
      .split(' ')
      .slice(8)
      .map((one) => one.split('-').map(Number));
    return [range[0]![0]!, range[0]!.at(-1)! + 1];
  }

  const faults: Fault[] = [
    ...slots.slice(1).map((slot, i) => ({
      name: `crash of primary ${i + 2}`,
      bars: SHARE,
      happen: () => replaced(slot, crash),
    })),
    {
      name: 'crash of primary 1, with the configuration and the Idempotency-Keys',
      bars: { seconds: 8 },
      happen: () => replaced(CONFIGURATION, crash),
    },
    {
      name: 'crash of a primary whose replicas lag by 300 ms',
      bars: SHARE,
      happen: () =>
        replaced(slots[1]!, async (primary) => {
          const replicas = await replicasOf(primary);
          await crashBehind(
            primary.server,
            replicas.map(({ server }) => server),
          );
        }),
    },
    {
      name: 'reshard: half of the slots of a primary',
      bars: { seconds: 0 },
      async happen() {
        const [from, to] = [await cluster.ownerOf(slots[0]!), await cluster.ownerOf(slots[1]!)];
        const [first, end] = await rangeOf(from);
        const middle = Math.ceil((first + end) / 2);
        await moveSlots(from, to, middle, end);
        await moveSlots(to, from, middle, end);
      },
    },
    {
      name: 'a node added, and removed',
      bars: { seconds: 0 },
      async happen() {
        const from = await cluster.ownerOf(slots[2]!);
        const [first, end] = await rangeOf(from);
        const middle = Math.ceil((first + end) / 2);
        const [added, replica] = [await cluster.add(), await cluster.add()];
        for (const { redis } of [added, replica]) {
          await letIn(redis, password);
          await redis.config('SET', 'cluster-allow-replica-migration', 'no');
        }
        await replica.redis.call('CLUSTER', 'REPLICATE', added.id);
        await until('it has a replica', async () => (await added.redis.info('replication')).includes('state=online'));
        await moveSlots(from, added, middle, end);
        await moveSlots(added, from, middle, end);
        await cluster.remove(replica);
        await cluster.remove(added);
      },
    },
    {
      name: 'another password, and connections cut',
      bars: { seconds: 2 },
      async happen() {
        password = PASSWORDS.find((one) => one !== password)!;
        await rotate(
          cluster.nodes.map(({ redis }) => redis),
          password,
          setPassword,
        );
      },
    },
    {
      name: 'a primary that hangs for 20 s',
      bars: { ...SHARE, ...HANGING },
      happen: () => replaced(slots[1]!, ({ server }) => hang(server, HANG_MS)),
    },
    {
      name: 'a primary that is cut off on the cluster bus for 10 s',
      // It answers until it refuses all, shortly before it is replaced: the time is short, and the share of few requests.
      bars: { seconds: 8 },
      happen: () => replaced(slots[1]!, cutOff),
    },
    {
      name: 'the primary with the configuration hangs for 20 s',
      bars: HANGING,
      happen: () => replaced(CONFIGURATION, ({ server }) => hang(server, HANG_MS)),
    },
  ];
  async function close(): Promise<void> {
    await cluster.close();
    bus.close();
  }
  return { url: cluster.url, faults, close };
}

/** Whether its process has ended. */
async function isGone({ server }: ClusterNode): Promise<boolean> {
  return await Promise.race([server.exited.then(() => true), Promise.resolve().then(() => false)]);
}
