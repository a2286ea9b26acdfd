import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ClickHouseError, TupleParam } from '@clickhouse/client';
import { type Asker, type ClosableAsker, createAsker } from '#weir/shared/history/read/asker';
import { packageRoot } from '#weir/shared/paths';
import { createCertificate } from '../../../support/network/certificate.ts';
import { startOrigin } from '../../../support/network/origin.ts';
import { sharedHistory } from '../../../support/stores/clickhouse.ts';
import { until } from '../../../support/wait.ts';

const run = promisify(execFile);

const { engine } = await sharedHistory();

const rowsOf = async (asker: Asker, query: string, query_params: Record<string, unknown> = {}): Promise<unknown[]> =>
  (await asker.query({ query, query_params, format: 'JSONEachRow' })).json();

/** A server that answers as `handle` says, and one that asks it. */
async function served(
  t: TestContext,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { host = '127.0.0.1', ...options }: { host?: string; timeoutMs?: number; connections?: number } = {},
): Promise<{ asker: ClosableAsker; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer(handle).on('connection', (socket) => sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const asker = createAsker({ url: `http://us%40er:p%3Aass@${host}:${port}`, database: 'weir', ...options });
  t.after(async () => {
    await asker.close();
    server.closeAllConnections();
    server.close();
  });
  return { asker, sockets };
}

describe('the queries of look-ups', () => {
  const asker = createAsker({ url: engine.url, database: 'weir' });

  it('have their parameters as they are, whatever is in them', async () => {
    const hostile = [
      '',
      "it's",
      '\\',
      "\\'",
      '\t\n\r',
      '\\N',
      'NULL',
      "'], [('",
      '{a:String}',
      '事😀',
      '\u0001\u007f',
      'a&b=c+d%20;#',
    ];
    const query = `SELECT {text:String} AS text, {texts:Array(String)} AS texts, {n:UInt32} AS n,
      {pairs:Array(Tuple(String, UInt8))} AS pairs`;
    const parameters = (text: string) => ({
      text,
      texts: [text, ...hostile],
      n: 7,
      pairs: [new TupleParam([text, 1]), new TupleParam(['b', 2])],
    });
    for (const text of hostile) {
      const found = await rowsOf(asker, query, parameters(text));
      const pairs = [
        [text, 1],
        ['b', 2],
      ];
      assert.deepEqual(found, [{ text, texts: [text, ...hostile], n: 7, pairs }]);
    }
    assert.deepEqual(await rowsOf(asker, 'SELECT 1 AS n WHERE 0'), []);
    assert.equal((await rowsOf(asker, 'SELECT number FROM numbers(10000)')).length, 10_000);
  });

  it('fail with the error of ClickHouse, and as one whose rows are cut off by it', async (t) => {
    await assert.rejects(rowsOf(asker, 'SELECT * FROM nothing'), (error) => {
      assert.ok(error instanceof ClickHouseError);
      assert.deepEqual([error.code, error.type], ['60', 'UNKNOWN_TABLE']);
      return true;
    });
    const bodies = [
      '{"n":1}\nCode: 159. DB::Exception: too slow',
      '{"n":1}\n\r\n__exception__\r\n',
      '{"n":1}\n{"n"',
      '{"n"',
    ];
    const { asker: cut } = await served(t, (_, response) => response.end(bodies.shift()));
    while (bodies.length > 0) await assert.rejects(rowsOf(cut, 'SELECT 1'), SyntaxError);
    const { asker: broken } = await served(t, (_, response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('{"n":1}\n', () => response.destroy());
    });
    await assert.rejects(rowsOf(broken, 'SELECT 1'));
  });

  it('go with the settings, the database and the user', async (t) => {
    const seen: IncomingMessage[] = [];
    const zipped = (request: IncomingMessage, response: ServerResponse): void => {
      seen.push(request);
      response.setHeader('Content-Encoding', 'gzip');
      response.end(gzipSync('{"n":1}\n'));
    };
    const { asker: other } = await served(t, zipped);
    const question = {
      query: 'SELECT 1 AS n',
      format: 'JSONEachRow',
      clickhouse_settings: { max_threads: 1 },
    } as const;
    assert.deepEqual(await (await other.query(question)).json(), [{ n: 1 }]);
    const { searchParams } = new URL(seen[0]!.url!, 'http://local');
    assert.equal(searchParams.get('database'), 'weir');
    assert.equal(searchParams.get('max_threads'), '1');
    assert.equal(seen[0]!.method, 'POST');
    assert.equal(seen[0]!.headers['accept-encoding'], undefined);
    assert.equal(seen[0]!.headers.authorization, `Basic ${Buffer.from('us@er:p:ass').toString('base64')}`);
    // An address of this machine that does not look like one: what comes over a network is compressed.
    const { asker: far } = await served(t, zipped, { host: '[::ffff:127.0.0.1]' });
    assert.deepEqual(await rowsOf(far, 'SELECT 1 AS n'), [{ n: 1 }]);
    assert.equal(new URL(seen[1]!.url!, 'http://local').searchParams.get('enable_http_compression'), '1');
    assert.equal(seen[1]!.headers['accept-encoding'], 'gzip');
  });

  it('end with their signal and after their time', async (t) => {
    const { asker: silent } = await served(t, () => {}, { timeoutMs: 50 });
    await assert.rejects(rowsOf(silent, 'SELECT 1'), /Timeout error/);
    const { asker: slow, sockets } = await served(t, () => {});
    const gone = new AbortController();
    const asked = slow.query({ query: 'SELECT 1', format: 'JSONEachRow', abort_signal: gone.signal });
    const ended = assert.rejects(asked, /aborted/);
    while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await ended;
    if (!sockets[0]!.closed) await once(sockets[0]!, 'close');
  });

  it('end with their signal behind the head of an answer, too', async (t) => {
    const gone = new AbortController();
    let head = false;
    const { asker: stalled, sockets } = await served(t, (_, response) => {
      // More than the system buffers: once it is written, some of it has been read.
      response.write('{"n":1}\n'.repeat(2 << 20), () => {
        head = true;
      });
    });
    const asked = stalled.query({ query: 'SELECT 1', format: 'JSONEachRow', abort_signal: gone.signal });
    const ended = assert.rejects(asked);
    await until('the head has come', () => head);
    gone.abort();
    await ended;
    await until('its connection is gone', () => sockets[0]!.closed);
  });

  it('share connections', async (t) => {
    const { asker: other, sockets } = await served(t, (_, response) => response.end('{"n":1}\n'), { connections: 1 });
    for (let i = 0; i < 3; i++) assert.deepEqual(await rowsOf(other, 'SELECT 1'), [{ n: 1 }]);
    assert.equal(sockets.length, 1);
  });

  it('go through TLS, to a server whose certificate is trusted', async (t) => {
    const tls = createCertificate(['localhost']);
    const origin = await startOrigin((_, response) => response.end('{"n":1}\n'), tls);
    t.after(() => origin.close());
    const url = `https://localhost:${origin.port}`;
    const unknown = createAsker({ url, database: 'weir' });
    t.after(() => unknown.close());
    await assert.rejects(rowsOf(unknown, 'SELECT 1 AS n'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    assert.equal(origin.requests.length, 0);
    // Node reads what is trusted besides when it starts.
    const folder = await mkdtemp(join(tmpdir(), 'weir-tls-'));
    t.after(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'ca.pem'), tls.cert);
    const asks = `const { createAsker } = await import(process.argv[1]);
      const asker = createAsker({ url: process.argv[2], database: 'weir' });
      const answer = await asker.query({ query: 'SELECT 1 AS n', format: 'JSONEachRow' });
      console.log(JSON.stringify(await answer.json()));
      await asker.close();`;
    const { stdout } = await run(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        asks,
        pathToFileURL(join(packageRoot, 'dist/shared/history/read/asker.js')).href,
        url,
      ],
      { env: { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') } },
    );
    assert.equal(stdout, '[{"n":1}]\n');
  });

  it('are those of the client of ClickHouse where the address says more', async () => {
    const named = createAsker({ url: `${engine.url}/weir?request_timeout=5000`, database: 'other' });
    assert.deepEqual(await rowsOf(named, 'SELECT currentDatabase() AS name'), [{ name: 'weir' }]);
    await Promise.all([named.close(), asker.close()]);
  });
});
