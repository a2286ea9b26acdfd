/** An ingress on a free port whose dispatcher and look-ups are functions of the test, and a client that sees raw bytes. */
import { createHash } from 'node:crypto';
import net from 'node:net';
import { after, before } from 'node:test';
import type { ApiKey, Directory, KnownDeployment, Scope } from '#weir/ingress/admission/directory';
import type { Meanings } from '#weir/ingress/admission/meanings';
import type { CheckOutcome, CheckRequest, Dispatcher } from '#weir/ingress/dispatch/types';
import { createServer, type IngressServer, type ServerOptions } from '#weir/ingress/http/server';
import type { LabelRow } from '#weir/ingress/labels/store';
import type { GraphPage } from '#weir/ingress/lookups/run-graph';
import type { Artifacts, ItemAnswer, Lookup, LookupAnswer } from '#weir/ingress/lookups/types';
import type { RiskQuestion } from '#weir/ingress/lookups/user-risk';
import type { StoredArtifact } from '#weir/shared/api/artifact';
import type { AskedScores, LabelScores, RecordItem, ResultRecord, StoredItem } from '#weir/shared/api/results/record';
import type { ErrorBody, ItemLabel, RunGraph } from '#weir/shared/api/types';
import type { StoredAppeal } from '#weir/shared/history/read/appeals';
import type { QueuedVerdict, QueueQuestion } from '#weir/shared/history/read/label-queue';
import type { LastStatement } from '#weir/shared/history/read/labels';
import { newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import type { AuditedAct } from '#weir/shared/streams/audit';
import { Registry } from '#weir/shared/telemetry';
import { errorIn } from '../support/api/errors.ts';
import { assertDocumented } from '../support/api/openapi.ts';
import { assertHas } from '../support/has.ts';

export const POLICY = '6f1c0f0e-3a52-4a52-9a0c-6d1f0a1b2c3d';

function apiKey(id: string, change: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    team: 'acme',
    deployments: new Set(['chat', 'gone']),
    defaultDeployment: 'chat',
    environments: new Set(['prod']),
    scopes: new Set(['check', 'read', 'risk']),
    expiresAt: null,
    requestsPerMinute: null,
    ...change,
  };
}

const KEYS: Record<string, ApiKey> = {
  good: apiKey('good'),
  reader: apiKey('reader', { scopes: new Set(['read']) }),
  writer: apiKey('writer', { scopes: new Set(['check']) }),
  // Only this one may be shown content.
  shown: apiKey('shown', { scopes: new Set(['check', 'read', 'content']) }),
  reviewer: apiKey('reviewer', { scopes: new Set(['review']) }),
  eraser: apiKey('eraser', { scopes: new Set(['erase']) }),
  bare: apiKey('bare', { defaultDeployment: '' }),
  expired: apiKey('expired', { expiresAt: 1 }),
  internal: apiKey('internal', { deployments: new Set(['internal']), defaultDeployment: 'internal' }),
  masking: apiKey('masking', { deployments: new Set(['masked']), defaultDeployment: 'masked' }),
  five: apiKey('five', { requestsPerMinute: 5 }),
  many: apiKey('many', { requestsPerMinute: 60_000 }),
  // Of another team, with an environment of the same name.
  other: apiKey('other', { team: 'globex' }),
  'five-reader': apiKey('five-reader', { requestsPerMinute: 5, scopes: new Set(['read']) }),
};
const HASHED = new Map(
  Object.entries(KEYS).map(([token, key]) => [createHash('sha256').update(token).digest('hex'), key]),
);

