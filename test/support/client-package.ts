/** The client for TypeScript as its users have it: packed, and installed in a folder of their own without a network. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '#weir/shared/paths';
import { madeOnce } from './made-once.ts';

const run = promisify(execFile);

/** Path of the archive that `npm run pack:client` makes. */
export async function packedClient(): Promise<string> {
  const folder = await madeOnce('client', async (path) => {
    await run(process.execPath, [join(packageRoot, 'deploy/clients/typescript/pack.mjs'), path], { timeout: 120_000 });
  });
  const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  return join(folder, archive!);
}

/** Makes `project` a project that has the client installed, and nothing else. */
export async function installClient(project: string): Promise<void> {
  const archive = await packedClient();
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', archive], {
    cwd: project,
    timeout: 120_000,
  });
}
