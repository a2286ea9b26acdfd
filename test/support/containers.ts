/**
 * Runs images without an engine, where buildah has built them: bubblewrap, as root, gives a process the files of an image as its root
 * (read-only), processes and a /dev of its own, no capabilities, the user of the image. It uses the network of this machine.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from './wait.ts';

export interface ImageConfig {
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  User: string;
  WorkingDir: string;
  ExposedPorts: Record<string, object>;
  Labels: Record<string, string>;
  Volumes?: Record<string, object>;
  Healthcheck: { Test: string[] };
}

/** A working container of buildah: its files, and what its image says. */
export interface Unpacked {
  root: string;
  config: ImageConfig;
  bytes: number;
  remove(): void;
}

export interface ContainerOptions {
  env?: Record<string, string>;
  /** uid:gid; default: that of the image */
  user?: string;
  /** default: the command of the image */
  command?: readonly string[];
  /** folders of this machine by where they are in the container; writable */
  volumes?: Record<string, string>;
  /** also makes /tmp writable */
  tmp?: boolean;
  /**
   * How engines differ. Parts of /proc are covered, as they do by default, so kernels let nobody inside mount another one; `unmasked`: none are
   * (`systempaths=unconfined`). `seccomp`: no process may make a user namespace, as they have it by default, too; `unshare`: a profile which
   * adds that call to the default one.
   */
  like?: readonly ('unmasked' | 'seccomp' | 'unshare')[];
}

export interface RunningContainer {
  /** of process 1, as this machine sees it */
  pid: number;
  /** what it has written, both streams */
  said(): string;
  signal(name: NodeJS.Signals): void;
  /** exit code of the container */
  ended: Promise<number | null>;
}

const output = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: 'utf8' }).trim();
const runs = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

/** Why images can be neither built nor run here; undefined where they can. */
export function withoutContainers(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root';
  for (const program of ['buildah', 'mmdebstrap', 'bwrap'])
    if (!runs(program, '--version')) return `no ${program} here`;
  if (!runs('bwrap', '--ro-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--', 'true'))
    return 'no namespaces here';
  return undefined;
}

export function unpack(image: string): Unpacked {
  const { Docker } = JSON.parse(output('buildah', 'inspect', '--type', 'image', image)) as {
    Docker: { config: ImageConfig };
  };
  const container = output('buildah', 'from', image);
  const root = output('buildah', 'mount', container);
  const bytes = Number(output('du', '--summarize', '--bytes', '--one-file-system', root).split('\t')[0]);
  return { root, config: Docker.config, bytes, remove: () => void output('buildah', 'rm', container) };
}

/** The user of an image owns it. */
export function volumeFor({ config }: Unpacked): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'weir-volume-'));
  const [uid, gid] = config.User.split(':').map(Number) as [number, number];
  chownSync(path, uid, gid);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * A filter of system calls for x64 as in Docker's default profile, of what makes a user namespace: `unshare` is refused, so is `clone` with
 * CLONE_NEWUSER, and `clone3` is said to be unknown.
 */
function seccompProgram(allowed: boolean): Buffer {
  const [EPERM, ENOSYS, ALLOW, ERRNO] = [1, 38, 0x7fff0000, 0x00050000];
  const instructions: [code: number, jt: number, jf: number, k: number][] = [
    [0x20, 0, 0, 0], // number of the system call
    [0x15, 5, 0, allowed ? 0xffff : 272], // unshare, or no call
    [0x15, 5, 0, 435], // clone3
    [0x15, 0, 2, 56], // clone
    [0x20, 0, 0, 16], // its flags
    [0x45, 1, 0, 0x10000000], // CLONE_NEWUSER
    [0x06, 0, 0, ALLOW],
    [0x06, 0, 0, ERRNO | EPERM],
    [0x06, 0, 0, ERRNO | ENOSYS],
  ];
  const program = Buffer.alloc(instructions.length * 8);
  for (const [i, [code, jt, jf, k]] of instructions.entries()) {
    program.writeUInt16LE(code, i * 8);
    program.writeUInt8(jt, i * 8 + 2);
    program.writeUInt8(jf, i * 8 + 3);
    program.writeUInt32LE(k >>> 0, i * 8 + 4);
  }
  return program;
}

