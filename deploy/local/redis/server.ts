/**
 * Starts a `redis-server` for this installation: on loopback only, with limited memory that is never freed by eviction.
 * Its append-only file is rewritten at gigabytes; at megabytes it would be rewritten all the time.
 *
 * States: starting → running (PING answers) → stopped (SHUTDOWN, a signal, or it ended by itself).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../shared/paths.js';
import { isAlive } from '../lock.js';
import { freePort } from '../ports.js';
import { endingOf } from '../processes/ending.js';
import { StartError } from '../processes/part.js';

export interface RedisOptions {
  /** 0: any free one. */
  port: number;
  /** Folder of its files; made when missing. */
  dataDir: string;
  /** As in redis.conf, such as `512mb`. Default 4gb. */
  maxMemory?: string;
  /** `off`: no append-only file, nothing survives. Default everysec. */
  appendfsync?: 'always' | 'everysec' | 'no' | 'off';
  /** Password of letters and digits that clients must send. Default: none. */
  password?: string;
  /** Program to run; default: the one on the PATH. */
  binary?: string;
  /**
   * Absolute path of a file for its process id. redis-server writes it before it loads its data, and removes it when it
   * ends in order.
   */
  pidFile?: string;
  /** Further lines of redis.conf as `name → value`. */
  config?: Record<string, string>;
}

export interface RunningRedis {
  /** with the password, if there is one */
  url: string;
  port: number;
  pid: number;
  /** Settles when the process has ended. */
  exited: Promise<unknown>;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it with everything written; by force when that takes longer than `limitMs`. */
  close(limitMs?: number): Promise<void>;
}

const START_MS = 120_000;
const STOP_MS = 10_000;

/** Starts redis-server and waits until it answers. Throws with its last output when it does not start. */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const binary = options.binary ?? (await loadFinder()).findRedis();
  const folder = resolve(options.dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Its files hold everything that callers sent.
  chmodSync(folder, 0o700);
  // Another process may take the free port before redis-server does. Then another port is tried.
  for (let attempt = 1; ; attempt++) {
    const port = options.port === 0 ? await freePort() : options.port;
    const { command, before, detached } = awayFromTerminal(binary);
    const child = spawn(command, [...before, ...commandLine(options, port, folder)], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached,
    });
    const running = watch(child, { port, password: options.password });
    // The password is not among the arguments, which every user of the machine can list.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.password === undefined ? '' : `requirepass ${options.password}\n`);
    try {
      await running.ready;
      return running;
    } catch (error) {
      await running.kill('SIGKILL');
      if (options.port !== 0 || attempt === 5) throw error;
    }
  }
}

/**
 * How to start redis-server. A terminal sends Ctrl-C to every process in it, and redis-server must not end before the
 * others.
 *
 * - With GNU's env, the signal is blocked. env replaces itself with redis-server, so the process stays our child.
 * - Else redis-server gets a session of its own. This is worse: the kernel may divide the processor among sessions, and
 *   Redis alone in a session waited for it up to 350 ms.
 */
function awayFromTerminal(binary: string): { command: string; before: string[]; detached: boolean } {
  const block = '--block-signal=INT';
  canBlock ??= spawnSync('env', [block, 'true'], { stdio: 'ignore' }).status === 0;
  // env takes an argument with this sign for a variable.
  if (canBlock && !binary.includes('=')) return { command: 'env', before: [block, binary], detached: false };
  return { command: binary, before: [], detached: true };
}

let canBlock: boolean | undefined;

/** The finder runs before anything is built, so it is a plain script beside the sources. */
export function loadFinder(): Promise<typeof import('./binary.mjs')> {
  return import(pathToFileURL(join(packageRoot, 'deploy/local/redis/binary.mjs')).href);
}

