// Runs the test files given, or all of them: `node test/run.mjs [path prefix …]`. Node 20's runner takes no globs.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(root, { recursive: true })
  .map((name) => join('test', String(name)))
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)))
  .sort();
if (files.length === 0) {
  console.error(`No test file matches ${wanted.join(' ')}.`);
  process.exit(1);
}
// The second reporter says how much of the contract is proven; a run of everything fails where something is not.
const all = wanted.length === 0;
const contract = all || wanted.some((prefix) => prefix.startsWith('test/contract'));
const reporters = ['spec', ...(contract ? ['./test/contract/reporter.mjs'] : [])];
const child = spawn(
  process.execPath,
  [
    '--import',
    'tsx',
    '--test',
    '--test-concurrency=3',
    ...reporters.flatMap((name) => [`--test-reporter=${name}`, '--test-reporter-destination=stdout']),
    ...files,
  ],
  { stdio: 'inherit', cwd: join(root, '..'), env: { ...process.env, WEIR_CONTRACT: all ? 'all' : 'part' } },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
