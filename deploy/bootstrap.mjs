/**
 * Runs the project on a machine that has only Node. It checks the machine, installs what the lock file asks for, builds
 * when a source has changed, and finds or installs redis-server. Then it runs the command. Plain JavaScript without
 * dependencies.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { develop, stampOf } from './dev.mjs';
import { ensureRedis } from './local/redis/binary.mjs';
import { isInstalled, thisHost, unsupported } from './preflight.mjs';
import { createProgress, runProgram } from './progress.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['ingress', 'workers', 'shared', 'deploy', 'bench'];
/** What makes the programs and the console of the compiled sources. */
const BUILDERS = [join('deploy', 'programs.mjs'), join('deploy', 'console', 'build.mjs')];
const STAMP = join(root, 'dist', '.sources.json');
const LOCK_WAIT_MS = 15 * 60_000;
const USAGE = `Usage: node deploy/bootstrap.mjs start|dev|build|test|bench|fuzz|faults|worst|client [arguments]

  start   runs everything on this machine, in the foreground (npm start; npm start -- --help lists the settings)
  dev     the same, and builds and starts it again after each change of a source (npm run dev)
  build   only what comes before each command
  test    runs all tests, or those whose path begins with the argument (npm test; npm test -- test/shared)
  bench   runs benchmarks (npm run bench; npm run bench -- --help)
  fuzz    sends valid and broken requests to a whole installation (npm run fuzz; npm run fuzz -- --help)
  worst   searches for texts that are slow to evaluate (npm run worst; npm run worst -- --help)
  faults  kills parts of a whole installation under load, and counts what is stored (npm run faults -- --help)
  client  makes the package of the client for TypeScript (npm run pack:client)

Before the command it installs what package-lock.json asks for, builds when a source has changed, and finds or installs
redis-server where the command needs it.
`;

class Failure extends Error {}

const progress = createProgress(process.stderr);
const { say } = progress;

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function installIfNeeded() {
  const lock = readJson(join(root, 'package-lock.json'));
  if (lock === undefined)
    throw new Failure('package-lock.json is missing or damaged: get a complete copy of the project.');
  if (isInstalled(lock, readJson(join(root, 'node_modules', '.package-lock.json')))) return;
  // The build needs development packages, also under NODE_ENV=production. No package here needs its install script.
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  const [command, rest] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm, ...args]] : ['npm', args];
  const done = await progress.during('Installing packages (npm ci)', () => runProgram(command, rest, { cwd: root }));
  if (done.error) throw new Failure(`npm cannot be run (${done.error.message}): install it together with Node.`);
  if (done.code === 0) return;
  say(done.output);
  throw new Failure(
    '"npm ci" failed: see its output above. Often the registry cannot be reached: look at the network and at "npm config get registry". Then start again: it goes on from the beginning.',
  );
}

function sourceFiles() {
  const files = SOURCES.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((name) => /\.(?:tsx?|css|html)$/.test(name)),
  );
  return [...files, ...BUILDERS, 'tsconfig.json', 'package-lock.json'].sort();
}

function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file.split(sep).join('/')}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function buildIfStale() {
  const files = sourceFiles();
  const hash = fingerprint(files);
  const before = readJson(STAMP);
  if (before?.hash === hash) return;
  rmSync(STAMP, { force: true });
  // Remove what was built from sources that no longer exist.
  const present = new Set(files);
  for (const gone of (before?.files ?? []).filter((file) => !present.has(file))) {
    for (const ending of ['.js', '.js.map', '.d.ts']) {
      rmSync(join(root, 'dist', gone.replace(/\.ts$/, ending)), { force: true });
    }
  }
  const compiler = join(root, 'node_modules', 'ts-patch', 'bin', 'tspc.js');
  await progress.during('Building', async () => {
    for (const step of [[compiler, '-p', root], ...BUILDERS.map((path) => [join(root, path)])]) {
      const done = await runProgram(process.execPath, step, { cwd: root });
      if (done.code === 0) continue;
      throw new Failure(
        `${done.output}\nThe build failed. Correct what it says above and start again. In an unchanged copy of the project, remove the folders dist and node_modules first.`,
      );
    }
  });
  writeFileSync(STAMP, JSON.stringify({ hash, files }));
}