const OWN_PROC = 'unshare --mount --pid --fork --mount-proc --kill-child --';

async function toldBy(child: ChildProcess): Promise<string | undefined> {
  return /"child-pid": (\d+)/.exec(await text(child.stdio[3] as NodeJS.ReadableStream))?.[1];
}

/** bubblewrap stays between the two. */
async function belowBubblewrap({ pid }: ChildProcess): Promise<string | undefined> {
  let at = String(pid);
  for (const step of ['unshare', 'bubblewrap']) {
    let children = '';
    await until(`${step} has started what it starts`, () => {
      children = readFileSync(`/proc/${at}/task/${at}/children`, 'utf8');
      return children !== '';
    });
    at = children.split(' ')[0]!;
  }
  return at;
}

/** Starts a container. Resolves once process 1 is known. */
export async function runContainer(image: Unpacked, options: ContainerOptions = {}): Promise<RunningContainer> {
  const { config, root } = image;
  const { env = {}, user = config.User, command = config.Cmd, volumes = {}, tmp = false, like = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'weir-container-'));
  const filter = join(folder, 'filter');
  writeFileSync(filter, seccompProgram(like.includes('unshare')));
  const [uid, gid] = user.split(':') as [string, string];
  const own = config.Env.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]);
  const set = Object.entries<string>({ ...Object.fromEntries(own), ...env });
  const plain = like.includes('unmasked');
  // Descriptor 3 has what bubblewrap says of process 1, 4 the filter. Its own /proc covers what an engine covers.
  const processes = plain
    ? ['--bind', '/proc', '/proc']
    : ['--proc', '/proc', '--unshare-pid', '--as-pid-1', '--info-fd', '3'];
  const args = [
    ...['--ro-bind', root, '/', ...processes, '--dev', '/dev', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
    ...['--ro-bind', '/etc/resolv.conf', '/etc/resolv.conf'],
    ...(tmp ? ['--tmpfs', '/tmp'] : []),
    ...Object.entries(volumes).flatMap(([at, path]) => ['--bind', path, at]),
    ...(like.includes('seccomp') || like.includes('unshare') ? ['--seccomp', '4'] : []),
    ...['--clearenv', ...set.flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--chdir', '/', '--cap-drop', 'ALL'],
    ...['SETUID', 'SETGID', 'SETPCAP'].flatMap((name) => ['--cap-add', `CAP_${name}`]),
    ...[
      '--',
      'setpriv',
      '--reuid',
      uid,
      '--regid',
      gid,
      '--clear-groups',
      '--bounding-set=-all',
      '--inh-caps=-all',
      '--',
      // Not before: the folder may be open to that user alone.
      ...['env', '-C', config.WorkingDir],
    ],
    ...config.Entrypoint,
    ...command,
  ];
  const child: ChildProcess = spawn('sh', ['-c', `exec ${plain ? OWN_PROC : ''} bwrap "$@" 4<"$0"`, filter, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then(() => rmSync(folder, { recursive: true, force: true }));
  const pid = plain ? await belowBubblewrap(child) : await toldBy(child);
  if (pid === undefined) throw new Error(`the container did not start: ${said}`);
  return { pid: Number(pid), said: () => said, signal: (name) => process.kill(Number(pid), name), ended };
}

/** Runs a command to its end. */
export async function runInContainer(
  image: Unpacked,
  command: readonly string[],
  options: Omit<ContainerOptions, 'command'> = {},
): Promise<{ code: number | null; said: string }> {
  const container = await runContainer(image, { ...options, command });
  const code = await container.ended;
  return { code, said: container.said() };
}
