/** The dashboard *Policies*, over history in ClickHouse: what fires, for whom, and since which version of the configuration. */
import {
  type Dashboard,
  type DashboardSource,
  type DashboardVariable,
  dashboardOf,
  type PanelPlan,
  sourceVariable,
} from './dashboard.js';

const CLICKHOUSE: DashboardSource = { type: 'grafana-clickhouse-datasource', uid: '${clickhouse}' };
/** Teams and scopes come as quoted texts, whatever is in their names. Tables are sorted by team, scope and time. */
const WHERE = 'team IN (${team:sqlstring}) AND scope IN (${scope:sqlstring}) AND $__timeFilter(ts)';
const BY_HOUR = WHERE.replace('(ts)', '(hour)');

const target = (rawSql: string, kind: 'table' | 'timeseries'): Record<string, unknown> => ({
  editorType: 'sql',
  queryType: kind,
  // Numbers of the data source: lines over time, a table.
  format: kind === 'table' ? 1 : 0,
  rawSql,
});

interface SqlPanel {
  unit?: string;
  width?: number;
  warn?: readonly [yellow: number, red: number];
  stacked?: boolean;
}

function panel(
  type: PanelPlan['type'],
  [title, help, sql]: readonly [string, string, string],
  more: SqlPanel,
): PanelPlan {
  const { unit = 'short', width = type === 'stat' ? 4 : 12 } = more;
  const targets = [target(sql.trim(), type === 'timeseries' ? 'timeseries' : 'table')];
  return { type, title, help, source: CLICKHOUSE, targets, ...more, unit, width };
}
const lines = (title: string, help: string, sql: string, more: SqlPanel = {}): PanelPlan =>
  panel('timeseries', [title, help, sql], more);
const table = (title: string, help: string, sql: string, more: SqlPanel = {}): PanelPlan =>
  panel('table', [title, help, sql], more);
const figure = (title: string, help: string, sql: string, more: SqlPanel = {}): PanelPlan =>
  panel('stat', [title, help, sql], more);

const variable = (name: string, label: string, sql: string): DashboardVariable => ({
  name,
  type: 'query',
  label,
  datasource: CLICKHOUSE,
  query: sql,
  definition: sql,
  // Also when the time changes.
  refresh: 2,
  includeAll: true,
  multi: true,
  current: { text: ['All'], value: ['$__all'] },
  sort: 1,
  hide: 0,
});

/** Versions of the configuration, as marks over all panels. */
const APPLIED = `
SELECT applied AS time, concat('version ', toString(number), ' by ', user) AS title, message AS text
FROM weir.configurations FINAL WHERE $__timeFilter(applied) ORDER BY applied`.trim();

