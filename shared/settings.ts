/**
 * All settings, typed, with their defaults, read from environment variables. `--help` of each program lists those that it uses. A
 * value that does not fit ends the program with a sentence and exit code 1.
 */

import { DIALECTS_SHAPE, USUAL_DIALECTS } from './api/dialects/names.js';
import { REGION_SHAPE } from './region.js';

type SettingKind = 'string' | 'integer' | 'flag';

interface Definition<T> {
  variable: string;
  kind: SettingKind;
  default: T;
  min?: number;
  max?: number;
  choices?: readonly string[];
  /** pattern of a text, and how it is described */
  shape?: { pattern: RegExp; expected: string };
  /** an address of these schemes, which may hold a password: it is in no message */
  address?: { schemes: RegExp; example: string };
  help: string;
}

const text = (variable: string, value: string, help: string, choices?: readonly string[]): Definition<string> => ({
  variable,
  kind: 'string',
  default: value,
  help,
  ...(choices ? { choices } : {}),
});
const integer = (variable: string, value: number, min: number, max: number, help: string): Definition<number> => ({
  variable,
  kind: 'integer',
  default: value,
  min,
  max,
  help,
});

export const DEFINITIONS = {
  host: text('WEIR_HOST', '127.0.0.1', 'address that ingress listens on'),
  port: integer('WEIR_PORT', 8080, 0, 65535, 'port of the HTTP interface (0: any free one)'),
  metricsHost: text('WEIR_METRICS_HOST', '127.0.0.1', 'address of the metrics port'),
  metricsPort: integer('WEIR_METRICS_PORT', 9464, 0, 65535, 'port of /metrics (0: any free one)'),
  allowedHosts: text(
    'WEIR_ALLOWED_HOSTS',
    '',
    'names besides localhost that the headers Host and Origin may have where Weir listens on loopback, separated by commas',
  ),
  versionHeaders: {
    ...text(
      'WEIR_VERSION_HEADERS',
      '',
      'further headers that name the version of the interface where there is no service-version, separated by commas; the first of this list that came counts',
    ),
    shape: {
      pattern: /^(?:[a-z0-9-]{1,64}(?: *, *[a-z0-9-]{1,64}){0,7})?$/i,
      expected: 'at most 8 names of headers, separated by commas',
    },
  },
  defaultVersion: text(
    'WEIR_DEFAULT_VERSION',
    '',
    'version of the interface for requests that name none; empty: they are answered 400',
    ['', '2025-12-01', '2026-04-15', '2026-06-01'],
  ),
  dialects: {
    ...text(
      'WEIR_DIALECTS',
      USUAL_DIALECTS,
      `interfaces of other services that are served: ${DIALECTS_SHAPE.expected}`,
    ),
    shape: DIALECTS_SHAPE,
  },
  console: text('WEIR_CONSOLE', 'on', 'whether the console is served, a page for people at /console', ['on', 'off']),
  oidcIssuer: {
    ...text(
      'WEIR_OIDC_ISSUER',
      '',
      'address of the OpenID Connect provider that people sign in to the console with (empty: there is none)',
    ),
    address: { schemes: /^https?:$/, example: 'https://id.example.com' },
  },
  oidcClientId: text('WEIR_OIDC_CLIENT_ID', '', 'id that the provider knows Weir by'),
  oidcClientSecretFile: text(
    'WEIR_OIDC_CLIENT_SECRET_FILE',
    '',
    'file with the secret that the provider has given Weir, which is read again at each sign-in',
  ),
  oidcRedirectUrl: {
    ...text(
      'WEIR_OIDC_REDIRECT_URL',
      '',
      'address of /console/callback as browsers see it, which the provider sends people back to',
    ),
    address: { schemes: /^https?:$/, example: 'https://weir.example.com/console/callback' },
  },
  oidcScopes: text('WEIR_OIDC_SCOPES', 'openid email profile', 'scopes that Weir asks the provider for'),
  oidcGroupsClaim: text('WEIR_OIDC_GROUPS_CLAIM', 'groups', 'claim that names the groups of a person'),
  oidcUserClaim: text(
    'WEIR_OIDC_USER_CLAIM',
    'email',
    'claim that names a person, in labels and the audit log; without it, that is the subject',
  ),
  loginIdleMinutes: integer(
    'WEIR_LOGIN_IDLE_MINUTES',
    30,
    1,
    1440,
    'minutes without a request after which people have to sign in again',
  ),
  loginHours: integer('WEIR_LOGIN_HOURS', 8, 1, 168, 'hours after which people have to sign in again in any case'),
  redisUrl: text(
    'WEIR_REDIS_URL',
    'redis://127.0.0.1:6379',
    'address of Redis, of its Sentinels (redis-sentinel://host:26379,host:26379/name) or of nodes of a Cluster (redis-cluster://host:6379,host:6379); rediss… instead of redis… uses TLS',
  ),
  redisPasswordFile: text(
    'WEIR_REDIS_PASSWORD_FILE',
    '',
    'file with the password of Redis, which is read again at each connection',
  ),
  redisSentinelUser: text('WEIR_REDIS_SENTINEL_USER', '', 'user of the Sentinels, where they have one of their own'),
  redisSentinelPasswordFile: text('WEIR_REDIS_SENTINEL_PASSWORD_FILE', '', 'file with the password of the Sentinels'),
  redisReplicas: integer(
    'WEIR_REDIS_REPLICAS',
    0,
    0,
    16,
    'replicas of Redis that must have a verdict before it is answered; with fewer, checks are 503 (0: none is waited for)',
  ),
  redisCaFile: text(
    'WEIR_REDIS_CA_FILE',
    '',
    'file with the certificates that sign those of Redis and its Sentinels (PEM)',
  ),
  redisCertFile: text('WEIR_REDIS_CERT_FILE', '', "file with Weir's own certificate for Redis (PEM)"),
  redisKeyFile: text('WEIR_REDIS_KEY_FILE', '', 'file with the key of that certificate (PEM)'),
  clickhouseUrl: {
    ...text(
      'WEIR_CLICKHOUSE_URL',
      'http://127.0.0.1:8123',
      'address of ClickHouse, with user and password if it needs them',
    ),
    address: { schemes: /^https?:$/, example: 'http://user:password@host:8123' },
  },
  clickhousePasswordFile: text(
    'WEIR_CLICKHOUSE_PASSWORD_FILE',
    '',
    'file with the password of ClickHouse, which is read again at each request',
  ),
  clickhouseDatabase: text('WEIR_CLICKHOUSE_DATABASE', 'weir', 'database of the history tables'),
  clickhouseQuorum: {
    ...text(
      'WEIR_CLICKHOUSE_QUORUM',
      'auto',
      'where tables are replicated: replicas that must have rows before they leave Redis (auto: more than half of all)',
    ),
    shape: { pattern: /^(auto|[1-9]\d?)$/, expected: 'auto or a number of replicas from 1 to 99' },
  },
  historyTimeoutMs: integer(
    'WEIR_HISTORY_TIMEOUT_MS',
    1000,
    50,
    60_000,
    'how long a look-up in ClickHouse may take before it is 503; lists and figures have 5 s at least',
  ),
  roles: text(
    'WEIR_ROLES',
    'evaluator,archiver,metrics,hooks',
    'what a worker does: evaluator, archiver, metrics, hooks',
  ),
  threads: integer(
    'WEIR_THREADS',
    0,
    0,
    256,
    'evaluation threads of a worker (0: one less than the cores, at least one)',
  ),
  fetchAllow: text(
    'WEIR_FETCH_ALLOW',
    '',
    'where images may be fetched from, and webhooks be sent to, besides public addresses: host:port, separated by commas',
  ),
  fetches: integer('WEIR_FETCHES', 16, 1, 1000, 'images a worker fetches at once, of a team at most half (rounded up)'),
  decoders: integer(
    'WEIR_DECODERS',
    0,
    0,
    256,
    'processes of a worker that decode images (0: one less than the cores, at least one)',
  ),
  hashLists: text('WEIR_HASH_LISTS', '.weir/hashes', 'folder of the lists of known images, each a file of its name'),
  ocrLanguages: text(
    'WEIR_OCR_LANGUAGES',
    'eng',
    "languages of the text that is read in images: tesseract's names, joined by +",
  ),
  models: text(
    'WEIR_MODELS',
    '.weir/models',
    'folder of the models of images and texts, each NAME.onnx with its NAME.yaml',
  ),
  confine: text(
    'WEIR_CONFINE',
    'auto',
    'auto: processes that read images are kept from network, files and rights as far as this machine can; off: they are not',
    ['auto', 'off'],
  ),
  readers: integer(
    'WEIR_READERS',
    1,
    1,
    64,
    'images whose text a worker reads at once, images that models score at once for one team, and models of texts that run at once for one team; each takes one core. For several teams twice as many models run',
  ),
  slowThreads: integer('WEIR_SLOW_THREADS', 1, 1, 64, 'evaluation threads of a worker for images and large bodies'),
  slowEntries: integer(
    'WEIR_SLOW_ENTRIES',
    128,
    2,
    10_000,
    'checks with images or large bodies a worker has at work at once, and checks of a team whose images it looks at at once',
  ),
  slowBytes: integer(
    'WEIR_SLOW_BYTES',
    64 * 1024 * 1024,
    1 << 20,
    2 ** 40,
    'bytes of such bodies at which a worker reads no more of them',
  ),
  deadlineMs: integer('WEIR_DEADLINE_MS', 8000, 50, 600_000, 'how long a caller waits for a verdict before 504'),
  pendingBytes: integer(
    'WEIR_PENDING_BYTES',
    256 * 1024 * 1024,
    1 << 20,
    2 ** 40,
    'bytes of unanswered bodies and unread answers that an ingress holds before 503; of a team at most half, of a key a quarter',
  ),
  headMs: integer(
    'WEIR_HEAD_MS',
    1000,
    100,
    600_000,
    'time from a connection to the head of its first request, before the connection is ended; requests of the same address end the wait',
  ),
  transferMs: integer(
    'WEIR_TRANSFER_MS',
    60_000,
    100,
    600_000,
    'how long a caller may take to send a body, or to take an answer, before the connection is ended',
  ),
  stallMs: integer(
    'WEIR_STALL_MS',
    4000,
    100,
    600_000,
    'time in which a body must come on by its even share of WEIR_TRANSFER_MS, before the connection is ended',
  ),
  bodyValues: integer(
    'WEIR_BODY_VALUES',
    2_000_000,
    100_000,
    100_000_000,
    'JSON values and names in a body over 64 KiB',
  ),
  messageBytes: integer(
    'WEIR_MESSAGE_BYTES',
    1024 * 1024,
    1024,
    32 * 1024 * 1024,
    'bytes of text in the message that a session check looks at; of an earlier one as many are context',
  ),
  parseMs: integer('WEIR_PARSE_MS', 8000, 10, 600_000, 'time after which parsing a body over 64 KiB is given up'),
  failedKeys: integer(
    'WEIR_FAILED_KEYS',
    600,
    0,
    1_000_000,
    'requests a minute without a valid API key from one address, beyond which they are 429 (0: any number)',
  ),
  addressConnections: integer(
    'WEIR_ADDRESS_CONNECTIONS',
    2000,
    0,
    1_000_000,
    'connections of one address to the HTTP port (0: any number); Linux only',
  ),
  maxAgeMs: integer(
    'WEIR_MAX_AGE_MS',
    1000,
    10,
    600_000,
    'age of the oldest unread entry above which ingress answers 503',
  ),
  maxSlowAgeMs: integer(
    'WEIR_MAX_SLOW_AGE_MS',
    4000,
    10,
    600_000,
    'the same for checks with images or large bodies, which then alone are answered 503',
  ),
  maxMemoryPercent: integer(
    'WEIR_MAX_MEMORY_PERCENT',
    70,
    1,
    99,
    "share of Redis's maxmemory above which ingress answers 503",
  ),
  maxLoopLagMs: integer(
    'WEIR_MAX_LOOP_LAG_MS',
    500,
    10,
    60_000,
    "delay of ingress's event loop above which it answers 503",
  ),
  maxAttempts: integer('WEIR_MAX_ATTEMPTS', 3, 1, 100, 'times an entry is evaluated before it is a dead letter'),
  claimIdleMs: integer(
    'WEIR_CLAIM_IDLE_MS',
    4000,
    100,
    600_000,
    'silence after which an entry is taken from its worker',
  ),
  hardLimitMs: integer(
    'WEIR_HARD_LIMIT_MS',
    30_000,
    100,
    600_000,
    'time of a thread after which it is ended with the item at hand, and 2 s more for each MiB; waiting for a thread does not count',
  ),
  hotSeconds: integer('WEIR_HOT_SECONDS', 60, 1, 86_400, 'how long a result stays in Redis after it is archived'),
  blockDelayMs: integer(
    'WEIR_BLOCK_DELAY_MS',
    2000,
    0,
    60_000,
    'how old a result is before it is archived, and its metrics are computed',
  ),
  blockRows: integer('WEIR_BLOCK_ROWS', 100_000, 1, 1_000_000, 'rows at which a block is cut'),
  blockBytes: integer('WEIR_BLOCK_BYTES', 64 * 1024 * 1024, 1024, 2 ** 30, 'bytes at which a block is cut'),
  stopDelayMs: integer(
    'WEIR_STOP_DELAY_MS',
    5000,
    0,
    600_000,
    'how long ingress serves on after SIGTERM while /readyz fails already (a second signal ends it)',
  ),
  metricThreads: integer('WEIR_METRIC_THREADS', 1, 1, 64, 'threads of a worker that compute metrics'),
  metricsBacklogBytes: integer(
    'WEIR_METRICS_BACKLOG_BYTES',
    128 * 1024 * 1024,
    0,
    2 ** 40,
    'bytes of archived results that Redis keeps for metrics to be computed of them, and for webhooks to be told of them; what is beyond goes without',
  ),
  hookTimeoutMs: integer('WEIR_HOOK_TIMEOUT_MS', 10_000, 100, 60_000, 'how long a webhook may take to answer'),
  hookBacklogBytes: integer(
    'WEIR_HOOK_BACKLOG_BYTES',
    16 * 1024 * 1024,
    1 << 20,
    2 ** 40,
    'bytes of deliveries to the webhooks of a team that Redis keeps, waiting and given up; what is beyond is dropped',
  ),
  rewriteSeconds: integer(
    'WEIR_REWRITE_SECONDS',
    3600,
    0,
    604_800,
    'how often an archiver drops dead letters older than content may be, and has Redis rewrite its append-only file (0: never)',
  ),
  drainMs: integer('WEIR_DRAIN_MS', 15_000, 0, 600_000, 'how long a process finishes its work after SIGTERM'),
  tracesUrl: {
    ...text(
      'WEIR_TRACES_URL',
      '',
      'where spans of traces are sent by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces; empty: nowhere',
    ),
    address: { schemes: /^https?:$/, example: 'http://127.0.0.1:4318/v1/traces' },
  },
  tracesShare: {
    ...text(
      'WEIR_TRACES_SHARE',
      '0.01',
      'share of the requests that are traced, besides those whose caller records their trace (traceparent)',
    ),
    shape: { pattern: /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, expected: 'a number from 0 to 1, such as 0.01' },
  },
  log: text('WEIR_LOG', 'auto', 'form of log lines: json, pretty for people, auto: pretty on a terminal, else json', [
    'auto',
    'json',
    'pretty',
  ]),
  logLevel: text('WEIR_LOG_LEVEL', 'info', 'trace, debug, info, warn, error or silent', [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ]),
  redisPort: integer('WEIR_REDIS_PORT', 6379, 0, 65535, 'local: port of the redis-server that is started'),
  redisMaxMemory: {
    ...text('WEIR_REDIS_MAXMEMORY', '4gb', 'local: maxmemory of that redis-server'),
    // 0 means no limit to Redis: ingress would then never refuse.
    shape: { pattern: /^0*[1-9]\d{0,14}([kmg]b?|b)?$/i, expected: 'a size above 0, such as 512mb or 4gb' },
  },
  redisFsync: text('WEIR_REDIS_FSYNC', 'everysec', 'local: appendfsync of that redis-server', [
    'always',
    'everysec',
    'no',
  ]),
  clickhousePort: integer('WEIR_CLICKHOUSE_PORT', 8123, 0, 65535, 'local: port of the embedded ClickHouse engine'),
  dataDir: text('WEIR_DATA_DIR', '.weir', 'local: folder of all data'),
  config: text(
    'WEIR_CONFIG',
    'deploy/local/weir.yaml',
    'local: configuration that is applied at each start; while this is not set, at the first start alone',
  ),
  partitions: integer('WEIR_PARTITIONS', 1, 1, 1024, 'partitions, set once when an installation starts; only grows'),
  region: {
    ...text(
      'WEIR_REGION',
      '',
      'where there are several regions: number and name of this one, such as 1:eu, set once when the installation starts; empty: as it was set',
    ),
    shape: REGION_SHAPE,
  },
} as const;

