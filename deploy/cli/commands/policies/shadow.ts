/** `weir shadow report`: what policies in the shadow would have flagged. */
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { historyAddress } from '../../installation.js';
import { numberOption, textOption } from '../../options.js';
import {
  NoReport,
  readShadowReport,
  type ShadowExample,
  type ShadowPolicy,
  type ShadowReport,
} from '../../shadow-report.js';
import { sinceOf } from '../../since.js';

const MOST_EXAMPLES = 100;
/** Characters of a content on a line. */
const LINE = 100;

export const shadowReport: Command = {
  usage: `weir shadow report [--since TIME] [--team ID] [--policy POLICY] [--examples N] [--json]

  --since TIME      from when on: a span such as 30m, 24h or 7d, or a time (default: 24h)
  --team ID         only policies of this team
  --policy POLICY   only this policy, by its id or its name
  --examples N      examples of each policy, 0 to ${MOST_EXAMPLES} (default: 3)
  --json            one JSON object: numbers, ids and the beginning of contents

For each policy that was evaluated in the shadow (mode: shadow): how many items it was evaluated for, how many it would have
flagged, and how many of these no live policy flagged ("new"). Below stand the live policies that flagged some of the same items:
"both" flagged so many, and "live only" says how many it would not have flagged. Examples show new items first; their
content is there as long as it is stored (content_days).

What was checked in the last seconds is not archived yet. WEIR_CLICKHOUSE_URL names the ClickHouse of the installation (default:
that of npm start in WEIR_DATA_DIR).`,
  options: optionsOf({ texts: 'since team policy examples', flags: 'json' }),
  async run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments but options');
    const since = sinceOf(textOption(given, 'since') ?? '24h', Date.now());
    const examples = numberOption(given, 'examples', { default: 3, min: 0, max: MOST_EXAMPLES });
    const address = historyAddress();
    if (!address)
      throw new NoReport('expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL: the report is read from ClickHouse');
    const [team, policy] = [textOption(given, 'team'), textOption(given, 'policy')];
    const report = await readShadowReport(address, { since, team, policy, examples });
    if (given.values.json === true) output.out(JSON.stringify(report));
    else for (const line of linesOf(report, team)) output.out(line);
    return 0;
  },
};

function linesOf({ since, checks, not_evaluated, policies }: ShadowReport, team: string | undefined): string[] {
  if (policies.length === 0) {
    const of = team === undefined ? '' : ` of team ${team}`;
    return [`Since ${since} no policy${of} was evaluated in the shadow.`];
  }
  const lines = [`Since ${since} policies in the shadow were evaluated for ${counted(checks, 'item')}.`];
  if (not_evaluated > 0) lines.push(`${counted(not_evaluated, 'verdict')} of them could not be made.`);
  for (const policy of policies) lines.push('', ...policyLines(policy));
  return lines;
}

function policyLines(policy: ShadowPolicy): string[] {
  const { id, name, team, severity, config, checks, flagged, newly_flagged, live, examples } = policy;
  const [first, last] = config;
  const versions = first === last ? `version ${first}` : `versions ${first} to ${last}`;
  const about = [`team ${team}`, ...(severity === '' ? [] : [severity]), versions].join(', ');
  const names = new Map(live.map((other) => [other.id, titleOf(other)]));
  return [
    `${titleOf(policy)}  ${name === '' ? '' : `${id}  `}(${about})`,
    `  evaluated  ${number(checks)}`,
    `  flagged    ${number(flagged)}  ${share(flagged, checks)}`,
    `  new        ${number(newly_flagged)}  ${share(newly_flagged, checks)}`,
    ...live.map(
      (other) => `  beside ${titleOf(other)}: both ${number(other.both)}, live only ${number(other.live_only)}`,
    ),
    ...examples.flatMap((example) => exampleLines(example, names)),
  ];
}

function exampleLines(example: ShadowExample, names: ReadonlyMap<string, string>): string[] {
  const { id, ts, scope, type, run_id, event_id, external_session_id, detectors, live, content } = example;
  const ids = Object.entries({ run: run_id, event: event_id, session: external_session_id })
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key} ${value}`);
  const beside = live.length === 0 ? 'new' : `flagged by ${live.map((other) => names.get(other) ?? other).join(', ')}`;
  return [
    `    ${ts}  ${scope}  ${[`${type} ${id}`, ...ids].join(', ')}`,
    `      ${beside}; ${detectors.join(', ') || 'nothing fired'}`,
    `      ${content === null ? '(its content is not stored)' : clip(content.replace(/\s+/g, ' '))}`,
  ];
}

const titleOf = ({ id, name }: { id: string; name: string }): string => name || id;
const number = (n: number): string => n.toLocaleString('en');
const counted = (n: number, what: string): string => `${number(n)} ${what}${n === 1 ? '' : 's'}`;
const share = (part: number, of: number): string => `${((100 * part) / of).toFixed(2)} %`;
const clip = (text: string): string => (text.length > LINE ? `${text.slice(0, LINE)}…` : text);
