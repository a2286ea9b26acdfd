/** Every route × every kind of key × every version × every method, against rules that know nothing of the product. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ENDPOINTS, type EndpointName } from '#weir/shared/api/endpoints';
import { keys } from '#weir/shared/streams/keys';
import { openConnection, type RawAnswer } from '../fuzz/connection.ts';
import { errorIn } from '../support/api/errors.ts';
import { assertDocumented } from '../support/api/openapi.ts';
import { until } from '../support/wait.ts';
import { CALLERS, type Caller, FULL_KEY, matrixConfiguration } from './matrix/callers.ts';
import { type Cell, decided, PROBES, type Probe, type Stored, VERSIONS } from './matrix/rules.ts';
import { newRun, type System, startSystem } from './system.ts';

interface Question {
  name: string;
  method: string;
  path: string;
  headers: string[];
  body: string;
  version: string | undefined;
  cell: Cell;
  allow?: string;
}

const PRESENT = Object.keys(ENDPOINTS) as EndpointName[];
/** What of the contract each shows beside the rules that all share. */
const PROVEN: Partial<Record<EndpointName, string>> = {
  checkEvents: '[version.event] [9.2.events] [config.grants] [config.scopes] [error.permission-scope]',
  checkEvent: '[4.6.version]',
  checkSession: '[version.check] [9.2.sessions]',
  createSession: '[version.session-post]',
  findSession: '[9.2.retrieval]',
  getSession: '[version.session-lookup]',
  checkArtifact: '[version.artifact]',
  getArtifact: '[9.2.artifacts]',
  getRunGraph: '[version.run-graph]',
  getProtect: '[version.protect]',
  getRisk: '[version.risk] [9.2.risk]',
};
const OTHER_METHODS = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get'];
const CONNECTIONS = 8;

const isEnvoys = (path: string): boolean => path.startsWith('/envoy/');

interface Asking {
  caller: Caller;
  version?: string;
  stored: Stored;
}

function question(probe: Probe, path: string, method: string, { caller, version, stored }: Asking): Question {
  // One path takes another header for the key, without a word before it.
  const headers = isEnvoys(path)
    ? caller.headers.map((value) => `x-api-key: ${value.replace('Bearer ', '')}`)
    : caller.headers.map((value) => `Authorization: ${value}`);
  if (version !== undefined) headers.push(`service-version: ${version}`);
  const sent = typeof probe.body === 'function' ? probe.body(stored) : probe.body;
  const body = sent === undefined || method === 'HEAD' ? '' : JSON.stringify(sent);
  if (body !== '') headers.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  const name = `${method} ${path} by ${caller.name} with ${version ?? 'no version'}`;
  return { name, method, path, headers, body, version, cell: decided(probe, caller, version) };
}

/** Callers that can be the same with another header: those of one Bearer, or of none. */
const isAsking =
  (path: string) =>
  ({ headers }: Caller): boolean =>
    !isEnvoys(path) || headers.length === 0 || (headers.length === 1 && /^Bearer \S+$/.test(headers[0]!));

/** HEAD is answered as GET is: each caller asks it with one version, and one caller with each. */
const isAskedByHead = ({ caller, version }: Asking): boolean => caller === CALLERS[0] || version === VERSIONS.at(-1);

function questions(name: EndpointName, stored: Stored): Question[] {
  const all: Question[] = [];
  for (const probe of PROBES[name] as readonly Probe[]) {
    const path = probe.path(stored);
    // No key is looked at where everybody may ask.
    const callers = probe.scope === null ? CALLERS.filter((_, i) => i % 5 === 0) : CALLERS.filter(isAsking(path));
    for (const caller of callers) {
      for (const version of VERSIONS) {
        const asking = version === undefined ? { caller, stored } : { caller, version, stored };
        all.push(question(probe, path, probe.method, asking));
        if (probe.method === 'GET' && isAskedByHead(asking)) all.push(question(probe, path, 'HEAD', asking));
      }
      const allow = allowed(probe, path);
      for (const method of isEnvoys(path) ? [] : OTHER_METHODS.filter((other) => !allow.includes(other))) {
        const asked = question(probe, path, method, { caller, stored });
        all.push({ ...asked, cell: [405, 'method_not_allowed'], allow });
      }
    }
  }
  return all;
}

/** Methods of all probes at the same path. */
function allowed(probe: Probe, path: string): string {
  const bare = path.split('?')[0]!;
  const methods = new Set<string>([probe.method]);
  if (/^\/api\/(?:event|session)\/(?!check$)/.test(bare)) methods.add('GET').add('DELETE');
  if (bare === '/api/event' || bare === '/api/session') methods.add('GET').add('POST');
  if (bare === '/api/appeal') methods.add('GET').add('POST');
  if (bare === '/console/session') methods.add('GET').add('DELETE');
  if (methods.has('GET')) methods.add('HEAD');
  return ['GET', 'HEAD', 'POST', 'DELETE'].filter((method) => methods.has(method)).join(', ');
}

