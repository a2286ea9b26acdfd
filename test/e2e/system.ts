/** The whole system as a test sees it: an installation of its own, callers, and SQL. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { type Stack, type StackOptions, startStack } from '#weir/deploy/local/stack';
import {
  type Client,
  createClient,
  type EventsRequest,
  type Result,
  type SessionInput,
} from '#weir/shared/client/index';
import { partsOf } from '#weir/shared/ids';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import { assertDocumented } from '../support/api/openapi.ts';
import { PATIENCE } from '../support/installation/patience.ts';
import { fillHistory } from '../support/stores/clickhouse.ts';
import { fetchSql } from '../support/stores/sql.ts';
import { until } from '../support/wait.ts';
import { configuration, KEY } from './configuration.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by assertions
  json: any;
}

/** What a check was answered that went well. */
export type Accepted = Pick<Answer, 'json'>;

export interface CallOptions {
  /** default: the key that may do everything in team acme */
  key?: string;
  version?: string;
  headers?: Record<string, string>;
}

export interface System {
  stack: Stack;
  redis: Redis;
  /** of the key that may do everything in team acme; asks once, so that a refusal is seen */
  client: Client;
  get(path: string, options?: CallOptions): Promise<Answer>;
  /** `body`: a value, or JSON as bytes, to be sent as they are. */
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  /** `DELETE` */
  remove(path: string, options?: CallOptions): Promise<Answer>;
  /** Checks events in `prod` that must be answered 200. */
  events(events: unknown[], rest?: Record<string, unknown>): Promise<Accepted>;
  /** Checks a session that must be answered 200. */
  session(body: Record<string, unknown>): Promise<Accepted>;
  /** Rows of a query, sent as anybody would with curl. */
  sql(query: string): Promise<Record<string, unknown>[]>;
  /** Waits until the result with this internal id is archived, and has its time in Redis end. */
  cold(internalId: string): Promise<void>;
  /** Whether the result with this internal id is in Redis. */
  isHot(internalId: string): Promise<boolean>;
  /** Waits until every committed result is archived. */
  archived(): Promise<void>;
  apply(text: string): Promise<number>;
  close(): Promise<void>;
}

/** A run id that no other test uses. */
export const newRun = (name = 'run'): string => `${name}-${randomUUID()}`;

/** Who applies configurations, and what they say. */
const WHO = { user: 'ann', host: 'desk', message: 'as globex asked' };

const ENV = {
  WEIR_LOG_LEVEL: 'warn',
  // Until a test says that this time is over: so no machine is too slow for what is asked of a hot result.
  WEIR_HOT_SECONDS: '3600',
  WEIR_BLOCK_DELAY_MS: '20',
  WEIR_DIALECTS: 'all',
  ...PATIENCE,
};

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'weir-e2e-'));

/** Starts one; without `dataDir` in a folder of its own, which goes with it. */
export async function startSystem(options: Partial<StackOptions> = {}): Promise<System> {
  const dataDir = options.dataDir ?? newFolder();
  if (options.dataDir === undefined) await fillHistory(dataDir);
  const stack = await startStack({
    configuration: { text: configuration(), file: 'test.yaml' },
    threads: 1,
    followers: false,
    maxMemory: '256mb',
    ...options,
    dataDir,
    env: { ...ENV, ...options.env },
  }).catch((error: unknown) => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  });
  const redis = connectCommands({ redisUrl: stack.redisUrl }, 'test');
  redis.on('error', () => undefined);
  await redis.connect();
  const partitions = options.partitions ?? 1;

  const call = async (method: string, path: string, body: unknown, options: CallOptions = {}): Promise<Answer> => {
    const response = await fetch(stack.url + path, {
      method,
      headers: {
        authorization: `Bearer ${options.key ?? KEY.acme}`,
        'service-version': options.version ?? '2026-06-01',
        'content-type': 'application/json',
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await response.text();
    const { status, headers } = response;
    const json: unknown = JSON.parse(text);
    assertDocumented(method, path, { status, header: (name) => headers.get(name) ?? undefined, json });
    return { status, headers, text, json };
  };
  const client = createClient({ url: stack.url, apiKey: KEY.acme, retries: 0, attemptTimeoutMs: 120_000 });
  const accepted = async (checked: Promise<Result<unknown>>): Promise<Accepted> => {
    const result = await checked;
    assert.ok(result.ok, JSON.stringify(result));
    return { json: result.value };
  };
  const resultOf = (internalId: string): string => {
    const { partition, requestId } = partsOf(internalId)!;
    return keys.result(partition, requestId);
  };

  return {
    stack,
    redis,
    client,
    isHot: async (internalId) => (await redis.exists(resultOf(internalId))) === 1,
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
    remove: (path, options) => call('DELETE', path, undefined, options),
    // Tests send what no type allows, too.
    events: (events, rest = {}) =>
      accepted(client.checkEvents({ environment_id: 'prod', ...rest, events } as EventsRequest)),
    session: (body) => accepted(client.checkSession({ deployment_id: 'chat', ...body } as unknown as SessionInput)),
    async sql(query) {
      const url = `${stack.clickhouseUrl}/?database=weir&default_format=JSONEachRow`;
      const response = await fetchSql(url, { method: 'POST', body: query });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async cold(internalId) {
      const key = resultOf(internalId);
      await until('the result is archived', async () => (await redis.pttl(key)) !== -1);
      await redis.del(key);
    },
    archived: () =>
      until('the log is archived', async () => {
        for (let p = 0; p < partitions; p++) if ((await redis.xlen(keys.results(p))) > 0) return false;
        return true;
      }),
    apply: async (text) =>
      (await applyConfiguration({ redisUrl: stack.redisUrl, text, file: 'test.yaml', who: WHO })).version,
    async close() {
      redis.disconnect();
      await stack.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
