/**
 * A planned switch of a primary that Sentinels watch. `SENTINEL FAILOVER` alone loses what the old primary takes until it is a replica, about
 * ten seconds later. So:
 *
 *     checked ──> writes wait ──> each replica that may be chosen has all ──> the Sentinels switch ──> the old primary follows the new one
 *                    └─── one has not in time, or the Sentinels refuse: writes go on, nothing has changed
 *
 * Writes wait for a limited time, so that they go on where this process ends before.
 */
import { connectSentinel, connectServer } from '../../../shared/streams/client.js';
import { addressOf } from '../../../shared/streams/cluster/topology.js';
import { type RedisEndpoint, type RedisHost, sentinelsIn } from '../../../shared/streams/endpoint.js';
import { createServers, inLooks, replicationOf, type Server, secondsSince, why } from './servers.js';

const NAME = 'weir-failover';
/** How long Sentinels may take to switch, 1 to 2 s as a rule. */
const SWITCH_MS = 20_000;
/**
 * How long writes wait for that at most: until the old primary is a replica, which Sentinels make of it after some 10 s, should this process end
 * meanwhile.
 */
const PAUSE_MS = 30_000;
/** Writes wait so much longer than replicas are waited for. */
const SPARE_MS = 500;
/** How long a Sentinel that has not heard of it is waited for: they tell each other every 2 s, and after a switch at once. */
const HEAR_MS = 3000;
/** Ends the connections of clients to the old primary, which would stay with it. */
const KILLS = [
  ['CLIENT', 'KILL', 'TYPE', 'normal'],
  ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
] as const;

const NOTHING = 'Nothing was changed.';

interface Group {
  name: string;
  /** those that answer */
  sentinels: readonly Server[];
  primary: Server;
  /** replicas that the Sentinels may choose */
  replicas: readonly Server[];
  /** after how long without an answer the Sentinels replace the primary, ms */
  silentMs: number;
}

export interface FailoverOptions {
  /** how long writes may wait for replicas, ms */
  limitMs: number;
  say(line: string): void;
}

/** Switches the primary. Rejects with sentences that say what was not done. */
export async function failOverSentinels(endpoint: RedisEndpoint, { limitMs, say }: FailoverOptions): Promise<void> {
  const sentinels = createServers((at) => connectSentinel(endpoint, NAME, at));
  const servers = createServers((at) => connectServer(endpoint, NAME, at));
  try {
    const group = await findGroup(endpoint, { toSentinel: sentinels.connect, toServer: servers.connect });
    const { primary, replicas } = group;
    await checkRights(primary);
    say(
      `Primary ${primary.address}, replicas that may take over: ${replicas.map(({ address }) => address).join(', ')}.`,
    );
    const start = performance.now();
    await startSwitch(group, limitMs, () => say(`Writes wait. All replicas have all after ${secondsSince(start)}.`));
    const next = await awaitSwitch(group, servers.connect);
    await demote(primary, next);
    say(`${addressOf(next)} is the primary, and ${primary.address} its replica. Writes waited ${secondsSince(start)}.`);
  } finally {
    sentinels.close();
    servers.close();
  }
}

interface Connections {
  toSentinel(at: RedisHost): Promise<Server>;
  toServer(at: RedisHost): Promise<Server>;
}

async function findGroup(endpoint: RedisEndpoint, { toSentinel, toServer }: Connections): Promise<Group> {
  const { hosts, name } = sentinelsIn(endpoint)!;
  const { sentinels, at } = await askSentinels(hosts, name, toSentinel);
  const told = fieldsOf(await sentinel(sentinels[0]!, 'MASTER', name));
  const flags = told.flags ?? '';
  if (/failover_in_progress/.test(flags)) throw new Error(`the Sentinels are switching already. ${NOTHING}`);
  if (/[so]_down/.test(flags)) {
    throw new Error(
      `the Sentinels do not reach the primary ${addressOf(at)}, and replace it by themselves. ${NOTHING}`,
    );
  }
  const primary = await toServer(at).catch(refused);
  if (!(await replicationOf(primary)).isPrimary) throw new Error(`${primary.address} is no primary. ${NOTHING}`);
  const listed = (await sentinel(sentinels[0]!, 'REPLICAS', name)) as unknown[];
  const fit = listed.map(fieldsOf).filter(mayBeChosen);
  if (fit.length === 0) {
    throw new Error(
      `${primary.address} has no replica that could take over: none that the Sentinels reach, and whose replica-priority is not 0. ${NOTHING}`,
    );
  }
  const places = fit.map(({ ip, port }) => ({ host: ip!, port: Number(port) }));
  const replicas = await Promise.all(places.map(toServer)).catch(refused);
  for (const replica of replicas) {
    if ((await replicationOf(replica)).isFollowing) continue;
    throw new Error(
      `the replica ${replica.address} has not got the data of its primary yet, and the Sentinels might choose it: wait, or set its replica-priority to 0. ${NOTHING}`,
    );
  }
  return { name, sentinels, primary, replicas, silentMs: Number(told['down-after-milliseconds']) };
}

