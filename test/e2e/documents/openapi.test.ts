/** The OpenAPI document against the running system: its examples, a client made from it, and the page that shows it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import { LIMITS } from '#weir/shared/api/limits';
import { openapiText } from '#weir/shared/api/openapi';
import { createKey, DEMO_KEY, hashKey } from '#weir/shared/configuration/api-keys';
import { packageRoot } from '#weir/shared/paths';
import { startBrowser } from '../../support/api/chromium.ts';
import { errorIn } from '../../support/api/errors.ts';
import { assertDocumented, operationOf } from '../../support/api/openapi.ts';
import { type System, startSystem } from '../system.ts';
import { COMPILER, program } from './openapi-client.ts';

const run = promisify(execFile);
const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

/** The sample configuration. */
const SAMPLE = readFileSync(join(packageRoot, 'deploy/local/weir.yaml'), 'utf8');
const OPERATOR_KEY = createKey();
/** The same with the key of an operator, which no sample has. */
const CONFIGURATION = SAMPLE.replace(
  /^keys:\n/m,
  `keys:\n- {id: operator, sha256: ${hashKey(OPERATOR_KEY)}, scopes: [operate]}\n`,
);

/** The program in docs/clients.md that uses a generated client. */
function documentedProgram(): string {
  const page = readFileSync(join(packageRoot, 'docs/clients.md'), 'utf8');
  const [, found] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].find(([, code]) => code!.includes('openapi-fetch'))!;
  return found!;
}

interface Sent {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by assertions
  json: any;
}

interface Change {
  headers?: Record<string, string>;
  body?: string;
}

