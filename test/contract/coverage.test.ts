import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { judge, summaryOf, type Table, tagsOf } from './coverage.ts';
import { TABLE, tableOf } from './table.ts';

const table: Table = new Map([
  ['1.a', { says: 'the first' }],
  ['1.b', { says: 'the second' }],
  ['2', { says: 'the third', pending: 'images' }],
  ['2.c', { says: 'the fourth', pending: 'images' }],
]);
const passed = (name: string) => ({ name, passed: true });

describe('the coverage of the contract', () => {
  it('is complete when every row that does not wait is named by a test that passed', () => {
    const coverage = judge(table, [passed('does both [1.a] [1.b]'), passed('does something else')]);
    assert.deepEqual(coverage.problems, []);
    assert.equal(summaryOf(coverage), 'contract: 2 of 2 covered, 2 pending (images 2)');
  });

  it('is not complete when a row is named by no test, or by none that passed', () => {
    const coverage = judge(table, [passed('does one [1.a]'), { name: 'should do [1.b]', passed: false }]);
    assert.equal(summaryOf(coverage), 'contract: 1 of 2 covered, 2 pending (images 2)');
    assert.deepEqual(coverage.problems, ['[1.b] no test that names it has passed: the second']);
  });

  it('is not complete when a test names a row that is not there, or one that waits', () => {
    const { problems } = judge(table, [passed('a [1.a] [1.b]'), passed('b [1.x]'), passed('c [2.c]')]);
    assert.deepEqual(problems, [
      '[1.x] is no row of the table, in the test "b [1.x]"',
      '[2.c] waits for images, but is proven by "c [2.c]"',
    ]);
  });

  it('counts a row once, however many tests name it', () => {
    assert.equal(judge(table, [passed('a [1.a]'), passed('b [1.a] [1.b]')]).covered, 2);
  });

  it('finds ids in names, and takes nothing else in brackets for one', () => {
    assert.deepEqual(tagsOf('x [2.4.flagged_source-image] y [4.8.404][general.200]'), [
      '2.4.flagged_source-image',
      '4.8.404',
      'general.200',
    ]);
    assert.deepEqual(tagsOf('["tool.output"] is for tool.output [1, 2] [a] [] [.x] of [1]'), []);
  });
});

describe('the table', () => {
  it('has no two rows of one id', () => {
    assert.throws(() => tableOf([{ '1.a': 'x' }, { '1.a': 'y' }]), /two rows with the id 1\.a/);
  });

  it('has ids that a name can bear, and says something in each row', () => {
    for (const [id, row] of TABLE) {
      assert.deepEqual(tagsOf(`[${id}]`), [id]);
      assert.ok(row.says.length > 5, id);
    }
  });

  it('has rows of every section of the interface', () => {
    const sections = new Set([...TABLE.keys()].map((id) => id.split('.')[0]));
    for (let section = 0; section <= 9; section++) assert.ok(sections.has(String(section)), String(section));
  });
});

describe('a run of tests', () => {
  const file = `import { it, describe } from 'node:test';
describe('a suite is no proof [1.3.not-in-result]', () => {});
it('proves [2.4.flagged]', () => {});
it.skip('is skipped [2.4.policies]', () => {});
it('is still to be done [2.4.policies]', { todo: true }, () => {});
it('is unknown [9.9.nothing]', () => {});
`;
  const run = (contract: string): { code: number | null; out: string } => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-contract-'));
    try {
      writeFileSync(join(folder, 'some.test.ts'), file);
      const reporter = ['--test-reporter=./test/contract/reporter.mjs', '--test-reporter-destination=stdout'];
      const args = ['--import', 'tsx', '--test', ...reporter, join(folder, 'some.test.ts')];
      const env = { ...process.env, WEIR_CONTRACT: contract, NODE_TEST_CONTEXT: undefined };
      const { status, stdout } = spawnSync(process.execPath, args, { cwd: packageRoot, env, encoding: 'utf8' });
      return { code: status, out: stdout };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('of everything fails, and says what is not covered, although all its tests pass', () => {
    const { code, out } = run('all');
    assert.equal(code, 1, out);
    assert.match(out, /^contract: 1 of \d+ covered, 0 pending$/m);
    assert.match(out, /\[2\.4\.policies\] no test that names it has passed/);
    assert.match(out, /\[1\.3\.not-in-result\] no test that names it has passed/);
    assert.match(out, /\[9\.9\.nothing\] is no row of the table/);
    assert.doesNotMatch(out, /\[2\.4\.flagged\]/);
  });

  it('of a part says how much of the contract it covers, and no more', () => {
    const { code, out } = run('part');
    assert.equal(code, 0, out);
    assert.match(out, /^contract: 1 of \d+ covered/m);
    assert.equal(out.trim().split('\n').length, 1);
  });
});
