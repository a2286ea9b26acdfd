/** Every ingress is restarted in turn behind a load balancer that asks each twice a second whether it is ready. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { freePort } from '#weir/deploy/local/ports';
import { createPart, type InstallationPart, startProcess } from '#weir/deploy/local/processes/part';
import { programPath } from '#weir/shared/paths';
import { type Backend, type Balancer, startBalancer } from '../support/installation/balancer.js';
import { createClient } from '../support/installation/load.js';
import { PATIENCE } from '../support/installation/patience.js';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { until } from '../support/wait.js';

/** Longer than any test: only a second signal ends it. */
const DELAY_MS = 600_000;
const REQUESTS = 1800;
const CALLERS = 12;
const BODY = JSON.stringify({ environment_id: 'prod', event: { type: 'reasoning', content: 'Good morning.' } });

let stack: TestStack;
let balancer: Balancer;
const ingresses: { part: InstallationPart; backend: Backend }[] = [];

async function startBackend(name: string): Promise<void> {
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
  ingresses.push({ part, backend: balancer.add(() => part.ready.port) });
}

before(async () => {
  stack = await startTestStack();
  balancer = await startBalancer();
  for (const name of ['ingress A', 'ingress B']) await startBackend(name);
});
after(async () => {
  balancer?.close();
  for (const { part } of ingresses) await part.kill();
  await stack?.close();
});

it('loses no request while every ingress is restarted', async () => {
  await until('both are up', () => ingresses.every(({ backend }) => backend.up));
  const client = createClient(balancer.url, stack.key);
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
    for (const { part, backend } of ingresses) {
      const before = backend.sent;
      await until('it is asked', () => backend.sent > before + 20);
      const gone = part.kill('SIGTERM');
      await until('the balancer has seen it', () => !backend.up);
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
