import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { failure, IMAGE_LIMITS } from '#weir/workers/images/failure';
import { parseAllowList, type ResolvedAddress } from '#weir/workers/images/fetch/address';
import { createFetcher, type FetchEvent, type FetcherOptions } from '#weir/workers/images/fetch/fetch';
import { createCertificate } from '../../../support/network/certificate.ts';
import { type Origin, startBareOrigin, startOrigin } from '../../../support/network/origin.ts';
import { until } from '../../../support/wait.ts';

const IMAGE = Buffer.from('any bytes will do: nothing here looks at them');
const LOOPBACK: ResolvedAddress[] = [{ address: '127.0.0.1', family: 4 }];

const closing: (() => Promise<void>)[] = [];
after(() => Promise.all(closing.map((close) => close())));

type Handler = Parameters<typeof startOrigin>[0];
async function origin(handle: Handler, tls?: { key: string; cert: string }): Promise<Origin> {
  const started = await startOrigin(handle, tls);
  closing.push(started.close);
  return started;
}
async function bare(handle: Parameters<typeof startBareOrigin>[0]): Promise<Origin> {
  const started = await startBareOrigin(handle);
  closing.push(started.close);
  return started;
}
const serve: Handler = (_, response) => response.end(IMAGE);

function fetcher(allow: string[], options: Partial<FetcherOptions> = {}) {
  return createFetcher({ allow: parseAllowList(allow.join(',')), version: '1.2.3', ...options });
}

/** The outcome of one fetch from an origin that is on the allow-list. */
async function outcome(source: Origin, limitMs = 10_000, path = '/'): Promise<string> {
  const host = `127.0.0.1:${source.port}`;
  const result = await fetcher([host]).fetch(`http://${host}${path}`, { limitMs });
  return result.ok ? `${result.bytes.length} bytes` : result.reason;
}

