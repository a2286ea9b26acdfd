import { compilePlan } from '../../../shared/policy/plan.js';
import { type Command, UsageError } from '../command.js';
import { readConfigurationFile } from '../configuration-file.js';

/** Checks a configuration file: everything that `apply` would refuse is found here, without a server. */
export const checkConfig: Command = {
  name: 'check-config',
  summary: 'check a configuration file',
  usage: `weir check-config FILE

Prints FILE:LINE:COLUMN: what was expected, for everything that is wrong, and exits with 1.
A file that is right is summed up in a line, and the exit code is 0.`,
  options: {},
  run({ positionals }, output) {
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('expected one FILE');
    const configuration = readConfigurationFile(file, output);
    if (!configuration) return 1;
    compilePlan(configuration, 0);
    const { teams, keys, policies, deployments, environments } = configuration;
    const counts = { teams, keys, policies, deployments, environments };
    const parts = Object.entries(counts).map(([what, list]) => count(list.length, what));
    output.out(`${file}: ok (${parts.join(', ')})`);
    return 0;
  },
};

/** `1 team`, `2 policies`. */
function count(n: number, plural: string): string {
  const singular = plural === 'policies' ? 'policy' : plural.slice(0, -1);
  return `${n} ${n === 1 ? singular : plural}`;
}
