/** Builds the packages of the Python client and installs them, without a network. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#weir/shared/paths';
import { PYTHON_CLIENT } from '../python-files.ts';
import { python } from './python.ts';

const LIMIT_MS = 240_000;
export const CLIENT_FOLDER = join(packageRoot, PYTHON_CLIENT);

/** What a program of Python prints; rejects with what it says of an error. */
export function runPython(args: readonly string[], { program = 'python3', cwd = CLIENT_FOLDER } = {}): string {
  // Neither its own packages nor settings of the machine: what is tested is what is installed.
  const { PYTHONPATH: _, ...env } = process.env;
  const own = { ...env, PYTHONDONTWRITEBYTECODE: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_INPUT: '1' };
  return execFileSync(program, args, { cwd, env: own, encoding: 'utf8', timeout: LIMIT_MS, stdio: 'pipe' });
}

/** Builds into `folder`, from the sources or from those at `cwd`. Returns the name of the file. */
export function built(kind: 'wheel' | 'sdist', folder: string, cwd = CLIENT_FOLDER): string {
  const code = `import sys, build_backend; print(build_backend.build_${kind}(sys.argv[1]))`;
  return join(folder, runPython(['-c', code, folder], { cwd }).trim());
}

/** Why nothing can be installed here; undefined: it can. */
export function whyNotInstalled(): string | undefined {
  if ('missing' in python) return python.missing;
  try {
    const [, major = 0, minor = 0] = /^pip (\d+)\.(\d+)/.exec(runPython(['-m', 'pip', '--version']))?.map(Number) ?? [];
    // The first one that installs into another environment than its own.
    return major > 22 || (major === 22 && minor >= 3) ? undefined : 'pip is older than 22.3';
  } catch {
    return 'this Python has no pip';
  }
}

/** A new virtual environment in `folder` with the package in `file`, a wheel or sources. Returns its interpreter. */
export function installed(file: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  runPython(['-m', 'venv', '--without-pip', folder]);
  const program = join(folder, 'bin', 'python');
  const options = ['-q', '--no-index', '--no-deps', '--no-build-isolation', '--no-compile'];
  runPython(['-m', 'pip', '--python', program, 'install', ...options, file]);
  return program;
}
