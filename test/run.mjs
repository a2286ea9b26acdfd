// Runs the test files given, or all of them: `node test/run.mjs [--quick] [path prefix …]`. Node 20's runner takes no globs.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { placeForFiles } from './place.mjs';
import { mayShare, processesOf } from './plan.mjs';

/**
 * Test processes at a time. Each waits for a part of its time, so there are more than cores. With six, two cores had fifteen threads that
 * could run: what yields to others, as tries do, had no turn within its limit.
 */
const AT_ONCE = 4;

/** What a process of tests may take: one that hangs is ended and named, and the others have their turn. */
const LIMIT_MS = 15 * 60_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const sourceOf = (file) => readFileSync(join(root, file), 'utf8');
/** Of these folders, and without files that need a process of their own, since they start servers, processes or threads. */
const QUICK = ['test/shared/', 'test/ingress/', 'test/workers/', 'test/deploy/'];
const quick = process.argv.includes('--quick');
const given = process.argv.slice(2).filter((argument) => argument !== '--quick');
const wanted = quick && given.length === 0 ? QUICK : given;
const files = readdirSync(join(root, 'test'), { recursive: true })
  .map((name) => ['test', ...String(name).split(sep)].join('/'))
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)))
  .filter((name) => !quick || mayShare(sourceOf(name)));
if (files.length === 0) {
  console.error(`No test file matches ${wanted.join(' ')}.`);
  process.exit(1);
}

const folder = mkdtempSync(join(placeForFiles(), 'weir-tests-'));
// Below the project, so that imports of packages are found.
const bundles = mkdtempSync(join(root, 'dist', 'tests-'));
process.on('exit', () => {
  for (const path of [folder, bundles]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
});
const [entries, temporary, made] = ['entries', 'tmp', 'made'].map((name) => join(folder, name));
for (const path of [entries, temporary, made]) mkdirSync(path);
// Decoders run as somebody else, who may look at what a test lets him.
chmodSync(folder, 0o755);

// Node's runner starts a process a file, in the order of their names: each process has an entry, which imports its files.
const names = processesOf(files, sourceOf).map((together, i) => {
  const first = together[0].slice('test/'.length, -'.test.ts'.length).replaceAll('/', '-');
  const more = together.length > 1 ? ` and ${together.length - 1} more` : '';
  const name = `${String(i).padStart(4, '0')} ${first}${more}.test`;
  writeFileSync(join(entries, `${name}.mjs`), together.map((file) => `import '${join(root, file)}';\n`).join(''));
  return name;
});
await bundle(root, Object.fromEntries(names.map((name) => [name, join(entries, `${name}.mjs`)])), bundles);
const paths = names.map((name) => join(bundles, `${name}.mjs`));

// The second reporter says how much of the contract is proven; a run of everything fails where something is not.
const all = wanted.length === 0;
const contract = all || wanted.some((prefix) => prefix.startsWith('test/contract'));
const reporters = ['spec', ...(contract ? ['./test/contract/reporter.mjs'] : [])];
const child = spawn(
  process.execPath,
  [
    '--enable-source-maps',
    // V8 compiles what runs often once more. Most of a test process ends before that has paid.
    '--interrupt-budget=1000000',
    '--test',
    `--test-concurrency=${AT_ONCE}`,
    `--test-timeout=${LIMIT_MS}`,
    ...reporters.flatMap((name) => [`--test-reporter=${name}`, '--test-reporter-destination=stdout']),
    ...paths,
  ],
  {
    stdio: 'inherit',
    cwd: root,
    env: { ...process.env, TMPDIR: temporary, WEIR_TEST_MADE: made, WEIR_CONTRACT: all ? 'all' : 'part' },
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
