import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { startChild } from '#weir/bench/child';
import { inspectorOf } from '#weir/bench/generator/answers';
import { benchConfigurations } from '#weir/bench/installation/configuration';
import { watchProcesses } from '#weir/bench/measurement/processes';
import { parseOptions } from '#weir/bench/options';
import { stampBody } from '#weir/bench/workloads/bodies';
import { imageBodies } from '#weir/bench/workloads/images/bodies';
import { startOrigin } from '#weir/bench/workloads/images/origin';
import { makePictures } from '#weir/bench/workloads/images/pictures';
import { runPlain } from '#weir/bench/workloads/images/plain-sharp';
import { withImagePolicies, writeHashList } from '#weir/bench/workloads/images/policies';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { packageRoot } from '#weir/shared/paths';
import { pluck } from '../../support/pluck.ts';
import { until } from '../../support/wait.js';

describe('the benchmark of images', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-images-test-'));
  let files: string[];
  before(async () => {
    files = await makePictures(folder, 0.1, 2);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('makes different JPEGs of the size asked for, and the same ones from the same seed', async () => {
    const bytes = files.map((file) => readFileSync(file));
    for (const picture of bytes) {
      const { format, width, height } = await sharp(picture).metadata();
      assert.equal(format, 'jpeg');
      assert.ok(Math.abs(width * height - 100_000) < 10_000, `${width} × ${height}`);
    }
    assert.notDeepEqual(bytes[0], bytes[1]);
    const again = await makePictures(folder, 0.1, 2);
    const read = again.map((file) => readFileSync(file));
    assert.deepEqual(read, bytes);
  });

  it('sends a picture inline or by its address, each time as a new artifact with the tag', () => {
    const scope = { environment: 'prod', deployment: 'chat' };
    for (const way of ['inline', 'url'] as const) {
      const bodies = imageBodies({ files, way, origin: '127.0.0.1:9' }, scope, 'tag');
      const sent = bodies.map(({ bytes, stamps }, n) => {
        stampBody(bytes, stamps, n + 7);
        return JSON.parse(bytes.toString());
      });
      assert.deepEqual(pluck(sent, 'external_session_id', 'deployment_id'), [
        ['bench-tag-00000007', 'chat'],
        ['bench-tag-00000008', 'chat'],
      ]);
      for (const [n, { content }] of sent.entries()) {
        if (way === 'inline') assert.deepEqual(Buffer.from(content.data, 'base64'), readFileSync(files[n]!));
        else assert.equal(content.url, `http://127.0.0.1:9/0.1-${n}.jpg?0000000${n + 7}`);
      }
    }
  });

  it('serves its pictures for any query', async () => {
    const origin = await startOrigin(files);
    try {
      const answer = await fetch(`http://${origin.host}/0.1-1.jpg?00000009`);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), readFileSync(files[1]!));
      assert.equal((await fetch(`http://${origin.host}/2.jpg`)).status, 404);
    } finally {
      await origin.close();
    }
  });

  it('counts what all processes of plain sharp decode', async () => {
    const { imagesPerSecond, imagesPerCoreSecond } = await runPlain(files, 2, 0.3);
    assert.ok(imagesPerSecond > 0 && imagesPerCoreSecond > 0);
    await assert.rejects(runPlain([join(folder, 'absent.jpg')], 1, 0.3), /ended before it gave a result/);
  });

  it('are decoded at the priority of decoding processes', () => {
    const child = startChild(import.meta.resolve('#weir/bench/workloads/images/plain-sharp'), 'A loop', true);
    try {
      assert.ok(getPriority(child.pid) > getPriority());
    } finally {
      child.close();
    }
  });

  it('makes policies for images that the service takes', () => {
    const path = join(packageRoot, 'bench', 'policies.yaml');
    const { policies } = benchConfigurations(readFileSync(path, 'utf8'), path);
    const result = loadConfiguration(withImagePolicies(policies));
    assert.ok(result.ok, JSON.stringify(result));
    writeHashList(folder);
    assert.equal(readFileSync(join(folder, 'bench.txt'), 'utf8').trim().split('\n').length, 100_000);
  });

  it('counts an artifact as completed only when it is', () => {
    const inspect = inspectorOf('/api/artifact');
    assert.deepEqual(inspect({ status: 'completed', flagged: true }), { items: 1, completed: 1, flagged: 1 });
    assert.deepEqual(inspect({ status: 'processing', flagged: null }), { items: 1, completed: 0, flagged: 0 });
  });

  it('needs a stack of its own, and has defaults of its own', () => {
    const { workload, seconds, rounds } = parseOptions(['images'], {});
    assert.deepEqual([workload, seconds, rounds], ['images', 8, 3]);
    for (const wrong of [['--saturate'], ['--closed', '4'], ['--url', 'http://127.0.0.1:9']]) {
      const more = wrong[0] === '--url' ? ['--environment', 'prod', '--deployment', 'chat'] : [];
      assert.throws(
        () => parseOptions(['images', ...wrong, ...more], { WEIR_KEY: 'k' }),
        /images needs a stack of its own/,
      );
    }
  });

  it('counts the CPU and memory of a process with its children, also of those that have ended', async (t) => {
    // Measured in CPU time: on a busy machine, a fixed wall time would burn less.
    const burn =
      'for (let cpu = 0; cpu < 300_000; ) { const { user, system } = process.cpuUsage(); cpu = user + system; }';
    const parent = `const { spawnSync } = require('node:child_process');
      process.on('message', () => {
        spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}]);
        process.send('burnt');
        setInterval(() => {}, 1000);
      });
      process.send('ready');`;
    const child = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    t.after(() => child.kill('SIGKILL'));
    const messages: unknown[] = [];
    child.on('message', (message) => messages.push(message));
    await until('it stands', () => messages.includes('ready'));
    const watch = watchProcesses([{ name: 'parent', pid: child.pid!, withChildren: true }], 20);
    child.send('burn');
    await until('its child has burnt', () => messages.includes('burnt'));
    const [cost] = watch.stop();
    if (process.platform !== 'linux') return assert.equal(cost, undefined);
    assert.ok(cost !== undefined && cost.cpuSeconds > 0.25, JSON.stringify(cost));
    assert.ok(cost.rssMax > 30, JSON.stringify(cost));
  });
});