export const policies = (): Dashboard =>
  dashboardOf({
    uid: 'weir-policies',
    title: 'Weir: Policies',
    description:
      'What policies flag, for whom, and since which version of the configuration; over history in ClickHouse. docs/operations/dashboards.md',
    variables: [
      sourceVariable('clickhouse', 'ClickHouse', 'grafana-clickhouse-datasource'),
      variable('team', 'Team', 'SELECT DISTINCT team FROM weir.configuration_policies ORDER BY team'),
      variable(
        'scope',
        'Environment',
        'SELECT DISTINCT scope FROM weir.results WHERE team IN (${team:sqlstring}) AND $__timeFilter(ts) ORDER BY scope',
      ),
    ],
    annotations: [
      {
        name: 'Configuration applied',
        datasource: CLICKHOUSE,
        enable: true,
        iconColor: 'blue',
        target: { refId: 'applied', ...target(APPLIED, 'table') },
      },
    ],
    rows: [
      [
        'At a glance',
        [
          figure('Items', 'That were checked', `SELECT count() AS items FROM weir.results WHERE ${WHERE}`),
          figure(
            'Flagged',
            'Items that violate a live policy',
            `SELECT countIf(flagged) AS items FROM weir.results WHERE ${WHERE}`,
          ),
          figure(
            'Share flagged',
            'Of the items that have a verdict',
            `SELECT countIf(flagged) / greatest(count(flagged), 1) AS share FROM weir.results WHERE ${WHERE}`,
            {
              unit: 'percentunit',
            },
          ),
          figure(
            'Failed',
            'Items without a verdict on everything',
            `SELECT countIf(status = 'failed') AS items FROM weir.results WHERE ${WHERE}`,
            { warn: [1, 100] },
          ),
          figure(
            'Not evaluated',
            'Items on which a policy could not be evaluated',
            `SELECT countIf(not_evaluated > 0) AS items FROM weir.results WHERE ${WHERE}`,
            { warn: [1, 100] },
          ),
          figure(
            'Users flagged',
            'Of sessions and events',
            `SELECT uniq(user_id) AS users FROM weir.violations WHERE ${WHERE}`,
          ),
        ],
      ],
      [
        'What fires',
        [
          lines(
            'Violations by policy',
            'Items in each interval',
            `
SELECT $__timeInterval(ts) AS time, policy_name, count() AS items
FROM weir.violations WHERE ${WHERE}
GROUP BY time, policy_name ORDER BY time`,
            { stacked: true },
          ),
          table(
            'Policies',
            'How often each was evaluated and violated',
            `
SELECT policy_name, sum(items) AS checked, sum(flagged) AS fired, round(100 * fired / checked, 2) AS percent
FROM weir.policy_hourly WHERE ${BY_HOUR}
GROUP BY policy_name ORDER BY fired DESC, policy_name`,
          ),
          table(
            'Detectors',
            'What was found, by the policy that it is evidence of',
            `
SELECT policy_name, detector, view, count() AS finds, uniq(id) AS items
FROM weir.matches WHERE ${WHERE}
GROUP BY policy_name, detector, view ORDER BY finds DESC, policy_name, detector LIMIT 100`,
          ),
          table(
            'Newest violations',
            'Without content; look an item up by its id',
            `
SELECT ts, team, scope, policy_name, severity, type, role, name, user_id, run_id, external_session_id, id
FROM weir.violations WHERE ${WHERE}
ORDER BY ts DESC LIMIT 50`,
          ),
        ],
      ],
      [
        'For whom',
        [
          table(
            'Environments',
            'Where it happens',
            `
SELECT team, scope, kind, count() AS items, countIf(flagged) AS fired, round(100 * fired / items, 2) AS percent
FROM weir.results WHERE ${WHERE}
GROUP BY team, scope, kind ORDER BY fired DESC, team, scope`,
          ),
          table(
            'Users',
            'Who violates most, as the metadata name them',
            `
SELECT team, user_id, count() AS violations, countIf(severity = 'high') AS high_severity, uniq(policy_id) AS policies, max(ts) AS latest
FROM weir.violations WHERE ${WHERE} AND user_id IS NOT NULL
GROUP BY team, user_id ORDER BY high_severity DESC, violations DESC, user_id LIMIT 50`,
          ),
          table(
            'Kinds of content',
            'What is flagged: messages, tools, images',
            `
SELECT type, field, role, name, count() AS items, countIf(flagged) AS fired, round(100 * fired / items, 2) AS percent
FROM weir.results WHERE ${WHERE}
GROUP BY type, field, role, name ORDER BY fired DESC, items DESC, type LIMIT 50`,
          ),
          table(
            'API keys',
            'Who sends what is flagged',
            `
SELECT team, key, count() AS items, countIf(flagged) AS fired, countIf(status = 'failed') AS failed
FROM weir.results WHERE ${WHERE}
GROUP BY team, key ORDER BY fired DESC, team, key LIMIT 50`,
          ),
        ],
      ],
      [
        'Since which version',
        [
          table(
            'Versions',
            'How often each policy fired, by version of the configuration',
            `
SELECT p.policy_name AS policy_name, p.config AS version, any(c.applied) AS applied, any(c.user) AS by, any(c.message) AS message,
  sum(p.items) AS checked, sum(p.flagged) AS fired, round(100 * fired / checked, 2) AS percent
FROM weir.policy_hourly AS p
LEFT JOIN (SELECT number, applied, user, message FROM weir.configurations FINAL ORDER BY applied DESC LIMIT 1 BY number) AS c
  ON c.number = p.config
WHERE ${BY_HOUR.replace('team', 'p.team').replace('scope', 'p.scope').replace('(hour)', '(p.hour)')}
GROUP BY policy_name, version ORDER BY policy_name, version`,
            { width: 24 },
          ),
          lines(
            'Items by version',
            'Two at once for a moment while one is applied',
            `
SELECT $__timeInterval(ts) AS time, concat('version ', toString(config)) AS version, count() AS items
FROM weir.results WHERE ${WHERE}
GROUP BY time, version ORDER BY time`,
            { stacked: true },
          ),
          table(
            'Policies that never fire',
            'Of the newest version, in the time that is shown',
            `
SELECT team, name, severity
FROM weir.configuration_policies
WHERE team IN (\${team:sqlstring}) AND number = (SELECT max(number) FROM weir.configurations)
  AND toUUID(policy_id) NOT IN (SELECT policy_id FROM weir.violations WHERE ${WHERE})
ORDER BY team, name`,
          ),
        ],
      ],
      [
        'In the shadow, beside the live ones',
        [
          lines(
            'Violations in the shadow',
            'newly: items that no live policy flags',
            `
SELECT $__timeInterval(ts) AS time, concat(policy_name, if(live_flagged, '', ', newly')) AS policy, count() AS items
FROM weir.shadow_violations WHERE ${WHERE}
GROUP BY time, policy ORDER BY time`,
          ),
          table(
            'Policies in the shadow',
            'What each would flag, beside what was answered',
            `
SELECT v.policy_name AS policy_name, v.severity AS severity, e.items AS checked, v.items AS would_flag, round(100 * would_flag / checked, 2) AS percent,
  v.newly AS newly, v.items - v.newly AS also_live
FROM (SELECT policy_id, policy_name, severity, count() AS items, countIf(live_flagged = false) AS newly
  FROM weir.shadow_violations WHERE ${WHERE} GROUP BY policy_id, policy_name, severity) AS v
LEFT JOIN (SELECT arrayJoin(evaluated) AS policy_id, count() AS items FROM weir.shadow_checks FINAL WHERE ${WHERE} GROUP BY policy_id) AS e
  ON e.policy_id = v.policy_id
ORDER BY newly DESC, policy_name`,
          ),
        ],
      ],
      [
        'What could not be evaluated',
        [
          lines(
            'Without a verdict',
            'Items in each interval',
            `
SELECT $__timeInterval(ts) AS time, countIf(status = 'failed') AS failed, countIf(not_evaluated > 0) AS not_evaluated
FROM weir.results WHERE ${WHERE}
GROUP BY time ORDER BY time`,
          ),
          table(
            'Why',
            'Notes of items: what was not as it should be',
            `
SELECT team, scope, note, count() AS items, countIf(status = 'failed') AS failed, max(ts) AS latest
FROM weir.results WHERE ${WHERE} AND note IS NOT NULL
GROUP BY team, scope, note ORDER BY items DESC, note LIMIT 50`,
          ),
          lines(
            'Time to the verdict',
            'From the request to its verdict',
            `
SELECT $__timeInterval(ts) AS time, quantileTDigest(0.5)(duration_ms) AS p50,
  quantileTDigest(0.99)(duration_ms) AS p99
FROM weir.results WHERE ${WHERE}
GROUP BY time ORDER BY time`,
            { unit: 'ms' },
          ),
        ],
      ],
    ],
  });
