/** What the SDK does not send over HTTP, and servers that it does not make. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { gate } from '../../support/wait.ts';
import { startProxy, type WayOptions } from './ways.ts';

const CARD = '4111 1111 1111 1111';

interface Setting {
  url: string;
  said(): string;
  heard: { headers: IncomingMessage['headers']; method: string; body: string }[];
}

/** Runs `test` with a proxy before a server that answers so. */
async function behind(
  given: WayOptions,
  answer: (from: IncomingMessage, to: ServerResponse, body: string) => void,
  test: (setting: Setting) => Promise<void>,
): Promise<void> {
  const heard: Setting['heard'] = [];
  const server = createServer((from, to) => {
    void text(from).then((body) => {
      heard.push({ headers: from.headers, method: from.method ?? '', body });
      answer(from, to, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await startProxy(given, port);
  try {
    await test({ url: proxy.url, said: proxy.said, heard });
  } finally {
    const gone = once(proxy.child, 'exit');
    proxy.child.kill('SIGTERM');
    await gone;
    server.closeAllConnections();
    server.close();
  }
}

const call = (id: unknown, said: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: said } },
});
const result = (id: unknown, said: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: said }] },
});

const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** As `fetch` does not send it: with a Host of its own. */
async function statusFor(url: string, headers: Record<string, string>): Promise<number> {
  const asked = request(url, { method: 'POST', headers });
  asked.end('{}');
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode!;
}

const json = (to: ServerResponse, value: unknown): void => {
  to.writeHead(200, { 'content-type': 'application/json' });
  to.end(JSON.stringify(value));
};

