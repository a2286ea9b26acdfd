/** A name server on loopback that answers A and AAAA queries from a function, and counts them. */
import { createSocket } from 'node:dgram';

export interface NameServer {
  /** `address:port` */
  address: string;
  queries: { name: string; type: 'A' | 'AAAA' }[];
  close(): Promise<void>;
}

const TYPES: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' };

/** `answer` gives addresses (IPv4 as dots, IPv6 as 16 bytes in hex); undefined: no reply at all; none: no such name. */
export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA') => string[] | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const queries: NameServer['queries'] = [];
  socket.on('message', (message, from) => {
    const labels: string[] = [];
    let at = 12;
    while (message[at]! > 0) {
      labels.push(message.toString('latin1', at + 1, at + 1 + message[at]!));
      at += 1 + message[at]!;
    }
    const type = TYPES[message.readUInt16BE(at + 1)];
    const name = labels.join('.');
    if (!type) return;
    queries.push({ name, type });
    const addresses = answer(name, type);
    if (!addresses) return;
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((address) => {
      const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address, 'hex');
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type === 'A' ? 1 : 28, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(data.length, 10);
      return Buffer.concat([record, data]);
    });
    socket.send(Buffer.concat([head, message.subarray(12, at + 5), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
