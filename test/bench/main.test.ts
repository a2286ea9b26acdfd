import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BenchReport } from '#weir/bench/report/report';
import { packageRoot } from '#weir/shared/paths';
import { until } from '../support/wait.js';
import { answerBatch, httpServer, type TestServer } from './generator/server.ts';

const MAIN = join(packageRoot, 'dist', 'bench', 'main.js');

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function bench(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout!.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    err += chunk;
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 240_000);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code, out, err });
    });
  });
  return { child, ended };
}

describe('npm run bench', () => {
  let server: TestServer;
  let folder: string;
  let on: string[];
  let received = 0;

  before(async () => {
    server = await httpServer((body, response) => {
      received++;
      response.end(answerBatch(body));
    });
    folder = mkdtempSync(join(tmpdir(), 'weir-bench-test-'));
    const key = join(folder, 'key');
    writeFileSync(key, 'secret-key\n');
    const address = ['--url', `http://127.0.0.1:${server.port}`, '--key-file', key, '--report', folder];
    on = [...address, '--environment', 'prod', '--deployment', 'chat', '--connections', '4'];
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('loads a running installation, prints a table and saves a report that does not hold the key', async () => {
    const load = ['--rate', '40', '--duration', '1', '--rounds', '1', '--warmup', '0'];
    const { code, out, err } = await bench(...on, ...load).ended;
    assert.equal(code, 0, err);
    for (const name of ['events-50', 'events-agents']) {
      // A slow machine answers fewer of them within the second.
      assert.match(out, new RegExp(`\\| ${name}, round 1 +\\| +40 \\| +\\d+\\.\\d \\| +[\\d,]+ \\|`));
    }
    const file = readdirSync(folder).find((name) => name.endsWith('.json'))!;
    const text = readFileSync(join(folder, file), 'utf8');
    const report = JSON.parse(text) as BenchReport;
    for (const { load } of report.stages) assert.deepEqual([load.accepted, load.errors], [2000, {}]);
    assert.ok(report.stages[0]!.processes.length <= 1);
    assert.equal(report.workload, 'events-50+events-agents');
    assert.equal(report.workloads!.figures.length, 2);
    assert.ok(!text.includes('secret-key') && !out.includes('secret-key'));
  });

  it('says in one sentence that an installation does not take its checks, before it loads it', async (t) => {
    let requests = 0;
    const refusing = await httpServer((_, response) => {
      requests++;
      const message = 'The API key is not valid.';
      const error = { type: 'authentication_error', code: 'invalid_api_key', message, request_id: 'r' };
      response.writeHead(401).end(JSON.stringify({ error }));
    });
    t.after(() => refusing.close());
    const host = `127.0.0.1:${refusing.port}`;
    const key = ['--key-file', join(folder, 'key')];
    const there = ['--url', `http://${host}`, ...key, '--environment', 'prod', '--deployment', 'chat'];
    for (const workload of ['events-50', 'session']) {
      const { code, err } = await bench(workload, ...there).ended;
      assert.equal(code, 1);
      const expected = `Measuring http://${host} …\nThe installation at ${host} does not take a check: The API key is not valid.\n`;
      assert.equal(err, expected);
    }
    assert.equal(requests, 2);
  });

  it('ends at once when interrupted', async () => {
    const earlier = received;
    const { child, ended } = bench('events-50', ...on, '--rate', '10', '--duration', '600', '--warmup', '0');
    // More than the first check: the load has begun.
    await until('it measures', () => received > earlier + 1);
    child.kill('SIGINT');
    const started = performance.now();
    assert.equal((await ended).code, 130);
    assert.ok(performance.now() - started < 60_000, 'and not after its 600 s');
  });

  it('ends with one sentence and code 1 when it cannot measure', async () => {
    const wrong = await bench('--rate', 'x').ended;
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /^--rate must be a number .*\nnpm run bench -- --help lists the options\.\n$/);
    const missing = await bench('nothing').ended;
    assert.equal(missing.code, 1);
    assert.match(missing.err, /^There is no workload "nothing"/);
    const hostile = await bench('\u001b[2J').ended;
    assert.match(hostile.err, /^There is no workload "\\u001b\[2J"/);
  });

  it('explains itself', async () => {
    const { code, out } = await bench('--help').ended;
    assert.equal(code, 0);
    assert.match(out, /--saturate/);
  });
});
