/** Every ingress is restarted in turn behind a proxy that asks each twice a second whether it is ready. */
import assert from 'node:assert/strict';
import { Agent, createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { freePort } from '#weir/deploy/local/ports';
import { createPart, type InstallationPart, startProcess } from '#weir/deploy/local/processes/part';
import { programPath } from '#weir/shared/paths';
import { createClient } from '../support/installation/load.js';
import { PATIENCE } from '../support/installation/patience.js';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { until } from '../support/wait.js';

const PROBE_MS = 500;
/** Longer than any test: only a second signal ends it. */
const DELAY_MS = 600_000;
const REQUESTS = 1800;
const CALLERS = 12;
const BODY = JSON.stringify({ environment_id: 'prod', event: { type: 'reasoning', content: 'Good morning.' } });

/** An ingress as the proxy knows it. */
interface Backend {
  part: InstallationPart;
  agent: Agent;
  up: boolean;
  sent: number;
}

let stack: TestStack;
let proxy: Server;
let prober: NodeJS.Timeout;
const backends: Backend[] = [];

async function startBackend(name: string): Promise<Backend> {
  const port = await freePort();
  const env = {
    WEIR_REDIS_URL: stack.redisUrl,
    WEIR_CLICKHOUSE_URL: stack.clickhouseUrl,
    WEIR_STOP_DELAY_MS: String(DELAY_MS),
    WEIR_LOG_LEVEL: 'silent',
    WEIR_PORT: String(port),
    WEIR_METRICS_PORT: '0',
    ...PATIENCE,
    WEIR_DEADLINE_MS: '30000',
  };
  const part = await createPart(name, () => startProcess({ name, program: programPath('ingress'), env }));
  return { part, agent: new Agent({ keepAlive: true, timeout: 5000 }), up: false, sent: 0 };
}

async function probe(backend: Backend): Promise<void> {
  try {
    const answer = await fetch(`http://127.0.0.1:${backend.part.ready.port}/readyz`, {
      signal: AbortSignal.timeout(PROBE_MS * 10),
    });
    backend.up = answer.status === 200;
  } catch {
    backend.up = false;
  }
}

/** Passes each request to the next backend that is up, once. */
function startProxy(): Promise<Server> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const up = backends.filter((one) => one.up);
    const backend = up[turn++ % up.length];
    if (!backend) {
      outgoing.writeHead(502).end('{}');
      return;
    }
    backend.sent++;
    const { agent, part } = backend;
    const { method, url: path, headers } = incoming;
    const to = { host: '127.0.0.1', port: part.ready.port, method, path, headers, agent };
    const passed = httpRequest(to, (answer) => {
      // A connection belongs to one hop.
      const { connection: _, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(outgoing);
    });
    passed.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end('{}');
    });
    incoming.pipe(passed);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

before(async () => {
  stack = await startTestStack();
  backends.push(await startBackend('ingress A'), await startBackend('ingress B'));
  proxy = await startProxy();
  prober = setInterval(() => {
    for (const backend of backends) void probe(backend);
  }, PROBE_MS);
});
after(async () => {
  clearInterval(prober);
  proxy?.close();
  proxy?.closeAllConnections();
  for (const { part, agent } of backends) {
    agent.destroy();
    await part.kill();
  }
  await stack?.close();
});

it('loses no request while every ingress is restarted', async () => {
  await until('both are up', () => backends.every(({ up }) => up));
  const client = createClient(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, stack.key);
  const statuses = new Map<string, number>();
  let asked = 0;
  let restarted = false;
  const caller = async (): Promise<void> => {
    while (asked < REQUESTS || !restarted) {
      asked++;
      const { status, failure } = await client.request('POST', '/api/event', BODY);
      const outcome = failure || String(status);
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  try {
    for (const backend of backends) {
      const { part } = backend;
      const before = backend.sent;
      await until('it is asked', () => backend.sent > before + 20);
      const gone = part.kill('SIGTERM');
      await until('the proxy has seen it', () => !backend.up);
      // Instead of the rest of its delay.
      process.kill(part.pid, 'SIGTERM');
      await gone;
      await part.restart();
      await until('it is up again', () => backend.up);
    }
  } finally {
    restarted = true;
    await Promise.all(callers);
    client.close();
  }
  assert.deepEqual([...statuses.keys()], ['200'], JSON.stringify([...statuses]));
  assert.ok(statuses.get('200')! >= REQUESTS);
});
