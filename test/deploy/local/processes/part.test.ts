import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { isAlive } from '#weir/deploy/local/lock';
import { createPart, type InstallationPart, startProcess } from '#weir/deploy/local/processes/part';
import { supervise } from '#weir/deploy/local/processes/supervise';
import { packageRoot } from '#weir/shared/paths';
import { SEEN, sessionOf } from '../../../support/installation/processes.ts';
import { until } from '../../../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-parts-'));
after(() => rmSync(folder, { recursive: true }));

/** Writes a program; returns its path. */
function write(name: string, code: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, code);
  return path;
}
const READY = 'process.send({ ready: true, port: Number(process.env.WANTED || 4321), metricsPort: 9 });';
const good = write('good', `${READY} process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);`);

const start = (program: string, previous?: { port: number }) =>
  startProcess({ name: 'The part', program, env: { WANTED: String(previous?.port ?? 1234) }, startMs: 120_000 });

describe('a part of the installation', () => {
  it('is ready when it says so, and restarts on the same ports', async () => {
    const part = await createPart('part', (previous) => start(good, previous));
    assert.deepEqual(part.ready, { port: 1234, metricsPort: 9 });
    const first = part.pid;
    await part.kill();
    assert.equal(part.running, false);
    await part.restart();
    assert.notEqual(part.pid, first);
    assert.equal(part.ready.port, 1234);
    await assert.rejects(part.restart(), /still running/);
    await part.close();
    assert.equal(isAlive(part.pid), false);
  });

  it('is in our session, so that priorities hold among all parts', { skip: !SEEN }, async () => {
    const part = await createPart('part', (previous) => start(good, previous));
    assert.equal(sessionOf(part.pid), sessionOf(process.pid));
    await part.close();
  });

  it('reports in a sentence when it ends or is not ready in time while it starts', async () => {
    await assert.rejects(
      start(write('ends', 'process.exit(3);')),
      /The part ended while it was starting \(exit code 3\)/,
    );
    const silent = write('silent', 'setInterval(() => {}, 1000);');
    const slow = startProcess({ name: 'The part', program: silent, env: {}, startMs: 300 });
    await assert.rejects(slow, /not ready after 0.3 s/);
  });

  it('is killed when it does not end in time', async () => {
    const deaf = await start(write('deaf', `process.on('SIGTERM', () => {}); ${READY} setInterval(() => {}, 1000);`));
    await deaf.close(100);
    assert.equal(await deaf.exited, 'signal SIGKILL');
  });

  it('ends when the process that started it is gone', async () => {
    const module = pathToFileURL(join(packageRoot, 'dist/deploy/local/processes/part.js')).href;
    const code = `const { startProcess } = await import(${JSON.stringify(module)});
      const run = await startProcess({ name: 'x', program: ${JSON.stringify(good)}, env: {} });
      console.log(run.pid);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
    assert.ok(isAlive(pid));
    parent.kill('SIGKILL');
    await until('it has ended', () => !isAlive(pid));
  });
});

describe('supervise', () => {
  it('restarts a part that ended by itself, but not one that was ended', async () => {
    const lines: string[] = [];
    const part = await createPart('part', (previous) => start(good, previous));
    const supervisor = supervise([part], { say: (line) => lines.push(line), giveUp: () => assert.fail() });
    const first = part.pid;
    process.kill(first, 'SIGKILL');
    await until('it runs again', () => part.running && part.pid !== first);
    assert.match(lines[0] ?? '', /part ended unexpectedly \(signal SIGKILL\)/);
    await part.kill();
    await new Promise((next) => setTimeout(next, 100));
    assert.equal(part.running, false);
    assert.equal(lines.filter((line) => /unexpectedly/.test(line)).length, 1);
    supervisor.stop();
  });

  it('gives up on a part that ends again and again', async () => {
    const part = await createPart('part', () =>
      start(write('brief', `${READY} setTimeout(() => process.exit(1), 20);`)),
    );
    const lines: string[] = [];
    const lost = await new Promise<InstallationPart>((giveUp) => {
      supervise([part], { say: (line) => lines.push(line), giveUp, tries: 3, backoffMs: 10 });
    });
    assert.equal(lost, part);
    assert.equal(lines.filter((line) => /runs again/.test(line)).length, 3);
  });
});
