/** The Jobs and processes of the Helm chart, started with the arguments and the environment that it gives them, in the order of helm. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseAllDocuments, stringify } from 'yaml';
import { packageRoot, programPath } from '#weir/shared/paths';
import { type HelmTools, helmTools } from '../deploy/helm/tools.ts';
import { CHART } from '../deploy/helm/values.ts';
import { startTestHistory } from '../support/stores/clickhouse.ts';
import { startTestRedis } from '../support/stores/redis.ts';
import { until } from '../support/wait.ts';

interface RenderedContainer {
  args?: string[];
  env: { name: string; value: string }[];
}

interface RenderedObject {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: { terminationGracePeriodSeconds: number; containers: [RenderedContainer] } } };
}

interface StartedPod {
  role: string;
  child: ChildProcess;
  graceMs: number;
  ports: Promise<{ port?: number; metricsPort: number }>;
}

const WEIR = join(packageRoot, 'deploy', 'cli', 'weir.mjs');

describe('what the chart starts', async () => {
  const tools = await helmTools();
  const skip = typeof tools === 'string' ? tools : false;
  const folder = mkdtempSync(join(tmpdir(), 'weir-kubernetes-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('gets from an empty Redis to a verdict, and ends in the time that a pod has', { skip }, async () => {
    const [redis, engine] = await Promise.all([startTestRedis({ password: 'redisSecret' }), startTestHistory()]);
    const pods: StartedPod[] = [];
    try {
      const { username, password } = new URL(engine.url);
      const secrets = { redis: 'redisSecret', clickhouse: password };
      for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder, name), `${text}\n`);
      execFileSync(process.execPath, [WEIR, 'init', join(folder, 'first'), '--packs', 'pii-gate'], {
        encoding: 'utf8',
      });
      const told = spawnSync(process.execPath, [WEIR, 'keys', 'create', '--id', 'web'], { encoding: 'utf8' }).stdout;
      const key = /^wk_\w+$/m.exec(told)![0];
      const sha256 = /sha256: (\w+)/.exec(told)![1];
      const file = join(folder, 'first', 'weir.yaml');
      const given = readFileSync(file, 'utf8').replace(/sha256: \w+/, `sha256: ${sha256}`);
      writeFileSync(file, given);

      const objects = rendered((tools as HelmTools).helm, {
        redis: { url: `redis://127.0.0.1:${redis.port}` },
        clickhouse: { url: `http://${username}@127.0.0.1:${engine.port}` },
        hooks: { enabled: true },
        settings: { WEIR_STOP_DELAY_MS: 100, WEIR_DRAIN_MS: 5000 },
      });
      // What stands in files of the pod is here in a folder; ports are any that are free.
      const environment = ({ env }: RenderedContainer): Record<string, string> => {
        const all = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        for (const name of ['WEIR_PORT', 'WEIR_METRICS_PORT']) if (name in all) all[name] = '0';
        const paths = JSON.stringify(all)
          .replaceAll('/etc/weir/redis/password', join(folder, 'redis'))
          .replaceAll('/etc/weir/clickhouse/password', join(folder, 'clickhouse'));
        return { PATH: process.env.PATH!, ...(JSON.parse(paths) as Record<string, string>) };
      };
      const containerOf = (name: string): RenderedContainer =>
        objects.find(({ metadata }) => metadata.name === `prod-weir-${name}`)!.spec.template.spec.containers[0];

      for (const job of ['migrate', 'apply']) {
        const container = containerOf(job);
        const [program, ...args] = container.args!.map((each) =>
          each.replace('/etc/weir/configuration/weir.yaml', file),
        );
        assert.equal(program, 'weir');
        const { status, stderr, stdout } = spawnSync(process.execPath, [WEIR, ...args], {
          env: environment(container),
          encoding: 'utf8',
        });
        assert.equal(status, 0, stdout + stderr);
      }

      for (const { kind, metadata, spec } of objects) {
        if (kind !== 'Deployment') continue;
        const role = metadata.name.replace('prod-weir-', '');
        const program = programPath(role === 'ingress' ? 'ingress' : 'worker');
        const { containers, terminationGracePeriodSeconds } = spec.template.spec;
        const child = spawn(process.execPath, [program], {
          env: environment(containers[0]),
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        });
        const ports = new Promise<{ port?: number; metricsPort: number }>((resolve, reject) => {
          child.on('message', (message) => {
            if ((message as { ready?: boolean }).ready) resolve(message as { port?: number; metricsPort: number });
          });
          child.once('exit', (code) => reject(new Error(`${role} ended with ${code}`)));
        });
        ports.catch(() => {});
        pods.push({ role, child, graceMs: terminationGracePeriodSeconds * 1000, ports });
      }
      assert.deepEqual(pods.map(({ role }) => role).sort(), ['archiver', 'evaluator', 'hooks', 'ingress', 'metrics']);
      for (const { role, ports } of pods) {
        const { metricsPort } = await ports;
        for (const path of ['healthz', 'readyz']) {
          await until(
            `/${path} of ${role} is 200`,
            async () => (await fetch(`http://127.0.0.1:${metricsPort}/${path}`)).ok,
          );
        }
      }

      const { port } = await pods.find(({ role }) => role === 'ingress')!.ports;
      const answer = await fetch(`http://127.0.0.1:${port}/api/event`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'service-version': '2026-06-01',
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          environment_id: 'default',
          event: { type: 'message', role: 'user', content: 'My SSN is 536-22-8726' },
        }),
      });
      const body = (await answer.json()) as { flagged: boolean };
      assert.equal(answer.status, 200, JSON.stringify(body));
      assert.equal(body.flagged, true);

      for (const { role, child, graceMs } of pods) {
        const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
        const killed = setTimeout(() => child.kill('SIGKILL'), graceMs);
        child.kill('SIGTERM');
        assert.deepEqual(await ended, [0, null], role);
        clearTimeout(killed);
      }
    } finally {
      for (const { child } of pods) child.kill('SIGKILL');
      await Promise.all([redis.close(), engine.close()]);
    }
  });

  /** What helm makes of the small example, with `over` laid over it. */
  function rendered(helm: string, over: object): RenderedObject[] {
    const chart = join(folder, 'weir');
    cpSync(CHART, chart, { recursive: true, dereference: true });
    const values = join(folder, 'values.yaml');
    writeFileSync(values, stringify(over));
    const args = ['template', 'prod', chart, '-f', join(CHART, 'examples', 'small.yaml'), '-f', values];
    const text = execFileSync(helm, args, { encoding: 'utf8', maxBuffer: 2 ** 25 });
    return parseAllDocuments(text).flatMap((document) => (document.toJS() as RenderedObject | null) ?? []);
  }
});