const scope = (id: string, contextDepth = 0, redacts = false): Scope => ({
  id,
  team: 'acme',
  policies: new Set([POLICY]),
  contextDepth,
  redacts,
});
const ENVIRONMENTS = new Map([
  ['prod', scope('prod', 3)],
  ['staging', scope('staging')],
]);
const MEANINGS: Meanings = new Map(
  (
    [
      [POLICY, 'Hate', ['hate'], ['text', 'image'], 'any', ['HATE', 'CREDIT_CARD']],
      ['00000000-0000-4000-8000-000000000001', 'Answers', [], ['text'], 'output', ['US_SSN']],
      ['00000000-0000-4000-8000-000000000002', 'Pictures', [], ['image'], 'any', []],
    ] as const
  ).map(([id, name, labels, sources, direction, entities]) => [
    id,
    { name, categories: [name === 'Hate' ? 'hate' : name], labels, sources, direction, entities },
  ]),
);
const deployment = (...of: Parameters<typeof scope>): KnownDeployment => ({
  ...scope(...of),
  meanings: () => MEANINGS,
});
const DEPLOYMENTS = new Map([
  ['chat', deployment('chat', 3)],
  ['internal', deployment('internal')],
  ['masked', deployment('masked', 0, true)],
]);

export const directory: Directory = {
  version: 7,
  id: '7-a@b',
  key: (sha256) => HASHED.get(sha256),
  keyOf: () => undefined,
  login: () => undefined,
  failClosed: () => false,
  keepsContent: true,
  masksContent: false,
  deployment: (team, id) => (team === 'acme' ? DEPLOYMENTS.get(id) : undefined),
  environment: (team, id) => (team === 'acme' || id === 'prod' ? ENVIRONMENTS.get(id) : undefined),
  policies: (team) => (team === 'acme' ? [{ id: POLICY, name: 'Hate', severity: 'high', mode: 'live' }] : []),
  hooks: () => [],
  severity: (team, id) => (team === 'acme' && id === POLICY ? 'high' : undefined),
  risk: { window_days: 30, weights: { low: 1, medium: 2, high: 5 }, elevated: 4, severe: 10 },
  regions: new Map([
    [1, 'eu'],
    [2, 'us'],
  ]),
};

export function recordItem(item: number, change: Partial<RecordItem> = {}): RecordItem {
  return {
    item,
    type: 'message',
    eventId: `m${item}`,
    runId: 'run-1',
    externalSessionId: '',
    status: 'completed',
    flagged: false,
    policies: 0,
    explained: -1,
    metadata: -1,
    note: '',
    target: null,
    ...change,
  };
}

export function record(change: Partial<ResultRecord> = {}): ResultRecord {
  return {
    kind: 'events',
    id: newRequestId(0),
    team: 'acme',
    scope: 'prod',
    config: 7,
    sequence: 1,
    received: 1_790_000_000_000,
    completed: 1_790_000_000_005,
    items: [recordItem(1)],
    fragments: ['{}'],
    error: null,
    ...change,
  };
}

export function storedItem(change: Partial<StoredItem> = {}): StoredItem {
  return {
    id: '01890000-0000-7000-8000-000000000001',
    requestId: '01890000-0000-7000-8000-000000000000',
    kind: 'event',
    team: 'acme',
    scope: 'prod',
    type: 'message',
    eventId: 'm1',
    runId: 'run-1',
    externalSessionId: '',
    status: 'completed',
    flagged: true,
    policies: '{}',
    explained: '',
    metadata: '{"a":1}',
    note: '',
    sequence: 1,
    version: 1,
    created: 1_790_000_000_000,
    completed: 1_790_000_000_005,
    error: null,
    ...change,
  };
}

