import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { livePolicies } from '../../../../shared/configuration/read/warnings.js';
import type { BacktestWindow } from '../../backtest/read/question.js';
import type { BacktestOptions } from '../../backtest/run.js';
import type { BacktestState } from '../../backtest/state-file.js';
import {
  type Arguments,
  type Command,
  type CommandOutput,
  CommandUsageError,
  LongError,
  optionsOf,
} from '../../command.js';
import { type ReadConfiguration, readConfigurationFile } from '../../configuration/file.js';
import { historyAddress } from '../../installation.js';
import { numberOption, textOption } from '../../options.js';
import { createProgress } from '../../progress.js';
import { sinceOf } from '../../since.js';

const MAX_SAMPLE = 1_000_000_000;
const MAX_EXAMPLES = 100;
const MAX_THREADS = 64;

/** A changed configuration over what is stored. What evaluates is loaded when the command runs. */
export const backtest: Command = {
  usage: `weir backtest FILE [--since 7d] [options]

  --since TIME        how far back: such as 90m, 24h, 7d, or a time such as 2026-11-01T12:00:00Z [7d]
  --team ID           only this team
  --environment ID    only events of this environment
  --labels            only items that people have labelled (POST /api/label): alarms that stay and go, true and false
  --sample N          about N items, chosen by their ids [all]
  --examples N        items that are shown of each policy that changes, each way, to ${MAX_EXAMPLES} [3]
  --json              print JSON lines: the summary, the policies, the examples
  --state FILE        keep there how far it is; with such a file it goes on from there
  --threads N         [processors]

Evaluates FILE over the events and sessions in ClickHouse by what a worker evaluates with, and compares each verdict with the one
that was given then. Nothing is changed. For each policy it says how many items are newly flagged, newly cleared, still flagged and
still clean. Items whose content is not stored any more, images and checks without a verdict are counted. Policies that could not be
evaluated here are counted for each item.

WEIR_CLICKHOUSE_URL names the ClickHouse; a user who may only read is enough (default: the reader of npm start in WEIR_DATA_DIR).`,
  options: optionsOf({ texts: 'since team environment sample examples state threads', flags: 'json labels' }),
  async run(given, output) {
    const [file, ...more] = given.positionals;
    if (file === undefined || more.length > 0) throw new CommandUsageError('expected one FILE');
    const asked = askedOf(given);
    const read = readConfigurationFile(file, output);
    if (!read) return 1;
    checkScope(asked.window, read);
    const { readState, createStateFile } = await import('../../backtest/state-file.js');
    const question = questionOf(read, given);
    const path = textOption(given, 'state');
    const resume = path === undefined ? undefined : readState(path, question);
    const kept = path === undefined ? undefined : createStateFile(path);
    const state = await backtestOf(read, { ...asked, question, resume, onState: kept?.note }, output).catch(
      (error: Error) => {
        const isKept = path !== undefined && existsSync(path);
        throw isKept
          ? new LongError([error.message, `${path} has how far it is: the same command goes on from there`])
          : error;
      },
    );
    await report(state, read, { given, output });
    kept?.remove();
    return 0;
  },
};

/** Runs a backtest of `read` on the ClickHouse of the installation, and says how far it is. */
export async function backtestOf(
  read: ReadConfiguration,
  {
    onState,
    ...asked
  }: Omit<BacktestOptions, 'history' | 'configuration' | 'models' | 'threadCount'> & { threadCount?: number },
  output: CommandOutput,
): Promise<BacktestState> {
  const history = historyAddress('reader');
  if (!history) throw new Error('expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL');
  const { backtest: run } = await import('../../backtest/run.js');
  const progress = createProgress(output, { what: 'items', done: asked.resume?.result.counts.items ?? 0 });
  return await run({
    threadCount: processors(),
    ...asked,
    history,
    configuration: read.configuration,
    models: read.modelFiles(),
    onState(state) {
      if (progress.due()) progress.say(state.result.counts.items, state.total);
      onState?.(state);
    },
  });
}

const processors = (): number => Math.min(MAX_THREADS, availableParallelism());

interface BacktestArguments {
  window: BacktestWindow;
  labels: boolean;
  sample: number | undefined;
  examples: number;
  threadCount: number;
}

function askedOf(given: Arguments): BacktestArguments {
  const until = Date.now();
  const team = textOption(given, 'team');
  const environment = textOption(given, 'environment');
  const sample = numberOption(given, 'sample', { default: 0, min: 1, max: MAX_SAMPLE });
  return {
    window: {
      since: sinceOf(textOption(given, 'since') ?? '7d', until),
      until,
      ...(team === undefined ? {} : { team }),
      ...(environment === undefined ? {} : { environment }),
    },
    labels: given.values.labels === true,
    sample: sample === 0 ? undefined : sample,
    examples: numberOption(given, 'examples', { default: 3, min: 0, max: MAX_EXAMPLES }),
    threadCount: numberOption(given, 'threads', {
      default: processors(),
      min: 1,
      max: MAX_THREADS,
    }),
  };
}

function checkScope({ team, environment }: BacktestWindow, { configuration }: ReadConfiguration): void {
  const teams = configuration.teams.map(({ id }) => id);
  if (team !== undefined && !teams.includes(team)) {
    throw new CommandUsageError(`--team: the configuration has no team "${team}"; expected one of ${teams.join(', ')}`);
  }
  const environments = configuration.environments.filter((each) => team === undefined || each.team === team);
  if (environment !== undefined && !environments.some(({ id }) => id === environment)) {
    const ids = [...new Set(environments.map(({ id }) => id))];
    throw new CommandUsageError(
      `--environment: there is no "${environment}"; expected one of ${ids.join(', ') || 'none'}`,
    );
  }
}

/** The same for the same configuration and options. */
export function questionOf({ configuration }: Pick<ReadConfiguration, 'configuration'>, given: Arguments): string {
  const options = ['since', 'team', 'environment', 'sample', 'examples'].map((name) => textOption(given, name) ?? null);
  return createHash('sha256')
    .update(JSON.stringify([configuration, options, ...(given.values.labels === true ? ['labels'] : [])]))
    .digest('hex');
}

async function report(
  state: BacktestState,
  read: ReadConfiguration,
  { given, output }: { given: Arguments; output: CommandOutput },
): Promise<void> {
  const { costsOf } = await import('../../backtest/cost.js');
  const { jsonLines, tableLines } = await import('../../backtest/report.js');
  const { configuration } = read;
  const live = livePolicies(configuration);
  const used = { ...configuration, policies: configuration.policies.filter(({ id }) => live.has(id)) };
  const done = { ...state, costs: costsOf(used, read.models(), state.result.texts) };
  for (const line of given.values.json === true ? jsonLines(done) : tableLines(done)) output.out(line);
}
