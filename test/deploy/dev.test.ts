/** `npm run dev`, with programs in place of the build and of the installation that say what they do. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '#weir/shared/paths';
import { runs } from '../support/installation/processes.ts';
import { until } from '../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-dev-'));
after(() => rmSync(folder, { recursive: true }));

const sources = join(folder, 'sources');
mkdirSync(sources);
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const change = (text: string): string => write('sources/it.txt', text);

/** A build that fails on `broken`, and on `hangs` waits for its end. */
const BUILD = write(
  'build.mjs',
  `import { readFileSync } from 'node:fs';
const text = readFileSync('sources/it.txt', 'utf8');
console.log('built ' + text + ' ' + process.pid);
if (text === 'hangs') setInterval(() => {}, 1000);
else process.exitCode = text === 'broken' ? 1 : 0;`,
);
/** What runs: ends in order, and at once on \`ends\`. */
const RUN = write(
  'run.mjs',
  `import { readFileSync } from 'node:fs';
const text = readFileSync('sources/it.txt', 'utf8');
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => { console.log('stopped ' + text); process.exit(); });
console.log('started ' + text + ' ' + process.pid);
if (text === 'ends') process.exit(3);`,
);
const DEV = write(
  'dev.mjs',
  `import { develop, stampOf } from '${pathToFileURL(join(packageRoot, 'deploy/dev.mjs'))}';
await develop({ look: () => stampOf('.', ['sources', 'absent']), build: ['${BUILD}'], run: ['${RUN}'], say: console.log });
process.exit(0);`,
);

interface Dev {
  child: ChildProcess;
  /** Waits until it says this, and returns what the parentheses stand for. */
  says(pattern: RegExp): Promise<string>;
  said(): string;
  /** Ctrl-C in its terminal; resolves with its exit code. */
  stop(): Promise<unknown>;
}

function dev(text: string): Dev {
  change(text);
  // A group of its own, as a terminal gives it.
  const child = spawn(process.execPath, [DEV], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const closed = once(child, 'close');
  let said = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return {
    child,
    said: () => said,
    async says(pattern) {
      await until(String(pattern), () => pattern.test(said));
      return pattern.exec(said)![1]!;
    },
    async stop() {
      process.kill(-child.pid!, 'SIGINT');
      const [code] = await closed;
      return code;
    },
  };
}

describe('npm run dev', () => {
  it('builds and starts again after each change, and ends all of it at Ctrl-C', async () => {
    const started = dev('one');
    const first = Number(await started.says(/started one (\d+)/));
    change('second');
    const last = Number(await started.says(/started second (\d+)/));
    assert.match(
      started.said(),
      /built second \d+\nstopped one\n[\s\S]*started second/,
      'it ends only once the build has worked',
    );
    assert.equal(runs(first), false);
    assert.equal(await started.stop(), 0);
    assert.match(started.said(), /stopped second\n$/);
    assert.equal(runs(last), false);
  });

  it('leaves running what runs while the build fails', async () => {
    const started = dev('one');
    const pid = Number(await started.says(/started one (\d+)/));
    change('broken');
    await started.says(/(Nothing was restarted)/);
    assert.equal(runs(pid), true);
    assert.doesNotMatch(started.said(), /stopped/);
    change('again');
    await started.says(/(stopped one)\n[\s\S]*started again/);
    assert.equal(await started.stop(), 0);
  });

  it('waits for a change when what it runs has ended', async () => {
    const started = dev('ends');
    await started.says(/(ended by itself \(3\))/);
    change('one');
    await started.says(/(started one)/);
    assert.equal(await started.stop(), 0);
  });

  it('ends a build at Ctrl-C', async () => {
    const started = dev('hangs');
    const pid = Number(await started.says(/built hangs (\d+)/));
    assert.equal(await started.stop(), 0);
    assert.equal(runs(pid), false);
    assert.doesNotMatch(started.said(), /started/);
  });

  it('takes what it runs along when it is killed', async () => {
    const started = dev('one');
    const pid = Number(await started.says(/started one (\d+)/));
    started.child.kill('SIGKILL');
    await until('it has ended', () => !runs(pid));
  });
});
