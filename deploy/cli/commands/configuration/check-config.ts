import type { BackendConfiguration } from '../../../../shared/configuration/backend.js';
import { type Configuration, problemText } from '../../../../shared/configuration/configuration.js';
import type { ExpandedPack } from '../../../../shared/configuration/expand-packs.js';
import { metricHelp } from '../../../../shared/configuration/metric-kinds.js';
import { followsFromName } from '../../../../shared/configuration/read/derived-ids.js';
import { compilePlan } from '../../../../shared/policy/compile.js';
import { detectorHelp } from '../../../../shared/policy/detectors/registry.js';
import { type Command, CommandUsageError } from '../../command.js';
import { KEYLESS } from '../../configuration/applying.js';
import { readConfigurationFile } from '../../configuration/file.js';
import { tryModels } from '../../model-problems.js';

/** Checks a configuration file without a server. It finds everything that `apply` would refuse. */
export const checkConfig: Command = {
  usage: `weir check-config FILE

Wrong file: prints FILE:LINE:COLUMN: what was expected, for each problem. The exit code is 1.
Right file: prints a summary in one line, the id of each policy that has none in the file, for each pack the policies that it
brings, and for each backend with a budget what it may be asked. The exit code is 0.

A file may be short. The only team need not be named. Without environments and deployments there is one of each, "default", with all
policies. A policy without an id has one that follows from its team and its name. Names may stand wherever ids of policies, metrics and
deployments do. Without keys, weir apply refuses the file.

Warnings on the standard error name what is allowed but has no effect: policies that no deployment or active condition
lists, policies that look at nothing (a detector of images in a policy for texts), "action: redact" on a policy whose
detectors mark nothing, keys that name no environments and no deployments, metrics that are not listed or that have
nothing to be computed from, and webhooks whose secret is not in the environment of this command.

Models that policies name for texts are loaded from the folder WEIR_MODELS and tried. One that does not work is a problem; one
that is not on this machine is a warning.

Detectors, with what each fires on and its parameters [defaults]:
${detectorHelp()}

Kinds of metrics, with the value that each gives:
${metricHelp()}`,
  async run({ positionals }, output) {
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new CommandUsageError('expected one FILE');
    const loaded = readConfigurationFile(file, output);
    if (!loaded) return 1;
    const { configuration } = loaded;
    const models = loaded.models();
    compilePlan(configuration, 0, { models });
    const { problems, absent } = await tryModels(configuration);
    for (const problem of problems) output.err(`${file}: ${problem}`);
    if (problems.length > 0) return 1;
    for (const each of absent) output.err(`warning: ${each}`);
    const warnings = loaded.warnings((name) => process.env[name]);
    for (const warning of warnings) output.err(problemText({ ...warning, message: `warning: ${warning.message}` }));
    const { teams, keys, policies, deployments, environments } = configuration;
    const counts = { teams, keys, policies, deployments, environments };
    const hidden = policies.filter(({ mode }) => mode === 'shadow').length;
    const parts = Object.entries(counts).map(([what, list]) => {
      return `${count(list.length, what)}${what === 'policies' && hidden > 0 ? ` (${hidden} in the shadow)` : ''}`;
    });
    if (configuration.backends.length > 0) parts.push(count(configuration.backends.length, 'backends'));
    if (configuration.notify.length > 0) parts.push(count(configuration.notify.length, 'webhooks'));
    if (models.size > 0) parts.push(count(models.size, 'text models'));
    const warned = warnings.length === 0 ? '' : `, ${count(warnings.length, 'warnings')}`;
    output.out(`${file}: ok (${parts.join(', ')})${warned}`);
    for (const line of nameLines(configuration)) output.out(line);
    if (loaded.keyless) output.err(`${file}: warning: ${KEYLESS}`);
    for (const line of loaded.packs.flatMap(packLines)) output.out(line);
    for (const line of configuration.backends.flatMap(budgetLine)) output.out(line);
    return 0;
  },
};

const MOST_IDS = 100;

/** The ids that the file leaves to names. */
function nameLines({ policies }: Configuration): string[] {
  const derived = policies.filter(followsFromName);
  if (derived.length === 0) return [];
  const more = derived.length - MOST_IDS;
  return [
    'ids that follow from names:',
    ...derived.slice(0, MOST_IDS).map(({ id, name }) => `  ${id}  ${name}`),
    ...(more > 0 ? [`  … and ${more} more; weir config show has all, once it is applied`] : []),
  ];
}

/** What a pack has become: where it holds, and the ids of its policies. */
function packLines({ name, version, team, policies, deployments, environments }: ExpandedPack): string[] {
  const places = [...deployments.map((id) => `deployment ${id}`), ...environments.map((id) => `environment ${id}`)];
  const where = places.length === 0 ? 'nowhere' : `in ${places.join(', ')}`;
  return [
    `pack ${name} (version ${version}) of team ${team}, ${where}:`,
    ...policies.map(({ key, id, name: shown, own }) => `  ${id}  ${shown}${own ? ` (extends ${name}/${key})` : ''}`),
  ];
}

/** What a backend with a budget may be asked. */
function budgetLine({ id, team, budget }: BackendConfiguration): string[] {
  if (!budget) return [];
  const { requests_per_minute: calls, tokens_per_day: tokens } = budget;
  const limits = [calls && `${count(calls, 'calls')} a minute`, tokens && `${count(tokens, 'tokens')} a day`];
  const most = limits.filter(Boolean).join(' and ');
  return [
    `backend ${id} of team ${team}: at most ${most}, of all workers; beyond it, its policies could not be evaluated`,
  ];
}

/** `1 team`, `2 policies`. */
function count(n: number, plural: string): string {
  const singular = plural === 'policies' ? 'policy' : plural.slice(0, -1);
  return `${n} ${n === 1 ? singular : plural}`;
}
