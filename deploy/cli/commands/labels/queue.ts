/** `weir labels queue`: what to look at first. */
import type { QueuedVerdict } from '../../../../shared/history/read/label-queue.js';
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { historyAddress } from '../../installation.js';
import { numberOption, textOption } from '../../options.js';
import { sinceOf } from '../../since.js';

const MOST = 1000;

export const labelsQueue: Command = {
  usage: `weir labels queue [--since TIME] [--team ID] [--policy POLICY] [--reviewer NAME] [--limit N] [--json]

  --since TIME      items that came since: a span such as 24h or 7d, or a time [7d]
  --team ID         only items of this team
  --policy POLICY   only this policy, by its id or its name
  --reviewer NAME   what this reviewer has not labelled [what nobody has]
  --limit N         verdicts that are listed, to ${MOST} [20]
  --json            JSON lines

Lists flagged verdicts with an open appeal, the oldest first, then those without a label, those first of which a label says most: uncertain (a score among the lowest of the policy), of a new rule
(applied within a week), and of a user who has many. Of the window the newest 20,000 flagged items are looked at. What was labelled is gone from the
queue, so ask again to go on. POST /api/label labels a verdict.

WEIR_CLICKHOUSE_URL names the ClickHouse; a user who may only read is enough (default: the reader of npm start in WEIR_DATA_DIR).`,
  options: optionsOf({ texts: 'since team policy reviewer limit', flags: 'json' }),
  async run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments but options');
    const now = Date.now();
    const since = sinceOf(textOption(given, 'since') ?? '7d', now);
    const limit = numberOption(given, 'limit', { default: 20, min: 1, max: MOST });
    const address = historyAddress('reader');
    if (!address) throw new Error('expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL: items are read from ClickHouse');
    const [team, policy, reviewer] = (['team', 'policy', 'reviewer'] as const).map(
      (name) => textOption(given, name) ?? '',
    );
    const { readLabelQueue } = await import('../../labels/queue.js');
    const queue = await readLabelQueue(
      address,
      { since, team: team!, policy: policy!, reviewer: reviewer!, limit },
      now,
    );
    if (given.values.json === true) for (const verdict of queue) output.out(JSON.stringify(verdict));
    else for (const line of linesOf(queue)) output.out(line);
    return 0;
  },
};

function linesOf(queue: readonly QueuedVerdict[]): string[] {
  if (queue.length === 0) return ['Nothing that is flagged is without a label.'];
  return queue.map(({ item, id, team, scope, time, policy_name, severity, score, reasons, appeal }) => {
    const about = [severity, ...(score === null ? [] : [`score ${Number(score.toFixed(4))}`]), ...reasons].join(', ');
    const when = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
    const says = appeal?.note ? `: ${appeal.note}` : '';
    return `${when}  ${item} ${id}  ${team}/${scope}  ${policy_name} (${about.replaceAll('_', ' ')})${says}`;
  });
}
