import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import { gate, sleep, until } from '../support/wait.ts';
import { batch, type Ingress, request, sharedIngress, startIngress, storedItem } from './support.ts';

const PATH = '/api/events';
const ID = '01890000-0000-7000-8000-000000000001';
const LOOKUP = request({ method: 'GET', path: `/api/event/${ID}?environment_id=prod` });
const HEAD = `Host: a\r\nAuthorization: Bearer good\r\nservice-version: 2026-06-01\r\nContent-Type: application/json\r\n`;

/** Checks that nothing is left, and that the next caller is served. */
async function isWell(ingress: Ingress): Promise<void> {
  for (const name of ['weir_http_in_flight', 'weir_http_pending_bytes']) {
    await until(`${name} is 0`, async () => (await ingress.figure(name)) === 0);
  }
  assert.equal((await ingress.call({ path: PATH, body: batch() })).status, 200);
}

/** Sends `bytes` on a new connection and waits for its end, or for an answer. */
async function send(ingress: Ingress, bytes: string | Buffer): Promise<string> {
  const peer = await ingress.connect();
  peer.socket.write(bytes);
  await until('an answer, or the end', () => peer.closed() || peer.text().includes('\r\n\r\n'));
  peer.socket.destroy();
  return peer.text();
}

describe('hostile connections', () => {
  const ingress = sharedIngress();
  const { raw } = ingress;

  it('is refused when it sends no HTTP/1.1 request', async () => {
    const body = JSON.stringify(batch());
    const chunked = `POST ${PATH} HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    const size = body.length.toString(16);
    const refused: Record<string, [bytes: string | Buffer, status: number]> = {
      'HTTP/1.0': [`GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n`, 505],
      'an absolute URI': [`GET http://a/healthz HTTP/1.1\r\nHost: a\r\n\r\n`, 505],
      'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
      'the hello of TLS': [Buffer.from(`16030100c8010000c40303${'01'.repeat(190)}`, 'hex'), 505],
      'a NUL in the path': ['GET /healthz\0 HTTP/1.1\r\nHost: a\r\n\r\n', 505],
      'an empty line before it': ['\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', 505],
      'lines without CR': ['GET /healthz HTTP/1.1\nHost: a\n\n', 505],
      CONNECT: ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 505],
      'no size of a chunk': [`${chunked}zz\r\n${body}\r\n0\r\n\r\n`, 400],
      'a negative size of a chunk': [`${chunked}-5\r\n${body}\r\n0\r\n\r\n`, 400],
      'an overflowing size of a chunk': [`${chunked}ffffffffffffffffff\r\n${body}\r\n0\r\n\r\n`, 400],
      'a chunk that is longer than it says': [`${chunked}5\r\n${body}\r\n0\r\n\r\n`, 400],
      'a chunk with a length beside it': [
        `POST ${PATH} HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`,
        400,
      ],
    };
    for (const length of ['-1', '+5', '0x10', 'abc', '1e3', '5,5', '5 5', '18446744073709551617']) {
      refused[`Content-Length ${length}`] = [
        `POST ${PATH} HTTP/1.1\r\n${HEAD}Content-Length: ${length}\r\n\r\n${body}`,
        400,
      ];
    }
    const checks = ingress.checks.length;
    for (const [name, [bytes, status]] of Object.entries(refused)) {
      const text = await send(ingress, bytes);
      assert.ok(text.startsWith(`HTTP/1.1 ${status} `), `${name}: ${text}`);
      assert.ok(!text.includes(body), name);
    }
    const peer = await ingress.connect();
    for (const piece of ['GET /healthz HTTP/1.1\r\nHost: a\r\nx: ', 'a'.repeat(3000), 'b'.repeat(3000)]) {
      peer.socket.write(piece);
      await sleep(20);
    }
    await until('the end', peer.closed);
    assert.match(peer.text(), /^HTTP\/1\.1 431 /);
    assert.equal(ingress.checks.length, checks);
    await isWell(ingress);
  });

  it('is served in the odd ways that HTTP/1.1 allows', async () => {
    const body = JSON.stringify(batch(2));
    const chunked = request({ path: PATH, headers: { 'transfer-encoding': 'chunked' } });
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const bytes: [name: string, parts: (Buffer | string)[]][] = [
      ['one byte a chunk', [chunked, [...body].map(chunk).join(''), '0\r\n\r\n']],
      ['capitals and zeros', [chunked, `000${body.length.toString(16).toUpperCase()}\r\n${body}\r\n0\r\n\r\n`]],
      ['a size in pieces', [chunked, body.length.toString(16), '\r', '\n', body, '\r\n0', '\r\n', '\r\n']],
      ['100-continue', [request({ path: PATH, headers: { expect: '100-continue' }, body })]],
      ['a name in capitals', [request({ path: PATH, body }).toString().replace('content-length', 'CONTENT-LENGTH')]],
      ['a large header', [request({ path: PATH, headers: { 'x-filler': 'x'.repeat(3000) }, body })]],
    ];
    for (const [name, parts] of bytes) {
      const [answer] = await raw(parts, { pause: 3 });
      assert.equal(answer?.status, 200, name);
      assert.equal(ingress.checks.at(-1)!.body.toString(), body, name);
    }
    await isWell(ingress);
  });

  it('takes no more of a body than was announced', async () => {
    const body = JSON.stringify(batch());
    const longer = request({ path: PATH, headers: { 'content-length': String(body.length - 1) }, body });
    const [answer] = await raw([longer]);
    assert.equal(answer?.error.code, 'invalid_json');
    // What follows a body is the next request. Text that is no request ends the connection, and there is one check.
    const checks = ingress.checks.length;
    await send(ingress, Buffer.concat([request({ path: PATH, body }), Buffer.from('EXTRA')]));
    const trailers = request({ path: PATH, headers: { 'transfer-encoding': 'chunked' } });
    await send(ingress, `${trailers}${body.length.toString(16)}\r\n${body}\r\n0\r\nx-trailer: a\r\n\r\n`);
    assert.ok(ingress.checks.length <= checks + 2);
    await isWell(ingress);
  });

  it('has every stage of a request broken off, again and again, and nothing is left', async () => {
    const outcome = ingress.outcome;
    let held = gate();
    ingress.outcome = (check) => held.open.then(() => outcome(check));
    const bytes = request({ path: PATH, body: batch(50) });
    const stages = [10, bytes.indexOf('\r\n\r\n') + 4, bytes.length - 50, bytes.length];
    const rounds = async (): Promise<void> => {
      for (const stage of stages) {
        const peers = await Promise.all(Array.from({ length: 20 }, () => ingress.connect()));
        for (const { socket } of peers) socket.write(bytes.subarray(0, stage));
        if (stage > 10) await until('all are heard', async () => (await ingress.figure('weir_http_in_flight')) === 20);
        for (const { socket } of peers) socket.destroy();
      }
      held.end();
      await until('nothing is in flight', async () => (await ingress.figure('weir_http_in_flight')) === 0);
      held = gate();
    };
    const aborted = await ingress.figure('weir_http_aborted_total');
    await rounds();
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 10; i++) await rounds();
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 64 << 20, `grown by ${grown} bytes`);
    assert.ok((await ingress.figure('weir_http_aborted_total')) >= aborted + 11 * 40);
    held.end();
    ingress.outcome = outcome;
    ingress.checks.length = 0;
    await until('bodies are let go', async () => (await ingress.figure('weir_http_pending_bytes')) === 0);
    await isWell(ingress);
  });

  it('stores a pipelined check once although its answer is lost, and says so in the metric', async () => {
    // uWebSockets.js answers pipelined requests only when the first is answered at once.
    const outcome = ingress.outcome;
    ingress.outcome = (check) => sleep(20).then(() => outcome(check));
    const checks = ingress.checks.length;
    const aborted = await ingress.figure('weir_http_aborted_total');
    const bytes = request({ path: PATH, body: batch() });
    assert.deepEqual(await raw([Buffer.concat([bytes, bytes, bytes])], { count: 3 }), []);
    assert.equal(ingress.checks.length, checks + 1);
    assert.equal(await ingress.figure('weir_http_aborted_total'), aborted + 1);
    await isWell(ingress);
    ingress.outcome = outcome;
  });

  it('may be a thousand that send nothing', async () => {
    const peers = await Promise.all(Array.from({ length: 1000 }, () => ingress.connect()));
    await isWell(ingress);
    for (const { socket } of peers) socket.destroy();
  });

  it('is ended when nothing moves, or a body comes too slowly, whatever was sent before', async () => {
    const bytes = request({ path: PATH, body: batch(50) });
    const head = bytes.indexOf('\r\n\r\n');
    const bareLines = [
      'GET /healthz HTTP/1.1\r\nHost: a\nx: b\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nx: b\n\n',
    ];
    const silent: (string | Buffer)[] = [
      '',
      'GET /healthz HT',
      bytes.subarray(0, head),
      bytes.subarray(0, head + 4),
      bytes.subarray(0, bytes.length - 1),
      `POST ${PATH} HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nfffff\r\nx`,
      // uWebSockets.js closes these without an answer.
      'GET /healthz HTTP/1.1\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: a\0b\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n',
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${'h: 1\r\n'.repeat(200)}\r\n`,
      ...bareLines,
      // Answered, and then nothing follows.
      'HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
      LOOKUP,
    ];
    const peers = await Promise.all(silent.map(() => ingress.connect()));
    for (const [i, { socket }] of peers.entries()) socket.write(silent[i]!);
    const drips = await Promise.all(Array.from({ length: 2 }, () => ingress.connect()));
    const dripped = [bytes, Buffer.from(`GET /healthz HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(3000)}`)];
    drips[0]!.socket.write(bytes.subarray(0, head + 4));
    let at = 0;
    const timer = setInterval(() => {
      at++;
      drips[0]!.socket.write(dripped[0]!.subarray(head + 4 + at, head + 5 + at));
      drips[1]!.socket.write(dripped[1]!.subarray(at, at + 1));
    }, 50);
    try {
      await until('all are ended', () => [...peers, ...drips].every(({ closed }) => closed()));
    } finally {
      clearInterval(timer);
    }
    for (const line of bareLines) assert.equal(peers[silent.indexOf(line)]!.text(), '', line);
    await isWell(ingress);
  });
});

describe('callers that do not read', () => {
  it('have at most one answer waiting for them, which is counted', async () => {
    const ingress = await startIngress();
    const metadata = JSON.stringify({ filler: 'x'.repeat(250_000) });
    ingress.found = { status: 'found', item: storedItem({ metadata }) };
    const before = process.memoryUsage().rss;
    const peers = await Promise.all(Array.from({ length: 30 }, () => ingress.connect()));
    for (const { socket } of peers) socket.pause();
    let most = 0;
    for (let i = 0; i < 60; i++) {
      for (const { socket } of peers) if (!socket.destroyed) socket.write(LOOKUP);
      await sleep(5);
      most = Math.max(most, await ingress.figure('weir_http_pending_bytes'));
    }
    for (const { socket } of peers) socket.resume();
    await until('all are cut off or served', async () => (await ingress.figure('weir_http_in_flight')) === 0);
    // All answers together would be 450 MB.
    assert.ok(process.memoryUsage().rss - before < 250 << 20);
    assert.ok(most > 0 && most <= 30 * 260_000, String(most));
    assert.ok((await ingress.figure('weir_http_aborted_total')) > 0);
    for (const { socket } of peers) socket.destroy();
    await isWell(ingress);
    await ingress.server.close();
  });

  it('get the whole of a large answer when they read slowly', async () => {
    const ingress = await startIngress();
    const metadata = JSON.stringify({ filler: `é${'x'.repeat(8 << 20)}` });
    ingress.found = { status: 'found', item: storedItem({ metadata }) };
    const answer = await new Promise<Buffer>((resolve) => {
      const pieces: Buffer[] = [];
      const socket = net.connect(ingress.server.port, '127.0.0.1', () => socket.write(LOOKUP));
      socket.on('data', (data) => {
        pieces.push(data);
        // The last byte of the answer, which is in no other piece of it.
        if (data.at(-1) === 0x7d) {
          socket.destroy();
          resolve(Buffer.concat(pieces));
        }
        socket.pause();
        setTimeout(() => socket.resume(), 1);
      });
    });
    const text = answer.toString('utf8');
    assert.deepEqual(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)).metadata, JSON.parse(metadata));
    await isWell(ingress);
    await ingress.server.close();
  });

  it('are cut off beyond the bytes that may be held, and beyond the time an answer may take', async () => {
    const metadata = JSON.stringify({ filler: 'x'.repeat(12 << 20) });
    for (const [reason, settings] of [
      ['unread_answers', { pendingBytes: 2 << 20 }],
      ['slow_answer', { transferMs: 300 }],
    ] as const) {
      const ingress = await startIngress(settings);
      ingress.found = { status: 'found', item: storedItem({ metadata }) };
      const peer = await ingress.connect();
      peer.socket.pause();
      peer.socket.write(LOOKUP);
      const cutOff = `weir_http_cut_off_total{reason="${reason}"}`;
      await until('it is cut off', async () => (await ingress.figure(cutOff)) === 1);
      peer.socket.destroy();
      await isWell(ingress);
      await ingress.server.close();
    }
  });

  it('may send a body no longer than a transfer may take, however fast it comes', async () => {
    const ingress = await startIngress({ transferMs: 400 });
    const peer = await ingress.connect();
    peer.socket.write(request({ path: PATH, headers: { 'content-length': String(30 << 20) } }));
    const timer = setInterval(() => peer.socket.write(Buffer.alloc(64 * 1024, 0x20)), 20);
    await until('it is cut off', peer.closed);
    clearInterval(timer);
    assert.equal(await ingress.figure('weir_http_cut_off_total{reason="slow_body"}'), 1);
    assert.equal(await ingress.figure('weir_http_aborted_total'), 1);
    await isWell(ingress);
    await ingress.server.close();
  });

  it('get the head of an answer to HEAD, and then the connection ends', async () => {
    const ingress = await startIngress();
    const peer = await ingress.connect();
    peer.socket.write('HEAD /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('the end', peer.closed);
    assert.match(peer.text(), /^HTTP\/1\.1 404 .*connection: close\r\n.*Content-Length: \d+\r\n\r\n$/s);
    assert.equal(await ingress.figure('weir_http_aborted_total'), 0);
    await isWell(ingress);
    await ingress.server.close();
  });
});
