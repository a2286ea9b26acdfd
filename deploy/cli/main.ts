/** The `weir` command line: finds the command, parses its arguments, runs it. */
import { parseArgs } from 'node:util';
import { packageVersion } from '../../shared/paths.js';
import { type Command, type CommandOutput, CommandUsageError, LongError, outputTo, type Streams } from './command.js';

interface CommandEntry {
  /** as typed, for example `keys create` */
  name: string;
  /** one line for the list of commands */
  summary: string;
  /** Only the command that runs is loaded: all of them take four times as long as Node itself. */
  load(): Promise<Command>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'write a first configuration, and tests of it',
    load: async () => (await import('./commands/configuration/init.js')).init,
  },
  {
    name: 'check-config',
    summary: 'check a configuration file',
    load: async () => (await import('./commands/configuration/check-config.js')).checkConfig,
  },
  {
    name: 'fmt',
    summary: 'format configuration files',
    load: async () => (await import('./commands/configuration/fmt.js')).fmt,
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a configuration, for editors',
    load: async () => (await import('./commands/configuration/schema.js')).schema,
  },
  {
    name: 'apply',
    summary: 'check a configuration and make it the active one everywhere, without a restart',
    load: async () => (await import('./commands/configuration/apply.js')).apply,
  },
  {
    name: 'config list',
    summary: 'list the versions of the configuration: when, by whom and why each was applied',
    load: async () => (await import('./commands/configuration/config.js')).configList,
  },
  {
    name: 'config show',
    summary: 'print a version of the configuration, as YAML or JSON',
    load: async () => (await import('./commands/configuration/config.js')).configShow,
  },
  {
    name: 'config diff',
    summary: 'say in words what changes from one version of the configuration to another',
    load: async () => (await import('./commands/configuration/config.js')).configDiff,
  },
  {
    name: 'config rollback',
    summary: 'apply an earlier version of the configuration again',
    load: async () => (await import('./commands/configuration/config.js')).configRollback,
  },
  {
    name: 'check',
    summary: 'evaluate a text against the policies of a configuration, without a server',
    load: async () => (await import('./commands/policies/check.js')).check,
  },
  {
    name: 'test',
    summary: 'run tests of policies, without a server',
    load: async () => (await import('./commands/policies/test.js')).test,
  },
  {
    name: 'keys create',
    summary: 'make an API key, and its entry for the configuration',
    load: async () => (await import('./commands/configuration/keys.js')).keysCreate,
  },
  {
    name: 'hash',
    summary: 'print the PDQ hash and quality of images',
    load: async () => (await import('./commands/images/hash.js')).hash,
  },
  {
    name: 'hashes add',
    summary: 'add hashes to a list of known images',
    load: async () => (await import('./commands/images/hashes.js')).hashesAdd,
  },
  {
    name: 'hashes remove',
    summary: 'remove hashes from a list of known images',
    load: async () => (await import('./commands/images/hashes.js')).hashesRemove,
  },
  {
    name: 'hashes list',
    summary: 'check and print a list of known images',
    load: async () => (await import('./commands/images/hashes.js')).hashesList,
  },
  {
    name: 'status',
    summary: 'whether checks are taken, live processes, lags, pending work, dead letters',
    load: async () => (await import('./commands/operation/status.js')).status,
  },
  {
    name: 'plan',
    summary: 'how many processes, machines and bytes a load needs',
    load: async () => (await import('./commands/operation/plan.js')).plan,
  },
  {
    name: 'redis failover',
    summary: 'have a replica of Redis take over from its primary, without a loss',
    load: async () => (await import('./commands/operation/redis-failover.js')).redisFailover,
  },
  {
    name: 'record',
    summary: 'print the verdicts of a request as Redis has them',
    load: async () => (await import('./commands/operation/record.js')).record,
  },
  {
    name: 'dead-letters list',
    summary: 'list entries that failed for good, newest first',
    load: async () => (await import('./commands/operation/dead-letters.js')).deadLettersList,
  },
  {
    name: 'dead-letters show',
    summary: 'show the header of a dead letter and, if asked for, its body',
    load: async () => (await import('./commands/operation/dead-letters.js')).deadLettersShow,
  },
  {
    name: 'dead-letters replay',
    summary: 'evaluate a dead letter again',
    load: async () => (await import('./commands/operation/dead-letters.js')).deadLettersReplay,
  },
  {
    name: 'refused list',
    summary: 'list requests whose rows ClickHouse refuses, with the reason',
    load: async () => (await import('./commands/operation/refused.js')).refusedList,
  },
  {
    name: 'refused replay',
    summary: 'have such rows archived again, once the cause is removed',
    load: async () => (await import('./commands/operation/refused.js')).refusedReplay,
  },
  {
    name: 'refused drop',
    summary: 'drop such rows for good',
    load: async () => (await import('./commands/operation/refused.js')).refusedDrop,
  },
  {
    name: 'erase',
    summary: 'have a user, a session, a run or an event forgotten',
    load: async () => (await import('./commands/operation/erase.js')).erase,
  },
  {
    name: 'erasures list',
    summary: 'list what is being erased, and what was lately',
    load: async () => (await import('./commands/operation/erase.js')).erasuresList,
  },
  {
    name: 'erasures show',
    summary: 'print the receipt of an erasure',
    load: async () => (await import('./commands/operation/erase.js')).erasuresShow,
  },
  {
    name: 'export',
    summary: 'write what is stored of a team into files, as Parquet or JSON lines',
    load: async () => (await import('./commands/operation/export.js')).exportRows,
  },
  {
    name: 'exports list',
    summary: 'list who has exported what',
    load: async () => (await import('./commands/operation/export.js')).exportsList,
  },
  {
    name: 'audit',
    summary: 'who did what, when and from where',
    load: async () => (await import('./commands/operation/audit.js')).audit,
  },
  {
    name: 'hooks list',
    summary: 'what waits for each webhook, and what was given up',
    load: async () => (await import('./commands/operation/hooks.js')).hooksList,
  },
  {
    name: 'hooks show',
    summary: 'list deliveries to a webhook that were given up',
    load: async () => (await import('./commands/operation/hooks.js')).hooksShow,
  },
  {
    name: 'hooks replay',
    summary: 'send deliveries to a webhook again that were given up',
    load: async () => (await import('./commands/operation/hooks.js')).hooksReplay,
  },
  {
    name: 'shadow report',
    summary: 'what policies in the shadow would have flagged, beside the live ones',
    load: async () => (await import('./commands/policies/shadow.js')).shadowReport,
  },
  {
    name: 'labels queue',
    summary: 'what is flagged and has no label, those first of which a label says most',
    load: async () => (await import('./commands/labels/queue.js')).labelsQueue,
  },
  {
    name: 'labels report',
    summary: 'how right policies are by their labels: precision, drift, agreement, a better threshold',
    load: async () => (await import('./commands/labels/report.js')).labelsReport,
  },
  {
    name: 'eval',
    summary: 'how right a policy or a detector is on labelled texts',
    load: async () => (await import('./commands/policies/eval.js')).evaluate,
  },
  {
    name: 'backtest',
    summary: 'what a changed configuration would have flagged of what is stored',
    load: async () => (await import('./commands/policies/backtest.js')).backtest,
  },
  {
    name: 'train',
    summary: 'train a text classifier from labelled texts',
    load: async () => (await import('./commands/policies/train.js')).train,
  },
  {
    name: 'migrate',
    summary: 'create or update the tables in ClickHouse',
    load: async () => (await import('./commands/operation/migrate.js')).migrate,
  },
  {
    name: 'mcp-proxy',
    summary: 'stand between an MCP client and its server, and check what they tell each other',
    load: async () => (await import('./commands/operation/mcp-proxy.js')).mcpProxy,
  },
  {
    name: 'openapi',
    summary: 'print the OpenAPI 3.1 document of the API',
    load: async () => (await import('./commands/operation/openapi.js')).openapi,
  },
];

