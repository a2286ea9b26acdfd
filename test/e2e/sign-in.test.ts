/** A person signs in to the console in a browser, looks, and leaves. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildDirectory } from '#weir/ingress/admission/directory';
import { createLogins } from '#weir/ingress/logins/logins';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { createLogger } from '#weir/shared/log';
import { type Ingress, startIngress } from '../ingress/support.ts';
import { startBrowser } from '../support/api/chromium.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/api/identity-provider.ts';
import { sharedRedis } from '../support/stores/redis.ts';

const { redis } = await sharedRedis();
const WAIT_MS = 240_000;

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the console for people who sign in', { timeout: 600_000 }, () => {
  let provider: TestProvider;
  let ingress: Ingress;
  let browser: Browser;
  let page: Page;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), 'weir-sign-in-'));
  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await startProvider(`${url}/console/callback`);
    provider.people.set('ann', ['judges']);
    const secret = join(folder, 'secret');
    writeFileSync(secret, CLIENT.secret);
    const loaded = loadConfiguration(
      'version: 1\nteams: [{id: acme}]\nenvironments: [{id: prod, team: acme}]\nlogins: [{group: judges, team: acme, role: reviewer, environments: [prod]}]',
      'f.yaml',
    );
    assert.ok(loaded.ok);
    const directory = buildDirectory(loaded.configuration, { version: 1, id: '1-a@b' });
    const settings = {
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecretFile: secret,
      oidcRedirectUrl: `${url}/console/callback`,
      oidcScopes: 'openid email profile',
      oidcGroupsClaim: 'groups',
      oidcUserClaim: 'email',
      loginIdleMinutes: 30,
      loginHours: 8,
    };
    const logger = createLogger('ingress', 'silent');
    const logins = createLogins(redis, settings, { logger, directory: () => directory })!;
    ingress = await startIngress({ port }, { logins, directory: () => directory });
    browser = await startBrowser();
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(WAIT_MS);
  });
  after(async () => {
    await browser?.close();
    await ingress?.server.close();
    await provider?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows what their role sees, under their name, until they leave [login.flow]', async () => {
    await page.goto(`${url}/console`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.locator('input[name=login]').fill('ann');
    await page.locator('input[name=password]').fill('x');
    await page.locator('button[type=submit]').click();
    const who = page.locator('.who');
    await who.waitFor();
    assert.match((await who.textContent())!, /acme · ann@example\.com/);
    const views = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents();
    assert.deepEqual(views, ['History', 'Find', 'Risk', 'Review']);
    assert.equal(await page.evaluate('document.cookie'), '', 'no script sees the cookie');
    // The page is loaded anew, and they are still there.
    await page.goto(`${url}/console`);
    await who.waitFor();
    const left = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Leave' }).click();
    assert.equal((await left).status(), 200);
    await page.goto(`${url}/console`);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.equal(await who.count(), 0);
    assert.deepEqual(
      ingress.told.map(({ action, actor }) => `${action} ${actor.id}`),
      ['login.begun ann@example.com', 'login.ended ann@example.com'],
    );
  });
});
