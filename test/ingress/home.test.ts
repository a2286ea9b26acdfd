import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { DEMO_KEY, DEMO_KEY_SHA256 } from '#weir/shared/configuration/api-keys';
import { packageVersion } from '#weir/shared/paths';
import { assertHas } from '../support/has.ts';
import { type Answer, sharedIngress } from './support.ts';

/** What browsers send for a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('GET /', () => {
  const ingress = sharedIngress();
  const bare = { authorization: undefined, 'service-version': undefined, 'content-type': undefined };
  const get = (headers: Record<string, string> = {}): Promise<Answer> =>
    ingress.call({ method: 'GET', path: '/', headers: { ...bare, ...headers } });

  it('leads on, as JSON for programs, and every address it names is there', async () => {
    const answer = await get();
    assertHas(answer.headers, { 'content-type': 'application/json', vary: 'accept' });
    const { service, release, ...links } = answer.json as Record<string, string>;
    assert.deepEqual([service, release], ['Weir', packageVersion()]);
    assert.deepEqual(Object.keys(links), ['docs', 'openapi', 'healthz', 'readyz']);
    for (const path of Object.values(links)) {
      assert.equal((await ingress.call({ method: 'GET', path, headers: bare })).status, 200, path);
    }
  });

  it('is a page for who names HTML, and JSON for who takes anything or wants JSON more', async () => {
    const typeFor = async (accept: string): Promise<string> => (await get({ accept })).headers['content-type'] ?? '';
    for (const accept of [BROWSER, 'text/html', 'TEXT/HTML ; q=0.5', 'application/json;q=0.1, text/html;q=0.2']) {
      assert.equal(await typeFor(accept), 'text/html; charset=utf-8', accept);
    }
    const others = ['*/*', '', 'application/json', 'text/html;q=0', 'text/html;q=x', 'text/*', ',;,=', 'text/html2'];
    for (const accept of [...others, 'text/html;q=0.4, application/json']) {
      assert.equal(await typeFor(accept), 'application/json', accept);
    }
  });

  it('may run its one script alone, and send to its own origin alone', async () => {
    const { headers, text } = await get({ accept: BROWSER });
    const policy = headers['content-security-policy'] ?? '';
    assert.doesNotMatch(policy, /unsafe|http|data:|\*/);
    assert.match(policy, /^default-src 'none'; /);
    assert.match(policy, /form-action 'none'/);
    for (const element of ['script', 'style']) {
      const all = [...text.matchAll(new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, 'g'))];
      assert.equal(all.length, 1);
      assert.ok(policy.includes(`${element}-src 'sha256-${hash('sha256', all[0]![1]!, 'base64')}';`), element);
    }
    assert.doesNotMatch(text, /https?:|\/\/[a-z]|\s(?:style|on\w+)="|innerHTML/);
  });

  it('has links that work without a script and below a prefix, and no key', async () => {
    const { text } = await get({ accept: BROWSER });
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!);
    assert.deepEqual(
      new Set(links),
      new Set(['docs/favicon-32x32.png', 'console', 'docs', 'openapi.json', 'healthz', 'readyz']),
    );
    for (const path of links) {
      assert.equal((await ingress.call({ method: 'GET', path: `/${path}`, headers: bare })).status, 200, path);
    }
    for (const secret of [DEMO_KEY, DEMO_KEY_SHA256]) assert.ok(!text.includes(secret));
    assert.ok(text.includes(`<small>${packageVersion()}</small>`));
    assert.match(text, /<form id="try" autocomplete="off" hidden>/);
  });

  it('is answered 304 to a caller that has the same kind of it', async () => {
    const [page, json] = [await get({ accept: BROWSER }), await get()];
    assert.notEqual(page.headers.etag, json.headers.etag);
    const again = await get({ accept: BROWSER, 'if-none-match': page.headers.etag! });
    assert.deepEqual([again.status, again.headers.vary], [304, 'accept']);
    assert.equal((await get({ 'if-none-match': page.headers.etag! })).status, 200);
  });
});