describe('the OpenAPI document', { timeout: 300_000 }, () => {
  let system: System;
  before(async () => {
    system = await startSystem({ configuration: { text: CONFIGURATION, file: 'weir.yaml' } });
  });
  let browser: Browser | undefined;
  after(async () => {
    await browser?.close();
    await system?.close();
  });

  /** A page of a browser, and what goes wrong on it; a request to another host does. */
  async function openPage(): Promise<{ page: Page; troubles: string[] }> {
    browser ??= await startBrowser();
    const page = await browser.newPage();
    page.setDefaultTimeout(240_000);
    const troubles: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('requestfailed', (request) => troubles.push(`${request.url()} failed`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${system.stack.url}/`) && !url.startsWith('data:')) troubles.push(`asked for ${url}`);
    });
    return { page, troubles };
  }

  /** What is tried has two seconds. */
  const TRIES: readonly EndpointName[] = ['tryPolicies', 'backtestPolicies', 'testPolicies'];
  /** What the system made up, instead of what the examples have. */
  const made: Record<string, string> = {};

  /** Sends a request to `name` with the examples of its parameters; the answer must be a documented one. */
  async function send(name: EndpointName, change: Change = {}): Promise<Sent> {
    const endpoint: Endpoint = ENDPOINTS[name];
    const { method } = endpoint;
    const { body } = change;
    const query = new URLSearchParams();
    let path = endpoint.path;
    for (const { name: parameter, in: place, example } of ENDPOINTS[name].parameters ?? []) {
      // One that an example leaves out may not go with the others.
      const value = example === undefined ? undefined : (made[parameter] ?? example);
      if (place === 'path') path = path.replace(`{${parameter}}`, String(value));
      else if (place === 'query' && value !== undefined) query.set(parameter, String(value));
    }
    if (query.size > 0) path += `?${query}`;
    const version = endpoint.versions.at(-1);
    const response = await fetch(system.stack.url + path, {
      method,
      headers: {
        ...(endpoint.scope === null
          ? {}
          : { authorization: `Bearer ${endpoint.scope === 'operate' ? OPERATOR_KEY : DEMO_KEY}` }),
        ...(endpoint.keyHeaderOnly ? { 'x-api-key': DEMO_KEY } : {}),
        ...(version === undefined ? {} : { 'service-version': version }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...change.headers,
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(120_000),
    });
    const { status, headers } = response;
    const text = await response.text();
    const json: unknown = headers.get('content-type') === 'application/json' ? JSON.parse(text) : undefined;
    assertDocumented(method, path, { status, header: (header) => headers.get(header) ?? undefined, json });
    return { status, json };
  }

  for (const name of NAMES.filter((name) => ENDPOINTS[name].method === 'POST')) {
    it(`has examples of ${name} that are answered as it says`, async () => {
      const { body, answer } = ENDPOINTS[name];
      const examples = body?.examples ?? {};
      for (const [example, { value, refused }] of Object.entries(examples)) {
        const here = Object.entries(value as object).map(([key, sent]) => [key, refused ? sent : (made[key] ?? sent)]);
        const sending = { body: JSON.stringify(Object.fromEntries(here)) };
        let { status, json } = await send(name, sending);
        // The first try may be late on a busy machine.
        for (let more = 0; TRIES.includes(name) && status === 504 && more < 20; more++) {
          ({ status, json } = await send(name, sending));
        }
        assert.equal(status, refused ? 400 : 200, `${example}: ${JSON.stringify(json)}`);
        if (refused) assert.deepEqual(errorIn(json)?.issues, refused, example);
        const told = answer.examples?.[example]?.value as Record<string, unknown> | undefined;
        for (const field of ['flagged', 'run_id', 'action']) {
          if (told && field in told) assert.deepEqual(json[field], told[field], `${example}: ${field}`);
        }
        if (name === 'checkEvent' && example === 'tool') made.internal_event_id = json.event.internal_event_id;
        if (name === 'checkSession' && example === 'answer') made.internal_session_id = json.internal_session_id;
      }
    });
  }

  const erasing = NAMES.filter((name) => ENDPOINTS[name].scope === 'erase');
  const lookups = NAMES.filter((name) => ENDPOINTS[name].method === 'GET' && !erasing.includes(name));
  for (const name of lookups) {
    it(`has examples of the parameters of ${name} that are answered as it says`, async () => {
      const { status, json } = await send(name);
      // There is no provider to sign in with.
      const { redirects }: Endpoint = ENDPOINTS[name];
      assert.equal(status, redirects ? 404 : 200, JSON.stringify(json));
    });
  }

  // What they erase is not looked up any more.
  for (const name of erasing) {
    it(`has examples of the parameters of ${name} that are answered as it says`, async () => {
      const { status, json } = await send(name);
      assert.equal(status, ENDPOINTS[name].method === 'GET' ? 200 : 202, JSON.stringify(json));
      made.erasure_id = json.erasure_id;
    });
  }

  it('has the errors of bodies', async () => {
    const large = ' '.repeat(LIMITS.bodyBytes + 1);
    // Envoy may ask about any JSON, and any text.
    for (const name of NAMES.filter((name) => ENDPOINTS[name].method === 'POST' && name !== 'checkEnvoy')) {
      const code = async (change: Change): Promise<unknown> => errorIn((await send(name, change)).json)?.code;
      assert.equal(await code({ body: '{' }), 'invalid_json', name);
      assert.equal(await code({ body: '[]' }), 'validation_failed', name);
      const typed = await code({ body: '{}', headers: { 'content-type': 'text/plain' } });
      assert.equal(typed, 'unsupported_media_type', name);
      assert.equal(await code({ body: large }), 'request_too_large', name);
    }
  });

  it('makes a client that compiles and works for every operation, as it is generated', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-client-'));
    try {
      const env = { ...process.env, WEIR: system.stack.url, KEY: DEMO_KEY };
      const node = (...args: string[]): Promise<{ stdout: string }> =>
        run(process.execPath, args, { cwd: folder, env, timeout: 120_000 }).catch(
          (error: { message: string; stdout?: string; stderr?: string }) => {
            throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
          },
        );
      const tool = (path: string): string => join(packageRoot, 'node_modules', path);
      symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER));
      writeFileSync(join(folder, 'program.ts'), program());
      writeFileSync(join(folder, 'documented.ts'), documentedProgram());
      writeFileSync(join(folder, 'openapi.json'), openapiText());
      await node(tool('openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'weir.d.ts');
      await node(tool('typescript/bin/tsc'), '-p', '.');
      const { stdout } = await node('out/program.js', system.stack.url, DEMO_KEY, OPERATOR_KEY);
      assert.deepEqual(stdout.trim().split('\n'), NAMES);
      assert.equal((await node('out/documented.js')).stdout, 'false\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is shown in a browser, where it can be tried out, without a request to any other host', async () => {
    const { page, troubles } = await openPage();
    await page.goto(`${system.stack.url}/docs`);
    await page.getByRole('heading', { name: /^Weir/ }).waitFor();
    for (const name of NAMES) {
      const block = page.locator(`#operations-${operationOf(name).tags[0]}-${name}`);
      assert.ok((await block.textContent())?.includes(operationOf(name).summary), name);
    }
    assert.equal(await tryOut(page, 'readyz'), '200');
    await authorize(page, DEMO_KEY);
    assert.equal(await tryOut(page, 'checkEvents'), '200');
    const block = page.locator('#operations-Events-checkEvents .live-responses-table');
    assert.match((await block.textContent()) ?? '', /"flagged": true/);
    assert.deepEqual(troubles, []);
  });

  it('is led to by the page at /, which checks a text with a key that is typed into it', async () => {
    const { page, troubles } = await openPage();
    await page.goto(system.stack.url);
    const check = async (text: string, key: string): Promise<string> => {
      await page.getByLabel('API key').fill(key);
      await page.getByLabel('Text', { exact: true }).fill(text);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.locator('#check:enabled').waitFor();
      return (await page.locator('#verdict').textContent()) ?? '';
    };
    assert.equal(await check('\u{1f600} Card <b>4111 1111 1111 1111</b>', DEMO_KEY), 'Flagged');
    assert.deepEqual(await page.locator('mark').allTextContents(), ['4111 1111 1111 1111']);
    assert.match((await page.locator('#policies').textContent()) ?? '', /^Payment data .*pii:CREDIT_CARD/);
    assert.ok(!(await page.content()).includes(DEMO_KEY));
    assert.match(await check("It's fine", DEMO_KEY), /^Not flagged/);
    assert.ok((await page.locator('#curl').textContent())?.includes("It'\\''s fine"));
    assert.deepEqual(troubles, []);
    assert.match(await check('Hello', 'wk_wrong'), /not valid.*begins with wk_/);
    assert.match(troubles.pop() ?? '', /401/);
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('heading', { name: /^Weir/ }).waitFor();
    await page.goBack();
    assert.equal(await page.getByLabel('API key').inputValue(), '', 'the key is gone');
    assert.deepEqual(troubles, []);
  });
});

/** Gives the page the key, as a person would: by typing it where the dialog has put the cursor. */
async function authorize(page: Page, key: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const form = page.locator('.auth-container').first();
  await form.locator('input:focus').waitFor();
  await page.keyboard.type(key);
  assert.match((await form.textContent()) ?? '', /bearer/);
  assert.equal(await form.locator('input').inputValue(), key);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await page.locator('.modal-ux .btn-done').first().click();
}

/** Opens an operation, sends its first example, and returns the status that is shown. */
async function tryOut(page: Page, name: EndpointName): Promise<string> {
  const block = page.locator(`#operations-${operationOf(name).tags[0]}-${name}`);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = block.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  return ((await status.textContent()) ?? '').trim().slice(0, 3);
}
