/**
 * Boots systemd as process 1 of namespaces of its own, on a view of this machine's files that keeps changes in memory, and runs a script there
 * as a unit. It uses the network of this machine. Nothing is left afterwards.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './wait.ts';

const SYSTEMD = '/lib/systemd/systemd';
const cgroups = (): string | undefined =>
  ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) => existsSync(join(path, 'cgroup.procs')));

/** Why none can be booted here; undefined where it can. */
export function withoutSystemd(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root';
  if (!existsSync(SYSTEMD)) return 'no systemd here';
  if (!cgroups()) return 'no control groups of version 2';
  const args = ['--fork', '--pid', '--mount', '--cgroup', '--mount-proc', 'true'];
  if (spawnSync('unshare', args, { stdio: 'ignore' }).status !== 0) return 'no namespaces here';
  return undefined;
}

export interface BootOptions {
  /** files by their path in there */
  files: Record<string, string>;
  /** folders of this machine by their path in there, read-only */
  folders: Record<string, string>;
  /** run by root, in a shell */
  script: string;
}

/** What the script has written. */
export async function bootAndRun({ files, folders, script }: BootOptions): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'weir-systemd-'));
  const out = join(work, 'out');
  mkdirSync(out);
  const units: Record<string, string> = {
    '/etc/systemd/system/run.target': '[Unit]\nRequires=run.service systemd-journald.service\n',
    '/etc/systemd/system/run.service':
      '[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nExecStart=/bin/sh /out/script\nStandardOutput=file:/out/said\nStandardError=inherit\n',
  };
  writeFileSync(join(out, 'script'), `${script}\ntouch /out/done\n`);
  const view = join(work, 'view');
  mkdirSync(view);
  const put = Object.entries({ ...units, ...files }).map(([path, text], i) => {
    writeFileSync(join(work, String(i)), text);
    return `install -D -m 0644 ${join(work, String(i))} "$root${path}"`;
  });
  const bound = Object.entries({ ...folders }).map(
    ([path, from]) =>
      `mkdir -p "$root${path}" && mount --bind ${from} "$root${path}" && mount -o remount,bind,ro "$root${path}"`,
  );
  writeFileSync(
    join(work, 'boot'),
    `set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs ${view}
mkdir ${view}/upper ${view}/work ${view}/root
root=${view}/root
mount -t overlay overlay -o lowerdir=/,upperdir=${view}/upper,workdir=${view}/work $root
mkdir $root/old $root/out
mount --rbind /dev $root/dev
mount -t sysfs sysfs $root/sys
mount -t cgroup2 cgroup2 $root/sys/fs/cgroup
mount -t tmpfs tmpfs $root/run
mount -t tmpfs tmpfs $root/tmp
mount --bind ${out} $root/out
${put.join('\n')}
${bound.join('\n')}
cd $root
pivot_root . old
cd /
mount -t proc proc /proc
umount -l /old
exec env -i container=weir PATH=/usr/sbin:/usr/bin:/sbin:/bin ${SYSTEMD} --system --unit=run.target --show-status=no < /dev/null > /out/boot 2>&1
`,
  );
  const group = join(cgroups()!, `weir-test-${process.pid}`);
  mkdirSync(group);
  const enter = `echo $$ > ${group}/cgroup.procs; exec unshare --fork --pid --mount --uts --ipc --cgroup --kill-child sh ${work}/boot`;
  const child = spawn('sh', ['-c', enter], { stdio: 'inherit' });
  try {
    const gone = once(child, 'exit').then(() => true);
    let ended = false;
    void gone.then(() => {
      ended = true;
    });
    await until('the script is done', () => ended || existsSync(join(out, 'done')));
    if (!existsSync(join(out, 'done'))) throw new Error(`systemd ended: ${readFileSync(join(out, 'boot'), 'utf8')}`);
    return readFileSync(join(out, 'said'), 'utf8');
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await until('its processes are gone', () => isEmptyGroup(group));
    removeGroup(group);
    rmSync(work, { recursive: true, force: true });
  }
}

const isEmptyGroup = (group: string): boolean =>
  !readFileSync(join(group, 'cgroup.events'), 'utf8').includes('populated 1');

function removeGroup(group: string): void {
  for (const entry of readdirSync(group, { withFileTypes: true })) {
    if (entry.isDirectory()) removeGroup(join(group, entry.name));
  }
  rmdirSync(group);
}

/** Path of a program that the units start. */
export const systemNode = (): string | undefined => {
  try {
    return execFileSync('/usr/bin/node', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};
