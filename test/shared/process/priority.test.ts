import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '#weir/shared/paths';
import { yieldToProcesses } from '#weir/shared/process/priority';

const onLinux = { skip: process.platform !== 'linux' || getPriority() > 5 };
const path = pathToFileURL(join(packageRoot, 'dist/shared/process/priority.js')).href;

describe('priorities', () => {
  it('lowers a thread below others of its process, and leaves those as they are', onLinux, async () => {
    const before = getPriority();
    const thread = new Worker(
      `const { parentPort } = require('node:worker_threads');
      import(${JSON.stringify(path)}).then(({ yieldToThreads }) => {
        yieldToThreads();
        // Of the calling thread.
        parentPort.postMessage(require('node:os').getPriority());
      });`,
      { eval: true },
    );
    const [priority] = (await once(thread, 'message')) as [number];
    assert.equal(priority, 5);
    assert.equal(getPriority(), before);
    await thread.terminate();
  });

  it('lowers a process below others, and lets it be killed first when memory runs out', onLinux, async () => {
    // In a session of its own, as decoders are.
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    await once(child, 'spawn');
    const pid = child.pid!;
    yieldToProcesses(pid);
    assert.equal(getPriority(pid), 5);
    assert.equal(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim(), '1000');
    assert.match(autogroupOf(pid) ?? 'nice 5', /nice 5$/);
    child.stdin.end();
    await once(child, 'close');
    // A process that is gone: nothing happens.
    yieldToProcesses(pid);
  });
});

/** Undefined where the kernel has no such groups. */
function autogroupOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/autogroup`, 'utf8').trim();
  } catch {
    return undefined;
  }
}