function commandLine(options: RedisOptions, port: number, folder: string): string[] {
  const fsync = options.appendfsync ?? 'everysec';
  const config: Record<string, string> = {
    port: String(port),
    bind: '127.0.0.1',
    'protected-mode': 'yes',
    dir: folder,
    daemonize: 'no',
    'tcp-backlog': '511',
    maxmemory: options.maxMemory ?? '4gb',
    'maxmemory-policy': 'noeviction',
    save: '',
    appendonly: fsync === 'off' ? 'no' : 'yes',
    appendfsync: fsync === 'off' ? 'no' : fsync,
    'auto-aof-rewrite-min-size': '4gb',
    'client-output-buffer-limit': 'pubsub 256mb 128mb 60',
    // The member of a run's index is 171 bytes long for 50 events. Beyond this length an index of one takes 1,088 bytes rather than 240.
    'zset-max-listpack-value': '256',
    // redis-server writes it by itself. If we are killed while it loads, the next start finds it there, and two never
    // work on one folder.
    ...(options.pidFile ? { pidfile: options.pidFile } : {}),
    ...options.config,
  };
  return ['-', ...Object.entries(config).flatMap(([name, value]) => [`--${name}`, value])];
}

interface RedisAccess {
  port: number;
  password: string | undefined;
}

function watch(child: ChildProcess, access: RedisAccess): RunningRedis & { ready: Promise<void> } {
  const { port, password } = access;
  let said = '';
  const listen = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  child.once('error', (error) => {
    said += error.message;
  });
  const { exited, ended, kill, close } = endingOf(child, STOP_MS);
  const endWithUs = (): boolean => child.kill('SIGTERM');
  process.once('exit', endWithUs);
  exited.then(() => process.removeListener('exit', endWithUs));
  const ready = (async () => {
    const end = Date.now() + START_MS;
    while (!ended() && Date.now() < end) {
      // The child itself must say that it has the port: a PING alone could be answered by another process there.
      if (/Ready to accept connections/.test(said) && (await ping(access))) return;
      await Promise.race([exited, new Promise((next) => setTimeout(next, 10))]);
    }
    throw new StartError(`redis-server did not start on port ${port}. Its last output: ${lastLines(said)}`);
  })();
  ready.catch(() => {});
  const user = password === undefined ? '' : `:${password}@`;
  return { url: `redis://${user}127.0.0.1:${port}`, port, pid: child.pid ?? 0, exited, kill, close, ready };
}

function lastLines(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-4).join(' | ') || 'none';
}

function ping({ port, password }: RedisAccess): Promise<boolean> {
  const asked = `${password === undefined ? '' : `AUTH ${password}\r\n`}PING\r\n`;
  return new Promise((done) => {
    let answer = '';
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(asked));
    const end = (answered: boolean): void => {
      socket.destroy();
      done(answered);
    };
    socket.setTimeout(1000, () => end(false));
    socket.on('data', (data) => {
      answer = (answer + data.toString()).slice(-1000);
      if (/^(\+PONG|-)/m.test(answer)) end(/^\+PONG/m.test(answer));
    });
    socket.once('error', () => end(false));
  });
}

/** Ends the redis-server of `pidFile`, which a crash of its starter left running on `dataDir`. */
export async function endLeftover(pidFile: string, dataDir: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  // Another program may have the id by now. Only a process that runs in this folder is ours.
  const ours = (): boolean => Number.isInteger(pid) && pid > 0 && isAlive(pid) && runsRedisIn(pid, dataDir);
  for (let waited = 0; waited < STOP_MS && ours(); waited += 50) {
    // Sent again and again: a signal just before redis-server loads its data has no effect until all is loaded.
    if (waited % 500 === 0) process.kill(pid, 'SIGTERM');
    await new Promise((next) => setTimeout(next, 50));
  }
  if (ours()) process.kill(pid, 'SIGKILL');
  rmSync(pidFile, { force: true });
}

function runsRedisIn(pid: number, dataDir: string): boolean {
  if (existsSync('/proc/self')) {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir);
    } catch {
      return false;
    }
  }
  const asked = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', timeout: 5000 });
  return (asked.stdout ?? '').includes('redis-server');
}
