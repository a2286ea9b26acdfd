/** What can be said of the chart without helm. */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { SETTINGS_OF_CHART, valuesSchema } from '#weir/deploy/helm/schema';
import { packageRoot } from '#weir/shared/paths';
import { DEFINITIONS, loadSettings } from '#weir/shared/settings';
import { optionsOf } from '#weir/shared/streams/endpoint';
import {
  CHART,
  chartFile,
  EXAMPLES,
  type HelmValues,
  laidOver,
  ROLES,
  renderValues,
  valueRows,
  valuesIn,
} from './values.ts';

const README = join(CHART, 'README.md');
const BEGIN = '<!-- values -->\n';
const schema = valuesSchema();
const accepts = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
const defaults = valuesIn('values.yaml');
const templates = readdirSync(join(CHART, 'templates'))
  .map((name) => chartFile(join('templates', name)))
  .join('\n');

interface OwnSettings {
  settings: Record<string, string | number>;
}

interface EvaluatorValues extends OwnSettings {
  resources: { requests: { cpu: string } };
}

interface ExampleValues extends OwnSettings {
  redis: { url: string };
}

/** What is wrong with values that lie over the defaults. */
function problemsOf(above: HelmValues): string[] {
  accepts(laidOver(defaults, above));
  return (accepts.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('the values of the chart', () => {
  it('have the schema that the code makes, and a README that it makes', () => {
    const made = `${JSON.stringify(schema, null, 2)}\n`;
    const text = readFileSync(README, 'utf8');
    const page = `${text.slice(0, text.indexOf(BEGIN) + BEGIN.length)}\n${renderValues(schema, defaults)}`;
    if (process.env.DOCS === 'write') {
      writeFileSync(join(CHART, 'values.schema.json'), made);
      writeFileSync(README, page);
      return;
    }
    const how = 'DOCS=write node test/run.mjs test/deploy/helm writes it, and biome check --write formats it';
    assert.deepEqual(JSON.parse(chartFile('values.schema.json')), schema, how);
    assert.equal(text, page, how);
  });

  it('are in values.yaml, each with what it is for', () => {
    const rows = valueRows(schema, defaults).filter(({ path }) => path !== 'global');
    assert.deepEqual(
      rows.filter(({ value }) => value === undefined).map(({ path }) => path),
      [],
    );
    assert.deepEqual(
      rows.filter(({ description }) => description === '').map(({ path }) => path),
      [],
    );
    assert.deepEqual(problemsOf({}), []);
  });

  for (const name of EXAMPLES) {
    it(`are in order in the example ${name}, and its settings are taken`, () => {
      const example = valuesIn(`examples/${name}.yaml`);
      assert.deepEqual(problemsOf(example), []);
      const all = laidOver(defaults, example) as unknown as Record<(typeof ROLES)[number], OwnSettings> & ExampleValues;
      for (const own of [{}, ...ROLES.map((role) => all[role].settings)]) {
        const set = Object.entries({ ...all.settings, ...own }).map(([variable, value]) => [variable, String(value)]);
        loadSettings(Object.fromEntries(set));
      }
      optionsOf({ redisUrl: all.redis.url });
    });
  }

  it('give evaluators threads for the CPU that they request', () => {
    for (const above of [{}, ...EXAMPLES.map((name) => valuesIn(`examples/${name}.yaml`))]) {
      const { evaluator } = laidOver(defaults, above) as unknown as { evaluator: EvaluatorValues };
      const { WEIR_THREADS: threads } = evaluator.settings;
      assert.equal(threads, Math.max(1, Number(evaluator.resources.requests.cpu) - 1));
    }
  });

  it('are refused where they are unknown, or not as they must be', () => {
    const refused: HelmValues[] = [
      { replicaCount: 2 },
      { evaluator: { replica: 2 } },
      { settings: { WEIR_TREADS: 2 } },
      { settings: { WEIR_DRAIN_MS: -1 } },
      { settings: { WEIR_DRAIN_MS: '15s' } },
      { settings: { WEIR_LOG_LEVEL: 'loud' } },
      // The chart makes these of other values.
      { settings: { WEIR_REDIS_URL: 'redis://x' } },
      { evaluator: { settings: { WEIR_ROLES: 'archiver' } } },
      { hooks: { env: [{ name: 'WEIR_DRAIN_MS', value: '1' }] } },
      { ingress: { autoscaling: { kind: 'keda' } } },
      { redis: { passwordSecret: 'Not A Name' } },
      { redis: { passwordKey: '' } },
      { clickhouse: { caKey: '' } },
      { fullnameOverride: '-weir' },
      { fullnameOverride: '1st' },
      { nameOverride: 'weir-' },
      { ingress: { maxUnavailable: '1\n  foo: bar' } },
      { configuration: { file: '../weir.yaml' } },
    ];
    for (const each of refused) assert.notDeepEqual(problemsOf(each), [], JSON.stringify(each));
    for (const maxUnavailable of [0, 1, '10%']) assert.deepEqual(problemsOf({ ingress: { maxUnavailable } }), []);
    for (const name of ['JUDGE_KEY', 'WEB_KEY', 'w']) assert.deepEqual(problemsOf({ hooks: { env: [{ name }] } }), []);
  });

  it('take each form of the address of Redis, and none with a password, which would be in the release', () => {
    const taken = [
      'redis://redis:6379',
      'rediss://weir@redis:6380/2',
      'redis-sentinel://weir@a:26379,b:26379,c/weir',
      'rediss-sentinel://a:26379,b:26379/weir/2',
      'redis-cluster://weir@a:6379,b:6379',
      'rediss-cluster://a',
    ];
    for (const url of taken) {
      assert.deepEqual(problemsOf({ redis: { url } }), [], url);
      optionsOf({ redisUrl: url });
    }
    const refused = [
      ...taken.map((url) => url.replace(/:\/\/(weir@)?/, '://weir:secret@')),
      'redis://:secret@redis',
      'redis-sentinel://a:26379',
      'http://redis',
      'redis:6379',
    ];
    for (const url of refused) assert.notDeepEqual(problemsOf({ redis: { url } }), [], url);
    for (const url of ['http://weir:secret@clickhouse:8123', 'clickhouse:8123', 'tcp://clickhouse'])
      assert.notDeepEqual(problemsOf({ clickhouse: { url } }), [], url);
    const traces = (url: string): string[] => problemsOf({ settings: { WEIR_TRACES_URL: url } });
    for (const url of ['', 'http://collector:4318/v1/traces', 'https://[fd00::1]/a@b'])
      assert.deepEqual(traces(url), [], url);
    for (const url of ['http://weir:secret@collector:4318/v1/traces', 'https://token@collector'])
      assert.notDeepEqual(traces(url), [], url);
  });
});

describe('the chart', () => {
  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
    const chart = parse(chartFile('Chart.yaml')) as Record<string, string>;
    assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  });

  it('sets settings that exist, and all that no value can set', () => {
    const variables = new Set<string>(Object.values(DEFINITIONS).map(({ variable }) => variable));
    const named = new Set(templates.match(/\bWEIR_[A-Z_]+\b/g));
    assert.deepEqual(
      [...named].filter((name) => !variables.has(name)),
      [],
    );
    // Those of npm start alone are left as they are.
    const left = [
      'WEIR_REDIS_PORT',
      'WEIR_REDIS_MAXMEMORY',
      'WEIR_REDIS_FSYNC',
      'WEIR_CLICKHOUSE_PORT',
      'WEIR_DATA_DIR',
      'WEIR_CONFIG',
    ];
    const made = SETTINGS_OF_CHART.map((name) => DEFINITIONS[name].variable).filter((name) => !left.includes(name));
    assert.deepEqual(
      made.filter((name) => !templates.includes(`name: ${name},`)),
      [],
    );
  });

  it('knows the defaults that it computes with', () => {
    const used = [...templates.matchAll(/ternary \(get \$settings "(WEIR_\w+)"\) (\d+)/g)].map(([, name, value]) => [
      name,
      Number(value),
    ]);
    const { stopDelayMs, drainMs, port, metricsPort } = DEFINITIONS;
    assert.deepEqual(
      used,
      [stopDelayMs, drainMs].map(({ variable, default: value }) => [variable, value]),
    );
    for (const [name, value] of [
      ['http', port.default],
      ['metrics', metricsPort.default],
    ])
      assert.ok(templates.includes(`{ name: ${name}, containerPort: ${value} }`), `${name}`);
  });

  it('has alerts and dashboards where they are made', () => {
    const links = { 'weir.rules.yml': '../../../prometheus/weir.rules.yml', dashboards: '../../../grafana/dashboards' };
    for (const [name, target] of Object.entries(links)) {
      const path = join(CHART, 'files', name);
      assert.ok(lstatSync(path).isSymbolicLink(), name);
      assert.equal(readlinkSync(path), target);
      assert.ok(existsSync(path), `${name} leads nowhere`);
    }
  });
});
