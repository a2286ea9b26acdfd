/** An ingress and workers on a Redis of a test's own, callers that ask without pause, and the rows of what they were answered. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { createPart, type InstallationPart, startProcess } from '#weir/deploy/local/processes/part';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { createHistoryClient } from '#weir/shared/history/client';
import { packageRoot, programPath } from '#weir/shared/paths';
import type { RedisEndpoint } from '#weir/shared/streams/endpoint';
import { startTestHistory } from '../stores/clickhouse.js';
import { sleep, until } from '../wait.js';
import { createClient } from './load.js';
import { PATIENCE } from './patience.js';

export interface Services {
  /** of ingress */
  url: string;
  clickhouseUrl: string;
  parts: readonly InstallationPart[];
  /** Sends single events, `callers` at a time, until it is stopped. */
  call(callers?: number): Calls;
  /** Waits until each of these results has a row; returns those that do not have exactly one. */
  wrongRows(ids: readonly string[]): Promise<[id: string, rows: number][]>;
  close(): Promise<void>;
}

export interface Calls {
  /** ids of the results of what was answered 200 */
  accepted: string[];
  /** of all other answers: when, ms of the steady clock, and status and code */
  others: { at: number; said: string }[];
  stop(): Promise<void>;
}

/** Ids that one question may have. */
const AT_ONCE = 1000;

export interface ServicesOptions {
  env?: Record<string, string>;
  /** how many; each evaluates and archives */
  workers?: number;
  /** the configuration, default the sample */
  text?: string;
  /** settings that say who `weir apply` is for Redis */
  endpoint?: Partial<RedisEndpoint>;
}

export async function startServices(
  redisUrl: string,
  { env = {}, workers = 1, text = sample(), endpoint = {} }: ServicesOptions = {},
): Promise<Services> {
  const engine = await startTestHistory();
  await applyConfiguration({ ...endpoint, redisUrl, text, file: 'weir.yaml' });
  const whole = {
    ...PATIENCE,
    WEIR_REDIS_URL: redisUrl,
    WEIR_CLICKHOUSE_URL: engine.url,
    WEIR_LOG_LEVEL: process.env.WEIR_LOG_LEVEL ?? 'silent',
    WEIR_PORT: '0',
    WEIR_METRICS_PORT: '0',
    WEIR_THREADS: '1',
    WEIR_CLAIM_IDLE_MS: '1500',
    WEIR_BLOCK_DELAY_MS: '200',
    WEIR_DEADLINE_MS: '8000',
    ...env,
  };
  const parts: InstallationPart[] = [];
  const start = async (program: 'worker' | 'ingress'): Promise<InstallationPart> => {
    const part = await createPart(program, () =>
      startProcess({ name: program, program: programPath(program), env: whole }),
    );
    parts.push(part);
    return part;
  };
  for (let i = 0; i < workers; i++) await start('worker');
  const ingress = await start('ingress');
  const url = `http://127.0.0.1:${ingress.ready.port}`;
  const history = createHistoryClient({ url: engine.url, database: 'weir' });

  async function rowsOf(ids: readonly string[]): Promise<Map<string, number>> {
    const query = 'SELECT id, count() AS n FROM results WHERE id IN {ids: Array(String)} GROUP BY id';
    const answer = await history.query({ query, query_params: { ids: [...ids] }, format: 'JSONEachRow' });
    return new Map(((await answer.json()) as { id: string; n: string }[]).map(({ id, n }) => [id, Number(n)]));
  }

  return {
    url,
    clickhouseUrl: engine.url,
    parts,
    call: (callers = 8) => startCalls(url, callers),
    async wrongRows(ids) {
      let rows = new Map<string, number>();
      const unique = [...new Set(ids)];
      await until('all that was answered is stored', async () => {
        rows = new Map();
        for (let i = 0; i < unique.length; i += AT_ONCE) {
          for (const [id, n] of await rowsOf(unique.slice(i, i + AT_ONCE))) rows.set(id, n);
        }
        return rows.size === unique.length;
      });
      return [...rows].filter(([, n]) => n !== 1);
    },
    async close() {
      for (const part of parts.reverse()) await part.kill();
      await history.close();
      await engine.close();
    },
  };
}

const sample = (): string => readFileSync(join(packageRoot, 'bench/policies.yaml'), 'utf8');

function startCalls(url: string, callers: number): Calls {
  const client = createClient(url, DEMO_KEY);
  const accepted: string[] = [];
  const others: Calls['others'] = [];
  let going = true;
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (going) {
      const event = { type: 'reasoning', content: 'Good morning.', event_id: `e-${sent++}` };
      const request = JSON.stringify({ environment_id: 'prod', event });
      const { status, body } = await client.request('POST', '/api/event', request);
      if (status === 200) accepted.push(idIn(body));
      else {
        others.push({
          at: performance.now(),
          said: `${status} ${(body as { error?: { code?: string } })?.error?.code}`,
        });
        await sleep(50);
      }
    }
  };
  const all = Array.from({ length: callers }, caller);
  return {
    accepted,
    others,
    async stop() {
      going = false;
      await Promise.all(all);
      client.close();
    },
  };
}

const idIn = (body: unknown): string => (body as { event: { internal_event_id: string } }).event.internal_event_id;