describe('where a fetch may go', () => {
  it('refuses loopback in every notation, and names of the machine, without a connection [artifact.fetch]', async () => {
    const target = await origin(serve);
    const one = fetcher([]);
    const hosts = [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.1',
      '0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
    ];
    for (const host of [...hosts, 'localhost', 'localhost.', 'a.localhost', 'LOCALHOST', '[64:ff9b::7f00:1]']) {
      const result = await one.fetch(`http://${host}:${target.port}/`);
      assert.deepEqual(result, failure('refused'), host);
    }
    assert.equal(target.connections(), 0);
  });

  it('refuses a name when any of its addresses is forbidden', async () => {
    const answers: Record<string, ResolvedAddress[]> = {
      'private.example': [{ address: '10.0.0.1', family: 4 }],
      'mixed.example': [{ address: '8.8.8.8', family: 4 }, ...LOOPBACK],
      'six.example': [
        { address: '8.8.8.8', family: 4 },
        { address: 'fe80::1', family: 6 },
      ],
      'metadata.example': [{ address: '169.254.169.254', family: 4 }],
    };
    const one = fetcher([], { resolve: async (host) => answers[host] ?? [] });
    for (const host of Object.keys(answers)) {
      assert.deepEqual(await one.fetch(`http://${host}/`), failure('refused'), host);
    }
    assert.deepEqual(await one.fetch('http://absent.example/'), failure('unresolved'));
  });

  it('resolves once and connects to the checked address, so that a second answer does not matter', async () => {
    const target = await origin(serve);
    let asked = 0;
    const rebinding = fetcher([], {
      // The first answer is public and not reachable from here; the second would be the target.
      resolve: async () => (asked++ === 0 ? [{ address: '192.0.1.1', family: 4 }] : LOOPBACK),
    });
    const result = await rebinding.fetch(`http://rebinding.example:${target.port}/`, { limitMs: 300 });
    assert.deepEqual(result, failure('unreachable'));
    assert.equal(asked, 1);
    assert.equal(target.connections(), 0);
  });

  it('keeps the name in the Host header and, for https, in SNI and the certificate, while the address is pinned', async () => {
    const tls = createCertificate(['images.example']);
    const plain = await origin(serve);
    const secure = await origin(serve, tls);
    let asked = 0;
    const one = fetcher(
      [`images.example:${plain.port}`, `images.example:${secure.port}`, `other.example:${secure.port}`],
      {
        ca: tls.cert,
        resolve: async () => {
          asked++;
          return LOOPBACK;
        },
      },
    );
    assert.ok((await one.fetch(`http://images.example:${plain.port}/a?b#c`)).ok);
    assert.ok((await one.fetch(`https://images.example:${secure.port}/a`)).ok);
    assert.equal(asked, 2);
    assert.equal(plain.requests[0]!.headers.host, `images.example:${plain.port}`);
    assert.equal(plain.requests[0]!.url, '/a?b');
    assert.equal((secure.requests[0]!.socket as unknown as { servername: string }).servername, 'images.example');
    assert.deepEqual(await one.fetch(`https://other.example:${secure.port}/`), failure('unreachable'));
    const distrusting = fetcher([`images.example:${secure.port}`], { resolve: async () => LOOPBACK });
    assert.deepEqual(await distrusting.fetch(`https://images.example:${secure.port}/`), failure('unreachable'));
  });

  it('skips the check for the allow-list, by exact host and port only', async () => {
    const target = await origin(serve);
    const other = await origin(serve);
    const one = fetcher([`127.0.0.1:${target.port}`]);
    assert.ok((await one.fetch(`http://127.0.0.1:${target.port}/`)).ok);
    assert.ok((await one.fetch(`http://0x7f.1:${target.port}/`)).ok);
    assert.deepEqual(await one.fetch(`http://127.0.0.1:${other.port}/`), failure('refused'));
    assert.deepEqual(await one.fetch(`http://localhost:${target.port}/`), failure('refused'));
    assert.equal(other.connections(), 0);
    const named = fetcher([`localhost:${target.port}`]);
    assert.ok((await named.fetch(`http://localhost:${target.port}/`)).ok);
  });

  it('goes to IPv6 destinations that the operator allows', async (t) => {
    const six = await startOrigin(serve, undefined, '::1').catch(() => undefined);
    if (!six) return t.skip('no IPv6 on this machine');
    closing.push(six.close);
    const result = await fetcher([`[::1]:${six.port}`]).fetch(`http://[::1]:${six.port}/`);
    assert.ok(result.ok);
    assert.equal(six.requests[0]!.headers.host, `[::1]:${six.port}`);
  });

  it('takes only URLs that are http or https, without user name or password, of a sane length [artifact.fetch]', async () => {
    const target = await origin(serve);
    const host = `127.0.0.1:${target.port}`;
    const one = fetcher([host]);
    const wrong = [
      ...['', 'x', '/a', 'ftp://example.com/', 'file:///etc/passwd', 'data:image/png;base64,AAAA', 'gopher://a/'],
      ...[
        `http://user@${host}/`,
        `http://:secret@${host}/`,
        'http://[fe80::1%25eth0]/',
        'http://a b/',
        'http://1.2.3.4.5/',
      ],
      `http://${host}/${'a'.repeat(IMAGE_LIMITS.urlCharacters)}`,
    ];
    for (const url of wrong) assert.deepEqual(await one.fetch(url), failure('url'), url.slice(0, 60));
    assert.equal(target.connections(), 0);
  });

  it('sends nothing of the environment', async () => {
    const target = await origin(serve);
    const trap = await origin(serve);
    const saved = { ...process.env };
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${trap.port}`;
    try {
      await outcome(target);
    } finally {
      for (const name of names) {
        if (saved[name] === undefined) delete process.env[name];
        else process.env[name] = saved[name];
      }
    }
    assert.equal(trap.connections(), 0);
    assert.deepEqual(target.requests[0]!.headers, {
      host: `127.0.0.1:${target.port}`,
      connection: 'keep-alive',
      'user-agent': 'weir/1.2.3',
      accept: 'image/jpeg, image/png, image/webp, image/gif',
      'accept-encoding': 'identity',
    });
  });
});

describe('redirects', () => {
  it('are followed three times, relative ones too [artifact.fetch]', async () => {
    const target = await origin((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left === 0) return response.end(IMAGE);
      response.writeHead([301, 302, 303, 307, 308][left % 5]!, { location: `./${left - 1}` }).end('elsewhere');
    });
    assert.equal(await outcome(target, 10_000, '/3'), `${IMAGE.length} bytes`);
    assert.equal(await outcome(target, 10_000, '/4'), 'redirects');
  });

  it('to a forbidden address, name or scheme, or with a password, are refused on every hop', async () => {
    const forbidden = await origin(serve);
    const locations = [
      ...[`http://127.0.0.1:${forbidden.port}/`, `http://0x7f.1:${forbidden.port}/`, `http://[::1]:${forbidden.port}/`],
      ...[`//127.1:${forbidden.port}/`, `http://private.example:${forbidden.port}/`, 'http://169.254.169.254/latest/'],
      ...['file:///etc/passwd', 'http://user:secret@8.8.8.8/', 'http://%', `http://8.8.8.8/${'a'.repeat(9000)}`],
    ];
    const target = await origin((request, response) => {
      const url = new URL(request.url!, 'http://x');
      const hops = Number(url.searchParams.get('hops'));
      const index = url.searchParams.get('index')!;
      const location = hops > 1 ? `/?hops=${hops - 1}&index=${index}` : locations[Number(index)]!;
      response.writeHead(302, { location }).end();
    });
    const host = `127.0.0.1:${target.port}`;
    const one = fetcher([host], { resolve: async () => LOOPBACK });
    for (const [index, location] of locations.entries()) {
      for (const hops of [1, 3]) {
        const result = await one.fetch(`http://${host}/?hops=${hops}&index=${index}`);
        assert.deepEqual(result, failure('refused'), location.slice(0, 60));
      }
    }
    assert.equal(forbidden.connections(), 0);
  });

  it('never lead from https down to http', async () => {
    const tls = createCertificate(['images.example']);
    const plain = await origin(serve);
    const secure = await origin((request, response) => {
      const location = request.url === '/up' ? '/image' : `http://images.example:${plain.port}/`;
      if (request.url === '/image') return response.end(IMAGE);
      response.writeHead(302, { location }).end();
    }, tls);
    const up = await origin((_, response) =>
      response.writeHead(302, { location: `https://images.example:${secure.port}/image` }).end(),
    );
    const one = fetcher(
      [plain, secure, up].map(({ port }) => `images.example:${port}`),
      { ca: tls.cert, resolve: async () => LOOPBACK },
    );
    assert.deepEqual(await one.fetch(`https://images.example:${secure.port}/down`), failure('refused'));
    assert.equal(plain.connections(), 0);
    assert.ok((await one.fetch(`https://images.example:${secure.port}/up`)).ok);
    assert.ok((await one.fetch(`http://images.example:${up.port}/`)).ok);
  });

  it('without a location are not an image', async () => {
    const target = await origin((_, response) => response.writeHead(302).end());
    assert.equal(await outcome(target), 'status_other');
  });
});

