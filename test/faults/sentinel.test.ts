/** A primary that Sentinels watch is killed under load, where verdicts wait for a replica (`WEIR_REDIS_REPLICAS`). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/commands/configuration/apply';
import { createPart, type InstallationPart, startProcess } from '#weir/deploy/local/processes/part';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { createHistoryClient } from '#weir/shared/history/client';
import { packageRoot, programPath } from '#weir/shared/paths';
import { createClient } from '../support/installation/load.js';
import { PATIENCE } from '../support/installation/patience.js';
import { startTestHistory, type TestClickHouse } from '../support/stores/clickhouse.js';
import { type RedisGroup, startRedisGroup } from '../support/stores/sentinel.js';
import { sleep, until } from '../support/wait.js';

let group: RedisGroup;
let engine: TestClickHouse;
const parts: InstallationPart[] = [];

before(async () => {
  [group, engine] = await Promise.all([startRedisGroup({ replicas: 2, silentMs: 500 }), startTestHistory()]);
  const text = readFileSync(join(packageRoot, 'bench/policies.yaml'), 'utf8');
  await applyConfiguration({ redisUrl: group.url, text, file: 'weir.yaml' });
  const env = {
    ...PATIENCE,
    WEIR_REDIS_URL: group.url,
    WEIR_REDIS_REPLICAS: '1',
    WEIR_CLICKHOUSE_URL: engine.url,
    WEIR_LOG_LEVEL: 'silent',
    WEIR_PORT: '0',
    WEIR_METRICS_PORT: '0',
    WEIR_THREADS: '1',
    WEIR_CLAIM_IDLE_MS: '1500',
    WEIR_BLOCK_DELAY_MS: '200',
    WEIR_DEADLINE_MS: '8000',
  };
  for (const program of ['worker', 'ingress'] as const) {
    parts.push(await createPart(program, () => startProcess({ name: program, program: programPath(program), env })));
  }
});
after(async () => {
  for (const part of parts.reverse()) await part.kill();
  await group?.close();
  await engine?.close();
});

/** The rows of these results, by id. */
async function rowsOf(ids: readonly string[]): Promise<Map<string, number>> {
  const client = createHistoryClient({ url: engine.url, database: 'weir' });
  const query = 'SELECT id, count() AS n FROM results WHERE id IN {ids: Array(String)} GROUP BY id';
  const answer = await client.query({ query, query_params: { ids: [...ids] }, format: 'JSONEachRow' });
  const rows = (await answer.json()) as { id: string; n: string }[];
  await client.close();
  return new Map(rows.map(({ id, n }) => [id, Number(n)]));
}

const idIn = (body: unknown): string => (body as { event: { internal_event_id: string } }).event.internal_event_id;

it('loses and doubles nothing that was answered when the primary is killed, and goes on with a replica', async () => {
  const client = createClient(`http://127.0.0.1:${parts.at(-1)!.ready.port}`, DEMO_KEY);
  const accepted: string[] = [];
  const others: string[] = [];
  let going = true;
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (going) {
      const event = { type: 'reasoning', content: 'Good morning.', event_id: `e-${sent++}` };
      const request = JSON.stringify({ environment_id: 'prod', event });
      const { status, body } = await client.request('POST', '/api/event', request);
      if (status === 200) accepted.push(idIn(body));
      else others.push(`${status} ${(body as { error?: { code?: string } } | undefined)?.error?.code}`);
      if (status !== 200) await sleep(50);
    }
  };
  const callers = Array.from({ length: 8 }, caller);
  await until('checks are answered', () => accepted.length > 200);
  await group.servers[0]!.kill('SIGKILL');
  await until('a replica takes its place', async () => (await group.primary()) !== group.servers[0]!.port);
  const before = accepted.length;
  await until('checks are answered again', () => accepted.length > before + 200);
  going = false;
  await Promise.all(callers);
  client.close();
  for (const other of new Set(others)) assert.match(other, /^(503 unavailable|504 evaluation_timeout)$/);
  let rows = new Map<string, number>();
  await until('all that was answered is stored', async () => {
    rows = await rowsOf(accepted);
    return rows.size === new Set(accepted).size;
  });
  assert.deepEqual(
    [...rows].filter(([, n]) => n !== 1),
    [],
  );
});
