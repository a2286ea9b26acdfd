// A reporter for node:test that says how much of the contract the run has proven. With WEIR_CONTRACT=all, a run of
// everything, it fails the run where a row is not covered. The runner loads reporters without tsx, so this is no .ts.
import { tsImport } from 'tsx/esm/api';

/** @param {AsyncIterable<{ type: string, data: any }>} events */
// biome-ignore lint/style/noDefaultExport: node:test takes a reporter as the default export
export default async function* contract(events) {
  const tests = [];
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // What was skipped proves nothing, and neither does a suite, which may be empty.
    if (data.skip !== undefined || data.todo !== undefined || data.details.type === 'suite') continue;
    tests.push({ name: data.name, passed: type === 'test:pass' });
  }
  const { judge, summaryOf } = await tsImport('./coverage.ts', import.meta.url);
  const { TABLE } = await tsImport('./table.ts', import.meta.url);
  const coverage = judge(TABLE, tests);
  yield `${summaryOf(coverage)}\n`;
  if (process.env.WEIR_CONTRACT !== 'all' || coverage.problems.length === 0) return;
  for (const problem of coverage.problems) yield `  ${problem}\n`;
  process.exitCode = 1;
}
