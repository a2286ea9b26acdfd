/**
 * A client of a Cluster, behind the interface of a client of one server: each command goes to the primary that has its key, on one connection
 * to each.
 *
 *     sent ──answered──> done
 *       ├── MOVED, ASK ──> sent to the node that is named
 *       ├── TRYAGAIN ──> sent again: its keys are at two nodes, while their slot is on its way
 *       └── no connection to the node, or it breaks ──> failed, as with one server; other nodes go on
 */
import { type Command, Redis } from 'ioredis';
import { within } from '../../async.js';
import { keys } from '../keys.js';
import type { RedisCommand, ScriptCall } from '../script.js';
import type { RedisRouter } from '../send.js';
import { redirectOf } from './redirect.js';
import { slotOf } from './slots.js';
import type { SlotLoss, Topology } from './topology.js';
import { type NodeFinder, PAUSE_MS, REDIRECT_MS, sendToNodes } from './units.js';

/** How long a connection stays whose node is no primary any more, for what is under way on it; and how long a new one is waited for. */
const LEAVE_MS = 2000;
const JOIN_MS = 1000;

export interface ClusterNodes {
  /** Connects to a node; the connection is made again by itself. */
  open(address: string): Redis;
  topology: Topology;
  /** The topology is not needed any more. */
  close(): void;
}

export class ClusterClient extends Redis implements RedisRouter {
  readonly #nodes = new Map<string, Redis>();
  /** connections that have not been there yet: what is sent to them waits */
  readonly #joining = new Map<Redis, Promise<unknown>>();
  readonly #cluster: ClusterNodes;
  readonly #unwatch: () => void;
  readonly #finder: NodeFinder;
  #ended = false;