export interface Ingress {
  server: IngressServer;
  registry: Registry;
  /** requests that reached the dispatcher */
  checks: CheckRequest[];
  /** arguments of look-ups */
  lookups: string[][];
  /** the outcome of a check; replace at will */
  outcome: (request: CheckRequest) => Promise<CheckOutcome>;
  found: ItemAnswer;
  /** what the other look-ups find, and what was asked */
  sessions: LookupAnswer<StoredItem[]>;
  artifact: LookupAnswer<StoredArtifact>;
  artifacts: LookupAnswer<Artifacts> | Promise<LookupAnswer<Artifacts>>;
  contents: LookupAnswer<ReadonlyMap<string, string>>;
  said: LookupAnswer<ReadonlyMap<string, readonly ItemLabel[]>>;
  stated: LookupAnswer<readonly LastStatement[]>;
  appeals: LookupAnswer<readonly StoredAppeal[]>;
  queue: LookupAnswer<QueuedVerdict[]>;
  queues: QueueQuestion[];
  graph: LookupAnswer<RunGraph>;
  score: LookupAnswer<number>;
  /** labels that were stored */
  labels: LabelRow[];
  /** what the audit log was told */
  told: AuditedAct[];
  pages: GraphPage[];
  questions: RiskQuestion[];
  refusal: ReturnType<Dispatcher['refusal']>;
  /** Sends a request. Its answer must be as documented. */
  call(options: Call): Promise<Answer>;
  /** Sends `parts` one after the other on one connection, and resolves with the first answers. */
  raw(parts: readonly Part[], options?: RawOptions): Promise<Answer[]>;
  connect(): Promise<Peer>;
  /** The value of a metric, with its labels if it has any; 0 where it was not counted. */
  figure(name: string): Promise<number>;
}

type Settings = Partial<ServerOptions['settings']>;
type Options = Partial<ServerOptions>;

/** Starts an ingress. Close it with `server.close()`. */
export const startIngress = (settings?: Settings, options?: Options): Promise<Ingress> =>
  open(newIngress(), settings, options);

/** An ingress for all tests of a `describe`, to be called in it: it runs while they do. */
export function sharedIngress(settings?: Settings, options?: Options): Ingress {
  const ingress = newIngress();
  before(() => open(ingress, settings, options));
  after(() => ingress.server.close());
  return ingress;
}

/** Each label has one. */
const scoresOf = ({ labels }: AskedScores): LabelScores =>
  Object.fromEntries(labels.map((label) => [label, { score: 0.5, least: 0.5 }]));

function newIngress(): Ingress {
  const ingress = {
    checks: [],
    lookups: [],
    found: { status: 'absent' },
    sessions: { status: 'absent' },
    artifact: { status: 'absent' },
    artifacts: { status: 'found', value: { artifacts: [], complete: true } },
    contents: { status: 'found', value: new Map() },
    said: { status: 'found', value: new Map() },
    stated: { status: 'found', value: [] },
    appeals: { status: 'found', value: [] },
    queue: { status: 'found', value: [] },
    queues: [],
    graph: { status: 'absent' },
    score: { status: 'absent' },
    labels: [],
    told: [],
    pages: [],
    questions: [],
    refusal: undefined,
    registry: new Registry(),
    outcome: async ({ kind, scores, finds }: CheckRequest) => ({
      status: 'done',
      record: record({
        kind,
        ...(scores ? { items: [recordItem(1, { scores: [{ start: 0, end: 0, of: scoresOf(scores) }] })] } : {}),
        ...(finds ? { items: [recordItem(1, { finds: { of: {} } })] } : {}),
      }),
    }),
    call: (options: Call) => call(ingress.server.port, options),
    raw: (parts: readonly Part[], options?: RawOptions) => raw(ingress.server.port, parts, options),
    connect: () => connect(ingress.server.port),
    async figure(name: string) {
      const text = await ingress.registry.metrics();
      const line = text.split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1) ?? 0);
    },
  } as unknown as Ingress;
  return ingress;
}

