import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createResolver } from '#weir/workers/images/fetch/resolve';
import { type NameServer, startNameServer } from '../../../support/network/dns.ts';

const never = new AbortController().signal;

describe('resolver', () => {
  let server: NameServer;
  before(async () => {
    server = await startNameServer((name, type) => {
      if (name === 'silent.example') return undefined;
      if (name === 'both.example')
        return type === 'A' ? ['192.0.2.7', '10.0.0.1'] : ['fd00'.padEnd(31, '0').concat('1')];
      if (name === 'four.example') return type === 'A' ? ['8.8.8.8'] : [];
      if (name === 'many.example') return type === 'A' ? Array.from({ length: 25 }, (_, i) => `10.0.0.${i}`) : [];
      return [];
    });
  });
  after(() => server.close());

  it('gives all addresses of both families', async () => {
    const resolve = createResolver({ servers: [server.address] });
    assert.deepEqual(await resolve('both.example', { own: false, signal: never }), [
      { address: '192.0.2.7', family: 4 },
      { address: '10.0.0.1', family: 4 },
      { address: 'fd00::1', family: 6 },
    ]);
    assert.deepEqual(await resolve('four.example', { own: false, signal: never }), [{ address: '8.8.8.8', family: 4 }]);
    assert.equal((await resolve('many.example', { own: false, signal: never })).length, 25);
  });

  it('gives no addresses for a name that does not exist', async () => {
    const resolve = createResolver({ servers: [server.address] });
    assert.deepEqual(await resolve('absent.example', { own: false, signal: never }), []);
    assert.deepEqual(await resolve('absent.invalid', { own: true, signal: never }), []);
  });

  it('looks up the names of the operator on the machine, in the hosts file too', async () => {
    const resolve = createResolver({ servers: [server.address] });
    const found = await resolve('localhost', { own: true, signal: never });
    assert.ok(found.some(({ address }) => address === '127.0.0.1' || address === '::1'));
    assert.ok(!server.queries.some(({ name }) => name === 'localhost'));
  });

  it('gives up when it is told to', async () => {
    const resolve = createResolver({ servers: [server.address] });
    const stop = new AbortController();
    const silent = resolve('silent.example', { own: false, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await assert.rejects(silent, /enough/);
    await assert.rejects(resolve('both.example', { own: false, signal: stop.signal }), /enough/);
    await assert.rejects(resolve('localhost', { own: true, signal: stop.signal }), /enough/);
  });
});
