import assert from 'node:assert/strict';
import net from 'node:net';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import pino from 'pino';
import { createFailedKeys } from '#weir/ingress/admission/failed-keys';
import { createLogger } from '#weir/shared/log';
import { Registry } from '#weir/shared/telemetry';
import { until } from '../../support/wait.ts';
import { batch, type Ingress, startIngress } from '../support.ts';

const PATH = '/api/events';
const bad = ({ call }: Ingress, authorization: string | undefined = 'Bearer wk_stolen') =>
  call({ path: PATH, headers: { authorization }, body: batch() });

describe('requests without a valid API key', () => {
  it('are 429 when too many come from one address, and a valid key from there is still served [edge.strangers]', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const ingress = await startIngress({ failedKeys: 3 }, { logger: pino({ level: 'info' }, stream) });
    for (let i = 0; i < 2; i++) assert.equal((await bad(ingress)).status, 401);
    assert.equal((await bad(ingress, undefined)).status, 401);
    for (let i = 0; i < 5; i++) {
      const over = await bad(ingress);
      assert.deepEqual([over.status, over.error.code], [429, 'rate_limited']);
      assert.match(over.headers['retry-after']!, /^([1-9]|[1-5]\d|60)$/);
      assert.equal(over.headers['ratelimit-policy'], '"failed-authentication";q=3;w=60');
      assert.equal((await ingress.call({ path: PATH, body: batch() })).status, 200, 'a good key');
    }
    assert.match(await ingress.registry.metrics(), /^weir_strangers_refused_total 5$/m);
    const said = lines.filter((line) => line.includes('without a valid API key'));
    assert.equal(said.length, 2, 'the first one, and that there are too many');
    for (const line of said) {
      assert.equal(JSON.parse(line).address, '127.0.0.1');
      assert.match(JSON.parse(line).request_id, /^[0-9a-f-]{36}$/);
    }
    assert.ok(!lines.join('').includes('wk_stolen'));
    await ingress.server.close();
  });

  it('are counted by address, of IPv6 by network, and those of the first address are forgotten for the 10,001st', () => {
    const failedKeys = createFailedKeys(1, { logger: createLogger('test', 'silent'), registry: new Registry() });
    const isRefused = (address: string): boolean => failedKeys.refusal(address) !== undefined;
    assert.deepEqual(['10.0.0.1', '10.0.0.2', '10.0.0.1'].map(isRefused), [false, false, true]);
    const network = '2001:0db8:0000:0001';
    assert.equal(isRefused(`${network}:0000:0000:0000:0001`), false);
    assert.equal(isRefused(`${network}:ffff:0000:0000:0002`), true);
    assert.equal(isRefused('2001:0db8:0000:0002:0000:0000:0000:0001'), false);
    for (let i = 0; i < 9_999; i++) isRefused(`10.1.${i >> 8}.${i & 255}`);
    assert.equal(isRefused('10.0.0.1'), false, 'forgotten');
  });
});

describe('connections', { skip: process.platform !== 'linux' && 'the system cannot be asked' }, () => {
  it('of one address are ended beyond its limit, and those of another are not [edge.connections]', async () => {
    const ingress = await startIngress({ addressConnections: 20 });
    const { port } = ingress.server;
    const sockets: net.Socket[] = [];
    let ended = 0;
    const connect = (localAddress: string): Promise<net.Socket> =>
      new Promise((resolve) => {
        const socket = net.connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket));
        socket.on('error', () => undefined);
        socket.on('close', () => ended++);
        sockets.push(socket);
      });
    for (let i = 0; i < 20; i++) await connect('127.0.0.1');
    assert.equal(ended, 0);
    // Above the limit they are counted by address, and no more are accepted.
    await until('one is ended', async () => {
      await connect('127.0.0.1');
      return ended > 0;
    });
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      void connect('127.0.0.2').then((socket) => {
        socket.on('data', (data) => {
          text += data;
          if (text.includes('\r\n\r\n')) resolve(text);
        });
        socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      });
    });
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(await ingress.registry.metrics(), /^weir_connections_refused_total [1-9]/m);
    for (const socket of sockets) socket.destroy();
    await until('all are gone', async () => (await ingress.registry.metrics()).includes('weir_connections 0\n'));
    assert.equal((await ingress.call({ method: 'GET', path: '/healthz' })).status, 200);
    await ingress.server.close();
  });
});
