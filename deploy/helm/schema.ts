/**
 * The schema of the chart's values: what helm refuses, and what the table of `deploy/helm/weir/README.md` says. `values.schema.json` is made
 * of it; settings come from their definitions.
 */
import { DEFINITIONS, type SettingName } from '../../shared/settings.js';

/** A part of a JSON Schema (draft 2020-12). */
export interface ValuesSchema {
  $schema?: string;
  $ref?: string;
  $defs?: Record<string, ValuesSchema>;
  title?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, ValuesSchema>;
  additionalProperties?: boolean | ValuesSchema;
  required?: string[];
  items?: ValuesSchema;
  enum?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
}

/** Settings that the chart makes of other values, and those of `npm start` alone. */
export const SETTINGS_OF_CHART = [
  'host',
  'port',
  'metricsHost',
  'metricsPort',
  'redisUrl',
  'redisPasswordFile',
  'redisSentinelUser',
  'redisSentinelPasswordFile',
  'redisCaFile',
  'redisCertFile',
  'redisKeyFile',
  'clickhouseUrl',
  'clickhousePasswordFile',
  'roles',
  'hashLists',
  'models',
  'redisPort',
  'redisMaxMemory',
  'redisFsync',
  'clickhousePort',
  'dataDir',
  'config',
] as const satisfies readonly SettingName[];

const text = (description: string, more: ValuesSchema = {}): ValuesSchema => ({ type: 'string', description, ...more });
const whole = (description: string, minimum: number, maximum: number): ValuesSchema => ({
  type: 'integer',
  description,
  minimum,
  maximum,
});
const truth = (description: string): ValuesSchema => ({ type: 'boolean', description });
const parts = (description: string, properties: Record<string, ValuesSchema>): ValuesSchema => ({
  type: 'object',
  description,
  additionalProperties: false,
  properties,
});
/** What Kubernetes reads; its own schema is that of the API server. */
const object = (description: string): ValuesSchema => ({ type: 'object', description });
const objects = (description: string): ValuesSchema => ({ type: 'array', description, items: { type: 'object' } });
const texts = (description: string): ValuesSchema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});

const FILE = '^[-._a-zA-Z0-9]+$';
const FILE_OR_NONE = '^[-._a-zA-Z0-9]*$';
/** Of a Service, which has the strictest rule. */
const NAME_PART = '^([a-z]([-a-z0-9]{0,46}[a-z0-9])?)?$';
const OBJECT_NAME = '^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?)?$';
const nameOfSecret = (what: string): ValuesSchema => text(`name of the Secret ${what}`, { pattern: OBJECT_NAME });
const fileOf = (what: string, pattern = FILE): ValuesSchema => text(`key of it ${what}`, { pattern });

/** No password may stand in an address: it would be in the release and in the pods. */
const ADDRESS = '^([a-zA-Z]+://[^@/?#]+([/?#].*)?)?$';

function settingOf(name: SettingName): ValuesSchema {
  const {
    kind,
    help,
    default: value,
    ...rest
  } = DEFINITIONS[name] as {
    kind: string;
    help: string;
    default: string | number;
    min?: number;
    max?: number;
    choices?: readonly string[];
    shape?: { pattern: RegExp };
    address?: object;
  };
  const description = `${help} (${value === '' ? 'nothing' : value})`;
  if (kind === 'integer') return whole(description, rest.min!, rest.max!);
  if (rest.choices) return text(description, { enum: [...rest.choices] });
  if (rest.address) return text(description, { pattern: ADDRESS });
  // A number such as that of replicas may stand without quotes.
  const pattern = rest.shape && !rest.shape.pattern.flags ? { pattern: rest.shape.pattern.source } : {};
  return { type: ['string', 'integer'], description, ...pattern };
}

const settings: ValuesSchema = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    (Object.keys(DEFINITIONS) as SettingName[])
      .filter((name) => !(SETTINGS_OF_CHART as readonly SettingName[]).includes(name))
      .map((name) => [DEFINITIONS[name].variable, settingOf(name)]),
  ),
};

const env: ValuesSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      // Those of Weir are settings.
      name: { type: 'string', pattern: '^([A-VX-Z_a-z]|W[^E]|WE[^I]|WEI[^R]|WEIR[^_])[A-Za-z0-9_]*$' },
      value: { type: 'string' },
      valueFrom: { type: 'object' },
    },
  },
};

/** What each of the Deployments has. */
function component(
  what: string,
  own: Record<string, ValuesSchema> = {},
  kinds = ['none', 'cpu', 'keda'],
): ValuesSchema {
  return parts(what, {
    ...own,
    replicas: whole('pods, unless they are scaled', 0, 1000),
    resources: object('requests and limits. No limit of CPU: it would add waits'),
    settings: { $ref: '#/$defs/settings', description: 'settings of this one alone, over those of `settings`' },
    env: { $ref: '#/$defs/env', description: 'further environment, such as keys of backends and secrets of webhooks' },
    autoscaling: parts('how pods are added', {
      kind: text('none, cpu (a HorizontalPodAutoscaler) or keda (a ScaledObject)', { enum: kinds }),
      min: whole('fewest pods', 1, 1000),
      max: whole('most pods', 1, 1000),
      cpuPercent: whole('share of the requested CPU to keep to', 10, 100),
    }),
    maxUnavailable: {
      type: ['integer', 'string'],
      description: 'pods that may go at once (PodDisruptionBudget), a number or a share such as 10%',
      minimum: 0,
      pattern: '^[0-9]+%$',
    },
    podSecurityContext: object('over the one of all'),
    podAnnotations: texts('annotations of the pods'),
    podLabels: texts('labels of the pods'),
    nodeSelector: texts('nodes by their labels'),
    tolerations: objects('taints of nodes that are tolerated'),
    affinity: object('affinity of the pods'),
    priorityClassName: text('priority class'),
  });
}

