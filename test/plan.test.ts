import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { mayShare, processesOf } from './plan.mjs';
import { pluck } from './support/pluck.ts';

const HOOKS = "import { before } from 'node:test';\nbefore(() => {});\n";

describe('the processes of a run of tests', () => {
  it('have every file once, those that share one with others of their folder', () => {
    const sources: Record<string, string> = {
      'test/shared/b.test.ts': '',
      'test/shared/a.test.ts': '',
      'test/shared/policy/c.test.ts': '',
      'test/shared/policy/detectors/d.test.ts': '',
      'test/shared/hooks.test.ts': HOOKS,
    };
    const processes = processesOf(Object.keys(sources), (file) => sources[file]!);
    assert.deepEqual(processes, [
      ['test/shared/a.test.ts', 'test/shared/b.test.ts'],
      ['test/shared/policy/c.test.ts', 'test/shared/policy/detectors/d.test.ts'],
      ['test/shared/hooks.test.ts'],
    ]);
  });

  it('share no more than twelve files each, in equal parts', () => {
    const files = Array.from({ length: 26 }, (_, i) => `test/shared/${String(i).padStart(2, '0')}.test.ts`);
    const processes = processesOf(files, () => '');
    assert.deepEqual(pluck(processes, 'length'), [9, 9, 8]);
    assert.deepEqual(processes.flat(), files);
  });

  it('start with the folders whose files take longest', () => {
    const files = ['test/ingress/a.test.ts', 'test/e2e/a.test.ts', 'test/faults/a.test.ts'];
    assert.deepEqual(processesOf(files, () => HOOKS).flat(), [...files].reverse());
  });

  it('start what mostly waits in between, a third of them at most', () => {
    const waiting = ['test/workers/consumer/consumer.test.ts', 'test/workers/evaluator/slow-lane.test.ts'];
    const others = ['a', 'b', 'c', 'd', 'e'].map((name) => `test/faults/${name}.test.ts`);
    const order = processesOf([...waiting, ...others], () => HOOKS).flat();
    assert.deepEqual(order, [...others.slice(0, 2), waiting[0], ...others.slice(2, 4), waiting[1], others[4]]);
    assert.deepEqual(processesOf(waiting, () => HOOKS).flat(), waiting);
    for (const file of waiting) assert.ok(existsSync(join(packageRoot, file)), file);
  });

  it('are of one file that has hooks for all tests, touches its process or starts another', () => {
    const alone = [
      HOOKS,
      'beforeEach(async () => redis.flushall());',
      "process.env.WEIR_LOG_LEVEL = 'silent';",
      "process.on('exit', close);",
      "import { spawn } from 'node:child_process';",
      "import { startTestRedis } from '../support/redis.ts';",
      "import { mock } from 'node:test';\nmock.timers.enable();",
    ];
    for (const source of alone) assert.equal(mayShare(source), false, source);
    const shared = [
      "describe('x', () => {\n  before(() => {});\n});",
      'const id = process.pid;',
      "import './stacks.ts';",
    ];
    for (const source of shared) assert.equal(mayShare(source), true, source);
  });
});
