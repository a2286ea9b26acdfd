import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import { createShares } from '#weir/ingress/admission/memory-shares';
import { ApiError } from '#weir/shared/api/errors';
import { until } from '../support/wait.ts';
import { batch, call, type Ingress, request, startIngress } from './support.ts';

const PATH = '/api/events';
const MIB = 1 << 20;

async function figure(ingress: Ingress, name: string): Promise<number> {
  const text = await ingress.registry.metrics();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
const held = (ingress: Ingress): Promise<number> => figure(ingress, 'weir_http_pending_bytes');

interface Sender {
  socket: net.Socket;
  text(): string;
  closed(): boolean;
}

/** A request of `key` that announces `announced` bytes, or sends chunks. The test sends the body. */
function announce(port: number, announced: number | undefined, key = 'good'): Sender {
  const length: Record<string, string> =
    announced === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(announced) };
  const headers = { authorization: `Bearer ${key}`, ...length };
  let text = '';
  let closed = false;
  const socket = net.connect(port, '127.0.0.1');
  socket.write(request({ path: PATH, headers }));
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed = true;
  });
  return { socket, text: () => text, closed: () => closed };
}

describe('shares of memory', () => {
  it('let a team take more only while more is free than it holds, and its keys likewise', () => {
    const shares = createShares(1000);
    const [one, two, other] = [{ team: 'a' }, { team: 'a' }, { team: 'b' }];
    const take = (key: { team: string }): number => {
      const room = shares.room(key);
      shares.add(key, room);
      return room;
    };
    assert.equal(take(one), 250);
    assert.equal(take(one), 0, 'its share is full');
    assert.equal(take(two), 125, 'half of what is left to its team');
    assert.equal(shares.room(other), Math.floor((1000 - 375) / 4));
    assert.equal(shares.held(), 375);
    shares.remove(one, 250);
    shares.remove(two, 125);
    assert.equal(shares.room(other), 250);
    assert.equal(shares.held(), 0);
  });

  it('know when a team holds more than is free', () => {
    const shares = createShares(1000);
    const [one, other] = [{ team: 'a' }, { team: 'b' }];
    shares.add(one, 500);
    assert.equal(shares.over(one), false);
    shares.add(one, 1);
    assert.deepEqual([shares.over(one), shares.over(other)], [true, false]);
    shares.add(one, 500);
    assert.equal(shares.room(other), 0);
  });
});

describe('unfinished bodies', () => {
  it('of one key, each lacking a byte, leave enough memory to other teams [edge.held-bytes]', async () => {
    const ingress = await startIngress({ pendingBytes: 32 * MIB });
    const { port } = ingress.server;
    const size = 4 * MIB;
    const senders = Array.from({ length: 8 }, () => announce(port, size));
    for (const { socket } of senders) socket.write(Buffer.alloc(size - 1, 0x20));
    // A key may hold a quarter, which is two bodies. The others are refused.
    await until('six are refused', () => senders.filter(({ text }) => text().startsWith('HTTP/1.1 503')).length >= 6);
    assert.match(senders.find(({ text }) => text() !== '')!.text(), /"overloaded".*of your team/);
    await until('what is refused is let go', async () => (await held(ingress)) <= 8 * MIB);
    const other = { authorization: 'Bearer other' };
    assert.equal((await call(port, { path: PATH, headers: other, body: batch(50) })).status, 200);
    const large = { ...batch(), filler: 'x'.repeat(3 * MIB) };
    assert.equal((await call(port, { path: PATH, headers: other, body: large })).status, 200);
    const own = await call(port, { path: PATH, body: large });
    assert.deepEqual([own.status, own.error.code], [503, 'overloaded']);
    for (const { socket } of senders) socket.destroy();
    await until('nothing is held', async () => (await held(ingress)) === 0);
    assert.equal((await call(port, { path: PATH, body: large })).status, 200);
    await ingress.server.close();
  });

  it('are dropped when the request is refused while they still come in', async () => {
    let refuse: (error: ApiError) => void = () => undefined;
    const turn = new Promise<ApiError>((resolve) => {
      refuse = resolve;
    });
    const rates = { take: () => turn, charge: () => undefined, headers: () => ({ policy: '', limit: '' }) };
    const ingress = await startIngress({}, { rates });
    const { socket, text, closed } = announce(ingress.server.port, undefined, 'five');
    const chunk = `a000\r\n${' '.repeat(0xa000)}\r\n`;
    socket.write(chunk);
    await until('it is counted', async () => (await held(ingress)) > 0);
    // The next chunk arrives between the refusal and its answer, which waits for what came with the request.
    setImmediate(() => {
      socket.write(chunk);
      refuse(new ApiError('rate_limited', 'Too many.'));
    });
    await until('it is answered and over', closed);
    const left = await held(ingress);
    await ingress.server.close();
    assert.match(text(), /^HTTP\/1\.1 429 /);
    assert.equal(left, 0);
  });

  it('are counted by the memory reserved for them, not by their announced length', async () => {
    const ingress = await startIngress();
    const sender = announce(ingress.server.port, 32 * MIB);
    sender.socket.write(' ');
    await until('it is counted', async () => (await held(ingress)) === 64 << 10);
    sender.socket.write(Buffer.alloc(100 << 10, 0x20));
    await until('it has grown', async () => (await held(ingress)) > 100 << 10);
    assert.ok((await held(ingress)) <= 4 * (100 << 10));
    sender.socket.destroy();
    await until('nothing is held', async () => (await held(ingress)) === 0);
    await ingress.server.close();
  });

  it('are cut off when they stand still, and not while they progress [edge.stalled]', async () => {
    const ingress = await startIngress({ stallMs: 300 });
    const { port } = ingress.server;
    const body = JSON.stringify({ ...batch(), filler: 'x'.repeat(256 << 10) });
    const still = announce(port, 8 * MIB);
    still.socket.write(Buffer.alloc(8 * MIB - 1, 0x20));
    const moving = announce(port, body.length);
    let sent = 0;
    const timer = setInterval(() => {
      // Several times the even share of a minute. The last bytes are sent after the other body was cut off.
      const most = still.closed() ? body.length : body.length - 1024;
      const next = Math.min(most, sent + 2048);
      if (next > sent) moving.socket.write(body.slice(sent, next));
      sent = next;
    }, 10);
    try {
      await until('the one that stands still is ended', still.closed);
      await until('the other one is answered', () => moving.text().includes('\r\n\r\n'));
    } finally {
      clearInterval(timer);
    }
    assert.equal(still.text(), '');
    assert.match(moving.text(), /^HTTP\/1\.1 200 /);
    assert.equal(await figure(ingress, 'weir_http_cut_off_total{reason="stalled_body"}'), 1);
    moving.socket.destroy();
    await ingress.server.close();
  });
});
