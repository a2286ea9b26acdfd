/** What helm makes of the chart, held against the types and schemas of Kubernetes and of what else reads it. No API server has it. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { packageRoot } from '#weir/shared/paths';
import { METRICS_PAGE } from '../../docs/metrics-page.ts';
import { quotedIn, readPage, tablesOf } from '../../docs/pages.ts';
import { type HelmTools, helmTools } from './tools.ts';
import { CHART, chartFile, EXAMPLES, type HelmValues, ROLES } from './values.ts';

interface PodContainer {
  image: string;
  args?: string[];
  env: { name: string; value?: string }[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: object;
  ports?: { name: string; containerPort: number }[];
}

interface PodSpec {
  containers: [PodContainer];
  volumes: { name: string }[];
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
  securityContext: { runAsNonRoot: boolean; seccompProfile: object };
  terminationGracePeriodSeconds: number;
  serviceAccountName?: string;
}

/** An object of Kubernetes, as far as it is looked at here. */
interface ChartObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the validators know what it has
  spec: any;
  data?: Record<string, string>;
}

/** Packages that have the types and validators of an object. */
const packageOf = ({ apiVersion, kind }: ChartObject): string => {
  const from = apiVersion.startsWith('keda.sh/')
    ? '@kubernetes-models/keda'
    : apiVersion.startsWith('monitoring.coreos.com/')
      ? '@kubernetes-models/prometheus-operator'
      : 'kubernetes-models';
  return `${from}/${apiVersion}/${kind}`;
};

const podsOf = (objects: ChartObject[]): [ChartObject, PodSpec][] =>
  objects.flatMap((object): [ChartObject, PodSpec][] => {
    if (object.kind === 'Pod') return [[object, object.spec]];
    return object.spec?.template ? [[object, object.spec.template.spec]] : [];
  });
const variableOf = (spec: PodSpec, name: string): string | undefined =>
  spec.containers[0].env.find((each) => each.name === name)?.value;

interface Executed {
  stdout: string;
  stderr: string;
  failed: boolean;
}

const executed = (program: string, args: string[]): Promise<Executed> =>
  new Promise((resolve) => {
    execFile(program, args, { encoding: 'utf8', maxBuffer: 2 ** 25 }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, failed: error !== null }),
    );
  });

