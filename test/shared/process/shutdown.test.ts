import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '#weir/shared/paths';

const module = pathToFileURL(join(packageRoot, 'dist/shared/process/shutdown.js')).href;
const logs = pathToFileURL(join(packageRoot, 'dist/shared/log.js')).href;

/** Runs a process that stops with `stop`, sends it signals, and gives its exit code and output. */
async function ended(
  stop: string,
  drainMs: number,
  { before = '', signals = ['SIGTERM', 'SIGTERM'] }: { before?: string; signals?: NodeJS.Signals[] } = {},
): Promise<{ code: number | null; output: string }> {
  const code = `
    const { leaveTerminalToParent, stopOnSignal } = await import(${JSON.stringify(module)});
    const { createLogger } = await import(${JSON.stringify(logs)});
    setInterval(() => {}, 1000);
    ${before}
    stopOnSignal('it', ${drainMs}, createLogger('it', 'silent'), ${stop});
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (output === '') {
      for (const signal of signals) child.kill(signal);
    }
    output += chunk.toString();
  });
  return new Promise((resolve) => child.on('close', (exit) => resolve({ code: exit, output })));
}

describe('a process that is told to stop', () => {
  it('stops once and exits with 0', async () => {
    assert.deepEqual(await ended("async () => console.log('stop')", 0), { code: 0, output: 'ready\nstop\n' });
  });

  it('stops at Ctrl-C, unless that is left to its parent', async () => {
    const stop = 'async () => console.log("stop")';
    assert.deepEqual(await ended(stop, 0, { signals: ['SIGINT'] }), { code: 0, output: 'ready\nstop\n' });
    const before = `leaveTerminalToParent();
      process.on('SIGINT', () => { console.log('not heeded'); process.kill(process.pid, 'SIGTERM'); });`;
    const { code, output } = await ended(stop, 0, { before, signals: ['SIGINT'] });
    assert.deepEqual({ code, output }, { code: 0, output: 'ready\nnot heeded\nstop\n' });
  });

  it('exits with 1 when stopping fails', async () => {
    assert.equal((await ended("async () => { throw new Error('x'); }", 0)).code, 1);
  });

  it('exits with 1 when stopping hangs', async () => {
    assert.equal((await ended('() => new Promise(() => {})', -9800)).code, 1);
  });
});
