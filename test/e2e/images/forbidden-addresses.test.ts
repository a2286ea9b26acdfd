/**
 * Images by URL as somebody sends them who wants into the operator's network, and what is left of them in logs: an
 * installation as `npm start` runs it, all of its output read.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { programPath } from '#weir/shared/paths';
import { failure } from '#weir/workers/images/failure';
import { type Client, createClient } from '../../support/installation/load.ts';
import { PATIENCE } from '../../support/installation/patience.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';
import { sleep, until } from '../../support/wait.ts';
import { newFolder } from '../system.ts';

/** Stands in whatever a caller sends: in addresses, data, names and ids. */
const SECRET = `s3cr3t${randomUUID().replaceAll('-', '')}`;
const folder = newFolder();
const { note: UNREACHED } = failure('refused');

let installation: ChildProcess;
let output = '';
let stopped: Promise<void>;
let client: Client;
/** a service that nobody may be led to */
let victim: Origin;
/** a host that the operator allows, and that leads elsewhere */
let front: Origin;
let closed: number;
let clickhouse: string;
let metrics: string[];

before(async () => {
  victim = await startOrigin((_request, response) => response.end('internal'));
  front = await startOrigin((request, response) => {
    const to = new URL(request.url!, 'http://front').searchParams.get('to');
    if (to === null) response.end(`no image, but ${SECRET}`);
    // The bytes of its UTF-8, as browsers take them.
    else response.writeHead(302, { location: Buffer.from(to).toString('latin1'), 'x-secret': SECRET }).end();
  });
  const gone = await startOrigin(() => undefined);
  closed = gone.port;
  await gone.close();
  installation = spawn(process.execPath, [programPath('start')], {
    env: {
      ...process.env,
      WEIR_DATA_DIR: folder,
      WEIR_LOG_LEVEL: 'trace',
      WEIR_FETCH_ALLOW: `127.0.0.1:${front.port},127.0.0.1:${closed}`,
      ...PATIENCE,
      WEIR_DEADLINE_MS: '8000',
      ...Object.fromEntries(['PORT', 'METRICS_PORT', 'REDIS_PORT', 'CLICKHOUSE_PORT'].map((of) => [`WEIR_${of}`, '0'])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [installation.stdout!, installation.stderr!]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  stopped = new Promise((resolve) => installation.once('close', () => resolve()));
  await until('it is ready', () => /Ctrl-C stops everything/.test(output) || installation.exitCode !== null);
  const url = /answers at (\S+)/.exec(output)?.[1];
  assert.ok(url, output);
  clickhouse = new URL(/curl -s --netrc-file \S+ (\S+) --data-binary/.exec(output)![1]!).host;
  metrics = [...output.matchAll(/(http:\S+\/metrics)/g)].map((match) => match[1]!);
  client = createClient(url, DEMO_KEY);
});
after(async () => {
  client?.close();
  if (installation?.exitCode === null) installation.kill('SIGTERM');
  await stopped;
  await Promise.all([victim?.close(), front?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

interface Artifact {
  internal_artifact_id: string;
  status: string;
  flagged: boolean | null;
  note: string | null;
}

/** The end of an image that is sent by itself. */
async function endOf(url: string): Promise<Artifact> {
  const content = { kind: 'image', url, name: SECRET };
  const body = JSON.stringify({ content, external_artifact_id: `${SECRET} ${randomUUID()}`, metadata: { SECRET } });
  const answer = await client.request('POST', '/api/artifact', body);
  assert.equal(answer.status, 200, `${url}: ${JSON.stringify(answer.body)} ${answer.failure}`);
  let artifact = answer.body as Artifact;
  await until(`the end of ${url}`, async () => {
    if (artifact.status !== 'processing') return true;
    await sleep(100);
    const path = `/api/artifact/get_by_id?internal_artifact_id=${artifact.internal_artifact_id}`;
    artifact = (await client.request('GET', path)).body as Artifact;
    return artifact.status !== 'processing';
  });
  return artifact;
}

/** Some places of the operator's; the fetch has tests of every notation. `port` is one where something listens. */
const inside = (port: number): string[] =>
  [
    ...['127.0.0.1', '0x7f.1', '2130706433', '127.255.0.9', '0.0.0.0', '１２７.０.０.１', 'LocalHost.', 'a.localhost'],
    ...['[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[fd00:ec2::254]', '10.0.0.1', '169.254.169.254'],
  ].map((host) => `http://${host}:${port}/latest?token=${SECRET}`);

async function eachOf(urls: readonly string[], check: (url: string) => Promise<void>): Promise<void> {
  const left = [...urls];
  const one = async (): Promise<void> => {
    for (let url = left.pop(); url !== undefined; url = left.pop()) await check(url);
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

const failsUnreached = async (url: string): Promise<void> => {
  const { status, flagged, note } = await endOf(url);
  assert.deepEqual([status, flagged, note], ['failed', null, UNREACHED], url);
};

describe('an image whose address leads into the network of the operator', () => {
  it('is failed with one and the same note, and nothing is connected to [artifact.fetch]', async () => {
    await eachOf(inside(victim.port), failsUnreached);
    // What this very installation listens on, other schemes, and letters that a URL drops.
    const own = [`http://${clickhouse}/?query=SELECT+1`, ...metrics, `https://127.0.0.1:${victim.port}/`];
    await eachOf([...own, `http:\\\\127.0.0.1:${victim.port}\t/`, `http://127.0.0.1:22/`], failsUnreached);
    assert.equal(victim.connections(), 0);
  });

  it('is failed in the same words where there is nothing, or another port of an allowed host', async () => {
    const other = `http://localhost:${front.port}/?${SECRET}`;
    await eachOf([`http://127.0.0.1:${closed}/?${SECRET}`, `http://${SECRET}.invalid/`, other], failsUnreached);
  });

  it('is failed so where an allowed host leads there, by any redirect', async () => {
    const led = (to: string): string => `http://127.0.0.1:${front.port}/?to=${encodeURIComponent(to)}&${SECRET}`;
    const onward = led(inside(victim.port)[0]!);
    const elsewhere = [
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/_INFO',
      `http://u:${SECRET}@example.org/`,
      'http://',
    ];
    await eachOf([...inside(victim.port).map(led), ...elsewhere.map(led), led(onward)], failsUnreached);
    assert.equal(victim.connections(), 0);
  });

  it('is failed for what it says itself where it has a user name or a password', async () => {
    for (const url of [`http://u:${SECRET}@127.0.0.1:${front.port}/`, `http://${SECRET}@example.org/`]) {
      const { status, flagged, note } = await endOf(url);
      assert.deepEqual([status, flagged, note], ['failed', null, failure('url').note]);
    }
  });

  it('fails in an event and in a session in the same words', async () => {
    const [url] = inside(victim.port);
    const content = { kind: 'image', url };
    const events = [{ type: 'artifact', event_id: 'a', content }];
    const batch = JSON.stringify({ environment_id: 'prod', run_id: SECRET, events });
    const { body } = await client.request('POST', '/api/events', batch);
    const { event, note } = (body as { results: { artifact: Record<string, { event: Artifact; note: string }> } })
      .results.artifact.a!;
    assert.deepEqual([event.status, note], ['failed', UNREACHED]);
    const parts = [
      { type: 'text', text: SECRET },
      { type: 'artifact', content },
    ];
    const messages = JSON.stringify({ messages: [{ role: 'user', content: parts }] });
    const session = await client.request('POST', '/api/session/check', messages);
    assert.equal(session.status, 503);
    const { message } = (session.body as { error: { message: string } }).error;
    assert.equal(message, `messages[0].content[1]: ${UNREACHED}`);
    assert.equal(victim.connections(), 0);
  });
});

describe('logs and metrics', () => {
  it('hold nothing of what callers send, at any level', async () => {
    // Some more that goes wrong: no base64, no image, no JSON, nobody's ids.
    const data = (text: string): string => JSON.stringify({ content: { kind: 'image', data: text } });
    const bodies = [
      data(`!${SECRET}`),
      data(Buffer.from(SECRET).toString('base64')),
      `{"content":${SECRET}`,
      `"${SECRET}`,
    ];
    for (const body of bodies) await client.request('POST', '/api/artifact', body);
    assert.equal((await endOf(`http://127.0.0.1:${front.port}/?${SECRET}`)).note, failure('not_an_image').note);
    await client.request('GET', `/api/artifact/get_by_id?external_artifact_id=${SECRET}`);
    await client.request('GET', `/${SECRET}?${SECRET}`);
    for (const url of metrics) {
      const text = await (await fetch(url)).text();
      assert.match(text, /^weir_/m);
      assert.ok(!text.includes(SECRET), `metrics of ${url}`);
    }
    installation.kill('SIGTERM');
    await stopped;
    assert.match(output, /"worker ready"/);
    const lines = output.split('\n').filter((line) => /latest|token=|etc.passwd/.test(line) || line.includes(SECRET));
    assert.deepEqual(lines, []);
  });
});