/** The Sentinels that answer, and the primary that all of them name. */
async function askSentinels(
  hosts: readonly RedisHost[],
  name: string,
  toSentinel: Connections['toSentinel'],
): Promise<{ sentinels: Server[]; at: RedisHost }> {
  const ask = async (host: RedisHost): Promise<{ server: Server; at: RedisHost | undefined }> => {
    const server = await toSentinel(host);
    const at = primaryOf(server, name).catch((error: Error) => {
      throw new Error(`${server.address}: ${error.message}`);
    });
    return { server, at: await at };
  };
  const asked = await Promise.allSettled(hosts.map(ask));
  const answers = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (answers.length === 0) {
    const reasons = asked.map((each) => (each.status === 'rejected' ? (each.reason as Error).message : '')).join('; ');
    const hint = /NOAUTH|WRONGPASS|NOPERM/.test(reasons)
      ? 'WEIR_REDIS_SENTINEL_USER and WEIR_REDIS_SENTINEL_PASSWORD_FILE say who asks them. '
      : '';
    throw new Error(`no Sentinel answers (${reasons}). ${hint}${NOTHING}`);
  }
  const named = new Set(answers.map(({ at }) => at && addressOf(at)));
  const [{ server, at }] = answers as [(typeof answers)[0]];
  if (named.size > 1) {
    const all = [...named].map((each) => each ?? 'none').join(', ');
    throw new Error(
      `the Sentinels name different primaries (${all}): they are switching, or one is cut off. ${NOTHING}`,
    );
  }
  if (!at) throw new Error(`the Sentinel at ${server.address} knows no primary called "${name}". ${NOTHING}`);
  return { sentinels: answers.map((each) => each.server), at };
}

const mayBeChosen = (replica: Record<string, string>): boolean =>
  !/[so]_down|disconnected/.test(replica.flags ?? '') && Number(replica['slave-priority']) > 0;

function refused(error: unknown): never {
  throw new Error(`${why(error)} ${NOTHING}`);
}

const sentinel = ({ redis }: Server, ...words: string[]): Promise<unknown> => redis.call('SENTINEL', ...words);

async function primaryOf(server: Server, name: string): Promise<RedisHost | undefined> {
  const said = (await sentinel(server, 'GET-MASTER-ADDR-BY-NAME', name)) as [string, string] | null;
  return said ? { host: said[0], port: Number(said[1]) } : undefined;
}

function fieldsOf(said: unknown): Record<string, string> {
  const flat = said as string[];
  return Object.fromEntries(flat.flatMap((text, i) => (i % 2 === 0 ? [[text, flat[i + 1]!]] : [])));
}

/** Whether our user may do all that is needed, before writes wait: commands of a transaction are checked as they are queued. */
async function checkRights({ address, redis }: Server): Promise<void> {
  const needed = [
    ['CLIENT', 'PAUSE', '1', 'WRITE'],
    ['REPLICAOF', 'NO', 'ONE'],
    ['CLIENT', 'UNPAUSE'],
    ...KILLS,
  ] as const;
  try {
    await redis.call('MULTI');
    for (const [command, ...words] of needed) await redis.call(command, ...words);
  } catch (error) {
    throw new Error(
      `${address}: ${why(error)} It needs +replicaof, +client|pause, +client|unpause, +client|kill, +info, +multi, +exec and +discard. ${NOTHING}`,
    );
  } finally {
    await redis.call('DISCARD').catch(() => undefined);
  }
}