function hold(asked: Question, answer: RawAnswer | undefined): void {
  const [, code] = asked.cell;
  // A gateway that lets pass what is answered by an error is told so in a good answer.
  const status = asked.path.startsWith('/portkey/') && asked.cell[0] !== 405 ? 200 : asked.cell[0];
  assert.ok(answer, asked.name);
  assert.equal(answer.status, status, `${asked.name}: ${answer.text}`);
  assert.ok(answer.headers['x-request-id'], asked.name);
  const echoed = VERSIONS.slice(4).includes(asked.version as never) ? asked.version : undefined;
  assert.equal(answer.headers['service-version'], echoed, asked.name);
  assert.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, asked.name);
  assert.equal(answer.headers.allow, asked.allow, asked.name);
  const isJson = answer.headers['content-type'] === 'application/json' && asked.method !== 'HEAD';
  const json = isJson ? JSON.parse(answer.text) : undefined;
  assertDocumented(asked.method, asked.path, { status, header: (name) => answer.headers[name.toLowerCase()], json });
  if (asked.method === 'HEAD') assert.equal(answer.text, '', asked.name);
  else if (code !== undefined) assert.equal(errorIn(json)?.code, code, asked.name);
}

describe('every route, asked by everybody', () => {
  let system: System;
  let stored: Stored;
  before(async () => {
    // Loopback, but not as ingress knows it: the public key does not count.
    const env = { WEIR_HOST: '127.1', WEIR_FAILED_KEYS: '0' };
    const configuration = { text: matrixConfiguration(false), file: 'matrix.yaml' };
    system = await startSystem({ configuration, env });
    // What is erased is asked for again: nobody erases.
    await system.redis.set(keys.erasureLease(), 'nobody');
    const [run, external, user] = [newRun(), newRun('session'), newRun('user')];
    const options = { key: FULL_KEY };
    const event = { type: 'message', role: 'user', event_id: 'e1', content: 'open sesame' };
    const events = await system.post('/api/events', { environment_id: 'prod', run_id: run, events: [event] }, options);
    const messages = [{ role: 'user', content: 'open sesame', metadata: { user: { id: user } } }];
    const body = { deployment_id: 'chat', external_session_id: external, messages };
    const session = await system.post('/api/session/check', body, options);
    const externalArtifact = newRun('artifact');
    const image = { content: { kind: 'image', data: 'AAAA' }, external_artifact_id: externalArtifact };
    const artifact = await system.post('/api/artifact', image, options);
    stored = {
      event: events.json.order[0].internal_event_id,
      session: session.json.internal_session_id,
      run,
      external,
      user,
      artifact: artifact.json.internal_artifact_id,
      externalArtifact,
      erasure: (await system.remove('/api/user?id=nobody', options)).json.erasure_id,
    };
    const revoked = CALLERS.find(({ name }) => name.includes('dropped'))!;
    const key = revoked.headers[0]!.slice('Bearer '.length);
    assert.equal((await system.get(`/api/session/${stored.session}`, { key })).status, 200);
    await system.apply(matrixConfiguration(true));
    const dropped = async () => (await system.get(`/api/session/${stored.session}`, { key })).status === 401;
    await until('the new configuration is in ingress', dropped);
  });
  after(() => system?.close());

  for (const name of PRESENT) {
    it(`answers as decided: keys × versions × methods at ${name} ${PROVEN[name] ?? ''}`, async () => {
      const { port } = new URL(system.stack.url);
      const all = questions(name, stored);
      assert.ok(all.length > 60, String(all.length));
      let next = 0;
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          const connection = openConnection(Number(port));
          try {
            while (next < all.length) {
              const asked = all[next++]!;
              const head = `${asked.method} ${asked.path} HTTP/1.1\r\nHost: localhost\r\n${asked.headers.map((line) => `${line}\r\n`).join('')}\r\n`;
              const bytes = Buffer.from(head + asked.body, 'latin1');
              let answer = await connection.send(bytes, asked.method === 'HEAD');
              // What is tried takes turns of two seconds, which a machine that does much else needs for others.
              for (let more = 0; asked.path.startsWith('/api/try') && answer?.status === 504 && more < 20; more++) {
                answer = await connection.send(bytes, false);
              }
              hold(asked, answer);
            }
          } finally {
            connection.close();
          }
        }),
      );
    });
  }

  it('asks every endpoint that there is', () => {
    for (const name of PRESENT) {
      const { method, path } = ENDPOINTS[name];
      for (const probe of PROBES[name]) {
        assert.equal(probe.method, method);
        assert.ok(stored === undefined || matches(probe.path(stored), path), `${name}: ${probe.path(stored)}`);
      }
    }
  });
});

/** Whether a probe goes where the table of endpoints says. */
function matches(asked: string, path: string): boolean {
  const bare = asked.split('?')[0]!;
  const parameter = path.indexOf('{');
  return parameter < 0 ? bare === path : bare.startsWith(path.slice(0, parameter));
}
