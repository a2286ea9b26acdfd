/** The compose files, held against what they name; docker-compose reads them where it is installed. No engine runs them here. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { packageRoot, packageVersion } from '#weir/shared/paths';
import { DEFINITIONS, loadSettings } from '#weir/shared/settings';
import { sentinelsIn } from '#weir/shared/streams/endpoint';
import { TARGETS } from '../../deploy/docker/prune.mjs';

const FOLDER = join(packageRoot, 'deploy/compose');
const NAMES = ['trial', 'small', 'redundant'] as const;
/** Made by others: held where they are there. */
const OF_OTHERS = ['deploy/prometheus', 'deploy/grafana'];

interface ComposeService {
  image: string;
  build?: { context: string; dockerfile: string; target: string };
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test?: string[]; disable?: boolean };
  restart?: string;
  mem_limit?: string;
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
}
interface ComposeFile {
  name: string;
  services: Record<string, ComposeService>;
  volumes: Record<string, null>;
}

const textOf = (name: string): string => readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
const read = (name: string): ComposeFile => parse(textOf(name), { merge: true }) as ComposeFile;
const example = readFileSync(join(FOLDER, 'example.env'), 'utf8');
/** Variables of the example, with passwords filled in. */
const variables = Object.fromEntries(
  [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value || 'pass0word']),
);
/** As compose does it. */
const filled = (text: string): string =>
  text.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, name: string, other: string) => variables[name] ?? other);
const isOurs = ({ image }: ComposeService): boolean => image.startsWith('weir-');
const targetOf = ({ image }: ComposeService): string => /^weir-(\w+):/.exec(image)![1]!;
const runsOnce = ({ restart }: ComposeService): boolean => restart === 'no';
const milliseconds = (text: string): number => Number(/^(\d+)s$/.exec(text)![1]) * 1000;