export function httpTests(given: () => WayOptions): void {
  it('lets no page of others in, and has one endpoint', async () => {
    await behind(
      given(),
      (_, to) => json(to, {}),
      async ({ url, heard }) => {
        assert.equal(await statusFor(url, { host: 'evil.example' }), 403);
        assert.equal(await statusFor(url, { origin: 'https://evil.example' }), 403);
        assert.equal(await statusFor(url, { origin: 'null' }), 403);
        assert.equal((await post(url, 'no JSON', { origin: 'http://localhost:6274' })).status, 400);
        assert.equal((await post(`${url}/more`, {})).status, 404);
        const other = await fetch(url, { method: 'PUT' });
        assert.deepEqual([other.status, other.headers.get('allow')], [405, 'GET, POST, DELETE']);
        const preflight = await fetch(url, {
          method: 'OPTIONS',
          headers: { origin: 'http://localhost:6274', 'access-control-request-headers': 'mcp-session-id, x-other' },
        });
        assert.equal(preflight.status, 204);
        assert.equal(preflight.headers.get('access-control-allow-headers'), 'mcp-session-id');
        assert.deepEqual(heard, []);
      },
    );
  });

  it('passes headers of the protocol on, and no other', async () => {
    const answer = (_: IncomingMessage, to: ServerResponse): void => {
      to.setHeader('mcp-session-id', 's1');
      to.setHeader('x-other', 'secret');
      to.writeHead(202).end();
    };
    await behind(given(), answer, async ({ url, heard }) => {
      const headers = {
        'mcp-session-id': 's0',
        'last-event-id': 'e7',
        'mcp-protocol-version': '2025-11-25',
        authorization: 'Bearer x',
        cookie: 'a=b',
      };
      const response = await fetch(url, { headers });
      assert.deepEqual(
        [response.status, response.headers.get('mcp-session-id'), response.headers.get('x-other')],
        [202, 's1', null],
      );
      const { cookie, ...sent } = headers;
      const [first] = heard;
      for (const [name, value] of Object.entries(sent)) assert.equal(first!.headers[name], value);
      assert.equal(first!.headers.cookie, undefined);
      await fetch(url, { method: 'DELETE', headers });
      assert.equal(heard[1]!.method, 'DELETE');
    });
  });

  it('hands on a stream event by event, with its ids, and stops events within', async () => {
    const answer = (_: IncomingMessage, to: ServerResponse): void => {
      to.writeHead(200, { 'content-type': 'text/event-stream' });
      to.write('id: e0\nretry: 500\ndata:\n\n: alive\n\n');
      to.write(`event: message\r\nid: e1\r\ndata: ${JSON.stringify(result(9, CARD))}\r\n\r\n`);
      to.write(`event: other\ndata: ${JSON.stringify(result(9, 'of no kind'))}\n\ndata: no message\n\n`);
      to.end(`id: e2\ndata: {"jsonrpc":"2.0","id":1,\ndata: "result":{"content":[]}}\n\n`);
    };
    await behind(given(), answer, async ({ url, said }) => {
      const said1 = await (await post(url, call(1, 'Good morning.'))).text();
      assert.ok(said1.startsWith('id: e0\ndata: \n\n') || said1.startsWith('retry: 500\n\nid: e0\ndata: \n\n'), said1);
      assert.match(said1, /\n:\n\n/);
      assert.match(
        said1,
        /id: e1\nevent: message\ndata: \{"jsonrpc":"2\.0","id":9,"error":\{"code":-32000,"message":"Stopped by Weir/,
      );
      assert.match(said1, /id: e2\ndata: \{"jsonrpc":"2.0","id":1,\ndata: "result":\{"content":\[\]\}\}\n\n$/);
      assert.doesNotMatch(said1, /4111|of no kind|no message/);
      assert.match(said(), /dropped: an event of the server: This is not JSON/);
    });
  });

  it('answers for what it stops of a batch beside the answer of the server', async () => {
    const answer = (_: IncomingMessage, to: ServerResponse, body: string): void => {
      const messages = JSON.parse(body) as { id: number }[];
      if (messages[0]!.id === 2) {
        json(to, [result(2, 'fine')]);
        return;
      }
      to.writeHead(200, { 'content-type': 'text/event-stream' });
      to.end(`data: ${JSON.stringify(result(messages[0]!.id, 'fine'))}\n\n`);
    };
    await behind(given(), answer, async ({ url, heard }) => {
      const both = (await (await post(url, [call(1, CARD), call(2, 'Good morning.')])).json()) as {
        id: number;
        result: { isError?: boolean };
      }[];
      assert.deepEqual(both.map(({ id, result: { isError = false } }) => [id, isError]).sort(), [
        [1, true],
        [2, false],
      ]);
      assert.doesNotMatch(heard[0]!.body, /4111/);
      const stream = await (await post(url, [call(1, CARD), call(3, 'Good morning.')])).text();
      assert.match(
        stream,
        /^data: \[\{"jsonrpc":"2\.0","id":1,"result":\{.*"isError":true\}\}\]\n\ndata: \{"jsonrpc":"2\.0","id":3/,
      );
      const alone = (await (await post(url, [call(1, CARD)])).json()) as { id: number }[];
      assert.deepEqual([alone.length, heard.length], [1, 2]);
      const notified = await post(url, { jsonrpc: '2.0', method: 'notifications/message', params: { data: CARD } });
      assert.deepEqual([notified.status, heard.length], [202, 2]);
    });
  });

  it('lets nothing by that it cannot look at', async () => {
    const answers: Record<string, (to: ServerResponse) => void> = {
      redirect: (to) => to.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
      html: (to) => to.writeHead(200, { 'content-type': 'text/html' }).end(CARD),
      plain: (to) => to.writeHead(200, { 'content-type': 'application/json' }).end(`{"text":"${CARD}"}`),
      packed: (to) =>
        to
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(Buffer.from([31, 139, 8, 0])),
      large: (to) => json(to, result(1, 'x'.repeat(70_000))),
      event: (to) =>
        to
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: ${JSON.stringify(result(1, 'x'.repeat(70_000)))}\n\n`),
      failed: (to) => to.writeHead(401, { 'content-type': 'text/plain', 'www-authenticate': 'Bearer' }).end(CARD),
      gone: (to) => to.destroy(),
    };
    let which = '';
    const options = ['--max-bytes', '65536'];
    await behind(
      { ...given(), options },
      (_, to) => answers[which]!(to),
      async ({ url, said, heard }) => {
        for (const name of Object.keys(answers)) {
          which = name;
          const response = await post(url, call(1, 'Good morning.'));
          const body = await response.text();
          assert.doesNotMatch(body, /4111/, name);
          const isError = /"id":1,"error":\{"code":-32000/.test(body);
          if (name === 'failed')
            assert.deepEqual([response.status, response.headers.get('www-authenticate'), body], [401, 'Bearer', '']);
          else assert.deepEqual([response.status, isError], [name === 'event' ? 200 : 502, true], `${name}: ${body}`);
        }
        const before = heard.length;
        assert.equal((await post(url, call(1, 'x'.repeat(70_000)))).status, 413);
        const headers = {
          'mcp-method': 'tools/call',
          'mcp-param-card': `=?base64?${Buffer.from(CARD).toString('base64')}?=`,
        };
        const withHeader = await post(url, call(1, 'Good morning.'), headers);
        assert.deepEqual([withHeader.status, heard.length], [400, before]);
        assert.doesNotMatch(said(), /4111/);
      },
    );
  });

  it('refuses more requests at once than it takes, and ends those whose client has gone', async () => {
    const [arrived, left] = [gate(), gate()];
    const answer = (from: IncomingMessage, to: ServerResponse): void => {
      arrived.end();
      to.once('close', () => left.end());
      from.resume();
    };
    await behind({ ...given(), options: ['--in-flight', '1'] }, answer, async ({ url }) => {
      const controller = new AbortController();
      const first = fetch(url, { signal: controller.signal });
      await arrived.open;
      const second = await post(url, call(1, 'Good morning.'));
      assert.deepEqual([second.status, second.headers.get('retry-after')], [503, '1']);
      controller.abort();
      await assert.rejects(first);
      await left.open;
    });
  });
}
