/** `weir labels report`: how right policies are, by their labels. */
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { historyAddress } from '../../installation.js';
import type { LabelShare } from '../../labels/figures.js';
import type { LabelledPolicy, LabelReport } from '../../labels/report.js';
import { textOption } from '../../options.js';
import { counted } from '../../progress.js';
import { sinceOf } from '../../since.js';

export const labelsReport: Command = {
  usage: `weir labels report [--since TIME] [--team ID] [--policy POLICY] [--json]

  --since TIME      items that came since: a span such as 24h or 30d, or a time [90d]
  --team ID         only policies of this team
  --policy POLICY   only this policy, by its id or its name
  --json            one JSON object

For each policy with labels or appeals: its precision, the share of true alarms among labelled items that it had flagged, with a 95 % interval (Wilson), and
the same by week; how far reviewers agree who labelled the same items, with Cohen's kappa; and a higher threshold, where evidence has scores,
there are 10 true and 10 false alarms, and it would keep 95 % of the true ones. Of an item that several reviewers labelled, the majority
counts; where they are even it is disputed, and left out. Appeals of users are counted by what became of them.

WEIR_CLICKHOUSE_URL names the ClickHouse; a user who may only read is enough (default: the reader of npm start in WEIR_DATA_DIR).`,
  options: optionsOf({ texts: 'since team policy', flags: 'json' }),
  async run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments but options');
    const since = sinceOf(textOption(given, 'since') ?? '90d', Date.now());
    const address = historyAddress('reader');
    if (!address)
      throw new Error('expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL: labels are read from ClickHouse');
    const { readLabelReport } = await import('../../labels/report.js');
    const [team, policy] = [textOption(given, 'team'), textOption(given, 'policy')];
    const report = await readLabelReport(address, { since, team, policy });
    if (given.values.json === true) output.out(JSON.stringify(report));
    else for (const line of linesOf(report)) output.out(line);
    return 0;
  },
};

function linesOf({ since, labels, policies }: LabelReport): string[] {
  if (policies.length === 0) return [`Since ${since} nothing was labelled.`];
  return [
    `${counted(labels)} labels of items since ${since}`,
    ...policies.flatMap((policy) => ['', ...policyLines(policy)]),
  ];
}

function policyLines(policy: LabelledPolicy): string[] {
  const { id, name, team, labels, true_alarms, false_alarms, missed, disputed, weeks, agreement, threshold, appeals } =
    policy;
  return [
    `${name}  ${id}  (team ${team})`,
    `  ${counted(labels)} labels: ${counted(true_alarms)} true alarms, ${counted(false_alarms)} false alarms, ${counted(missed)} missed${disputed > 0 ? `, ${counted(disputed)} disputed` : ''}`,
    `  precision  ${written(policy.precision)}`,
    ...weeks.map(({ week, items, precision }) => `    ${week}  ${written(precision)}  ${counted(items)} items`),
    ...agreement.map(
      ({ reviewers, items, agreed, kappa }) =>
        `  ${reviewers.join(' and ')} agree on ${percent(agreed)} of ${counted(items)} items, kappa ${kappa === null ? '–' : kappa.toFixed(2)}`,
    ),
    ...(appeals.made > 0
      ? [
          `  ${counted(appeals.made)} appeals: ${counted(appeals.open)} open, ${counted(appeals.stands)} where the verdict stands, ${counted(appeals.overturned)} overturned`,
        ]
      : []),
    ...(threshold
      ? [
          `  threshold ${Number(threshold.threshold.toFixed(4))} would keep ${counted(threshold.kept)} of ${counted(threshold.true_alarms)} true alarms, and remove ${counted(threshold.removed)} of ${counted(threshold.false_alarms)} false ones`,
        ]
      : []),
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const written = (share: LabelShare | null): string =>
  share === null ? '–' : `${percent(share.value)} (${percent(share.low)} to ${percent(share.high)})`;