  constructor(cluster: ClusterNodes, name: string) {
    super({ connectionName: name, protocol: 2, lazyConnect: true });
    this.#cluster = cluster;
    this.#unwatch = cluster.topology.watch(() => this.#follow());
    this.#finder = {
      rootSlot: slotOf(keys.partitions()),
      moved: cluster.topology.moved,
      nodeAt: (address) => this.#joined(this.#nodeAt(address)),
      nodeOfSlot: async (slot) => {
        const node = this.#nodeOfSlot(slot);
        if (!node) throw new Error("Stream isn't writeable: no node of the Cluster has this slot");
        return await this.#joined(node);
      },
    };
  }

  /** Resolves once the topology is known and a primary is connected. */
  override async connect(): Promise<void> {
    this.status = 'connecting';
    try {
      await this.#cluster.topology.load();
      this.#follow();
      await within(Promise.all(this.#joining.values()), { ms: JOIN_MS });
    } finally {
      this.#settle();
    }
  }

  override disconnect(reconnect = false): void {
    for (const node of this.#nodes.values()) node.disconnect(reconnect);
    if (reconnect || this.#ended) return;
    this.#ended = true;
    this.#unwatch();
    this.#cluster.close();
    this.#settle();
    this.emit('end');
  }

  /** The connection to the primary that has a key; undefined: none has it. */
  nodeOf(key: string | Buffer): Redis | undefined {
    return this.#nodeOfSlot(slotOf(key));
  }

  /**
   * Learns from what a node has answered where something is. Returns the node that is to be asked (ASKING) while the slot is on its way;
   * undefined: the one that has it.
   */
  learn(error: Error, node: Redis): Redis | undefined {
    const redirect = redirectOf(error, node.options.host!);
    if (redirect?.kind === 'moved') this.#cluster.topology.moved(redirect.slot, redirect.address);
    return redirect?.kind === 'ask' ? this.#nodeAt(redirect.address) : undefined;
  }

  /** The last time that the newest writes to a key may have been lost (`topology.ts`). */
  lossOf(key: string): Promise<SlotLoss | undefined> {
    return this.#cluster.topology.lossOf(slotOf(key));
  }

  /** Calls `listener` when slots or primaries have changed; returns what ends that. */
  onChange(listener: () => void): () => void {
    return this.#cluster.topology.watch(listener);
  }

  /** A connection to each primary. */
  primaries(): Redis[] {
    return this.#cluster.topology.primaries().map((address) => this.#nodeAt(address));
  }

  sendTogether(commands: readonly (RedisCommand | ScriptCall)[], limitMs?: number): Promise<unknown[]> {
    return sendToNodes(this.#finder, commands, limitMs);
  }

  override sendCommand(command: Command): Promise<unknown> {
    const [key] = command.getKeys();
    const slot = key === undefined ? this.#finder.rootSlot : slotOf(key);
    this.#route(command, { slot, node: this.#finder.nodeOfSlot(slot), tries: 0, until: 0 });
    return command.promise;
  }

  #route(
    command: Command,
    to: { slot: number; node: Promise<Redis>; asks?: boolean; tries: number; until: number },
  ): void {
    const { reject } = command;
    const send = (node: Redis): void => {
      command.reject = (error) => {
        command.reject = reject;
        const redirect = redirectOf(error, node.options.host!);
        const now = performance.now();
        const until = to.until || now + REDIRECT_MS;
        if (!redirect || now > until) return reject(error);
        if (redirect.kind === 'moved') this.#finder.moved(redirect.slot, redirect.address);
        const again = (): void => {
          const next =
            redirect.kind === 'later' ? this.#finder.nodeOfSlot(to.slot) : this.#finder.nodeAt(redirect.address);
          this.#route(command, { ...to, node: next, asks: redirect.kind === 'ask', tries: to.tries + 1, until });
        };
        if (to.tries > 0) setTimeout(again, PAUSE_MS);
        else again();
      };
      if (to.asks) node.asking().catch(() => undefined);
      node.sendCommand(command);
    };
    to.node.then(send).catch(reject);
  }

  #nodeOfSlot(slot: number): Redis | undefined {
    const address = this.#ended ? undefined : this.#cluster.topology.ownerOf(slot);
    return address === undefined ? undefined : this.#nodeAt(address);
  }

  async #joined(node: Redis): Promise<Redis> {
    const joining = this.#joining.get(node);
    if (joining) await joining;
    return node;
  }

  #nodeAt(address: string): Redis {
    const known = this.#nodes.get(address);
    if (known) return known;
    const node = this.#cluster.open(address);
    this.#nodes.set(address, node);
    node.on('error', (error) => {
      this.#cluster.topology.doubt();
      if (this.listenerCount('error') > 0) this.emit('error', error);
    });
    // It is answered before all that is asked from now on.
    node.on('ready', async () => this.#cluster.topology.answers(address, await runIdOf(node)));
    for (const event of ['ready', 'close', 'end'] as const) node.on(event, () => this.#settle());
    const joining = node.connect().catch(() => undefined);
    this.#joining.set(node, joining);
    void joining.then(() => this.#joining.delete(node));
    return node;
  }

  /** Connects to new primaries, and leaves those that are none any more. */
  #follow(): void {
    if (this.#ended || this.status === 'wait') return;
    const primaries = new Set(this.#cluster.topology.primaries());
    for (const address of primaries) this.#nodeAt(address);
    for (const [address, node] of this.#nodes) {
      if (primaries.has(address)) continue;
      this.#nodes.delete(address);
      leave(node);
    }
  }

  #settle(): void {
    const before = this.status;
    const isReady = [...this.#nodes.values()].some(({ status }) => status === 'ready');
    this.status = this.#ended ? 'end' : isReady ? 'ready' : 'close';
    if (this.status === 'ready' && before !== 'ready') this.emit('ready');
  }
}

/** Which process answers; undefined: the user may not ask, or it is away again. */
const runIdOf = (node: Redis): Promise<string | undefined> =>
  node.info('server').then(
    (said) => /^run_id:(\w+)/m.exec(said)?.[1],
    () => undefined,
  );

/** Ends a connection once nothing is under way on it. */
function leave(node: Redis): void {
  const until = performance.now() + LEAVE_MS;
  const look = setInterval(() => {
    if (node.status === 'ready' && node.commandQueue.length > 0 && performance.now() < until) return;
    clearInterval(look);
    node.disconnect();
  }, PAUSE_MS);
}