describe('the answer', () => {
  it('must have status 200', async () => {
    const target = await origin((request, response) => response.writeHead(Number(request.url!.slice(1))).end(IMAGE));
    for (const status of [400, 401, 403, 404, 410])
      assert.equal(await outcome(target, 10_000, `/${status}`), 'status_4xx');
    for (const status of [201, 204, 206, 300, 304, 408, 425, 429, 500, 503]) {
      assert.equal(await outcome(target, 10_000, `/${status}`), 'status_other', String(status));
    }
  });

  it('is counted while it streams, whatever length it states', async () => {
    const block = Buffer.alloc(1024 * 1024);
    const target = await origin((request, response) => {
      if (request.url === '/claims')
        return response.writeHead(200, { 'content-length': IMAGE_LIMITS.bytes + 1 }).write('x');
      if (request.url === '/most') {
        for (let i = 0; i < 10; i++) response.write(block);
        return response.end();
      }
      const more = (): void => {
        while (response.write(block));
        response.once('drain', more);
      };
      more();
    });
    assert.equal(await outcome(target, 10_000, '/claims'), 'too_large');
    assert.equal(await outcome(target, 10_000, '/most'), `${IMAGE_LIMITS.bytes} bytes`);
    assert.equal(await outcome(target, 10_000, '/endless'), 'too_large');
  });

  it('must not have a content encoding, since none was accepted', async () => {
    const target = await origin((request, response) => {
      const encoding = request.url!.slice(1);
      response.writeHead(200, { 'content-encoding': encoding }).end(encoding === 'gzip' ? gzipSync(IMAGE) : IMAGE);
    });
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'x-unknown']) {
      assert.equal(await outcome(target, 10_000, `/${encoding}`), 'encoding');
    }
    assert.equal(await outcome(target, 10_000, '/Identity'), `${IMAGE.length} bytes`);
  });

  it('must be complete: a connection that breaks off gives no image', async () => {
    const short = await bare((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this'));
    const chunked = await bare((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
    );
    const reset = await bare((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this', () => socket.resetAndDestroy());
    });
    const silent = await bare((socket) => socket.end());
    const nonsense = await bare((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const heads = await bare((socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`));
    for (const target of [short, chunked, reset, silent, nonsense, heads])
      assert.equal(await outcome(target), 'incomplete');
  });

  it('ends at the stated length, or with the connection if there is none', async () => {
    const long = await bare((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'),
    );
    const until = await bare((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'));
    assert.equal(await outcome(long), '5 bytes');
    assert.equal(await outcome(until), '5 bytes');
  });

  it('must come in time, at whatever step it is delayed [artifact.fetch]', async () => {
    const drips: NodeJS.Timeout[] = [];
    closing.push(async () => drips.forEach(clearInterval));
    const headers = await bare(() => undefined);
    const dripping = await bare((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
      drips.push(setInterval(() => socket.write('x'), 5));
    });
    const dripHeaders = await bare((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drips.push(setInterval(() => socket.write('x-drip: 1\r\n'), 5));
    });
    const half = await bare((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this'));
    const loop = await bare((socket) => {
      drips.push(setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5));
    });
    const targets = [headers, dripping, dripHeaders, half, loop];
    for (const result of await Promise.all(targets.map((target) => outcome(target, 300))))
      assert.equal(result, 'timeout');
  });

  it('is given up at every step when the caller says so', async () => {
    const slow = await bare(() => undefined);
    const host = `127.0.0.1:${slow.port}`;
    const one = fetcher([host], {
      resolve: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const stop = new AbortController();
    const hanging = one.fetch(`http://${host}/`, { signal: stop.signal });
    const resolving = one.fetch('http://slow.example/', { signal: stop.signal });
    await until('the connection stands', () => slow.connections() === 1);
    stop.abort();
    assert.deepEqual(await hanging, failure('timeout'));
    assert.deepEqual(await resolving, failure('unresolved'));
    assert.deepEqual(await one.fetch(`http://${host}/`, { signal: stop.signal }), failure('fetch_late'));
  });

  it('counts a TLS handshake that never ends as not reached', async () => {
    const mute = await bare(() => undefined);
    const host = `127.0.0.1:${mute.port}`;
    assert.deepEqual(await fetcher([host]).fetch(`https://${host}/`, { limitMs: 200 }), failure('unreachable'));
  });
});

describe('the report of a fetch', () => {
  it('has one note and one fault for refused, unresolved and unreachable, so that nobody can map a network [artifact.fetch]', async () => {
    const closed = await startOrigin(serve);
    await closed.close();
    const one = fetcher([`127.0.0.1:${closed.port}`], { resolve: async () => [] });
    const unreachable = await one.fetch(`http://127.0.0.1:${closed.port}/`);
    const refused = await one.fetch('http://127.0.0.1:1/');
    const unresolved = await one.fetch('http://absent.example/');
    const reasons = [unreachable, refused, unresolved].map((result) => (result.ok ? 'ok' : result.reason));
    assert.deepEqual(reasons, ['unreachable', 'refused', 'unresolved']);
    const told = [unreachable, refused, unresolved].map((result) => JSON.stringify({ ...result, reason: '' }));
    assert.equal(new Set(told).size, 1);
  });

  it('comes once for each fetch, with outcome, bytes and redirects, and no address', async () => {
    const events: FetchEvent[] = [];
    const target = await origin((request, response) => {
      if (request.url !== '/image') return response.writeHead(302, { location: '/image' }).end();
      response.end(IMAGE);
    });
    const host = `127.0.0.1:${target.port}`;
    const one = fetcher([host], { observe: (event) => events.push(event) });
    await one.fetch(`http://${host}/?secret=1`);
    await one.fetch('http://127.0.0.1:1/');
    const told = events.map(({ outcome, bytes, redirects }) => ({ outcome, bytes, redirects }));
    assert.deepEqual(told, [
      { outcome: 'fetched', bytes: IMAGE.length, redirects: 1 },
      { outcome: 'refused', bytes: 0, redirects: 0 },
    ]);
    // Times are left out: their digits may contain 127.
    const texts = JSON.stringify(events, (_, value: unknown) => (typeof value === 'number' ? 0 : value));
    assert.doesNotMatch(texts, /127|secret/);
  });
});

describe('the same image again', () => {
  it('is asked for with its validator, and comes from the cache only when the origin says so', async () => {
    let etag = '"one"';
    const target = await origin((request, response) => {
      if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
      response.writeHead(200, { etag }).end(`image ${etag}`);
    });
    const host = `127.0.0.1:${target.port}`;
    const one = fetcher([host]);
    const get = async () => {
      const result = await one.fetch(`http://${host}/a?b`);
      assert.ok(result.ok);
      return { text: result.bytes.toString(), cached: result.cached };
    };
    assert.deepEqual(await get(), { text: 'image "one"', cached: false });
    assert.deepEqual(await get(), { text: 'image "one"', cached: true });
    etag = '"two"';
    assert.deepEqual(await get(), { text: 'image "two"', cached: false });
    assert.deepEqual(await get(), { text: 'image "two"', cached: true });
    assert.deepEqual(one.counts(), { taken: 0, waiting: 0, cachedImages: 1, cachedBytes: 11 });
  });

  it('is fetched whole when the origin forbids storing it, and dropped when it is gone', async () => {
    let status = 200;
    let headers: Record<string, string> = { etag: '"a"', 'cache-control': 'no-store' };
    const target = await origin((_, response) => response.writeHead(status, headers).end(IMAGE));
    const host = `127.0.0.1:${target.port}`;
    const one = fetcher([host]);
    await one.fetch(`http://${host}/`);
    assert.equal(one.counts().cachedImages, 0);
    headers = { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    await one.fetch(`http://${host}/`);
    assert.equal(one.counts().cachedImages, 1);
    status = 404;
    assert.deepEqual(await one.fetch(`http://${host}/`), failure('status_4xx'));
    assert.equal(target.requests[2]!.headers['if-modified-since'], 'Mon, 01 Jan 2024 00:00:00 GMT');
    assert.equal(one.counts().cachedImages, 0);
  });

  it('is checked again: a cached image does not outlive the permission to fetch it', async () => {
    const target = await origin((_, response) => response.writeHead(200, { etag: '"a"' }).end(IMAGE));
    const allowed = new Set([target.port]);
    const one = createFetcher({
      allow: { includes: (url) => allowed.has(Number(url.port)) },
      version: '0',
      resolve: async () => LOOPBACK,
    });
    assert.ok((await one.fetch(`http://images.example:${target.port}/`)).ok);
    allowed.clear();
    assert.deepEqual(await one.fetch(`http://images.example:${target.port}/`), failure('refused'));
  });
});

describe('slots', () => {
  it('are limited for each host, so that a host that hangs blocks no others', async () => {
    const hanging = await bare(() => undefined);
    const quick = await origin(serve);
    const one = fetcher(
      [hanging, quick].map(({ port }) => `127.0.0.1:${port}`),
      { slots: { total: 3, perHost: 2, waiting: 2 } },
    );
    const stop = new AbortController();
    const hung = Array.from({ length: 4 }, () =>
      one.fetch(`http://127.0.0.1:${hanging.port}/`, { signal: stop.signal }),
    );
    await until('the host is full', () => one.counts().waiting === 2 && hanging.connections() === 2);
    assert.ok((await one.fetch(`http://127.0.0.1:${quick.port}/`)).ok);
    assert.deepEqual(await one.fetch(`http://127.0.0.1:${hanging.port}/`), failure('fetch_busy'));
    stop.abort();
    const reasons = (await Promise.all(hung)).map((result) => (result.ok ? 'ok' : result.reason));
    assert.deepEqual(reasons, ['timeout', 'timeout', 'fetch_late', 'fetch_late']);
    assert.deepEqual({ taken: one.counts().taken, waiting: one.counts().waiting }, { taken: 0, waiting: 0 });
    assert.equal(hanging.connections(), 2);
  });
});