export type SettingName = keyof typeof DEFINITIONS;
type ValueOf<D> = D extends Definition<infer T> ? T : never;
export type Settings<N extends SettingName = SettingName> = { [K in N]: ValueOf<(typeof DEFINITIONS)[K]> };

/** A setting does not fit. The message names the variable, what was expected and what to do. */
export class SettingsError extends Error {}

/** Reads `names` (default: all) from `env`. An empty variable counts as unset. */
export function loadSettings<N extends SettingName = SettingName>(
  env: Record<string, string | undefined> = process.env,
  names: readonly N[] = Object.keys(DEFINITIONS) as N[],
): Settings<N> {
  const settings: Record<string, string | number> = {};
  for (const name of names) settings[name] = parse(DEFINITIONS[name] as Definition<string | number>, env);
  return settings as Settings<N>;
}

function parse(definition: Definition<string | number>, env: Record<string, string | undefined>): string | number {
  const raw = env[definition.variable]?.trim();
  if (raw === undefined || raw === '') return definition.default;
  if (definition.kind === 'string') {
    if (definition.choices && !definition.choices.includes(raw)) {
      throw new SettingsError(
        `${definition.variable} must be one of ${definition.choices.join(', ')}, but is "${raw}".`,
      );
    }
    const { shape, address } = definition;
    if (address && !(URL.canParse(raw) && address.schemes.test(new URL(raw).protocol)))
      throw new SettingsError(`${definition.variable} must be an address such as ${address.example}, but is none.`);
    if (shape && !shape.pattern.test(raw)) {
      throw new SettingsError(`${definition.variable} must be ${shape.expected}, but is "${raw}".`);
    }
    return raw;
  }
  const value = Number(raw);
  const { min, max } = definition as Required<Definition<number>>;
  if (!Number.isInteger(value) || value < min || value > max) {
    const why = SERVICE_LINK.test(raw) ? ` ${OF_KUBERNETES}` : '';
    throw new SettingsError(
      `${definition.variable} must be a whole number from ${min} to ${max}, but is "${raw}".${why}`,
    );
  }
  return value;
}

/** What Kubernetes sets in every container beside a Service that is named "weir". */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\//;
const OF_KUBERNETES =
  'Kubernetes sets it for a Service named "weir": set enableServiceLinks to false in the pod, or name the Service otherwise.';

/** The table that `--help` prints. */
export function describeSettings(names: readonly SettingName[] = Object.keys(DEFINITIONS) as SettingName[]): string {
  const width = Math.max(...names.map((name) => DEFINITIONS[name].variable.length));
  return names
    .map((name) => {
      const { variable, help, default: value } = DEFINITIONS[name];
      return `  ${variable.padEnd(width)}  ${help} [${value}]`;
    })
    .join('\n');
}
