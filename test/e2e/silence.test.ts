/**
 * What callers send, and passwords, are in no line of a log, no metric and no span: an installation as `npm start` runs it, at the level at which
 * it says most, all of its output read.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { programPath } from '#weir/shared/paths';
import { PATIENCE } from '../support/installation/patience.ts';
import { type Collector, startCollector } from '../support/network/collector.ts';
import { until } from '../support/wait.ts';
import { newFolder } from './system.ts';

/** Stands in whatever a caller sends. */
const SECRET = `s3cr3t${randomUUID().replaceAll('-', '')}`;
const folder = newFolder();
let collector: Collector;
let installation: ChildProcess;
let output = '';
let stopped: Promise<void>;
let url: string;

before(async () => {
  collector = await startCollector();
  installation = spawn(process.execPath, [programPath('start')], {
    env: {
      ...process.env,
      WEIR_DATA_DIR: folder,
      WEIR_LOG_LEVEL: 'trace',
      WEIR_TRACES_URL: collector.url.replace('127.0.0.1', `weir:${SECRET}@127.0.0.1`),
      WEIR_TRACES_SHARE: '1',
      ...PATIENCE,
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
  url = /answers at (\S+)/.exec(output)?.[1] ?? '';
  assert.notEqual(url, '', output);
});
after(async () => {
  if (installation?.exitCode === null) installation.kill('SIGTERM');
  await stopped;
  await collector?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with the status. */
async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${DEMO_KEY}`,
      'service-version': '2026-06-01',
      'content-type': 'application/json',
      cookie: `a=${SECRET}`,
      'user-agent': SECRET,
      tracestate: `a=${SECRET}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Sends bytes that no client makes, and waits until they are answered or the connection ends. */
async function send(text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => {
    const end = (): void => {
      socket.destroy();
      resolve();
    };
    socket.once('data', end).once('close', end).once('error', end).write(text);
  });
}

const event = (more: object = {}): object => ({
  type: 'message',
  role: 'user',
  content: `${SECRET} 4111 1111 1111 1111`,
  ...more,
});

describe('what callers send', () => {
  it('is in no line of a log, no metric and no span, whatever is wrong with it', async () => {
    const names = { name: SECRET, run_id: SECRET, event_id: SECRET, user_id: SECRET, metadata: { [SECRET]: SECRET } };
    const image = { type: 'artifact', content: { kind: 'image', data: Buffer.from(SECRET).toString('base64') } };
    const statuses = [
      await post('/api/event', { environment_id: 'prod', event: event(names) }, { 'idempotency-key': SECRET }),
      await post('/api/event', { environment_id: 'prod', event: event() }, { traceparent: `00-${SECRET}` }),
      await post('/api/event', `{"environment_id":"prod","event":{"type":"${SECRET}`),
      await post('/api/event', { environment_id: 'prod', event: event({ [SECRET]: 1 }) }),
      await post('/api/event', { environment_id: SECRET, event: event() }),
      await post(`/api/event?${SECRET}=${SECRET}`, { environment_id: 'prod', event: event() }),
      await post(`/api/${SECRET}`, {}),
      await post('/api/session/check', { external_session_id: SECRET, messages: [event({ type: undefined })] }),
      await post('/api/session/check', { messages: [{ role: 'user', content: [image] }] }),
      await post('/api/stream/check', { stream_id: SECRET, sequence: 0, delta: `${SECRET} and more`, final: true }),
      await post('/api/event', { environment_id: 'prod', event: event() }, { authorization: `Bearer wk_${SECRET}` }),
    ];
    assert.ok(statuses[0] === 200 && statuses.includes(401) && statuses.includes(404), String(statuses));
    assert.equal(statuses.filter((status) => status >= 500).length, 0, String(statuses));
    await send(`${SECRET} / HTTP/1.1\r\nHost: x\r\n\r\n`);
    await send(
      `POST /api/event HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SECRET}\r\nContent-Length: x\r\n\r\n${SECRET}`,
    );
    await until('the last steps of a trace have come', () => collector.spans.some(({ name }) => name === 'archive'));
    for (const [, page] of output.matchAll(/(http:\S+\/metrics)/g))
      assert.doesNotMatch(await (await fetch(page!)).text(), new RegExp(SECRET), page);
    installation.kill('SIGTERM');
    await stopped;
    assert.ok(collector.headers[0]!.authorization, 'the collector is asked as its address says');
    const lines = output.split('\n').filter((line) => line.includes(SECRET));
    assert.deepEqual(lines, []);
    assert.ok(collector.spans.length > statuses.length);
    assert.ok(!collector.bodies.join('\n').includes(SECRET));
    assert.match(output, /a request without a valid API key/);
  });
});
