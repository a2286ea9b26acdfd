/** The commands of the pages for operators, as they stand there: a test runs them on an installation. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { loadFinder } from '#weir/deploy/local/redis/server';
import { blocksOf, readPage } from '../docs/pages.ts';

interface CommandSection {
  heading: string;
  /** its blocks of commands, up to the next heading of any level */
  commands: string[];
}

function sectionsOf(path: string): CommandSection[] {
  const page = readPage(path);
  const blocks = blocksOf(page).filter(({ language }) => language === 'console');
  const headings = page.text.split('\n').flatMap((text, i) => (/^##+ /.test(text) ? [{ text, line: i + 1 }] : []));
  return headings.map(({ text, line }, i) => ({
    heading: text.replace(/^#+ /, ''),
    commands: blocks
      .filter((block) => block.line > line && block.line < (headings[i + 1]?.line ?? Number.POSITIVE_INFINITY))
      .map(({ code }) => code),
  }));
}

/** The blocks of commands of a section. */
export function commandsBelow(path: string, heading: string): string[] {
  const section = sectionsOf(path).find((one) => one.heading === heading);
  if (!section) throw new Error(`${path} has no heading "${heading}"`);
  return section.commands;
}

const ran = new Set<string>();

/** Blocks of commands that this process has not run as they stand. `of`: whether a section counts. */
export const notRun = (path: string, of: (heading: string) => boolean = () => true): string[] =>
  sectionsOf(path)
    .filter(({ heading }) => of(heading))
    .flatMap(({ commands }) => commands.filter((code) => !ran.has(code)));

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
  ran.add(code);
  return new Promise((resolve, reject) => {
    execFile('bash', ['-e', '-u', '-o', 'pipefail', '-c', code], options, (error, out, err) => {
      if (error) reject(new Error(`${code}\n${out}${err}`));
      else resolve(out);
    });
  });
}
