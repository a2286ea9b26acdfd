/** `weir audit`: who did what, when and from where. */

import type { AuditEntry } from '../../../../shared/api/audit.js';
import { auditEndpoints } from '../../../../shared/api/endpoints/audit.js';
import { auditEntryOf } from '../../../../shared/history/read/audit.js';
import { partsOf } from '../../../../shared/ids.js';
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { historyAddress } from '../../installation.js';
import { numberOption, textOption } from '../../options.js';
import { sinceOf } from '../../since.js';

const MOST = 1000;
const ACTIONS = auditEndpoints.getAudit.parameters!.find(({ name }) => name === 'action')!.schema.enum as string[];

export const audit: Command = {
  usage: `weir audit [--since TIME] [--until TIME] [--team ID] [--action ACTION] [--actor NAME] [--subject ID] [--limit N] [--before ID] [--json]

  --since TIME      what was done since: a span such as 24h or 7d, or a time [24h]
  --until TIME      what was done before that, in the same form [now]
  --team ID         only what concerns this team, and configurations, which are those of all
  --action ACTION   only this: ${ACTIONS.slice(0, 4).join(', ')}, …
  --actor NAME      only what this key did, this person, or this user of a command, as user@host
  --subject ID      only what was done to this: an id, a name, or a hash, as an entry has it
  --limit N         entries that are listed, to ${MOST} [50]
  --before ID       only entries before this one, of an earlier list
  --json            JSON lines

Lists the audit log, the newest entry first: configurations, keys, content that was read, labels, erasures, exports, replays, tries and logins. It
has ids, hashes and names of those who act, and never content. GET /api/operation/audit has the same.

WEIR_CLICKHOUSE_URL names the ClickHouse. Its user must be able to read the table audit, which the reader of npm start and the role weir_reader
cannot (default: the user of Weir itself in WEIR_DATA_DIR).`,
  options: optionsOf({ texts: 'since until team action actor subject limit before', flags: 'json' }),
  async run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments but options');
    const now = Date.now();
    const from = sinceOf(textOption(given, 'since') ?? '24h', now);
    const until = textOption(given, 'until');
    const to = until === undefined ? now : sinceOf(until, now, '--until');
    if (to <= from) throw new CommandUsageError('--until: expected a time after --since');
    const limit = numberOption(given, 'limit', { default: 50, min: 1, max: MOST });
    const [action = '', actor = '', subject = '', before = ''] = (
      ['action', 'actor', 'subject', 'before'] as const
    ).map((name) => textOption(given, name));
    if (action !== '' && !ACTIONS.includes(action))
      throw new CommandUsageError(`--action: expected one of ${ACTIONS.join(', ')}`);
    if (before !== '' && !partsOf(before)) throw new CommandUsageError('--before: expected the id of an entry');
    const address = historyAddress();
    if (!address)
      throw new Error('expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL: the log is read from ClickHouse');
    const { readAuditLog } = await import('../../audit/read.js');
    const question = { team: textOption(given, 'team'), from, to, action, actor, subject, before, limit };
    const { entries, next } = await readAuditLog(address, question);
    const line = given.values.json === true ? (entry: AuditEntry) => JSON.stringify(entry) : lineOf;
    for (const entry of entries) output.out(line(auditEntryOf(entry)));
    if (entries.length === 0 && given.values.json !== true) output.out('Nothing was done that the log tells of.');
    if (next !== undefined) output.err(`There are more: --before ${next}`);
    return 0;
  },
};

function lineOf(entry: AuditEntry): string {
  const { at, action, actor_kind: kind, actor, address, team, scope, subject_kind, subject } = entry;
  const who = actor === '' ? 'weir' : `${kind} ${actor}`;
  const where = [...(team ? [team] : []), ...(scope ? [scope] : [])].join('/');
  const said = saidOf(entry);
  return [
    `${at.slice(0, 23).replace('T', ' ')}  ${action}  ${who}  ${subject_kind} ${subject}`,
    ...(where === '' ? [] : [where]),
    ...(address ? [`from ${address}`] : []),
    ...(said === '' ? [] : [`(${said})`]),
  ].join('  ');
}

/** What is said beside the act. */
const saidOf = ({ changed = [], policy_id, label, message, rolled_back_to: earlier }: AuditEntry): string =>
  [
    ...(label ? [label] : []),
    ...(policy_id ? [`policy ${policy_id}`] : []),
    ...changed,
    ...(earlier === undefined ? [] : [`that of version ${earlier}`]),
    ...(message ? [message] : []),
  ].join(', ');
