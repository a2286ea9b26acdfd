/** Python, where the machine has it, and calls of the Python client by it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { PYTHON_CLIENT } from '../python-files.ts';

const OLDEST = [3, 10];

/** The program, or why there is none. */
export function findPython(): { program: string } | { missing: string } {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0) return { missing: 'there is no python3 on the PATH' };
  const [major = 0, minor = 0] = stdout.split(' ').map(Number);
  const isOld = major < OLDEST[0]! || (major === OLDEST[0] && minor < OLDEST[1]!);
  return isOld ? { missing: `python3 is older than ${OLDEST.join('.')}` } : { program: 'python3' };
}

export const python = findPython();

/** Of a test or a `describe`: false where it can run, else why it is skipped. */
export const skip: string | false = 'missing' in python ? python.missing : false;

export type PythonKind = 'sync' | 'async';

export interface PythonCall {
  url: string;
  key: string;
  method: string;
  arguments?: unknown[];
  named?: Record<string, unknown>;
  options?: Record<string, unknown>;
  /** seconds after which the call is cancelled; of asyncio alone */
  cancel?: number;
  /** what `guard_stream` is to guard: pieces, then perhaps an error or (asyncio) nothing ever; `stop`: after so many texts the caller stops */
  source?: { texts: unknown[]; fails?: boolean; hangs?: boolean; stop?: number };
}

/** What came of a call. */
export interface Called {
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by assertions
  value?: any;
  error?: {
    class: string;
    type: string;
    text: string;
    attempts: number;
    // biome-ignore lint/suspicious/noExplicitAny: each class has fields of its own
    [field: string]: any;
  };
  /** an exception that is none of the client */
  crash?: string;
}

/** One process for all tests of a `describe`, to be called in it. */
export function sharedPython(): (kind: PythonKind, call: PythonCall) => Promise<Called> {
  let driver: ChildProcess;
  let last = 0;
  const waiting = new Map<number, (called: Called) => void>();
  before(() => {
    if ('missing' in python) return;
    driver = spawn(python.program, [join(packageRoot, 'test/deploy/clients/python/driver.py')], {
      env: {
        ...process.env,
        PYTHONPATH: join(packageRoot, PYTHON_CLIENT),
        PYTHONDONTWRITEBYTECODE: '1',
        // Nobody listens there: a client that follows it reaches nothing.
        http_proxy: 'http://127.0.0.1:9',
        HTTPS_PROXY: 'http://127.0.0.1:9',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface(driver.stdout!).on('line', (line) => {
      const { id, ...called } = JSON.parse(line) as Called & { id: number };
      waiting.get(id)?.(called);
      waiting.delete(id);
    });
    driver.on('exit', () => {
      for (const answer of waiting.values()) answer({ crash: 'the driver has ended' });
    });
  });
  after(() => void driver?.kill());
  return (kind, call) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      const job = { arguments: [], named: {}, options: {}, ...call, id, kind };
      driver.stdin!.write(`${JSON.stringify(job)}\n`);
    });
}
