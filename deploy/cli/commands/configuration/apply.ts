/**
 * `weir apply FILE`: checks a configuration, waits until every live worker has compiled it, makes it the active one, and
 * returns once every live ingress uses it.
 */
import type { Configuration } from '../../../../shared/configuration/configuration.js';
import { activeVersion, readVersion } from '../../../../shared/streams/configuration.js';
import { REDIS_SETTINGS } from '../../../../shared/streams/endpoint.js';
import { type Command, type CommandOutput, CommandUsageError, optionsOf } from '../../command.js';
import { applyToAll } from '../../configuration/apply-to-all.js';
import { applyConfiguration, KEYLESS, NotApplied, sayApplied } from '../../configuration/applying.js';
import { sayDiff } from '../../configuration/diff.js';
import {
  filesBeside,
  type ReadConfiguration,
  readConfigurationFile,
  readSourceFile,
} from '../../configuration/file.js';
import { messageOf, operator } from '../../configuration/operator.js';
import { createReviewer, sayDoubts } from '../../configuration/review.js';
import { historyAddress, installationSettings, namedInstallations, withInstallation } from '../../installation.js';
import { tryModels } from '../../model-problems.js';
import { textOption } from '../../options.js';
import { counted } from '../../progress.js';
import { sinceOf } from '../../since.js';
import { backtestOf } from '../policies/backtest.js';

export const apply: Command = {
  usage: `weir apply FILE [--message TEXT] [--yes] [--to ENV,ENV …]
weir apply FILE --dry-run [--rehearse 1h]

  --message TEXT   why, as weir config list shows it
  --yes            also where all keys, environments, deployments or policies of a team are dropped
  --to ENV,ENV …   apply it to several installations, all or none; ENV is a file with the settings of one, such as
                   WEIR_REDIS_URL, a line for each
  --dry-run        say what would change, and change nothing
  --rehearse TIME  with --dry-run: also how many items since then would be judged otherwise, as weir backtest says it

Checks FILE, and the models that it names for texts where WEIR_MODELS has them. Stores it as a new version, waits until every live worker has compiled it, and then makes it the active one.
If anything is wrong, nothing changes. Returns once every live ingress uses the new version; the exit code is 1 when one
does not in time. Prints what has changed; weir config diff prints all of it.

A file without "keys" is refused, and without --yes also one that drops all keys, environments, deployments or policies that a
team has. A policy whose id follows from its name becomes another one with another name: a warning says so.

WEIR_REDIS_URL names the installation (default: that of npm start in WEIR_DATA_DIR, else redis://127.0.0.1:6379). When
Redis has lost its data, version numbers continue from the rows of WEIR_CLICKHOUSE_URL.`,
  options: optionsOf({ texts: 'message rehearse to', flags: 'dry-run yes' }),
  async run(given, output) {
    const { positionals, values } = given;
    if (positionals.length !== 1) throw new CommandUsageError('expected one FILE');
    const message = messageOf(values);
    const since = textOption(given, 'rehearse');
    if (since !== undefined && values['dry-run'] !== true) throw new CommandUsageError('--rehearse is for --dry-run');
    const to = textOption(given, 'to');
    if (to !== undefined && values['dry-run'] === true) throw new CommandUsageError('--dry-run is without --to');
    if (values['dry-run'] === true) return await rehearse(positionals[0]!, since, output);
    const file = positionals[0]!;
    const source = {
      text: readSourceFile(file),
      file,
      files: filesBeside(file),
      tryOut: async (configuration: Configuration) => {
        const { problems, absent } = await tryModels(configuration);
        for (const each of absent) output.err(`warning: ${each}`);
        return problems;
      },
      who: operator(message),
    };
    if (to !== undefined)
      return await applyToAll(namedInstallations(to, '--to'), source, { yes: values.yes === true, output });
    const endpoint = installationSettings(REDIS_SETTINGS);
    const reviewer = createReviewer(values.yes === true, output);
    const history = historyAddress();
    const applied = await applyConfiguration({
      ...endpoint,
      ...source,
      history,
      say: output.err,
      review: reviewer.review,
    });
    reviewer.sayChanges(applied);
    return sayApplied(applied, output);
  },
};

/** Says what applying the file would change, and how many of the items since `since` it would judge otherwise. */
async function rehearse(file: string, since: string | undefined, output: CommandOutput): Promise<number> {
  const after = readConfigurationFile(file, output);
  if (!after) return 1;
  if (after.keyless) throw new NotApplied([`${file}: ${KEYLESS}`]);
  const text = await withInstallation(async (redis) => await readVersion(redis, await activeVersion(redis)));
  if (text === undefined) {
    output.out('No configuration is active: all of the file would be new.');
    return 0;
  }
  const before = JSON.parse(text) as Configuration;
  sayDiff(before, after.configuration, output);
  sayDoubts(before, after.configuration, output);
  if (since !== undefined) await sayJudged(after, since, output);
  return 0;
}

async function sayJudged(read: ReadConfiguration, since: string, output: CommandOutput): Promise<void> {
  const until = Date.now();
  const window = { since: sinceOf(since, until, '--rehearse'), until };
  const { result } = await backtestOf(read, { window, examples: 0 }, output);
  const { items, evaluated, changed } = result.counts;
  const rest = items - evaluated;
  output.out(
    `${counted(changed)} of ${counted(evaluated)} items since ${since} would be judged otherwise${rest > 0 ? `; ${counted(rest)} could not be compared` : ''}.`,
  );
}
