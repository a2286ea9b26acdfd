/** A ZooKeeper of a test's own: one process on a free port, in a temporary folder, gone afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#weir/deploy/local/ports';
import { installPackage } from '../packages.ts';
import { until } from '../wait.js';

/** As the package of Debian has it; its manifest names the other archives. */
const ARCHIVE = '/usr/share/java/zookeeper.jar';
const PROGRAM = '/usr/share/zookeeper/bin/zkServer.sh';
/** It starts in half of the time, and needs little memory. */
const JAVA = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dzookeeper.admin.enableServer=false'];

export interface TestZooKeeper {
  port: number;
  close(): Promise<void>;
}

/** Installs it where that needs no password. False: there is none. */
export function hasZooKeeper(): boolean {
  if (!existsSync(ARCHIVE)) installPackage('zookeeper', PROGRAM);
  return existsSync(ARCHIVE);
}

export async function startZooKeeper(): Promise<TestZooKeeper> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-zookeeper-'));
  const port = await freePort();
  const file = join(folder, 'zoo.cfg');
  const settings = { dataDir: folder, clientPort: port, clientPortAddress: '127.0.0.1', tickTime: 500 };
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  const child = spawn('java', [...JAVA, '-cp', ARCHIVE, main, file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const orphaned = (): boolean => child.kill('SIGKILL');
  process.once('exit', orphaned);
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
    process.removeListener('exit', orphaned);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until('ZooKeeper answers', async () => {
      if (child.exitCode !== null) throw new Error(`ZooKeeper ended with ${child.exitCode}`);
      return await answers(port);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}

/** So long a question may take. One that comes while it starts may be taken and never answered. */
const ANSWER_MS = 1000;

/** Whether it says what it is. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', () => resolve(false));
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on('close', () => resolve(said.includes('Zookeeper version')));
    socket.end('srvr');
  });
}
