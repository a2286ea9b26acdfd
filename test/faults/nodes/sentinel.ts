/** Faults of a primary with two replicas that three Sentinels watch. */
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { startRedisGroup } from '../../support/stores/sentinel.ts';
import { until } from '../../support/wait.ts';
import { crashBehind, type FaultSource, HANG_MS, HANGING, hang, letIn, PASSWORDS, rotate } from './fault.ts';

const REPLICAS = 2;
const BARS = { seconds: 6 };

export async function sentinelFaults(setPassword: (password: string) => void): Promise<FaultSource> {
  const group = await startRedisGroup({ replicas: REPLICAS, silentMs: 1500 });
  const servers = [...group.servers];
  const connections = servers.map(({ url }): Redis => {
    const redis = connectCommands({ redisUrl: url }, 'test', 5000);
    redis.on('error', () => undefined);
    return redis;
  });
  let password: string = PASSWORDS[0];
  for (const redis of connections) {
    await redis.connect();
    await letIn(redis, password);
  }

  /** `end` ends the primary. Resolves once it follows another one. */
  async function replaced(end: (place: number) => Promise<void>): Promise<void> {
    const before = await group.primary();
    const place = servers.findIndex(({ port }) => port === before);
    let gone = false;
    void servers[place]!.exited.then(() => {
      gone = true;
    });
    await end(place);
    await until('a replica takes its place', async () => (await group.primary()) !== before);
    if (gone) servers[place] = await servers[place]!.restart();
    const redis = connections[place]!;
    await until('it answers', () => redis.status === 'ready');
    await letIn(redis, password);
    const primary = await group.primary();
    await redis.call('REPLICAOF', '127.0.0.1', primary);
    await until('all replicas follow', async () => {
      const told = connections.map((one) => one.info('replication').catch(() => ''));
      const up = (await Promise.all(told)).filter((said) => said.includes('master_link_status:up'));
      return up.length === REPLICAS;
    });
  }

  const faults = [
    {
      name: 'crash of the primary',
      bars: BARS,
      happen: () => replaced((place) => servers[place]!.kill('SIGKILL')),
    },
    {
      name: 'crash of a primary whose replicas lag by 300 ms',
      bars: BARS,
      happen: () =>
        replaced((place) =>
          crashBehind(
            servers[place]!,
            servers.filter((_, other) => other !== place),
          ),
        ),
    },
    {
      name: 'a primary that hangs for 20 s',
      bars: HANGING,
      happen: () => replaced((place) => hang(servers[place]!, HANG_MS)),
    },
    {
      name: 'another password, and connections cut',
      bars: { seconds: 2 },
      async happen() {
        password = PASSWORDS.find((one) => one !== password)!;
        await rotate(connections, password, setPassword);
      },
    },
  ];
  return {
    url: group.url,
    faults,
    async close() {
      for (const redis of connections) redis.disconnect();
      for (const server of servers) await server.close();
      await group.close();
    },
  };
}
