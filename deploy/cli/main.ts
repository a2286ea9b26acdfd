/** The `weir` command line: finds the command, parses its arguments, runs it. */
import { parseArgs } from 'node:util';
import { type Command, type Output, UsageError } from './command.js';
import { apply } from './commands/apply.js';
import { check } from './commands/check.js';
import { checkConfig } from './commands/check-config.js';
import { deadLettersList, deadLettersReplay, deadLettersShow } from './commands/dead-letters.js';
import { hash } from './commands/hash.js';
import { hashesAdd, hashesList, hashesRemove } from './commands/hashes.js';
import { keysCreate } from './commands/keys.js';
import { migrate } from './commands/migrate.js';
import { openapi } from './commands/openapi.js';
import { status } from './commands/status.js';

const COMMANDS: readonly Command[] = [
  checkConfig,
  apply,
  check,
  keysCreate,
  hash,
  hashesAdd,
  hashesRemove,
  hashesList,
  status,
  deadLettersList,
  deadLettersShow,
  deadLettersReplay,
  migrate,
  openapi,
];

/** Runs `weir` with `args`; returns the exit code: 0 done, 1 it failed, 2 it was not understood. */
export async function run(args: readonly string[], output: Output): Promise<number> {
  const command = find(args);
  if (!command) {
    const asked = args.length === 0 || args[0] === '--help' || args[0] === '-h' || args[0] === 'help';
    if (!asked) output.err(`weir: there is no command "${clip(args[0]!)}"`);
    for (const line of overview()) (asked ? output.out : output.err)(line);
    return asked ? 0 : 2;
  }
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

/** The longest name that the arguments start with. */
function find(args: readonly string[]): Command | undefined {
  const matching = COMMANDS.filter(({ name }) => name.split(' ').every((word, i) => args[i] === word));
  return matching.sort((a, b) => b.name.length - a.name.length)[0];
}

function overview(): string[] {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return ['weir COMMAND [--help]', '', ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)];
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