describe('helm', { concurrency: true }, async () => {
  const tools = await helmTools();
  const skip = typeof tools === 'string' ? tools : false;
  const { helm, folder } = tools as HelmTools;
  const temporary = mkdtempSync(join(tmpdir(), 'weir-chart-'));
  const chart = join(temporary, 'weir');
  let made: Record<(typeof EXAMPLES)[number], ChartObject[]>;

  const run = (...args: string[]): Promise<Executed> => executed(helm, args);
  const example = (name: string): string => join(CHART, 'examples', `${name}.yaml`);
  let files = 0;
  const written = (values: HelmValues): string => {
    const path = join(temporary, `values-${files++}.yaml`);
    // In JSON: YAML of helm takes "no" for false.
    writeFileSync(path, JSON.stringify(values));
    return path;
  };
  const objectsOf = (text: string): ChartObject[] =>
    parseAllDocuments(text)
      .map((document) => {
        // A name that stands twice, and a line that is no YAML.
        assert.deepEqual([...document.errors, ...document.warnings], []);
        return document.toJS() as ChartObject | null;
      })
      .filter((object) => object !== null);
  /** What the chart makes of values over those of an example. */
  async function template(
    name: (typeof EXAMPLES)[number],
    over: HelmValues = {},
    more: string[] = [],
  ): Promise<ChartObject[]> {
    const { stdout, stderr, failed } = await run(
      'template',
      'prod',
      chart,
      '-n',
      'apps',
      '-f',
      example(name),
      '-f',
      written(over),
      ...more,
    );
    assert.ok(!failed, stderr);
    return objectsOf(stdout);
  }

  /** By the schema of its kind. */
  async function validate(object: ChartObject): Promise<void> {
    const path = join(folder, 'node_modules', `${packageOf(object)}.js`);
    type Model = new (data: object) => { validate(): void };
    const models = (await import(pathToFileURL(path).href)) as Record<string, Model>;
    assert.doesNotThrow(() => new models[object.kind]!(object).validate(), `${object.kind} ${object.metadata.name}`);
  }

  before(async () => {
    if (skip) return;
    cpSync(CHART, chart, { recursive: true, dereference: true });
    const [small, redundant, large] = await Promise.all(EXAMPLES.map((name) => template(name)));
    made = { small: small!, redundant: redundant!, large: large! };
  });
  after(() => rmSync(temporary, { recursive: true, force: true }));

  it('has nothing against the chart, whatever example it is made with', { skip }, async () => {
    const said = await Promise.all(EXAMPLES.map((name) => run('lint', '--strict', chart, '-f', example(name))));
    for (const { stdout, stderr, failed } of said) assert.ok(!failed, `${stdout}${stderr}`);
    const { stdout, failed } = await run('package', chart, '-d', temporary);
    assert.ok(!failed, stdout);
    assert.ok(existsSync(join(temporary, 'weir-0.1.0.tgz')));
  });

  it('makes objects that the schemas of Kubernetes, KEDA and the Prometheus operator take', { skip }, async () => {
    for (const objects of Object.values(made)) {
      for (const object of objects) {
        await validate(object);
      }
    }
    const kinds = new Set(Object.values(made).flatMap((objects) => objects.map(({ kind }) => kind)));
    assert.deepEqual([...kinds].sort(), [
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'Pod',
      'PodDisruptionBudget',
      'PodMonitor',
      'PrometheusRule',
      'ScaledObject',
      'Service',
    ]);
  });

  it('makes objects without a field that their types do not have', { skip }, async () => {
    // The validators pass over unknown fields. TypeScript reports them in a literal.
    const all = Object.values(made)
      .flat()
      .filter(({ kind }) => kind !== 'ConfigMap' && kind !== 'PrometheusRule');
    const imports = new Map(all.map((object) => [object.kind, packageOf(object)]));
    const lines = [
      ...[...imports].map(([kind, path]) => `import type { I${kind} } from '${path}';`),
      ...all.map((object, n) => `export const o${n}: I${object.kind} = ${JSON.stringify(object)};`),
    ];
    // It does report them.
    lines.push(
      '// @ts-expect-error',
      "export const wrong: IService = { apiVersion: 'v1', kind: 'Service', spec: { port: 1 } };",
    );
    const own = mkdtempSync(join(folder, 'types-'));
    try {
      writeFileSync(join(own, 'objects.ts'), lines.join('\n'));
      const compilerOptions = {
        noEmit: true,
        strict: true,
        skipLibCheck: true,
        types: [],
        module: 'esnext',
        moduleResolution: 'bundler',
      };
      writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const tsc = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
      const { stdout, failed } = await executed(process.execPath, [tsc, '-p', own]);
      assert.ok(!failed, stdout);
    } finally {
      rmSync(own, { recursive: true });
    }
  });

  it('runs every pod without rights, without a token and without the links of services', { skip }, () => {
    for (const [object, spec] of Object.values(made).flatMap(podsOf)) {
      const name = `${object.kind} ${object.metadata.name}`;
      assert.deepEqual([spec.enableServiceLinks, spec.automountServiceAccountToken], [false, false], name);
      assert.equal(spec.securityContext.runAsNonRoot, true, name);
      assert.deepEqual(spec.securityContext.seccompProfile, { type: 'RuntimeDefault' }, name);
      assert.deepEqual(
        spec.containers[0].securityContext,
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        name,
      );
    }
  });

  it('mounts what the environment names, and nothing that is not there', { skip }, () => {
    for (const [object, spec] of Object.values(made).flatMap(podsOf)) {
      const [{ env, volumeMounts }] = spec.containers;
      const name = `${object.kind} ${object.metadata.name}`;
      assert.deepEqual(
        volumeMounts.map((each) => each.name).sort(),
        spec.volumes.map((each) => each.name).sort(),
        name,
      );
      const folders = volumeMounts.map(({ mountPath }) => `${mountPath}/`);
      for (const { name: variable, value = '' } of env.filter((each) => each.value?.startsWith('/etc/')))
        assert.ok(
          folders.some((each) => value.startsWith(each) || `${value}/` === each),
          `${name}: ${variable}`,
        );
      const names = env.map((each) => each.name);
      assert.deepEqual(names, [...new Set(names)], name);
    }
  });

  it('has a Deployment for each role, found by its own Service, budget and scaler alone', { skip }, () => {
    for (const objects of Object.values(made)) {
      const deployments = objects.filter(({ kind }) => kind === 'Deployment');
      for (const { metadata, spec } of deployments) {
        const role = metadata.labels['app.kubernetes.io/component']!;
        const pod = spec.template.spec as PodSpec;
        assert.equal(variableOf(pod, 'WEIR_ROLES'), role === 'ingress' ? undefined : role);
        assert.match(pod.containers[0].image, role === 'ingress' ? /\/weir-ingress:/ : /\/weir-worker:/);
        const budget = objects.find(
          ({ kind, metadata: { name } }) => kind === 'PodDisruptionBudget' && name === metadata.name,
        );
        assert.deepEqual(budget?.spec.selector, spec.selector);
        for (const each of spec.template.spec.topologySpreadConstraints)
          assert.deepEqual(each.labelSelector, spec.selector);
        const scaler = objects.find(
          ({ kind, spec: its }) => /Scale/i.test(kind) && its.scaleTargetRef.name === metadata.name,
        );
        assert.equal('replicas' in spec, scaler === undefined, `${metadata.name}: who says how many there are`);
      }
      const selects = (selector: Record<string, string>): string[] =>
        podsOf(objects).flatMap(([object]) => {
          const labels: Record<string, string> = object.spec.template?.metadata.labels ?? object.metadata.labels;
          return Object.entries(selector).every(([key, value]) => labels[key] === value) ? [object.metadata.name] : [];
        });
      for (const { spec } of deployments) assert.equal(selects(spec.selector.matchLabels).length, 1);
      assert.deepEqual(selects(objects.find(({ kind }) => kind === 'Service')!.spec.selector), ['prod-weir-ingress']);
    }
    const roles = made.large
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
    assert.deepEqual(roles.sort(), [...ROLES].sort());
    assert.ok(!made.small.some(({ metadata }) => metadata.name.endsWith('-hooks')));
  });

  it('gives each pod delay, drain and 10 s before it is killed', { skip }, async () => {
    const grace = async (over: HelmValues): Promise<Record<string, number>> =>
      Object.fromEntries(
        (await template('small', over))
          .filter(({ kind }) => kind === 'Deployment')
          .map(({ metadata, spec }) => [
            metadata.labels['app.kubernetes.io/component'],
            spec.template.spec.terminationGracePeriodSeconds,
          ]),
      );
    const [usual, set, own] = await Promise.all([
      grace({}),
      grace({ settings: { WEIR_STOP_DELAY_MS: 0, WEIR_DRAIN_MS: 20_001 } }),
      grace({ settings: { WEIR_DRAIN_MS: 1000 }, evaluator: { settings: { WEIR_DRAIN_MS: 0 } }, spareSeconds: 15 }),
    ]);
    assert.deepEqual([usual.ingress, usual.evaluator], [30, 30]);
    assert.deepEqual([set.ingress, set.archiver], [31, 31]);
    assert.deepEqual([own.ingress, own.evaluator], [21, 20]);
  });

  it('writes numbers as they are, and lets a setting of a role win, also where it is 0', { skip }, async () => {
    const objects = await template('small', {
      settings: { WEIR_PENDING_BYTES: 1_073_741_824, WEIR_DEFAULT_VERSION: '2026-06-01', WEIR_HOT_SECONDS: 120 },
      ingress: { settings: { WEIR_FAILED_KEYS: 0, WEIR_HOT_SECONDS: 90 } },
    });
    const pods = new Map(podsOf(objects).map(([{ metadata }, spec]) => [metadata.name, spec]));
    const ingress = pods.get('prod-weir-ingress')!;
    assert.equal(variableOf(ingress, 'WEIR_PENDING_BYTES'), '1073741824');
    assert.equal(variableOf(ingress, 'WEIR_DEFAULT_VERSION'), '2026-06-01');
    assert.equal(variableOf(ingress, 'WEIR_FAILED_KEYS'), '0');
    assert.equal(variableOf(ingress, 'WEIR_HOT_SECONDS'), '90');
    assert.equal(variableOf(pods.get('prod-weir-archiver')!, 'WEIR_HOT_SECONDS'), '120');
    assert.equal(variableOf(ingress, 'WEIR_REDIS_PASSWORD_FILE'), '/etc/weir/redis/password');
  });

  it('runs the Jobs in an order in which each can do its work', { skip }, async () => {
    const objects = await template('small', { configuration: { configMap: '', content: 'version: 1\n' } });
    const hooks = (event: string): string[] =>
      objects
        .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']?.split(',').includes(event))
        .sort(
          (a, b) =>
            Number(a.metadata.annotations!['helm.sh/hook-weight']) -
            Number(b.metadata.annotations!['helm.sh/hook-weight']),
        )
        .map(({ metadata }) => metadata.name.replace('prod-weir-', ''));
    // No worker lives: the configuration has to be there before pods can be ready.
    assert.deepEqual(hooks('pre-install'), ['configuration', 'migrate', 'apply']);
    assert.deepEqual(hooks('pre-upgrade'), ['configuration', 'migrate']);
    assert.deepEqual(hooks('post-upgrade'), ['apply']);
    assert.deepEqual(hooks('pre-rollback'), ['configuration']);
    assert.deepEqual(hooks('post-rollback'), ['apply']);
    // What a hook needs is there before what is no hook.
    const names = objects
      .filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook'])
      .map(({ metadata }) => metadata.name);
    for (const [, spec] of podsOf(objects).filter(([{ kind }]) => kind === 'Job')) {
      const text = JSON.stringify(spec.volumes);
      assert.ok(!names.some((name) => text.includes(`"${name}"`)), text);
      assert.equal(spec.serviceAccountName, undefined);
    }
    const [job] = podsOf(objects.filter(({ metadata }) => metadata.name === 'prod-weir-migrate'));
    assert.deepEqual(job![1].containers[0].args, ['weir', 'migrate', '--config', '/etc/weir/configuration/weir.yaml']);
  });

  it('puts the keys of a Secret behind the configuration, beside the files that it names', { skip }, () => {
    const [, spec] = podsOf(made.redundant).find(([{ metadata }]) => metadata.name.endsWith('-apply'))!;
    const [command, ...args] = spec.containers[0].args!;
    // As volumes have it: links to files that their owner may not write.
    const given = join(temporary, 'given');
    mkdirSync(join(given, '..data'), { recursive: true });
    const contents = {
      'weir.yaml': 'version: 1\npolicies:\n  - name: Words\n    terms: { file: words.txt }',
      'words.txt': 'blocked\n',
    };
    for (const [name, text] of Object.entries(contents)) {
      writeFileSync(join(given, '..data', name), text, { mode: 0o440 });
      symlinkSync(join('..data', name), join(given, name));
    }
    const keys = join(temporary, 'keys.yaml');
    writeFileSync(keys, 'keys:\n  - { id: web, sha256: 00 }\n', { mode: 0o440 });
    const joined = join(temporary, 'joined');
    const bin = join(temporary, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'weir'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(join(bin, 'weir'), 0o755);
    const { stdout, status, stderr } = spawnSync(command!, args, {
      encoding: 'utf8',
      env: { PATH: `${bin}:${process.env.PATH}`, GIVEN: given, GIVEN_KEYS: keys, JOINED: joined },
    });
    assert.equal(status, 0, stderr);
    assert.equal(stdout, `apply\n--message\nhelm: prod\n${joined}/weir.yaml\n`);
    assert.deepEqual(Object.keys(parse(readFileSync(join(joined, 'weir.yaml'), 'utf8')) as object), [
      'version',
      'policies',
      'keys',
    ]);
    assert.equal(readFileSync(join(joined, 'words.txt'), 'utf8'), contents['words.txt']);
  });

  it('has the alerts as they are written, with what Prometheus fills in', { skip }, () => {
    const rule = made.redundant.find(({ kind }) => kind === 'PrometheusRule')!;
    const text = chartFile('files/weir.rules.yml');
    assert.match(text, /\{\{ \$labels/);
    assert.deepEqual(rule.spec, parse(text));
  });

  it('asks Prometheus for metrics that exist, of this release alone', { skip }, () => {
    const known = new Set(
      tablesOf(readPage(METRICS_PAGE), 'Metric | Meaning | Labels').map(([name]) => quotedIn(name!)[0]!),
    );
    const queries = made.large
      .filter(({ kind }) => kind === 'ScaledObject')
      .flatMap(({ spec }) => spec.triggers as { type: string; metadata: { query?: string } }[])
      .flatMap(({ metadata: { query } }) => query ?? []);
    assert.equal(queries.length, 5);
    for (const query of queries) {
      for (const name of query.match(/\bweir_\w+/g)!) assert.ok(known.has(name), query);
      assert.match(query, /namespace="apps",app_kubernetes_io_instance="prod"/);
    }
    const monitor = made.large.find(({ kind }) => kind === 'PodMonitor')!;
    assert.ok(monitor.spec.podTargetLabels.includes('app.kubernetes.io/instance'));
  });

  it('opens the ports of the stores that the addresses name', { skip }, async () => {
    const portsOf = async (over: HelmValues): Promise<number[][]> => {
      const objects = await template('small', { networkPolicy: { enabled: true }, ...over });
      const { spec } = objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'prod-weir')!;
      return (spec.egress as { ports: { port: number }[] }[]).map(({ ports }) => ports.map(({ port }) => port));
    };
    const all = await Promise.all([
      portsOf({}),
      portsOf({ redis: { url: 'redis-cluster://weir@a:7000,b:7001,c/' }, clickhouse: { url: 'https://weir@db' } }),
      portsOf({ redis: { url: 'rediss-sentinel://a,b:26380/weir/2' }, clickhouse: { url: 'https://db:8443/' } }),
    ]);
    assert.deepEqual(all, [
      [[53, 53], [6379], [8123]],
      [[53, 53], [7000, 7001, 6379], [443]],
      [[53, 53], [26379, 26380, 6379], [8443]],
    ]);
    // The collector of traces, wherever it is named.
    const traced = await Promise.all([
      portsOf({ settings: { WEIR_TRACES_URL: 'http://collector.obs:4318/v1/traces' } }),
      portsOf({
        settings: { WEIR_TRACES_URL: 'HTTPS://collector/v1/traces' },
        ingress: { settings: { WEIR_TRACES_URL: 'http://[fd00::1]:4318' } },
        archiver: { settings: { WEIR_TRACES_URL: '' } },
      }),
    ]);
    assert.deepEqual(
      traced.map((ports) => ports.slice(3)),
      [[[4318]], [[4318, 443]]],
    );
  });

  it('makes text of whatever looks like something else in YAML', { skip }, async () => {
    const over = {
      redis: {
        url: 'rediss-sentinel://a/weir',
        passwordSecret: '123',
        passwordKey: '456',
        sentinelPasswordSecret: 'true',
        sentinelPasswordKey: 'null',
        tlsSecret: '1e3',
        caKey: '1.0',
        certKey: '0x1',
        keyKey: 'no',
      },
      clickhouse: { passwordSecret: '1', passwordKey: '1', caSecret: '2', caKey: '2' },
      configuration: {
        configMap: '',
        content: '  # begins with spaces\nversion: 1\n',
        file: '1.0',
        keysSecret: '3',
        keysFile: 'null',
      },
      nameOverride: 'true',
      serviceAccount: { create: true, name: '5' },
      evaluator: {
        priorityClassName: '6',
        autoscaling: { kind: 'keda' },
        podAnnotations: { a: '1' },
        podLabels: { b: 'true' },
        settings: { WEIR_DEFAULT_VERSION: '2026-06-01' },
        env: [{ name: 'KEY', value: 'yes' }],
      },
      keda: { serverAddress: 'http://prometheus', authentication: '7', selector: `job='"weir"'` },
      kubernetesIngress: { enabled: true, hosts: ['8'], tlsSecret: '9', className: '10' },
      networkPolicy: { enabled: true },
    };
    const objects = await template('small', over);
    for (const object of objects) await validate(object);
    const apply = podsOf(objects).find(([{ metadata }]) => metadata.name.endsWith('-apply'))![1];
    assert.ok(apply.containers[0].args!.every((each) => typeof each === 'string'));
    const { data } = objects.find(({ kind }) => kind === 'ConfigMap')!;
    assert.deepEqual(data, { '1.0': '  # begins with spaces\nversion: 1\n' });
    const scaled = objects.find(({ kind }) => kind === 'ScaledObject')!;
    assert.ok(JSON.stringify(scaled).includes(JSON.stringify(`lane="fast",job='"weir"'`).slice(1, -1)));
    const from: unknown[] = JSON.stringify(objects).match(/"(secretName|key|path)":\d/g) ?? [];
    assert.deepEqual(from, []);
  });

  it('gives objects names that Kubernetes takes, whatever the release is called', { skip }, async () => {
    const long = 'a23456789-123456789-123456789-123456789-1234567.b';
    const made = async (release: string, over: HelmValues = {}): Promise<Executed> =>
      run('template', release, chart, '-f', example('small'), '-f', written(over));
    const [dots, word, cut, digit, named] = await Promise.all([
      made('my.app'),
      made('true'),
      made(long),
      made('123'),
      made('123', { fullnameOverride: 'weir' }),
    ]);
    for (const { stdout, stderr, failed } of [dots, word, cut, named]) {
      assert.ok(!failed, stderr);
      for (const object of objectsOf(stdout)) {
        assert.match(object.metadata.name, /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
        await validate(object);
      }
    }
    assert.match(dots.stdout, /name: my-app-weir-ingress$/m);
    assert.match(digit.stderr, /begins with a letter, and 123-weir does not: set fullnameOverride/);
  });

  it('says what is missing or does not fit', { skip }, async () => {
    const wrong: [HelmValues, RegExp][] = [
      [{ image: { repository: '' } }, /Set image\.repository/],
      [{ redis: { url: '' } }, /Set redis\.url/],
      [{ clickhouse: { url: '' } }, /Set clickhouse\.url/],
      [{ configuration: { secret: 'other' } }, /Set one of configuration\.content/],
      [{ configuration: { configMap: '', keysSecret: 'keys' } }, /keysSecret has a part/],
      [{ clickhouse: { sharded: true } }, /needs clickhouse\.cluster/],
      [{ evaluator: { autoscaling: { kind: 'keda' } } }, /needs keda\.serverAddress/],
      [{ ingress: { autoscaling: { kind: 'cpu', min: 5, max: 2 } } }, /min is more than max/],
      [
        { archiver: { autoscaling: { kind: 'cpu' }, resources: { requests: null } } },
        /needs archiver\.resources\.requests\.cpu/,
      ],
      [{ redis: { tlsSecret: 'tls' } }, /begins with rediss/],
      [{ redis: { sentinelPasswordSecret: 'x' } }, /for a redis\.url of Sentinels/],
      [{ kubernetesIngress: { enabled: true } }, /needs kubernetesIngress\.hosts/],
      // By the schema, which helm itself reads.
      [{ evaluator: { replica: 3 } }, /additional properties 'replica' not allowed/],
      [{ settings: { WEIR_DRAIN_MS: 700_000 } }, /maximum/],
    ];
    const said = await Promise.all(
      wrong.map(([over]) => run('template', 'prod', chart, '-f', example('small'), '-f', written(over))),
    );
    for (const [n, [over, expected]] of wrong.entries()) {
      assert.ok(said[n]!.failed, JSON.stringify(over));
      assert.match(said[n]!.stderr, expected);
    }
  });

  it('says what to do next', { skip }, async () => {
    const notes = async (over: HelmValues): Promise<string> => {
      const args = [
        'install',
        'prod',
        chart,
        '--dry-run=client',
        '-n',
        'apps',
        '-f',
        example('small'),
        '-f',
        written(over),
      ];
      const { stdout, stderr, failed } = await run(...args);
      assert.ok(!failed, stderr);
      return stdout.slice(stdout.indexOf('NOTES:'));
    };
    const [usual, without] = await Promise.all([notes({}), notes({ configuration: { configMap: '' } })]);
    assert.match(usual, /helm -n apps test prod\n/);
    assert.match(usual, /port-forward service\/prod-weir 8080:80\n/);
    assert.doesNotMatch(usual, /weir apply/);
    assert.match(
      without,
      /pods are not ready until you apply one:\n {2}kubectl -n apps exec -i deployment\/prod-weir-ingress/,
    );
  });

  it('goes without alerts where a copy of the chart has none', { skip }, async () => {
    const bare = join(temporary, 'bare');
    cpSync(chart, bare, { recursive: true });
    rmSync(join(bare, 'files'), { recursive: true });
    const { stdout, failed } = await run('template', 'prod', bare, '-f', example('redundant'));
    assert.ok(!failed);
    assert.ok(objectsOf(stdout).every(({ kind }) => kind !== 'PrometheusRule' && kind !== 'ConfigMap'));
  });
});
