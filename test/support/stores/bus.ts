/** The cluster bus of a test Cluster, by way of a proxy before each node: a node can be cut off there while clients still reach it. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { freePort } from '#weir/deploy/local/ports';
import type { ClusterNode } from './cluster.js';

export interface ClusterBus {
  /** Lines of redis.conf of a node, whose bus the others reach by a proxy. */
  config(): Promise<Record<string, string>>;
  /** No node hears this one any more, and it hears none. */
  cut(node: ClusterNode): Promise<void>;
  heal(): void;
  close(): void;
}

/** A message says who sends it: his id stands behind 40 bytes. */
const [ID_AT, ID_BYTES] = [40, 40];

interface BusLink {
  ends: readonly Socket[];
  sender: string;
}

interface BusProxy {
  busPort: string;
  links: Set<BusLink>;
  close(): void;
}

export function startBus(): ClusterBus {
  const proxies: BusProxy[] = [];
  let lost: { id: string; busPort: string } | undefined;

  async function startProxy(busPort: string): Promise<number> {
    const links = new Set<BusLink>();
    const server = createServer((from) => {
      const to = connect(Number(busPort), '127.0.0.1');
      const link: BusLink = { ends: [from, to], sender: '' };
      links.add(link);
      const end = (): void => {
        links.delete(link);
        for (const one of link.ends) one.destroy();
      };
      for (const one of link.ends) one.on('error', end).on('close', end);
      if (lost?.busPort === busPort) return end();
      let head = Buffer.alloc(0);
      const read = (chunk: Buffer): void => {
        head = Buffer.concat([head, chunk]);
        if (head.length < ID_AT + ID_BYTES) return;
        link.sender = head.toString('latin1', ID_AT, ID_AT + ID_BYTES);
        from.off('data', read);
        if (link.sender === lost?.id) end();
        else {
          to.write(head);
          from.pipe(to);
        }
      };
      from.on('data', read);
      to.pipe(from);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    proxies.push({ busPort, links, close: () => server.close() });
    return (server.address() as AddressInfo).port;
  }

  const endLinks = (isEnded: (link: BusLink, proxy: BusProxy) => boolean): void => {
    for (const proxy of proxies)
      for (const link of proxy.links) if (isEnded(link, proxy)) for (const one of link.ends) one.destroy();
  };

  return {
    async config() {
      const busPort = String(await freePort());
      return { 'cluster-port': busPort, 'cluster-announce-bus-port': String(await startProxy(busPort)) };
    },
    async cut({ id, redis }) {
      const [, busPort] = (await redis.config('GET', 'cluster-port')) as [string, string];
      lost = { id, busPort };
      endLinks(({ sender }, proxy) => sender === id || proxy.busPort === busPort);
    },
    heal() {
      lost = undefined;
    },
    close() {
      for (const proxy of proxies) proxy.close();
      endLinks(() => true);
    },
  };
}
