/** Interfaces of other services, against a whole installation. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe } from 'node:test';
import { type System, startSystem } from '../system.ts';
import { dialectConfiguration, KEYS } from './configuration.ts';
import { gatewayTests } from './gateways.ts';
import { kongTests } from './kong.ts';
import { moderationsTests } from './moderations.ts';
import { perspectiveTests } from './perspective.ts';
import { presidioTests } from './presidio.ts';

let system: System;
const open = new Set<Socket>();
const silent = createServer((socket) => {
  open.add(socket);
  socket.on('error', () => undefined);
});
before(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  system = await startSystem({ configuration: { text: dialectConfiguration(port), file: 'dialects.yaml' } });
});
after(async () => {
  await system?.close();
  for (const socket of open) socket.destroy();
  silent.close();
});

describe('interfaces of other services', () => {
  moderationsTests(() => system, KEYS);
  perspectiveTests(() => system, KEYS);
  presidioTests(() => system, KEYS);
  gatewayTests(() => system, KEYS);
  kongTests(() => system, KEYS);
});