/** Runs `work` under a lock: two starts at once would install and build into the same folders. */
async function exclusively(work) {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `weir-${process.getuid?.() ?? 0}-${name}.lock`);
  const holder = join(folder, 'pid');
  if (!takeLock(folder, holder)) {
    await progress.during('Another start is installing or building: waiting for it', async () => {
      const end = Date.now() + LOCK_WAIT_MS;
      while (!takeLock(folder, holder)) {
        if (Date.now() > end)
          throw new Failure(`Another start has been building for too long: end it, or remove ${folder}.`);
        await sleep(200);
      }
    });
  }
  try {
    writeFileSync(holder, `${process.pid} ${startOf(process.pid) ?? ''}`);
    return await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** False: another start has it. */
function takeLock(folder, holder) {
  for (;;) {
    try {
      mkdirSync(folder);
      return true;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isAbandoned(folder, holder)) return false;
    rmSync(folder, { recursive: true, force: true });
  }
}

function isAbandoned(folder, holder) {
  let pid;
  let started;
  try {
    const [id, since] = readFileSync(holder, 'utf8').trim().split(' ');
    pid = Number(id);
    started = since;
  } catch {
    // Its holder has not written its id yet, or a crash kept it from that.
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    return age > 10_000;
  }
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
  // A container that starts again uses the same process ids, so the id may even be that of this process.
  const now = startOf(pid);
  return Boolean(started && now && started !== now);
}

/** When a process started, by the kernel's clock; undefined without /proc. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Runs a script that is not compiled in a process of its own. */
function runScript(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}

const programOf = (name) => join(root, 'dist', 'programs', `${name}.js`);

/** What runs depends on `SOURCES` but the benchmarks, and on what is installed. */
const runDeveloping = () =>
  develop({
    look: () => stampOf(root, [...SOURCES.filter((name) => name !== 'bench'), 'tsconfig.json', 'package-lock.json']),
    build: [fileURLToPath(import.meta.url), 'build'],
    run: ['--import', programOf('end-with-parent'), programOf('start')],
    say,
  });

const COMMANDS = ['start', 'dev', 'build', 'test', 'bench', 'fuzz', 'faults', 'worst', 'client'];
/** The others have a help of their own. */
const WITHOUT_HELP = ['dev', 'build', 'test', 'client'];
const WITHOUT_REDIS = ['worst', 'client'];

async function main() {
  const [command, ...args] = process.argv.slice(2);
  const help = args.includes('--help') || args.includes('-h');
  if (!COMMANDS.includes(command) || (WITHOUT_HELP.includes(command) && help)) {
    const asked = help || command === '--help' || command === '-h';
    (asked ? process.stdout : process.stderr).write(USAGE);
    process.exit(asked ? 0 : 1);
  }
  const wrong = unsupported(thisHost());
  if (wrong) throw new Failure(wrong);
  if (command === 'dev') return runDeveloping();
  await exclusively(async () => {
    await installIfNeeded();
    await buildIfStale();
    if (!help && !WITHOUT_REDIS.includes(command)) await ensureRedis(progress);
  });
  if (command === 'build') return;
  if (command === 'test') return runScript([join(root, 'test', 'run.mjs'), ...args]);
  if (command === 'client') return runScript([join(root, 'deploy/clients/typescript/pack.mjs'), ...args]);
  const script = { fuzz: 'fuzz/main.ts', faults: 'faults/kill/main.ts', worst: 'shared/policy/worst/main.ts' }[command];
  if (script) return runScript(['--import', 'tsx', join(root, 'test', script), ...args]);
  const module = { start: 'programs/start.js', bench: 'bench/main.js' }[command];
  const path = join(root, 'dist', module);
  if (!existsSync(path))
    throw new Failure(`${relative(root, path)} is missing: remove the folder dist and start again.`);
  // The module reads its own arguments, as if Node had been started with it.
  process.argv.splice(1, 2, path);
  await import(pathToFileURL(path).href);
}

main().catch((error) => {
  say(error instanceof Failure || error?.name === 'RedisMissing' ? error.message : (error?.stack ?? String(error)));
  process.exit(1);
});
