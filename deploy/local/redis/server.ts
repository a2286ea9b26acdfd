/**
 * Starts a `redis-server` for this installation: loopback only, bounded memory that refuses rather than evicts, and an
 * append-only file whose rewrite threshold is in gigabytes (at megabytes it would rewrite all the time).
 *
 * States: starting → running (PING answers) → stopped (SHUTDOWN, a signal, or its own end).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../shared/paths.js';
import { isAlive } from '../lock.js';
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
  /** Asked of whoever connects, of letters and digits. Default: none is. */
  password?: string;
  /** Program to run; default: the one on the PATH. */
  binary?: string;
  /** Absolute path of a file that it writes its process id to, before it loads its data, and removes when it ends in order. */
  pidFile?: string;
  /** Further lines of redis.conf as `name → value`. */
  config?: Record<string, string>;
}

export interface RunningRedis {
  /** with the password, where there is one */
  url: string;
  port: number;
  pid: number;
  /** Settles when the process has ended, however that came. */
  exited: Promise<void>;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it with everything written; by force when that takes longer than `limitMs`. */
  close(limitMs?: number): Promise<void>;
}

const START_MS = 120_000;
const STOP_MS = 10_000;

/** Starts redis-server and waits until it answers. Throws with its own last words when it does not start. */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const binary = options.binary ?? (await loadFinder()).findRedis();
  const folder = resolve(options.dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Its files have all that callers sent.
  chmodSync(folder, 0o700);
  // A free port may be gone before redis-server binds it: then another one is tried.
  for (let attempt = 1; ; attempt++) {
    const port = options.port === 0 ? await freePort() : options.port;
    const { command, before, detached } = awayFromTerminal(binary);
    const child = spawn(command, [...before, ...commandLine(options, port, folder)], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached,
    });
    const running = watch(child, { port, password: options.password });
    // Not among its arguments, which every user of the machine can list.
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
 * How redis-server is started so that Ctrl-C, which a terminal sends to all that runs in it, does not end it before the others:
 * with that signal blocked, where there is GNU's env, which becomes what it starts; else in a session of its own. Ours is better,
 * since the kernel may share the processor among sessions: Redis alone in one waited for it up to 350 ms.
 */
function awayFromTerminal(binary: string): { command: string; before: string[]; detached: boolean } {
  const block = '--block-signal=INT';
  canBlock ??= spawnSync('env', [block, 'true'], { stdio: 'ignore' }).status === 0;
  // What has this sign in it is a variable to env.
  if (canBlock && !binary.includes('=')) return { command: 'env', before: [block, binary], detached: false };
  return { command: binary, before: [], detached: true };
}

let canBlock: boolean | undefined;

/** The finder runs before anything is built, so it stays a plain script beside the sources. */
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
    // By its own hand: who is killed while it loads leaves a note of it, so that never two are at work on one folder.
    ...(options.pidFile ? { pidfile: options.pidFile } : {}),
    ...options.config,
  };
  return ['-', ...Object.entries(config).flatMap(([name, value]) => [`--${name}`, value])];
}

interface Access {
  port: number;
  password: string | undefined;
}

function watch(child: ChildProcess, access: Access): RunningRedis & { ready: Promise<void> } {
  const { port, password } = access;
  let said = '';
  const listen = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  let ended = false;
  const orphaned = (): boolean => child.kill('SIGTERM');
  process.once('exit', orphaned);
  const exited = new Promise<void>((done) => {
    const end = (error?: Error): void => {
      ended = true;
      process.removeListener('exit', orphaned);
      if (error) said += error.message;
      done();
    };
    child.once('error', end);
    child.once('exit', () => end());
  });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (!ended) child.kill(signal);
    await exited;
  };
  const close = async (limitMs: number = STOP_MS): Promise<void> => {
    const force = setTimeout(() => child.kill('SIGKILL'), limitMs);
    await kill('SIGTERM');
    clearTimeout(force);
  };
  const ready = (async () => {
    const end = Date.now() + START_MS;
    while (!ended && Date.now() < end) {
      // Only the child's own word that it has the port: PING alone could be answered by a stranger there.
      if (/Ready to accept connections/.test(said) && (await ping(access))) return;
      await Promise.race([exited, new Promise((next) => setTimeout(next, 10))]);
    }
    throw new StartError(`redis-server did not start on port ${port}. Its last words: ${lastWords(said)}`);
  })();
  ready.catch(() => {});
  const user = password === undefined ? '' : `:${password}@`;
  return { url: `redis://${user}127.0.0.1:${port}`, port, pid: child.pid ?? 0, exited, kill, close, ready };
}

function lastWords(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-4).join(' | ') || 'none';
}

function ping({ port, password }: Access): Promise<boolean> {
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

/** Ends the redis-server that a crash of its starter left running on `dataDir`, as noted in `pidFile`. */
export async function endLeftover(pidFile: string, dataDir: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  // The id may be another program's by now: only a process that runs in this folder is ours.
  const ours = (): boolean => Number.isInteger(pid) && pid > 0 && isAlive(pid) && runsRedisIn(pid, dataDir);
  for (let waited = 0; waited < STOP_MS && ours(); waited += 50) {
    // Again and again: one that is only about to load its data does not look at the first before it has loaded all.
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

/** A port of the loopback interface that is free now. */
export function freePort(): Promise<number> {
  return new Promise((done, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });
}
