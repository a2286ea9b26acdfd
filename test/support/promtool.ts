/** promtool, which checks rules and configurations of Prometheus: that of the machine, else that of a package that is only unpacked. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const works = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;

/** Kept from run to run. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'weir-tests');

/** The package would start a service, so it is not installed. Lists of packages that are missing or old are fetched where that is allowed. */
const UNPACK = `set -e
apt-get -qq download prometheus || { apt-get -qq -o DPkg::Lock::Timeout=300 update && apt-get -qq download prometheus; }
dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool`;

/** Path of promtool; or why there is none, in a sentence. */
export function findPromtool(): { program: string } | { lacking: string } {
  if (works('promtool')) return { program: 'promtool' };
  const kept = join(CACHE, 'promtool');
  if (works(kept)) return { program: kept };
  const folder = mkdtempSync(join(tmpdir(), 'weir-promtool-'));
  try {
    const { status, stderr } = spawnSync('sh', ['-c', UNPACK], { cwd: folder, encoding: 'utf8', timeout: 300_000 });
    const unpacked = join(folder, 'usr/bin/promtool');
    if (status !== 0 || !existsSync(unpacked))
      return {
        lacking: `promtool is not on the PATH, and cannot be had by apt-get: ${stderr?.trim().split('\n').at(-1)}`,
      };
    mkdirSync(CACHE, { recursive: true });
    // Another process of the tests may have the same in mind.
    const own = `${kept}.${process.pid}`;
    const copied = spawnSync('cp', [unpacked, own], { timeout: 60_000 });
    if (copied.status !== 0) return { lacking: `promtool cannot be written to ${CACHE}.` };
    renameSync(own, kept);
    return works(kept) ? { program: kept } : { lacking: 'the promtool of the package does not run here.' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
