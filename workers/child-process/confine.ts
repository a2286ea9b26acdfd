/**
 * Starts the processes that read what callers sent (decoders, text recognition, models) with as few rights as this machine
 * allows. It uses programs that systems ship. The strongest way that works here is found once, at start.
 *
 * | way | started by | without network | own user | own privileges | files |
 * |---|---|---|---|---|---|
 * | `unshare` and `setpriv` | root | yes | yes | none | what everybody may read; none are its own |
 * | the same, where that user cannot read Weir's own files | root | yes | no | none | as the worker |
 * | `bwrap` | others | yes | no, but it sees no other process | none | read-only; homes, temporary and data folders hidden |
 * | `unshare` and `setpriv` | others | yes | no | none | as the worker |
 * | `setpriv` | anybody | no | no | no new ones | as the worker |
 *
 * System calls are not filtered: of the programs that systems ship, only systemd's filter those of a process they start.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Logger } from '../../shared/log.js';
import { packageRoot, programPath } from '../../shared/paths.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';

/** What a program cannot reach or use. */
const KINDS = ['network', 'user', 'privileges', 'files'] as const;
export type ConfinementKind = (typeof KINDS)[number];

export interface Confinement {
  /** in words, for the log */
  name: string;
  from: readonly ConfinementKind[];
  /** How to start a program with its arguments. The process becomes that program, or ends with it. */
  wrap(command: string, args: readonly string[]): { command: string; args: string[] };
}

/** With the rights of the worker. */
export const UNCONFINED: Confinement = {
  name: 'none',
  from: [],
  wrap: (command, args) => ({ command, args: [...args] }),
};

export interface ConfineOptions {
  logger: Logger;
  registry: Registry;
  /** folders that no decoder needs to see, such as those of the stores */
  hidden: readonly string[];
  /** false: processes are started as the worker is (`WEIR_CONFINE=off`) */
  wanted: boolean;
}

/** Finds the strongest way that works here. The log and a metric say what it is and what it lacks. */
export function confine({ logger, registry, hidden, wanted }: ConfineOptions): Confinement {
  const found = wanted ? strongest(waysOf(process.getuid?.(), hidden)) : UNCONFINED;
  const help = "Whether processes that read images are kept from what is the worker's (1) or not (0)";
  metersOf(registry).gaugeBy('from', KINDS, 'weir_image_confined', help, (kind) => (found.from.includes(kind) ? 1 : 0));
  const lacking = KINDS.filter((kind) => !found.from.includes(kind));
  const said = { confinement: found.name, keptFrom: found.from, notKeptFrom: lacking };
  if (lacking.length === 0) logger.info(said, 'processes that read images are confined');
  else logger.warn(said, 'processes that read images are not wholly confined: see docs/operations/security.md');
  return found;
}

/** The first of `ways` that works. */
export function strongest(ways: readonly Confinement[]): Confinement {
  return ways.find(works) ?? UNCONFINED;
}

/** An id that nothing else uses: a process with it has no rights to the files and processes of others. */
const OWN_ID = '64999';
const NO_PRIVILEGES = ['--no-new-privs', '--inh-caps=-all'];

/** The ways that this machine may offer to a worker of user `uid`, the strongest first. */
export function waysOf(uid: number | undefined, hidden: readonly string[]): Confinement[] {
  const [unshare, setpriv, bwrap] = ['unshare', 'setpriv', 'bwrap'].map(findCommand);
  const ways: Confinement[] = [];
  const add = (name: string, from: readonly ConfinementKind[], prefix: readonly string[]): void => {
    const [command, ...rest] = prefix as [string, ...string[]];
    ways.push({ name, from, wrap: (program, args) => ({ command, args: [...rest, program, ...args] }) });
  };
  const namespaces = ['--net', '--ipc', '--uts', '--'];
  if (unshare && setpriv && uid === 0) {
    const dropped = [setpriv, ...NO_PRIVILEGES, '--bounding-set=-all'];
    const own = [`--reuid=${OWN_ID}`, `--regid=${OWN_ID}`, '--clear-groups'];
    add('a user of its own', KINDS, [unshare, ...namespaces, ...dropped, ...own, '--']);
    add('namespaces', ['network', 'privileges'], [unshare, ...namespaces, ...dropped, '--']);
  }
  if (bwrap && uid !== 0) add('bwrap', KINDS, [bwrap, ...viewOf(hidden), '--']);
  if (unshare && setpriv && uid !== 0) {
    const mapped = ['--user', '--map-current-user', ...namespaces];
    add('namespaces', ['network', 'privileges'], [unshare, ...mapped, setpriv, ...NO_PRIVILEGES, '--']);
  }
  if (setpriv) add('no new privileges', ['privileges'], [setpriv, '--no-new-privs', '--']);
  return ways;
}

/** Empty where it is not known: a container may run as a user that has no name. */
function ownHome(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/**
 * Arguments of bwrap: the whole system is readable, except the folders of people. Weir and Node are made visible again when
 * they are in one of those.
 */
function viewOf(hidden: readonly string[]): string[] {
  const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
  // A home that is the root, as engines give it to users that have none: hiding it would hide all.
  const private_ = ['/home', '/root', '/tmp', '/var/tmp', '/run', ownHome()].filter(
    (path) => isFolder(path) && resolve(path) !== '/',
  );
  const needed = [packageRoot, dirname(dirname(process.execPath)), ...libraryFolders()].filter(isFolder);
  return [
    ...'--die-with-parent --unshare-user --unshare-net --unshare-ipc --unshare-uts --unshare-pid --unshare-cgroup-try'.split(
      ' ',
    ),
    ...['--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...private_.flatMap((path) => ['--tmpfs', path]),
    ...needed.flatMap((path) => ['--ro-bind', path, path]),
    ...hidden.filter(isFolder).flatMap((path) => ['--tmpfs', path]),
    ...['--chdir', '/'],
  ];
}

const libraryFolders = (): string[] => (process.env.LD_LIBRARY_PATH ?? '').split(delimiter).filter(isAbsolute);

/** Whether a program starts that way and can read the code of decoders and models. */
function works(way: Confinement): boolean {
  const { resolve } = createRequire(import.meta.url);
  const files = [process.execPath, programPath('decoder'), resolve('sharp'), resolve('onnxruntime-node')];
  const look = 'for file; do [ -r "$file" ] || exit 1; done';
  const { command, args } = way.wrap('/bin/sh', ['-c', look, 'sh', ...files]);
  return spawnSync(command, args, { stdio: 'ignore', env: {}, cwd: '/', timeout: PROBE_MS }).status === 0;
}

const PROBE_MS = 10_000;

/** Absolute path of a program on the PATH. */
export function findCommand(command: string): string | undefined {
  const places = isAbsolute(command)
    ? [command]
    : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, command));
  return places.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return isAbsolute(path) && statSync(path).isFile();
    } catch {
      return false;
    }
  });
}
