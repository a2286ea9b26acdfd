/** The OpenAPI document against the running system: its examples, a client made from it, and the page that shows it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import { LIMITS } from '#weir/shared/api/limits';
import { openapiText } from '#weir/shared/api/openapi';
import { createKey, DEMO_KEY, hashKey } from '#weir/shared/configuration/api-keys';
import { packageRoot } from '#weir/shared/paths';
import { startBrowser } from '../support/chromium.ts';
import { assertDocumented, operationOf } from '../support/openapi.ts';
import { COMPILER, program } from './openapi-client.ts';
import { type System, startSystem } from './system.ts';

const run = promisify(execFile);
const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const KEYED = NAMES.filter((name) => ENDPOINTS[name].scope !== null);
const READER = createKey();
const WRITER = createKey();

/** The sample configuration, and two keys that may do less. */
function configuration(): string {
  const sample = readFileSync(join(packageRoot, 'deploy/local/weir.yaml'), 'utf8');
  const grants = 'deployments: [chat], default_deployment: chat, environments: [prod]';
  const key = (id: string, secret: string, scope: string): string =>
    `- {id: ${id}, team: acme, sha256: ${hashKey(secret)}, ${grants}, scopes: [${scope}]}\n`;
  return sample.replace(/^keys:\n/m, (line) => line + key('reader', READER, 'read') + key('writer', WRITER, 'check'));
}

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
  method?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

describe('the OpenAPI document', { timeout: 300_000 }, () => {
  let system: System;
  before(async () => {
    system = await startSystem({ configuration: { text: configuration(), file: 'weir.yaml' } });
  });
  after(() => system?.close());

  /** What the system made up, instead of what the examples have. */
  const made: Record<string, string> = {};

  /** Sends a request to `name` with the examples of its parameters; the answer must be a documented one. */
  async function send(name: EndpointName, change: Change = {}): Promise<Sent> {
    const endpoint: Endpoint = ENDPOINTS[name];
    const { method = endpoint.method, body } = change;
    const query = new URLSearchParams();
    let path = endpoint.path;
    for (const { name: parameter, in: place, example } of ENDPOINTS[name].parameters ?? []) {
      const value = made[parameter] ?? example;
      if (place === 'path') path = path.replace(`{${parameter}}`, String(value));
      else if (place === 'query' && value !== undefined) query.set(parameter, String(value));
    }
    for (const [parameter, value] of Object.entries(change.query ?? {})) query.set(parameter, value);
    if (query.size > 0) path += `?${query}`;
    const version = endpoint.versions.at(-1);
    const response = await fetch(system.stack.url + path, {
      method,
      headers: {
        ...(endpoint.scope === null ? {} : { authorization: `Bearer ${DEMO_KEY}` }),
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

  /** The first example of a body of `name`. */
  const bodyOf = (name: EndpointName): string | undefined => {
    const [example] = Object.values(ENDPOINTS[name].body?.examples ?? {});
    return example && JSON.stringify(example.value);
  };

  for (const name of NAMES.filter((name) => ENDPOINTS[name].method === 'POST')) {
    it(`has examples of ${name} that are answered as it says`, async () => {
      const { body, answer } = ENDPOINTS[name];
      const examples = body?.examples ?? {};
      for (const [example, { value, refused }] of Object.entries(examples)) {
        const { status, json } = await send(name, { body: JSON.stringify(value) });
        assert.equal(status, refused ? 400 : 200, `${example}: ${JSON.stringify(json)}`);
        if (refused) assert.deepEqual(json.error.issues, refused, example);
        const told = answer.examples?.[example]?.value as Record<string, unknown> | undefined;
        for (const field of ['flagged', 'run_id', 'action']) {
          if (told && field in told) assert.equal(json[field], told[field], `${example}: ${field}`);
        }
        if (name === 'checkEvent' && example === 'tool') made.internal_event_id = json.event.internal_event_id;
        if (name === 'checkSession' && example === 'answer') made.internal_session_id = json.internal_session_id;
      }
    });
  }

  for (const name of NAMES.filter((name) => ENDPOINTS[name].method === 'GET')) {
    it(`has examples of the parameters of ${name} that are answered with 200`, async () => {
      const { status, json } = await send(name);
      assert.equal(status, 200, JSON.stringify(json));
    });
  }

  it('has the errors of a missing or unknown key, of a missing scope and of another method', async () => {
    for (const name of KEYED) {
      const body = bodyOf(name);
      const none = { authorization: '' };
      const wrong = { authorization: `Bearer ${createKey()}` };
      const narrow = { authorization: `Bearer ${ENDPOINTS[name].scope === 'check' ? READER : WRITER}` };
      assert.equal((await send(name, { body, headers: none })).json.error.code, 'missing_api_key', name);
      assert.equal((await send(name, { body, headers: wrong })).json.error.code, 'invalid_api_key', name);
      assert.equal((await send(name, { body, headers: narrow })).json.error.code, 'permission_denied', name);
    }
    for (const name of NAMES) assert.equal((await send(name, { method: 'PUT' })).status, 405, name);
  });

  it('has the errors of versions', async () => {
    for (const name of KEYED) {
      const { versions }: Endpoint = ENDPOINTS[name];
      if (versions.length === 0) continue;
      const body = bodyOf(name);
      const sent = async (version: string): Promise<unknown> =>
        (await send(name, { body, headers: { 'service-version': version } })).json.error.code;
      assert.equal(await sent(''), 'version_required', name);
      assert.equal(await sent('2020-01-01'), 'unsupported_version', name);
      if (!versions.includes('2025-12-01')) {
        assert.equal(await sent('2025-12-01'), 'version_not_supported_for_endpoint', name);
      }
    }
  });

  it('has the errors of bodies', async () => {
    const large = ' '.repeat(LIMITS.bodyBytes + 1);
    for (const name of NAMES.filter((name) => ENDPOINTS[name].method === 'POST')) {
      const code = async (change: Change): Promise<unknown> => (await send(name, change)).json.error.code;
      assert.equal(await code({ body: '{' }), 'invalid_json', name);
      assert.equal(await code({ body: '[]' }), 'validation_failed', name);
      const typed = await code({ body: '{}', headers: { 'content-type': 'text/plain' } });
      assert.equal(typed, 'unsupported_media_type', name);
      assert.equal(await code({ body: large }), 'request_too_large', name);
    }
  });

  it('has the errors of what is not there', async () => {
    const nowhere = { environment_id: 'nowhere', deployment_id: 'nowhere' };
    for (const name of ['checkEvents', 'checkEvent', 'checkSession'] as const) {
      const body = { ...JSON.parse(bodyOf(name)!), ...nowhere };
      assert.equal((await send(name, { body: JSON.stringify(body) })).status, 404, name);
    }
    for (const name of ['findEvent', 'getEvent', 'findSession', 'getSession'] as const) {
      assert.equal((await send(name, { query: nowhere })).status, 404, name);
    }
    assert.equal((await send('findEvent', { query: { event_id: randomUUID() } })).status, 404);
    assert.equal((await send('findEvent', { query: { type: 'thought' } })).status, 400);
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
      const { stdout } = await node('--import', 'tsx', 'program.ts', system.stack.url, DEMO_KEY);
      assert.deepEqual(stdout.trim().split('\n'), NAMES);
      assert.equal((await node('--import', 'tsx', 'documented.ts')).stdout, 'false\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is shown in a browser, where it can be tried out, without a request to any other host', async () => {
    const browser = await startBrowser();
    try {
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
    } finally {
      await browser.close();
    }
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
