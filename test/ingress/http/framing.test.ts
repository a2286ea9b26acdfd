import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localNames } from '#weir/shared/loopback';
import { until } from '../../support/wait.ts';
import { assertError, batch, type Ingress, request, sharedIngress } from '../support.ts';

const PATH = '/api/events';
const ID = '01890000-0000-7000-8000-000000000001';
/** A smuggled look-up, in what another parser takes for the trailers of a body. */
const SMUGGLED = request({ method: 'GET', path: `/api/event/${ID}?environment_id=prod` }).toString();
const CHUNKED = { 'transfer-encoding': 'chunked' };
const PROBE = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const answers = (text: string): number => text.split('HTTP/1.1 ').length - 1;

/** Everything that comes back until the server closes the connection. `later` is sent after the first answer. */
async function exchange(ingress: Ingress, bytes: string, later = ''): Promise<string> {
  const { socket, text, closed } = await ingress.connect();
  socket.write(bytes);
  await until('an answer, or the end', () => closed() || text() !== '');
  if (later !== '' && !closed()) socket.write(later);
  await until('the end', closed);
  return text();
}

describe('a request whose end is ambiguous', () => {
  // The library may wait for more of a body than there is, up to the limit of a body that does not come on.
  const ingress = sharedIngress({ stallMs: 200 });
  const { call } = ingress;

  const body = chunk(JSON.stringify(batch()));
  const post = request({ path: PATH, headers: CHUNKED }).toString();
  const length = request({ path: PATH, body: batch() }).toString();
  const doubtful: Record<string, string> = {
    'a check': `${post}${body}0\r\n`,
    'a body that is not JSON': `${post}${chunk('{')}0\r\n`,
    'a body of another type': `${request({ path: PATH, headers: { ...CHUNKED, 'content-type': 'text/plain' } })}${body}0\r\n`,
    'a check without a key': `${request({ path: PATH, headers: { ...CHUNKED, authorization: undefined } })}${body}0\r\n`,
    'no such route': `${request({ path: '/nowhere', headers: CHUNKED })}${body}0\r\n`,
    'a probe': `${PROBE}Transfer-Encoding: chunked\r\n\r\n0\r\n`,
    'a page': `GET /docs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n`,
    'a HEAD': `HEAD /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n`,
    'a coding that is none': `${request({ path: PATH, headers: { 'transfer-encoding': 'xchunked' } })}${body}0\r\n`,
    'an empty coding': `${PROBE}Transfer-Encoding:\r\n\r\n`,
    'two lengths': length.replace('content-length', 'content-length: 2\r\ncontent-length'),
    'no line end after a chunk': `${post}${body.slice(0, -2)}XX0\r\n`,
    'an extension of a chunk': `${post}${body.replace('\r\n', ';a=b\r\n')}0\r\n`,
    'an extension of the last chunk': `${post}${body}0;a\r\n`,
    'lines of a chunk without CR': `${post}${body.replaceAll('\r\n', '\n')}0\n`,
  };

  it('is the last one of its connection, and what follows it is never read as a request', async () => {
    for (const [name, bytes] of Object.entries(doubtful)) {
      const lookups = ingress.lookups.length;
      const together = await exchange(ingress, bytes + SMUGGLED);
      assert.ok(answers(together) <= 1, `${name}: ${together}`);
      const apart = await exchange(ingress, `${bytes}\r\n`, SMUGGLED);
      assert.ok(answers(apart) <= 1, `${name}: ${apart}`);
      assert.equal(ingress.lookups.length, lookups, name);
    }
    assert.equal((await call({ path: PATH, body: batch() })).status, 200);
    for (const name of ['weir_http_in_flight', 'weir_http_pending_bytes']) {
      await until(name, async () => (await ingress.figure(name)) === 0);
    }
  });

  it('is answered when it is valid, and then the connection ends', async () => {
    const answer = await exchange(ingress, `${post}${body}0\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*connection: close\r\n/im);
    const refused = await exchange(ingress, request({ path: '/nowhere', headers: CHUNKED }).toString());
    assert.match(refused, /^HTTP\/1\.1 404 /);
  });

  it('is 400 with two hosts or an empty coding', async () => {
    const cases = [
      ['host', `${PROBE}Host: b\r\n\r\n`],
      ['host', `${PROBE}Host: a\r\n\r\n`],
      ['transfer-encoding', doubtful['an empty coding']!],
    ];
    for (const [param, bytes] of cases) {
      const answer = await exchange(ingress, bytes!);
      assert.match(answer, /^HTTP\/1\.1 400 /, bytes);
      assert.ok(answer.includes(`"param":"${param}"`), answer);
    }
  });
});

describe('an ingress that only this machine can reach', () => {
  const ingress = sharedIngress({}, { names: localNames('127.0.0.1', 'weir.internal, Other.example') });
  const { call } = ingress;

  const ask = async (headers: Record<string, string | undefined>) =>
    call({ path: PATH, headers: { host: 'localhost', ...headers }, body: batch() });

  it('answers to the names of this machine and to allowed names', async () => {
    const hosts = [
      'localhost',
      'LOCALHOST:8080',
      'localhost.',
      '127.0.0.1:1',
      '127.9.9.9',
      '[::1]:80',
      'weir.internal:8080',
    ];
    for (const host of hosts) assert.equal((await ask({ host })).status, 200, host);
    const origins = ['http://localhost:8080', 'https://127.0.0.1', 'http://[::1]:1', 'https://other.example'];
    for (const origin of origins) assert.equal((await ask({ origin })).status, 200, origin);
  });

  it('refuses a name that resolves to it, and pages of other origins, before the key is looked at', async () => {
    const checks = ingress.checks.length;
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example:8080',
      '10.0.0.1',
      'localhost@evil.example',
    ]) {
      const answer = await ask({ host, authorization: undefined });
      assertError(answer, { status: 403, code: 'permission_denied', param: 'host' }, host);
      assert.match(answer.error.message, /WEIR_ALLOWED_HOSTS/);
    }
    for (const origin of [
      'null',
      'http://evil.example',
      'http://localhost.evil.example',
      'file://',
      'chrome-extension://localhost',
    ]) {
      const answer = await ask({ origin });
      assert.equal(answer.status, 403, origin);
      assert.equal(answer.error.param, 'origin');
    }
    assert.equal(ingress.checks.length, checks);
  });

  it('accepts any name when others can reach it', () => {
    assert.equal(localNames('0.0.0.0', ''), undefined);
    assert.equal(localNames('10.0.0.7', ''), undefined);
    for (const address of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) assert.ok(localNames(address, ''), address);
  });
});
