import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/wait.ts';
import { batch, type Ingress, request, sharedIngress } from '../support.ts';

const PATH = '/api/events';
const ENDED = 'weir_connections_without_request_total{outcome="ended"}';
const CLOSED = 'weir_connections_without_request_total{outcome="closed"}';
const HEAD_MS = 300;

const good = request({ path: PATH, body: batch() }).toString();
/** A check with these lines in its head. */
const withLines = (lines: string): string => good.replace('\r\n', `\r\n${lines}`);
const many = (count: number): string => withLines(Array.from({ length: count }, (_, i) => `x-${i}: a\r\n`).join(''));

/** Heads that are none, which the library takes for the beginning of one. */
const UNREADABLE: Record<string, string> = {
  'a control character in a value': withLines('x: a\u0001b\r\n'),
  'an escape in a value': withLines('x: \u001b[2J\r\n'),
  'a NUL in a value': withLines('x: a\0b\r\n'),
  'a control character in a name': withLines('x\u0001y: a\r\n'),
  'a NUL in a name': withLines('x\0: a\r\n'),
  'an LF in a value': withLines('x: a\nb: c\r\n'),
  'a CR in a value': withLines('x: a\rb\r\n'),
  'a line that ends with LF': withLines('x: a\n'),
  'a line that ends with CR': withLines('x: a\r'),
  'a line folded by a space': withLines('x: a\r\n b\r\n'),
  'a line folded by a tab': withLines('x: a\r\n\tb\r\n'),
  'a space before a colon': withLines('x : a\r\n'),
  'a tab before a colon': withLines('x\t: a\r\n'),
  'a space in a name': withLines('x y: a\r\n'),
  'no colon': withLines('xa\r\n'),
  'a space before the first name': withLines(' x: a\r\n'),
  'no host': 'GET /healthz HTTP/1.1\r\n\r\n',
  '100 headers more': many(100),
  '300 headers more': many(300),
  'no end': good.slice(0, 60),
  nothing: '',
};

/** What comes back until the server closes the connection, and how long that took. */
async function ended(ingress: Ingress, bytes: string): Promise<{ text: string; ms: number }> {
  const began = performance.now();
  const { socket, text, closed } = await ingress.connect();
  socket.write(Buffer.from(bytes, 'latin1'));
  await until('the end', closed);
  return { text: text(), ms: performance.now() - began };
}

describe('a connection on which no request can be read', () => {
  const ingress = sharedIngress({ headMs: HEAD_MS });

  it('is ended soon, without an answer, and counted', async () => {
    const checks = ingress.checks.length;
    const before = await ingress.figure(ENDED);
    const all = await Promise.all(
      Object.entries(UNREADABLE).map(async ([name, bytes]) => ({ name, ...(await ended(ingress, bytes)) })),
    );
    for (const { name, text, ms } of all) {
      assert.equal(text, '', name);
      // The library takes 8 s and more.
      assert.ok(ms > HEAD_MS / 2 && ms < 6000, `${name}: ${ms}`);
    }
    assert.equal(ingress.checks.length, checks);
    assert.equal(await ingress.figure(ENDED), before + all.length);
    assert.equal((await ingress.call({ path: PATH, body: batch() })).status, 200);
  });

  it('is ended with what follows on it unread', async () => {
    const checks = ingress.checks.length;
    for (const name of ['a control character in a value', 'a line that ends with LF', '100 headers more']) {
      const { text } = await ended(ingress, UNREADABLE[name]! + good + good);
      assert.equal(text, '', name);
    }
    assert.equal(ingress.checks.length, checks);
  });

  it('is counted also where the library refuses it, or its caller leaves', async () => {
    const before = await ingress.figure(CLOSED);
    assert.match(
      (await ended(ingress, 'GET /healthz HTTP/1.0\r\n\r\n')).text,
      /^HTTP\/1\.1 505 [\s\S]*This server does not support HTTP\/1\.0\./,
    );
    const { socket } = await ingress.connect();
    socket.destroy();
    await until('both are counted', async () => (await ingress.figure(CLOSED)) === before + 2);
  });

  it('is let alone where it had a request, and where others of its address come', async () => {
    const counted = async (): Promise<number> => (await ingress.figure(ENDED)) + (await ingress.figure(CLOSED));
    const before = await counted();
    const [used, unused] = [await ingress.connect(), await ingress.connect()];
    used.socket.write(good);
    await until('an answer', () => used.text() !== '');
    await sleep(HEAD_MS * 2);
    assert.deepEqual([used.closed(), unused.closed()], [false, false]);
    for (const peer of [used, unused]) {
      const answers = peer.text().length;
      peer.socket.write(good);
      await until('an answer', () => peer.text().length > answers);
    }
    for (const { socket } of [used, unused]) socket.destroy();
    await until('they are gone', async () => (await ingress.registry.metrics()).includes('weir_connections 0\n'));
    assert.equal(await counted(), before);
  });

  it('is none with as many headers as the limit, with tabs, and with letters of other alphabets in values', async () => {
    const others = good.split('\r\n\r\n')[0]!.split('\r\n').length - 1;
    for (const bytes of [many(98 - others), withLines('x: a\tb\r\n'), withLines('x: \u00e9\u00ff\r\n')]) {
      const { socket, text } = await ingress.connect();
      socket.write(Buffer.from(bytes, 'latin1'));
      await until('an answer', () => text() !== '');
      assert.match(text(), /^HTTP\/1\.1 200 /);
      socket.destroy();
    }
    assert.equal((await ended(ingress, many(99 - others))).text, '');
  });
});

describe('a POST whose length is not announced', () => {
  const ingress = sharedIngress({ headMs: HEAD_MS });

  it('is the last request of its connection, since the library does not see a length behind an empty name', async () => {
    const checks = ingress.checks.length;
    for (const name of ['', ' ', 'x\u0080']) {
      const lines = good
        .split('\r\n\r\n')[0]!
        .split('\r\n')
        .filter((line) => !line.startsWith('content-length'));
      const body = `${good}${good}`;
      const bytes = [
        ...lines,
        ...(name === ' ' ? [] : [`${name}: a`, `content-length: ${body.length}`]),
        '',
        body,
      ].join('\r\n');
      const { text } = await ended(ingress, bytes);
      assert.ok(text.split('HTTP/1.1 ').length <= 2, text);
      assert.equal(ingress.checks.length, checks, JSON.stringify(name));
    }
  });
});
