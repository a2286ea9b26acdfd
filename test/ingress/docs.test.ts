import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import { openapiText } from '#weir/shared/api/openapi';
import { assertHas } from '../support/has.ts';
import { until } from '../support/wait.ts';
import { type Answer, request, sharedIngress } from './support.ts';

describe('the interface, shown', () => {
  const ingress = sharedIngress();
  const bare = { authorization: undefined, 'service-version': undefined, 'content-type': undefined };
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    ingress.call({ method, path, headers: { ...bare, ...headers } });

  it('is at /openapi.json, without key and version [general.openapi]', async () => {
    const answer = await get('/openapi.json');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.text, openapiText());
    assert.equal(answer.json.openapi, '3.1.0');
  });

  it('is a page at /docs that may load from its own origin only', async () => {
    const answer = await get('/docs');
    assert.equal(answer.status, 200);
    assertHas(answer.headers, { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' });
    const policy = answer.headers['content-security-policy'] ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /http|\*|unsafe-eval|script-src[^;]*unsafe/);
    assert.doesNotMatch(answer.text, /https?:|\/\//);
    const loaded = [...answer.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => `/${path}`);
    assert.ok(loaded.length >= 4);
    for (const path of loaded) {
      const file = await get(path);
      assert.equal(file.status, 200, path);
      assert.match(file.headers['content-type'] ?? '', /^(text\/(javascript|css); charset=utf-8|image\/png)$/, path);
      assert.ok(Number(file.headers['content-length']) > 100, path);
    }
  });

  it('answers 304 to a caller that has it, and 200 to one that has another version', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/swagger-ui.css']) {
      const { etag = '', ...headers } = (await get(path)).headers;
      assert.match(etag, /^"[\w-]{20,}"$/);
      assert.equal(headers['cache-control'], 'no-cache');
      for (const sent of [etag, `"other", W/${etag}`]) {
        const again = await get(path, { 'if-none-match': sent });
        assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
      }
      assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
    }
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js']) {
      const whole = await get(path);
      const head = await get(path, {}, 'HEAD');
      assertHas(head, { status: 200, text: '' });
      assert.equal(head.headers.etag, whole.headers.etag);
    }
  });

  it('closes the connection after a 304 and after HEAD, so that heads cannot pile up', async () => {
    const { etag = '', 'content-length': length } = (await get('/docs')).headers;
    for (const [status, first] of [
      [304, { method: 'GET', path: '/docs', headers: { ...bare, 'if-none-match': etag } }],
      [200, { method: 'HEAD', path: '/docs', headers: bare }],
    ] as const) {
      const [answer] = await ingress.raw([request(first)], { head: true });
      assert.equal(answer?.status, status);
      assertHas(answer.headers, { connection: 'close', 'content-length': length });
    }
  });

  it('is sent whole to a caller that reads slowly, and delays no other', async () => {
    const whole = await get('/docs/swagger-ui-bundle.js');
    const socket = net.connect(ingress.server.port, '127.0.0.1');
    try {
      socket.pause();
      socket.write(request({ method: 'GET', path: '/docs/swagger-ui-bundle.js', headers: bare }));
      assert.equal((await get('/healthz')).status, 200);
      let bytes = Buffer.alloc(0);
      socket.on('data', (data) => {
        bytes = Buffer.concat([bytes, data]);
      });
      socket.resume();
      await until('it is sent whole', () => bytes.length >= whole.text.length);
      assert.ok(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).equals(Buffer.from(whole.text)));
    } finally {
      socket.destroy();
    }
  });

  it('has no other file, whatever the path', async () => {
    const names = ['package.json', 'index.html', 'swagger-ui.js', '..%2f..%2fpackage.json', '__proto__', 'constructor'];
    for (const path of [...names.map((name) => `/docs/${name}`), '/docs/', '/docs/../package.json', '/docs/a/b']) {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.error.code], [404, 'not_found'], path);
    }
  });

  it('takes GET and HEAD only', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/swagger-ui.css']) {
      const answer = await get(path, {}, 'POST');
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD'], path);
    }
  });

  it('is counted like every other route', async () => {
    const text = await ingress.registry.metrics();
    assert.match(text, /weir_http_request_seconds_count\{route="GET \/docs\/\{file\}",status="2xx"\} [1-9]/);
    assert.match(text, /weir_http_in_flight 0\n/);
  });
});