const HELP = new Set(['--help', '-h', 'help']);
const VERSION = new Set(['--version', '-v']);

/** Runs `weir` with `args`; returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export const run = (args: readonly string[], streams: Streams): Promise<number> => runTo(args, outputTo(streams));

async function runTo(args: readonly string[], output: CommandOutput): Promise<number> {
  // "weir help keys create" is "weir keys create --help".
  if (args[0] === 'help' && args.length > 1) return runTo([...args.slice(1), '--help'], output);
  if (VERSION.has(args[0] ?? '') && args.length === 1) {
    output.out(`weir ${packageVersion()}`);
    return 0;
  }
  const entry = find(args);
  if (!entry) return explain(args, output);
  try {
    const command = await entry.load();
    const { positionals, values } = parseArgs({
      args: args.slice(entry.name.split(' ').length),
      options: { ...command.options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    });
    if (values.help === true) {
      output.block(`${entry.summary}\n\n${command.usage}`);
      return 0;
    }
    return await command.run({ positionals, values: values as Record<string, string | boolean | undefined> }, output);
  } catch (error) {
    const usage = error instanceof CommandUsageError || isParseError(error);
    const [first, ...more] = linesOf(error);
    for (const line of [`weir ${entry.name}: ${first}`, ...more]) output.err(line);
    if (usage) output.err(`See: weir ${entry.name} --help`);
    return usage ? 2 : 1;
  }
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof LongError) return error.lines;
  const missing = missingPackage(error);
  if (missing)
    return [
      `this installation goes without ${missing}: run the command where workers run, for example in the image "worker".`,
    ];
  return [error instanceof Error ? error.message : String(error)];
}

/** The package that is not installed: an ingress goes without those that only workers need (`deploy/docker/prune.mjs`). */
function missingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined;
  return /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w-][\w.-]*)'/.exec(message)?.[1];
}

/** Lists the commands, or those of a group such as `keys`. Says what is wrong unless the list was asked for. */
function explain(args: readonly string[], output: CommandOutput): number {
  const words = args.filter((word) => !HELP.has(word));
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `));
  const asked = words.length === 0 || (words.length === 1 && group.length > 0 && words.length < args.length);
  const say = asked ? output.out : output.err;
  if (!asked) say(complaint(words, group));
  for (const line of overview(group.length > 0 ? group : COMMANDS)) say(line);
  return asked ? 0 : 2;
}

function complaint(words: readonly string[], group: readonly CommandEntry[]): string {
  if (words.length === 1 && group.length > 0) return `weir: "${words[0]}" needs a second word`;
  const typed = group.length > 0 ? words.slice(0, 2).join(' ') : words[0]!;
  return `weir: there is no command "${clip(typed)}"`;
}

/** The longest name that the arguments start with. */
function find(args: readonly string[]): CommandEntry | undefined {
  const matching = COMMANDS.filter(({ name }) => name.split(' ').every((word, i) => args[i] === word));
  return matching.sort((a, b) => b.name.length - a.name.length)[0];
}

function overview(commands: readonly CommandEntry[]): string[] {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ['weir COMMAND [--help]', 'weir --version', '', ...lines];
}

function isParseError(error: unknown): boolean {
  return error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