async function open(ingress: Ingress, settings: Settings = {}, options: Options = {}): Promise<Ingress> {
  const dispatcher: Dispatcher = {
    check(request) {
      ingress.checks.push(request);
      return ingress.outcome(request);
    },
    refusal: () => ingress.refusal,
  };
  const answer =
    (name: string) =>
    async (...args: string[]): Promise<ItemAnswer> => {
      ingress.lookups.push([name, ...args]);
      return ingress.found;
    };
  const lookup: Lookup = {
    byId: answer('byId'),
    latestEvent: answer('latestEvent'),
    latestSession: answer('latestSession'),
    hotSession: answer('hotSession'),
    artifactById: async (...args) => {
      ingress.lookups.push(['artifactById', ...args]);
      return ingress.artifact;
    },
    latestArtifact: async (...args) => {
      ingress.lookups.push(['latestArtifact', ...args]);
      return ingress.artifact;
    },
    // Not recorded: it comes with every look-up of a session.
    sessionArtifacts: async () => ingress.artifacts,
    sessions: async (...args) => {
      ingress.lookups.push(['sessions', ...args.map(String)]);
      return ingress.sessions;
    },
    contents: async (team, scope, ids) => {
      ingress.lookups.push(['contents', team, scope, ...ids]);
      return ingress.contents;
    },
    labels: async (team, scope, ids) => {
      ingress.lookups.push(['labels', team, scope, ...ids]);
      return ingress.said;
    },
    stated: async () => ingress.stated,
    appeals: async () => ingress.appeals,
    appealsSince: async () => ({ status: 'found', value: 0 }),
    openAppeals: async () => ({ status: 'found', value: [] }),
    audit: async () => ({ status: 'found', value: { entries: [], next: undefined } }),
    pastItems: async () => ({ status: 'found', value: { items: [], next: undefined } }),
    foundItems: async () => ({ status: 'found', value: { items: [], next: undefined, cut: false } }),
    conversation: async () => ({ status: 'found', value: { messages: [], next: undefined } }),
    storedPage: async () => ({ status: 'found', value: { page: { items: [], maps: [] }, more: false, total: 0 } }),
    pastFigures: async () => ({ status: 'unavailable' }),
    pastUsers: async () => ({ status: 'unavailable' }),
    labelQueue: async (question) => {
      ingress.queues.push(question);
      return ingress.queue;
    },
    runGraph: async (page) => {
      ingress.pages.push(page);
      return ingress.graph;
    },
    riskScore: async (question) => {
      ingress.questions.push(question);
      return ingress.score;
    },
  };
  ingress.server = await createServer({
    dispatcher,
    lookup,
    erasures: { add: async () => undefined, find: async () => undefined },
    operation: {
      status: () => Promise.reject(new Error('there is no installation')),
      deadLetters: async () => ({ entries: [], away: [] }),
      refused: async () => ({ entries: [], away: [] }),
      replayDeadLetter: async () => undefined,
      replayRefused: async () => false,
      replayAllRefused: async () => ({ replayed: 0, left: 0 }),
    },
    configurations: {
      list: async () => ({ versions: [] }),
      changes: async () => 'version' as const,
      policies: async () => 'version' as const,
      close: async () => undefined,
    },
    labels: { store: async (row) => void ingress.labels.push(row) },
    appeals: {
      once: async (_item, _policy, { find, make }) => (await find()) ?? (await make()),
      store: async () => undefined,
      tell: async () => undefined,
    },
    audit: { tell: async (acts) => void ingress.told.push(...acts) },
    rates: { take: () => undefined, charge: () => undefined, headers: () => ({ policy: '', limit: '' }) },
    directory: () => directory,
    ready: () => undefined,
    progress: () => undefined,
    settings: {
      host: '127.0.0.1',
      port: 0,
      deadlineMs: 8000,
      pendingBytes: 256 << 20,
      headMs: 600_000,
      transferMs: 60_000,
      stallMs: 4000,
      bodyValues: 2_000_000,
      maxAgeMs: 5000,
      versionHeaders: '',
      defaultVersion: '',
      dialects: 'all',
      console: 'on',
      messageBytes: 1024 * 1024,
      parseMs: 8000,
      failedKeys: 0,
      addressConnections: 0,
      tracesShare: '0',
      drainMs: 2000,
      ...settings,
    },
    registry: ingress.registry,
    logger: createLogger('test', 'silent'),
    ...options,
  });
  return ingress;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by assertions
  json: any;
  error: ErrorBody['error'];
}

export const HEADERS = {
  host: 'test',
  authorization: 'Bearer good',
  'service-version': '2026-06-01',
  'content-type': 'application/json',
};

export interface Call {
  method?: string;
  path: string;
  /** undefined removes a default header */
  headers?: Record<string, string | undefined>;
  body?: unknown;
}

