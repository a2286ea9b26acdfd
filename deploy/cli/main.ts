/** The `weir` command line: finds the command, parses its arguments, runs it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../shared/paths.js';
import { type Command, type Output, UsageError } from './command.js';
import { apply } from './commands/apply.js';
import { check } from './commands/check.js';
import { checkConfig } from './commands/check-config.js';
import { configDiff, configList, configRollback, configShow } from './commands/config.js';
import { deadLettersList, deadLettersReplay, deadLettersShow } from './commands/dead-letters.js';
import { hash } from './commands/hash.js';
import { hashesAdd, hashesList, hashesRemove } from './commands/hashes.js';
import { keysCreate } from './commands/keys.js';
import { migrate } from './commands/migrate.js';
import { openapi } from './commands/openapi.js';
import { status } from './commands/status.js';
import { test } from './commands/test.js';
import { train } from './commands/train.js';

const COMMANDS: readonly Command[] = [
  checkConfig,
  apply,
  configList,
  configShow,
  configDiff,
  configRollback,
  check,
  test,
  keysCreate,
  hash,
  hashesAdd,
  hashesRemove,
  hashesList,
  status,
  deadLettersList,
  deadLettersShow,
  deadLettersReplay,
  train,
  migrate,
  openapi,
];

const HELP = new Set(['--help', '-h', 'help']);
const VERSION = new Set(['--version', '-v']);

/** Runs `weir` with `args`; returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(args: readonly string[], output: Output): Promise<number> {
  // "weir help keys create" is "weir keys create --help".
  if (args[0] === 'help' && args.length > 1) return run([...args.slice(1), '--help'], output);
  if (VERSION.has(args[0] ?? '') && args.length === 1) {
    output.out(`weir ${packageVersion()}`);
    return 0;
  }
  const command = find(args);
  if (!command) return explain(args, output);
  try {
    const { positionals, values } = parseArgs({
      args: args.slice(command.name.split(' ').length),
      options: { ...command.options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    });
    if (values.help === true) {
      output.out(`${command.summary}\n\n${command.usage}`);
      return 0;
    }
    return await command.run({ positionals, values: values as Record<string, string | boolean | undefined> }, output);
  } catch (error) {
    const usage = error instanceof UsageError || isParseError(error);
    output.err(`weir ${command.name}: ${error instanceof Error ? error.message : String(error)}`);
    if (usage) output.err(`See: weir ${command.name} --help`);
    return usage ? 2 : 1;
  }
}

/** Lists the commands, or those of a group such as `keys`. Says what is wrong unless the list was asked for. */
function explain(args: readonly string[], output: Output): number {
  const words = args.filter((word) => !HELP.has(word));
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `));
  const asked = words.length === 0 || (words.length === 1 && group.length > 0 && words.length < args.length);
  const say = asked ? output.out : output.err;
  if (!asked) say(complaint(words, group));
  for (const line of overview(group.length > 0 ? group : COMMANDS)) say(line);
  return asked ? 0 : 2;
}

function complaint(words: readonly string[], group: readonly Command[]): string {
  if (words.length === 1 && group.length > 0) return `weir: "${words[0]}" needs a second word`;
  const typed = group.length > 0 ? words.slice(0, 2).join(' ') : words[0]!;
  return `weir: there is no command "${clip(typed)}"`;
}

/** The longest name that the arguments start with. */
function find(args: readonly string[]): Command | undefined {
  const matching = COMMANDS.filter(({ name }) => name.split(' ').every((word, i) => args[i] === word));
  return matching.sort((a, b) => b.name.length - a.name.length)[0];
}

function overview(commands: readonly Command[]): string[] {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ['weir COMMAND [--help]', 'weir --version', '', ...lines];
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