/** Lets writes wait, and has the Sentinels switch once all replicas have all. Else writes go on. */
async function startSwitch(group: Group, limitMs: number, ready: () => void): Promise<void> {
  const { name, sentinels, primary, replicas, silentMs } = group;
  // What the Sentinels publish waits, too, and their PING behind it: when writes wait for longer, the primary counts as down.
  const waitMs = Math.min(limitMs, Math.ceil(silentMs / 2));
  const until = performance.now() + waitMs + SPARE_MS;
  await primary.redis.call('CLIENT', 'PAUSE', waitMs + SPARE_MS, 'WRITE');
  try {
    const { offset } = await replicationOf(primary);
    const behind = await catchUp(replicas, offset, waitMs);
    if (behind.length > 0) {
      const bound = waitMs < limitMs ? ', half of down-after-milliseconds' : '';
      throw new Error(`not in ${waitMs / 1000} s${bound}: ${behind.join('; ')}. ${NOTHING}`);
    }
    ready();
    await primary.redis.call('CLIENT', 'PAUSE', PAUSE_MS, 'WRITE');
    // Else writes may have been taken in between.
    if (performance.now() > until) throw new Error(`Redis took longer than ${waitMs / 1000} s to answer. ${NOTHING}`);
    await sentinel(sentinels[0]!, 'FAILOVER', name);
  } catch (error) {
    await primary.redis.call('CLIENT', 'UNPAUSE').catch(() => undefined);
    const message = why(error);
    throw new Error(message.endsWith(NOTHING) ? message : `${explainSentinel(message)} ${NOTHING}`);
  }
}

const explainSentinel = (message: string): string => {
  if (message.startsWith('INPROG')) return 'the Sentinels are switching already.';
  if (message.startsWith('NOGOODSLAVE')) return 'the Sentinels know no replica that could take over (NOGOODSLAVE).';
  return `the switch was not begun: ${message}`;
};

/** Waits until all replicas have the offset; resolves to what those say that have not. */
async function catchUp(replicas: readonly Server[], offset: number, ms: number): Promise<string[]> {
  let behind: string[] = [];
  await inLooks(ms, async () => {
    const told = await Promise.all(replicas.map(replicationOf));
    behind = told.flatMap((one, i) => {
      const { address } = replicas[i]!;
      return one.offset >= offset ? [] : [`the replica ${address} is ${offset - one.offset} bytes behind`];
    });
    return behind.length === 0 || undefined;
  });
  return behind;
}

/** Resolves to the new primary, once the Sentinels name it and it says so itself. */
async function awaitSwitch(group: Group, toServer: (at: RedisHost) => Promise<Server>): Promise<RedisHost> {
  const { name, sentinels, primary } = group;
  const [asked] = sentinels as [Server];
  const isNew = (at: RedisHost | undefined): boolean => at !== undefined && addressOf(at) !== primary.address;
  const ended = await inLooks(SWITCH_MS, async () => {
    const at = await primaryOf(asked, name);
    if (isNew(at)) return at;
    const { flags = '' } = fieldsOf(await sentinel(asked, 'MASTER', name));
    return /failover_in_progress/.test(flags) ? undefined : 'given up';
  });
  if (ended === undefined || ended === 'given up') {
    await primary.redis.call('CLIENT', 'UNPAUSE').catch(() => undefined);
    const how = ended ? 'have given up' : `have not switched within ${SWITCH_MS / 1000} s`;
    throw new Error(`the Sentinels ${how}; their logs say why. Writes go on at ${primary.address}.`);
  }
  const next = await toServer(ended);
  await inLooks(HEAR_MS, async () => (await replicationOf(next)).isPrimary || undefined);
  // Clients ask the Sentinel that answers first.
  await inLooks(HEAR_MS, async () => {
    const named = await Promise.all(sentinels.map((each) => primaryOf(each, name).catch(() => ended)));
    return named.every(isNew) || undefined;
  });
  return ended;
}

/**
 * Makes the old primary a replica. What waited is refused then, and known not to have run; only behind that the connections of clients end, and they
 * ask the Sentinels anew.
 */
async function demote({ address, redis }: Server, { host, port }: RedisHost): Promise<void> {
  try {
    await redis.call('MULTI');
    await redis.call('REPLICAOF', host, port);
    await redis.call('CLIENT', 'UNPAUSE');
    await redis.call('EXEC');
    for (const [command, ...words] of KILLS) await redis.call(command, ...words);
  } catch (error) {
    throw new Error(
      `${host}:${port} is the primary, but ${address} was not told to follow it (${why(error)}). The Sentinels do so within some 10 s; writes to it wait until then.`,
    );
  }
}
