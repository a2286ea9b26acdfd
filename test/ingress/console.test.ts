import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, sharedIngress } from './support.ts';

const bare = { authorization: undefined, 'service-version': undefined, 'content-type': undefined };

describe('the console', () => {
  const ingress = sharedIngress();
  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    ingress.call({ method: 'GET', path, headers: { ...bare, ...headers } });

  it('is a page with a script and a style sheet of its own, which browsers keep', async () => {
    for (const [path, type] of [
      ['/console', 'text/html; charset=utf-8'],
      ['/console/console.js', 'text/javascript; charset=utf-8'],
      ['/console/console.css', 'text/css; charset=utf-8'],
    ] as const) {
      const { status, headers, text } = await get(path);
      assert.deepEqual([status, headers['content-type'], text !== ''], [200, type, true], path);
      assert.equal((await get(path, { 'if-none-match': headers.etag! })).status, 304, path);
    }
    for (const name of ['index.html', 'main.tsx', 'toString', '%2e%2e%2fpackage.json']) {
      assert.equal((await get(`/console/${name}`)).status, 404, name);
    }
  });
});

describe('an ingress whose console is off', () => {
  const ingress = sharedIngress({ console: 'off' });

  it('has none, and no link to it', async () => {
    for (const path of ['/console', '/console/console.js']) {
      assert.equal((await ingress.call({ method: 'GET', path, headers: bare })).status, 404, path);
    }
    const home = await ingress.call({ method: 'GET', path: '/', headers: { ...bare, accept: 'text/html' } });
    assert.equal(home.status, 200);
    assert.doesNotMatch(home.text, /console/);
    assert.match(home.text, /href="docs"/);
  });
});
