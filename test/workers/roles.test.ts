import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { programPath } from '#weir/shared/paths';
import { startTestRedis } from '../support/stores/redis.js';
import { until } from '../support/wait.js';

it('a worker tells which roles it has, and which it has not', async () => {
  const redis = await startTestRedis();
  const env = { WEIR_REDIS_URL: redis.url, WEIR_ROLES: 'hooks', WEIR_LOG: 'json', WEIR_LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, [programPath('worker')], {
    env: { ...process.env, ...env, WEIR_METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  try {
    await until('it is ready', () => /"worker ready"\}\n/.test(said));
    const ready = said.split('\n').find((line) => line.includes('"worker ready"'))!;
    const text = await (await fetch(`http://127.0.0.1:${JSON.parse(ready).metricsPort}/metrics`)).text();
    const roles = [...text.matchAll(/^weir_role\{role="(\w+)",process="worker"\} (\d)$/gm)];
    assert.deepEqual(Object.fromEntries(roles.map(([, role, has]) => [role, has])), {
      evaluator: '0',
      archiver: '0',
      metrics: '0',
      hooks: '1',
    });
  } finally {
    child.kill('SIGKILL');
    await closed;
    await redis.close();
  }
});
