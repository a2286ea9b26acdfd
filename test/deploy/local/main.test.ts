import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { environmentOf } from '#weir/deploy/local/credentials';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { packageRoot, programPath } from '#weir/shared/paths';
import { PATIENCE } from '../../support/installation/patience.js';

/** As a terminal does: to the process, and to all it has started in its group. */
const ctrlC = (child: ChildProcess): boolean => process.kill(-child.pid!, 'SIGINT');

const PORTS = { WEIR_PORT: '0', WEIR_REDIS_PORT: '0', WEIR_CLICKHOUSE_PORT: '0', WEIR_METRICS_PORT: '0' };

it('Ctrl-C during the start ends everything in order, without the welcome', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-start-'));
  const child = spawn(process.execPath, [programPath('start')], {
    env: { ...process.env, ...PORTS, ...PATIENCE, WEIR_DATA_DIR: folder, WEIR_REDIS_MAXMEMORY: '256mb' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  let welcome = '';
  let asked = false;
  child.stdout.on('data', (chunk: Buffer) => {
    welcome += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (asked || !said.includes('Starting workers')) return;
    asked = true;
    ctrlC(child);
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 130, said);
  assert.equal(welcome, '');
  assert.match(said, /Starting workers and ingress …\nStopping once it has started .*\n(.*\n)*Stopped\.\n$/);
  assert.deepEqual(readdirSync(folder).sort(), ['clickhouse', 'passwords.json', 'reader.netrc', 'redis']);
  rmSync(folder, { recursive: true });
});

/** Runs the examples of a welcome, and holds that no password of the installation is on a command line or in `said`. */
function examplesWork(folder: string, said: string): void {
  const [set, ...examples] = said.split('\n\n').filter((block) => /^(?:export|curl) /.test(block));
  assert.equal(examples.length, 2, said);
  if (spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0) {
    const [checked, asked] = examples.map(
      (example) => spawnSync('sh', ['-c', `${set}\n${example}`], { encoding: 'utf8' }).stdout,
    );
    assert.match(checked!, /^\{\n {2}"flagged": true,\n/, 'formatted');
    assert.ok(checked!.split('\n').length < 16, checked);
    assert.doesNotMatch(asked!, /Code: /);
  }
  const passwords = JSON.parse(readFileSync(join(folder, 'passwords.json'), 'utf8')) as Record<string, string>;
  const listed = spawnSync('ps', ['-e', '-o', 'args', '-ww'], { encoding: 'utf8' }).stdout + said;
  for (const [name, password] of Object.entries(passwords)) assert.ok(!listed.includes(password), name);
}

it('prints examples that work; the applied configuration is kept at the next start, WEIR_CONFIG replaces it, and both are said [config.short-keys]', async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir's start-"));
  const mine = join(folder, 'mine.yaml');
  const key = createKey();
  const text = `version: 1\nteams: [{id: acme}]\nkeys: [{id: mine, team: acme, sha256: ${hashKey(key)}}]\n`;
  writeFileSync(mine, text);

  /** Starts an installation, runs `work` while it answers, and stops it. Returns its output. */
  async function started(
    env: Record<string, string>,
    work: (url: string, said: string) => Promise<void>,
  ): Promise<string> {
    const child = spawn(process.execPath, [programPath('start')], {
      env: {
        ...process.env,
        ...PORTS,
        ...PATIENCE,
        WEIR_DATA_DIR: folder,
        WEIR_REDIS_MAXMEMORY: '256mb',
        WEIR_CONFIG: '',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    const closed = once(child, 'close');
    const url = new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          const found = /^Weir answers at (\S+)\n(?:.*\n)*Ctrl-C stops/m.exec(said)?.[1];
          if (found) resolve(found);
        });
      }
      void closed.then(() => reject(new Error(said)));
    });
    try {
      await work(await url, said);
    } finally {
      ctrlC(child);
      const [code] = await closed;
      assert.equal(code, 0, said);
    }
    return said;
  }
  const statusOf = async (url: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'service-version': '2026-06-01' };
    const query = 'environment_id=prod&run_id=r&event_id=e';
    return (await fetch(`${url}/api/event?${query}`, { headers })).status;
  };

  const first = await started({ WEIR_LOG_LEVEL: 'info', WEIR_OPERATOR: 'ann' }, async (url, said) => {
    examplesWork(folder, said);
    assert.equal(await statusOf(url), 401);
    const weir = join(packageRoot, 'deploy/cli/weir.mjs');
    const env = { ...process.env, WEIR_DATA_DIR: folder, WEIR_OPERATOR: 'ann' };
    const listed = spawnSync(process.execPath, [weir, 'config', 'list'], { env, encoding: 'utf8' });
    assert.match(listed.stdout, /^1 \(active\) .* ann@/m, `who started it: ${listed.stdout}${listed.stderr}`);
    const redisUrl = environmentOf(folder).WEIR_REDIS_URL!;
    assert.deepEqual(await applyConfiguration({ redisUrl, text, file: mine }), { version: 2, changed: true });
    assert.equal(await statusOf(url), 404, 'in force when apply returns');
  });
  assert.match(first, /^Configuration deploy\/local\/weir\.yaml: version 1, applied now\.$/m);
  assert.match(first, /^ {2}demo key {3}wk_/m);
  const after = first.slice(first.indexOf('\nStopping … (Ctrl-C again: at once)\n'));
  assert.match(after, /\nStopped\.\n$/);
  assert.match(after, /"signal":"SIGTERM"/);
  assert.doesNotMatch(
    after,
    /"signal":"SIGINT"|"level":"(?:warn|error|fatal)"/,
    'each part is told when it is its turn',
  );

  const second = await started({}, async (url) => assert.equal(await statusOf(url), 404));
  assert.match(
    second,
    /^Configuration: version 2, as it was applied\. It is not what deploy\/local\/weir\.yaml has; /m,
  );
  assert.doesNotMatch(second, /wk_/, 'a key that is not in force');

  const short = join(folder, 'short.yaml');
  writeFileSync(short, 'version: 1\npolicies:\n- name: Payment data\n  detect: {pii: {entities: [CREDIT_CARD]}}\n');
  const third = await started({ WEIR_CONFIG: short }, async (url, said) => {
    examplesWork(folder, said);
    assert.equal(await statusOf(url), 401);
  });
  assert.match(third, /^ {2}demo key {3}wk_/m, 'a file without keys has the demo key');
  assert.match(third, /: version 3, applied now\.\nIt replaces version 2\. .* is kept when WEIR_CONFIG is not set/);
  rmSync(folder, { recursive: true });
});