/** The bytes of a request; an object body is sent as JSON. */
export function request({ method = 'POST', path, headers = {}, body }: Call): Buffer {
  const all: Record<string, string | undefined> = { ...HEADERS, ...headers };
  let bytes = Buffer.alloc(0);
  if (body !== undefined) {
    bytes = Buffer.isBuffer(body)
      ? Buffer.from(body)
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    if (!('transfer-encoding' in headers)) all['content-length'] ??= String(bytes.length);
  }
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(all)) if (value !== undefined) head += `${name}: ${value}\r\n`;
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), bytes]);
}

export interface RawOptions {
  /** answers to wait for, default 1 */
  count?: number;
  /** ms between parts */
  pause?: number;
  /** the answer has no body, since the request was HEAD */
  head?: boolean;
  onAnswer?(): void;
}

type Part = Buffer | string | Promise<Buffer | string>;

function raw(
  port: number,
  parts: readonly Part[],
  { count = 1, pause = 0, head = false, onAnswer }: RawOptions = {},
): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    const answers: Answer[] = [];
    let received = Buffer.alloc(0);
    const timer = setTimeout(() => end(new Error(`only ${answers.length} answers: ${received.toString()}`)), 120_000);
    function end(error?: Error): void {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve(answers);
    }
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      for (let next = take(received, head); next; next = take(received, head)) {
        received = received.subarray(next.length);
        if (next.answer.status !== 100) answers.push(next.answer);
        onAnswer?.();
      }
      if (answers.length >= count) end();
    });
    socket.on('close', () => end());
    // A server that closes while this still sends resets the connection. Its answer counts.
    socket.on('error', () => undefined);
    (async () => {
      for (const part of parts) {
        const bytes = await part;
        if (socket.destroyed) return;
        socket.write(bytes);
        if (pause > 0) await new Promise((done) => setTimeout(done, pause));
      }
    })();
  });
}

function take(bytes: Buffer, head: boolean): { answer: Answer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const size = head || first.includes(' 304 ') ? 0 : Number(headers['content-length'] ?? 0);
  const length = end + 4 + size;
  if (bytes.length < length) return undefined;
  const text = bytes.toString('utf8', end + 4, length);
  let json: Answer['json'];
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { answer: { status: Number(first.split(' ')[1]), headers, text, json, error: errorIn(json)! }, length };
}

export async function call(port: number, options: Call): Promise<Answer> {
  const [answer] = await raw(port, [request(options)], { head: options.method === 'HEAD' });
  if (!answer) throw new Error(`no answer to ${options.method ?? 'POST'} ${options.path}`);
  assertDocumented(options.method ?? 'POST', options.path, {
    status: answer.status,
    header: (name) => answer.headers[name.toLowerCase()],
    json: answer.json,
  });
  return answer;
}

/** Checks that an answer is the `expected` error: its status, its code, and what else `error` is to say. */
export function assertError(
  answer: Answer | undefined,
  expected: { status: number; code: ErrorBody['error']['code'] } & Partial<ErrorBody['error']>,
  asked?: string,
): asserts answer is Answer {
  assertHas({ ...answer?.error, status: answer?.status }, expected, asked);
}

export interface Peer {
  socket: net.Socket;
  /** what was received, as Latin-1 */
  text(): string;
  /** the server has ended the connection */
  closed(): boolean;
}

function connect(port: number): Promise<Peer> {
  return new Promise((resolve) => {
    let text = '';
    let closed = false;
    const socket = net.connect(port, '127.0.0.1', () => resolve({ socket, text: () => text, closed: () => closed }));
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed = true;
    });
  });
}

/** A batch of `count` message events. */
export function batch(count = 1): { environment_id: string; run_id: string; events: Record<string, unknown>[] } {
  const events = Array.from({ length: count }, (_, i) => ({
    type: 'message',
    role: 'user',
    event_id: `m${i + 1}`,
    content: `text ${i}`,
  }));
  return { environment_id: 'prod', run_id: 'run-1', events };
}
