/** The versions of the configuration of an installation: which there are, what they hold, and going back to one. */
import { createRequire } from 'node:module';
import type { Configuration } from '../../../../shared/configuration/configuration.js';
import { asBlock, onOneLine } from '../../../../shared/printable.js';
import type { Redis } from '../../../../shared/streams/client.js';
import {
  activeVersion,
  type KeptVersion,
  keptVersions,
  readVersion,
} from '../../../../shared/streams/configuration.js';
import { REDIS_SETTINGS } from '../../../../shared/streams/endpoint.js';
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { applyConfiguration, sayApplied } from '../../configuration/applying.js';
import { sayDiff } from '../../configuration/diff.js';
import { readConfigurationFile } from '../../configuration/file.js';
import { keptModels, NotKept } from '../../configuration/kept.js';
import { messageOf, operator } from '../../configuration/operator.js';
import { createReviewer } from '../../configuration/review.js';
import { historyAddress, installationSettings, withInstallation } from '../../installation.js';

const KEPT = `The last 20 versions are kept. WEIR_REDIS_URL names the installation (default: that of npm start in WEIR_DATA_DIR,
else redis://127.0.0.1:6379).`;

const require = createRequire(import.meta.url);

/** Lists the versions, the newest last. */
export const configList: Command = {
  usage: `weir config list

A version without a time was stored and never became active, or was applied by a release that did not note it.
${KEPT}`,
  async run({ positionals }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments');
    const versions = await withInstallation(keptVersions);
    if (versions.length === 0) output.out('There is no configuration: nothing was applied yet.');
    for (const line of table(versions)) output.out(line);
    return 0;
  },
};

/** Prints a version as it can be applied again. */
export const configShow: Command = {
  usage: `weir config show [VERSION] [--json]

Prints VERSION (default: the active one) with all defaults filled in. It can be applied again as it is. Keys stand there
by their SHA-256, as in the file.
${KEPT}`,
  options: { json: { type: 'boolean' } },
  async run({ positionals, values }, output) {
    if (positionals.length > 1) throw new CommandUsageError('expected one VERSION at most');
    const text = await withInstallation((redis) => textOf(redis, positionals[0]));
    output.block(values.json === true ? JSON.stringify(JSON.parse(text), null, 2) : yamlOf(JSON.parse(text)));
    return 0;
  },
};

/** Texts with characters that are not seen stand in quotes: what is printed has escapes for them, and means the same. */
function yamlOf(configuration: unknown): string {
  // The library has 73 files, which no other command needs.
  const { Document, visit } = require('yaml') as typeof import('yaml');
  const document = new Document(configuration);
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && asBlock(node.value) !== node.value) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 120 }).trimEnd();
}

/** Says what changes from one version or file to another. */
export const configDiff: Command = {
  usage: `weir config diff FROM [TO]

FROM and TO are versions or files; TO is the active version if it is left out. Entries are the same ones if they have the
same id. Order and defaults make no difference.
${KEPT}`,
  async run({ positionals }, output) {
    const [from, to] = positionals;
    if (from === undefined || positionals.length > 2) throw new CommandUsageError('expected FROM, and TO or nothing');
    const read = async (name: string | undefined): Promise<Configuration | undefined> =>
      name === undefined || isVersion(name)
        ? (JSON.parse(await withInstallation((redis) => textOf(redis, name))) as Configuration)
        : readConfigurationFile(name, output)?.configuration;
    const [before, after] = [await read(from), await read(to)];
    if (!before || !after) return 1;
    sayDiff(before, after, output);
    return 0;
  },
};

/** Applies an earlier version again, as a new one. */
export const configRollback: Command = {
  usage: `weir config rollback VERSION [--message TEXT] [--yes]

  --message TEXT   why, as weir config list shows it (default: "back to VERSION")
  --yes            also where all keys, environments, deployments or policies of a team are dropped

The version becomes active under a new number, once every live worker has compiled it, as with weir apply. Results keep the
number that they were made by.
${KEPT}`,
  options: optionsOf({ texts: 'message', flags: 'yes' }),
  async run({ positionals, values }, output) {
    const [version] = positionals;
    if (version === undefined || positionals.length > 1 || !isVersion(version))
      throw new CommandUsageError('expected one VERSION');
    const message = messageOf(values) || `back to ${version}`;
    const [text, models] = await withInstallation(async (redis) => [
      await textOf(redis, version),
      await keptModels(redis, Number(version)),
    ]);
    const endpoint = installationSettings(REDIS_SETTINGS);
    const history = historyAddress();
    const file = `version ${version}`;
    const reviewer = createReviewer(values.yes === true, output);
    const applied = await applyConfiguration({
      ...endpoint,
      text,
      models,
      file,
      history,
      who: operator(message),
      say: output.err,
      review: reviewer.review,
    });
    reviewer.sayChanges(applied);
    return sayApplied(applied, output);
  },
};

const isVersion = (name: string): boolean => /^\d{1,9}$/.test(name);

/** The text of a version; of the active one without a name. Throws {@link NotKept}. */
async function textOf(redis: Redis, name: string | undefined): Promise<string> {
  if (name !== undefined && !isVersion(name))
    throw new CommandUsageError(`expected VERSION to be a number, got "${name.slice(0, 40)}"`);
  const version = name === undefined ? await activeVersion(redis) : Number(name);
  const text = version > 0 ? await readVersion(redis, version) : undefined;
  if (text !== undefined) return text;
  if (name === undefined) throw new NotKept('no configuration is active; apply one with weir apply FILE');
  const kept = (await keptVersions(redis)).map((one) => one.version);
  throw new NotKept(`version ${version} is not kept; there are ${kept.length > 0 ? kept.join(', ') : 'none'}`);
}

const HEADER = ['VERSION', 'APPLIED', 'BY', 'MESSAGE'] as const;

function table(versions: readonly KeptVersion[]): string[] {
  if (versions.length === 0) return [];
  const rows = versions.map(({ version, active, applied }) => [
    `${version}${active ? ' (active)' : ''}`,
    applied ? applied.at.toISOString() : '-',
    applied ? [applied.user, applied.host].filter((part) => part !== '').join('@') || '-' : '-',
    applied?.message ?? '',
  ]);
  // As they are printed, so that the columns fit.
  const all = [[...HEADER], ...rows.map((row) => row.map(onOneLine))];
  const widths = HEADER.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
