import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { figuresOf } from '#weir/bench/measurement/in-turn';
import type { Stage } from '#weir/bench/measurement/stages';
import { parseOptions } from '#weir/bench/options';
import { installLibraries } from '#weir/bench/workloads/peer/libraries';
import { peerSection } from '#weir/bench/workloads/peer/report';
import { packageRoot } from '#weir/shared/paths';

const stage = (itemsPerSecond: number, cpuSeconds: number): Stage => {
  const process = { pid: 1, rssMin: 1, rssMax: 1, rssSlope: 0 };
  return {
    name: 'a round',
    load: { itemsPerSecond, seconds: 1, accepted: 1000, latency: { p50: 1, p99: itemsPerSecond } },
    processes: [
      { ...process, name: 'worker', cpuSeconds },
      { ...process, name: 'redis', cpuSeconds: 0.001 },
      { ...process, name: 'generator', cpuSeconds: 9 },
    ],
  } as unknown as Stage;
};

it('the benchmark of a peer has rounds, and needs a stack of its own', () => {
  const { rounds, seconds } = parseOptions(['peer'], {});
  assert.deepEqual([rounds, seconds], [5, 8]);
  assert.throws(() => parseOptions(['peer', '--closed', '8'], {}), /peer needs a stack of its own/);
});

it('its figures are medians, without the CPU of the generator, and their ratio', () => {
  const weir = figuresOf('Weir', [stage(400, 0.02), stage(100, 0.01), stage(200, 0.03)]);
  assert.deepEqual(weir, {
    name: 'Weir',
    eventsPerSecond: 200,
    p50: 1,
    p99: 200,
    cpuPerMillion: 21,
    processes: { worker: 20, redis: 1 },
  });
  const peer = figuresOf('other', [stage(80, 0.04)]);
  const rows = { accepted: 4000, rows: 3900 } as never;
  const section = peerSection({ rounds: 3, connections: 64, weir, peer, ratio: 2.5, rows });
  assert.match(section, /\| Weir +\| +200 \| +1\.0 \| +200\.0 \| +21\.0 \|/);
  assert.match(section, /Medians of 3 rounds/);
  assert.match(section, /Weir answers \*\*2\.50 ×\*\* as many events\. .* answered 4,000 events and stored 3,900\./);
});

it('its libraries are pinned, and npm says why it cannot install them', () => {
  const read = (file: string) =>
    JSON.parse(readFileSync(join(packageRoot, 'bench/workloads/peer/libraries', file), 'utf8'));
  const { dependencies } = read('package.json');
  const { packages } = read('package-lock.json');
  assert.deepEqual(packages[''].dependencies, dependencies);
  for (const [name, version] of Object.entries(dependencies)) {
    assert.equal(packages[`node_modules/${name}`].version, version);
  }
  for (const [path, { integrity }] of Object.entries(packages as Record<string, { integrity?: string }>)) {
    if (path !== '') assert.match(integrity ?? '', /^sha512-/, path);
  }
  const folder = mkdtempSync(join(tmpdir(), 'weir-peer-'));
  const before = { ...process.env };
  // Nobody listens there.
  Object.assign(process.env, { npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' });
  process.env.npm_config_cache = join(folder, 'cache');
  try {
    assert.throws(
      () => installLibraries(folder),
      /npm could not install what the other service needs.*127\.0\.0\.1:1/s,
    );
  } finally {
    for (const name of ['npm_config_registry', 'npm_config_fetch_retries', 'npm_config_cache']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(folder, { recursive: true, force: true });
  }
});