const peers = (what: string): ValuesSchema => objects(`${what} (NetworkPolicyPeer); none: any`);
const ports = (what: string): ValuesSchema => ({
  type: 'array',
  description: what,
  items: { type: 'integer', minimum: 1, maximum: 65535 },
});

const REDIS_URL =
  '^$|^rediss?://([^:@/?#]+@)?[^:@/?#,]+(:[0-9]{1,5})?(/[0-9]*)?$|^rediss?-sentinel://([^:@/?#]+@)?[^@/?#]+/[^/?#]+(/[0-9]+)?$|^rediss?-cluster://([^:@/?#]+@)?[^@/?#]+/?$';
const CLICKHOUSE_URL = '^$|^https?://([^:@/?#]+@)?[^:@/?#]+(:[0-9]{1,5})?/?$';

const PROPERTIES: Record<string, ValuesSchema> = {
  global: object('of helm'),
  nameOverride: text('in place of the name of the chart', { pattern: NAME_PART }),
  fullnameOverride: text('first part of the names of all objects', { pattern: NAME_PART }),
  image: parts('images', {
    repository: text('registry and folder of the images `weir-ingress` and `weir-worker`'),
    tag: text('tag; empty: the version of the chart'),
    ingressDigest: text('pins the image of ingress and of the Jobs', { pattern: '^(sha256:[0-9a-f]{64})?$' }),
    workerDigest: text('pins the image of the workers', { pattern: '^(sha256:[0-9a-f]{64})?$' }),
    pullPolicy: text('when it is pulled', { enum: ['Always', 'IfNotPresent', 'Never'] }),
    pullSecrets: objects('secrets of the registry, each with a name'),
  }),
  redis: parts('where Redis is', {
    url: text(
      'as WEIR_REDIS_URL, without a password: redis://, redis-sentinel:// or redis-cluster://, or rediss… for TLS',
      {
        pattern: REDIS_URL,
      },
    ),
    passwordSecret: nameOfSecret('with the password'),
    passwordKey: fileOf('with the password'),
    sentinelUser: text('user of the Sentinels'),
    sentinelPasswordSecret: nameOfSecret('with the password of the Sentinels'),
    sentinelPasswordKey: fileOf('with that password'),
    tlsSecret: nameOfSecret('with certificates for TLS'),
    caKey: fileOf('with the certificates that are trusted; empty: those of Node', FILE_OR_NONE),
    certKey: fileOf("with Weir's own certificate; empty: none", FILE_OR_NONE),
    keyKey: fileOf('with the key of that certificate', FILE_OR_NONE),
  }),
  clickhouse: parts('where ClickHouse is', {
    url: text('as WEIR_CLICKHOUSE_URL, without a password', { pattern: CLICKHOUSE_URL }),
    passwordSecret: nameOfSecret('with the password'),
    passwordKey: fileOf('with the password'),
    cluster: text('cluster on which `weir migrate` makes replicated tables; empty: plain ones'),
    sharded: truth('tables are spread over the shards of that cluster'),
    caSecret: nameOfSecret('with certificates that sign the one of ClickHouse'),
    caKey: fileOf('with these certificates'),
  }),
  configuration: parts('policies and keys: what `weir apply` applies', {
    content: text('the file itself: --set-file configuration.content=weir.yaml'),
    configMap: text('name of a ConfigMap that has it, with the files that it names', { pattern: OBJECT_NAME }),
    secret: nameOfSecret('that has it, with the files that it names'),
    file: text('its file name there', { pattern: FILE }),
    keysSecret: nameOfSecret('with the part `keys:` of it, which is put behind the rest'),
    keysFile: text('key of it that has this part', { pattern: FILE }),
    message: text('why, as `weir config list` shows it', { pattern: '^[^\\n]*$' }),
    allowDrops: truth(
      'apply also where all keys, environments, deployments or policies of a team are dropped (`--yes`)',
    ),
  }),
  settings: { $ref: '#/$defs/settings', description: 'settings of all processes (WEIR_…)' },
  listen: text('address on which pods listen; "::" where they have IPv6 alone', { enum: ['0.0.0.0', '::'] }),
  ingress: component('the HTTP edge', {}, ['none', 'cpu']),
  evaluator: component('workers that evaluate', {}),
  archiver: component('workers that write history'),
  metrics: component('workers that compute metrics of content', {
    enabled: truth('off where no configuration asks for metrics'),
  }),
  hooks: component('workers that send webhooks', { enabled: truth('off where no configuration has webhooks') }, [
    'none',
    'cpu',
  ]),
  models: object(
    'volume with models of yours, mounted at /var/lib/weir/models (a source such as persistentVolumeClaim)',
  ),
  hashLists: object('volume with lists of known images, mounted at /var/lib/weir/hashes'),
  temporary: parts('/tmp of each pod', { size: text('most that it may have', { pattern: '^[0-9]+(Ki|Mi|Gi)$' }) }),
  jobs: parts('`weir migrate` before, and `weir apply` after the pods of a release', {
    migrate: truth('run `weir migrate`'),
    apply: truth('run `weir apply`'),
    resources: object('requests and limits'),
    backoffLimit: whole('tries again', 0, 20),
    activeDeadlineSeconds: whole('limit of all tries together', 60, 86_400),
    nodeSelector: texts('nodes by their labels'),
    tolerations: objects('taints of nodes that are tolerated'),
  }),
  startupSeconds: whole('how long a pod may wait for Redis before it is started again', 30, 3600),
  spareSeconds: whole('time beyond WEIR_STOP_DELAY_MS and WEIR_DRAIN_MS after which Kubernetes kills', 10, 600),
  topologySpread: parts('how the pods of a Deployment are spread', {
    zones: text('over zones', { enum: ['', 'ScheduleAnyway', 'DoNotSchedule'] }),
    nodes: text('over nodes', { enum: ['', 'ScheduleAnyway', 'DoNotSchedule'] }),
  }),
  serviceAccount: parts('pods call nothing of Kubernetes, and get no token', {
    create: truth('make one, for what clouds tie to it'),
    name: text('name of the one to use; empty: its own, or the default of the namespace', { pattern: OBJECT_NAME }),
    annotations: texts('annotations of it'),
  }),
  podSecurityContext: object('of all pods'),
  securityContext: object('of all containers'),
  hostUsers: {
    type: ['boolean', 'null'],
    description: 'false: pods have users of their own (Kubernetes 1.33 and later)',
  },
  service: parts('Service in front of ingress', {
    type: text('type', { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] }),
    port: whole('port', 1, 65535),
    annotations: texts('annotations'),
  }),
  kubernetesIngress: parts('Ingress of Kubernetes, from outside to the Service', {
    enabled: truth('make one'),
    className: text('its class'),
    annotations: texts('annotations, such as limits of its controller'),
    hosts: { type: 'array', description: 'names that it serves', items: { type: 'string', minLength: 1 } },
    tlsSecret: nameOfSecret('with the certificate; empty: no TLS'),
  }),
  networkPolicy: parts('what pods may reach, and who may reach them', {
    enabled: truth('make them'),
    callers: peers('who may call ingress'),
    scrapers: peers('who may read the metrics ports'),
    redis: peers('where Redis and its Sentinels are'),
    redisPorts: ports('ports of Redis and Sentinels beside those of the address'),
    clickhouse: peers('where ClickHouse is'),
    traces: peers('where the collector of traces is (WEIR_TRACES_URL)'),
    dns: peers('where names are resolved'),
    dnsPorts: ports('ports of DNS'),
    internet: truth('evaluators and hooks may reach public addresses: images, backends, webhooks'),
    private: { type: 'array', description: 'networks that count as not public', items: { type: 'string' } },
    extraEgress: objects('further rules for evaluators and hooks, such as a backend in the cluster'),
  }),
  podMonitor: parts('PodMonitor of the Prometheus operator', {
    enabled: truth('make one'),
    interval: text('how often pods are asked', { pattern: '^[0-9]+(ms|s|m)$' }),
    labels: texts('labels by which a Prometheus finds it'),
  }),
  prometheusRule: parts('alerts of Weir (PrometheusRule)', {
    enabled: truth('make one'),
    labels: texts('labels by which a Prometheus finds it'),
  }),
  keda: parts('where KEDA asks; for `kind: keda`', {
    serverAddress: text('address of Prometheus', { pattern: '^(https?://.+)?$' }),
    selector: text('labels of the metrics of this release; empty: those that the PodMonitor gives them'),
    authentication: text('name of a TriggerAuthentication', { pattern: OBJECT_NAME }),
    unreadAge: text('seconds that the oldest unread check of the fast lane may wait', { pattern: '^[0-9.]+$' }),
    unreadSlowAge: text('the same of the slow lane', { pattern: '^[0-9.]+$' }),
    unreadEntries: text('unread checks for each evaluator', { pattern: '^[0-9.]+$' }),
    lag: text('seconds that results wait for archiver and metrics', { pattern: '^[0-9.]+$' }),
  }),
  dashboards: parts('ConfigMaps with the dashboards, for a Grafana that looks for them', {
    enabled: truth('make them'),
    labels: texts('labels by which it finds them'),
    annotations: texts('annotations, such as the folder'),
  }),
};

/** The whole schema. */
export const valuesSchema = (): ValuesSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Values of the chart of Weir',
  type: 'object',
  additionalProperties: false,
  properties: PROPERTIES,
  $defs: { settings, env },
});