for (const name of NAMES) {
  describe(`deploy/compose/${name}.yaml`, () => {
    const file = read(name);
    const services = Object.entries(file.services);

    it('is taken by docker-compose', {
      skip: spawnSync('docker-compose', ['--version']).error && 'there is none',
    }, () => {
      const folder = mkdtempSync(join(tmpdir(), 'weir-compose-'));
      try {
        cpSync(FOLDER, folder, { recursive: true });
        // Version 1 of docker-compose does not know a name.
        writeFileSync(join(folder, 'docker-compose.yaml'), textOf(name).replace(/^name: .*\n/m, ''));
        const run = (env: Record<string, string>) =>
          spawnSync('docker-compose', ['config'], {
            cwd: folder,
            encoding: 'utf8',
            env: { PATH: process.env.PATH, ...env },
            timeout: 120_000,
          });
        const taken = run(variables);
        assert.equal(taken.status, 0, taken.stderr);
        assert.deepEqual(
          Object.keys((parse(taken.stdout) as ComposeFile).services).sort(),
          Object.keys(file.services).sort(),
        );
        if (name === 'trial') return;
        const without = run({});
        assert.equal(without.status, 1);
        assert.match(without.stderr, /set it in \.env/);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    it('names targets of the Dockerfile, files and volumes that are there', () => {
      const version = `${packageVersion()}`;
      for (const [service, { build, volumes = [], ...rest }] of services) {
        if (build) {
          assert.equal(normalize(join(FOLDER, build.context)), packageRoot.replace(/\/?$/, '/').slice(0, -1));
          assert.ok(existsSync(join(packageRoot, build.dockerfile)), service);
          assert.equal(build.target, targetOf({ ...rest }), service);
        }
        if (isOurs(rest)) {
          assert.ok(Object.hasOwn(TARGETS, targetOf(rest)), service);
          assert.ok(rest.image.endsWith(`:\${WEIR_TAG:-${version}}`), rest.image);
        }
        for (const volume of volumes) {
          const [from] = filled(volume).split(':') as [string];
          if (!from.startsWith('.')) assert.ok(from in file.volumes, `${service}: ${volume}`);
          else if (volume.includes('WEIR_CONFIG_FOLDER')) assert.ok(volume.endsWith(':/etc/weir:ro'), volume);
          else {
            const path = normalize(join('deploy/compose', from));
            const absent = OF_OTHERS.some((other) => path.startsWith(other) && !existsSync(join(packageRoot, other)));
            assert.ok(absent || existsSync(join(packageRoot, path)), path);
            assert.ok(volume.endsWith(':ro'), volume);
          }
        }
      }
      assert.equal(variables.WEIR_TAG, version);
    });

    it('sets variables that are settings, and gives Weir addresses that it reads', () => {
      const known = new Set(Object.values(DEFINITIONS).map(({ variable }) => variable as string));
      for (const [service, { environment = {} }] of services.filter(([, each]) => isOurs(each))) {
        for (const variable of Object.keys(environment)) assert.ok(known.has(variable), `${service}: ${variable}`);
        if (name === 'trial') continue;
        const all = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filled(value)]));
        const { redisUrl } = loadSettings(all);
        const hosts = sentinelsIn({ redisUrl })?.hosts.map(({ host }) => host) ?? [new URL(redisUrl).hostname];
        for (const host of hosts) assert.ok(host in file.services, `${service}: ${host}`);
        assert.equal(new URL(filled(environment.WEIR_CLICKHOUSE_URL!)).hostname, 'clickhouse');
      }
    });

    it('has health checks, limits and restarts, and gives processes time to stop', () => {
      for (const [service, each] of services) {
        assert.match(each.mem_limit ?? '', /^\d+[mg]$/, service);
        if (runsOnce(each)) continue;
        assert.equal(each.restart, 'unless-stopped', service);
        // Those of Weir have the check of their image.
        assert.ok(isOurs(each) || each.healthcheck?.test?.[0] === 'CMD', service);
        assert.ok(!each.healthcheck?.disable, service);
        if (!isOurs(each)) continue;
        const needed = DEFINITIONS.stopDelayMs.default + DEFINITIONS.drainMs.default + 10_000;
        assert.ok(milliseconds(each.stop_grace_period!) >= needed, service);
      }
    });

    it('gives processes of Weir no rights and no files to write', () => {
      for (const [service, each] of services.filter(([, one]) => isOurs(one))) {
        assert.equal(each.read_only, true, service);
        assert.deepEqual(each.cap_drop, ['ALL'], service);
      }
    });

    it('has no password, and asks for those that the example has', () => {
      const text = textOf(name);
      for (const [, variable] of text.matchAll(/\$\{(\w+)(?=:\?)/g))
        assert.match(example, new RegExp(`^${variable}=$`, 'm'));
      for (const [line] of text.matchAll(/^.*(?:password|requirepass|auth).*$/gim)) {
        if (/^\s*#/.test(line) || /--requirepass$/.test(line)) continue;
        assert.match(line, /\$\{\w+_PASSWORD:\?/, line);
      }
      // No variable is asked for that nobody knows of.
      for (const [, variable] of text.matchAll(/\$\{(\w+)/g))
        assert.ok(variable! in variables || variable!.endsWith('_IMAGE'), variable);
    });

    it('starts in an order: stores, tables, configuration, then what serves', () => {
      const before = (service: string): string[] => Object.keys(file.services[service]?.depends_on ?? {});
      for (const [service, { depends_on = {} }] of services) {
        for (const [needed, { condition }] of Object.entries(depends_on)) {
          assert.ok(needed in file.services, `${service}: ${needed}`);
          const once = runsOnce(file.services[needed]!);
          assert.equal(condition, once ? 'service_completed_successfully' : 'service_healthy', `${service}: ${needed}`);
        }
      }
      if (name === 'trial') return;
      assert.deepEqual(before('migrate'), ['clickhouse']);
      assert.ok(before('apply').includes('migrate'));
      for (const [service, each] of services)
        if (isOurs(each) && !runsOnce(each)) assert.deepEqual(before(service), ['apply'], service);
      for (const [service, command] of [
        ['migrate', 'weir migrate'],
        ['apply', 'weir apply'],
      ] as const)
        assert.ok(file.services[service]!.command!.join(' ').startsWith(command));
    });

    it('opens ports on loopback only, unless the file of variables says otherwise', () => {
      for (const port of services.flatMap(([, { ports = [] }]) => ports))
        assert.match(filled(port), /^127\.0\.0\.1:/, port);
      const served = services.flatMap(([, { ports = [] }]) => ports.map((port) => port.split(':').at(-1)));
      assert.ok(served.includes(String(DEFINITIONS.port.default)));
    });
  });
}

describe('what the compose files bring along', () => {
  it('has a Redis as docs/operations/redis.md demands', () => {
    const command = read('small').services.redis!.command!.join(' ');
    for (const part of ['--appendonly yes', '--maxmemory 1gb', '--maxmemory-policy noeviction'])
      assert.ok(command.includes(part));
    const script = readFileSync(join(FOLDER, 'redis/server.sh'), 'utf8');
    for (const part of ['appendonly yes', 'maxmemory-policy noeviction', 'min-replicas-to-write 1'])
      assert.ok(script.includes(part));
  });

  it('has Prometheus ask the metrics port of services that are there', () => {
    const { scrape_configs } = parse(readFileSync(join(FOLDER, 'prometheus.yml'), 'utf8')) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const asked = scrape_configs.flatMap((each) => each.dns_sd_configs);
    for (const { names, port } of asked) {
      assert.equal(port, DEFINITIONS.metricsPort.default);
      for (const each of names) assert.ok(each in read('small').services, each);
    }
    assert.equal(asked.length, 2);
  });

  it('has a configuration that Prometheus takes', {
    skip: spawnSync('promtool', ['--version']).error && 'there is no promtool',
  }, () => {
    const file = join(FOLDER, 'prometheus.yml');
    const { status, stderr } = spawnSync('promtool', ['check', 'config', '--syntax-only', file], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  it('has HAProxy ask the ingresses that are there', () => {
    const config = readFileSync(join(FOLDER, 'haproxy.cfg'), 'utf8');
    const servers = [...config.matchAll(/^ {4}server \w+ ([\w-]+):(\d+)$/gm)];
    const ingresses = Object.keys(read('redundant').services).filter((service) => service.startsWith('ingress'));
    assert.deepEqual(
      servers.map(([, host]) => host),
      ingresses,
    );
    for (const [, , port] of servers) assert.equal(port, String(DEFINITIONS.port.default));
  });

  it('has a configuration that HAProxy takes', {
    skip: !existsSync('/usr/sbin/haproxy') && 'there is no HAProxy',
  }, () => {
    const { status, stderr } = spawnSync('/usr/sbin/haproxy', ['-c', '-f', join(FOLDER, 'haproxy.cfg')], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    // The names of containers are found when it runs.
    const warnings = stderr
      .split('\n')
      .filter((line) => line.includes('WARNING') && !line.includes('could not resolve'));
    assert.deepEqual(warnings, []);
  });

  it('has no file that nothing names', () => {
    const named = NAMES.map(textOf).join('\n');
    for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || dirname(join(entry.parentPath, entry.name)) === FOLDER) continue;
      const folder = entry.parentPath.slice(FOLDER.length + 1);
      assert.ok(named.includes(`./${folder}/${entry.name}`) || named.includes(`./${folder}:`), entry.name);
    }
  });
});
