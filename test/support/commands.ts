/** The commands of the pages for operators, as they stand there: a test runs them on an installation. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { loadFinder } from '#weir/deploy/local/redis/server';
import { blocksOf, readPage } from '../docs/pages.ts';

/** The blocks of commands below a heading, up to the next heading of any level. */
export function commandsBelow(path: string, heading: string): string[] {
  const page = readPage(path);
  const lines = page.text.split('\n');
  const from = lines.findIndex((line) => /^##+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (from < 0) throw new Error(`${path} has no heading "${heading}"`);
  const length = lines.slice(from + 1).findIndex((line) => /^##+ /.test(line));
  const until = length < 0 ? Number.POSITIVE_INFINITY : from + 1 + length;
  return blocksOf(page)
    .filter(({ language, line }) => language === 'console' && line > from && line <= until)
    .map(({ code }) => code);
}

export interface ShellOptions {
  /** beside that of this process; what is undefined is taken away */
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** folders with programs that come first */
  path?: readonly string[];
}

/** Runs commands in a shell that has `redis-cli` and `redis-server`; resolves with what they print. */
export async function shell(code: string, { env = {}, cwd, path = [] }: ShellOptions = {}): Promise<string> {
  const binary = (await loadFinder()).findRedis();
  const PATH = [...path, dirname(binary), process.env.PATH].join(':');
  const options = { env: { ...process.env, ...env, PATH }, timeout: 240_000, ...(cwd === undefined ? {} : { cwd }) };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-e', '-u', '-o', 'pipefail', '-c', code], options, (error, out, err) => {
      if (error) reject(new Error(`${code}\n${out}${err}`));
      else resolve(out);
    });
  });
}
