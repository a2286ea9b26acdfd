/** What the dashboard of policies asks ClickHouse, run on the engine with what Grafana puts in place of its macros. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DashboardTarget } from '#weir/deploy/grafana/dashboard';
import { DASHBOARDS } from '#weir/deploy/grafana/dashboards';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { storeConfigurations, storePeople } from '../../shared/history/people.ts';
import { startTestHistory, type TestClickHouse } from '../../support/stores/clickhouse.ts';
import { fetchSql } from '../../support/stores/sql.ts';

const HOUR = 3600;
const policies = DASHBOARDS['policies.json']!();

/** As Grafana and its data source write it: all teams and scopes that are given, the last day. */
function expanded(sql: string, { teams, scopes, now }: { teams: string[]; scopes: string[]; now: number }): string {
  const quoted = (values: string[]): string => values.map((value) => `'${value.replaceAll("'", "''")}'`).join(',');
  const to = Math.floor(now / 1000) + HOUR;
  const text = sql
    .replaceAll('${team:sqlstring}', quoted(teams))
    .replaceAll('${scope:sqlstring}', quoted(scopes))
    .replace(/\$__timeFilter\(([\w.]+)\)/g, `$1 >= toDateTime(${to - 25 * HOUR}) AND $1 <= toDateTime(${to})`)
    .replace(/\$__timeInterval\(([\w.]+)\)/g, 'toStartOfInterval(toDateTime($1), INTERVAL 60 second)');
  assert.doesNotMatch(text, /\$/);
  return text;
}

describe('the dashboard of policies', () => {
  const now = Date.now();
  let engine: TestClickHouse;
  let client: HistoryClient;

  before(async () => {
    engine = await startTestHistory();
    client = createHistoryClient({ url: engine.url, database: 'weir' });
    await storePeople(client, ['people', 'others'], now);
    await storeConfigurations(client, 'people');
  });
  after(async () => {
    await client.close();
    await engine.close();
  });

  /** As a reader, who may do no more than people may. */
  async function rows(sql: string, teams = ['people'], scopes = ['prod', 'chat']): Promise<Record<string, unknown>[]> {
    const text = `${expanded(sql, { teams, scopes, now })} FORMAT JSON`;
    const answer = await fetchSql(engine.readerUrl, { method: 'POST', body: text });
    const body = await answer.text();
    assert.equal(answer.status, 200, `${text}\n${body}`);
    return (JSON.parse(body) as { data: Record<string, unknown>[] }).data;
  }
  const sqlOf = (title: string): string => {
    const { targets } = policies.panels.find((panel) => panel.title === title) ?? assert.fail(title);
    return String(targets![0]!.rawSql);
  };

  it('gets rows for every panel, and none of another team', async () => {
    for (const { title, targets = [] } of policies.panels) {
      for (const { rawSql, queryType } of targets as (DashboardTarget & { rawSql: string; queryType: string })[]) {
        const found = await rows(rawSql);
        assert.ok(found.length > 0, `${title}: ${JSON.stringify(found)}`);
        if (queryType === 'timeseries') assert.ok('time' in found[0]!, title);
        for (const { team } of found) assert.ok(team === undefined || team === 'people', title);
        const none = await rows(rawSql, ["no'body"]);
        for (const row of none)
          assert.ok(
            Object.values(row).every((value) => Number(value) === 0),
            `${title}: ${JSON.stringify(row)}`,
          );
      }
    }
  });

  it('gets the values of its variables, and the versions that were applied', async () => {
    const [, team, scope] = policies.templating.list;
    assert.ok((await rows(String(team!.query))).some((row) => row.team === 'people'));
    assert.deepEqual((await rows(String(scope!.query))).map((row) => row.scope).sort(), ['chat', 'prod']);
    const [annotation] = policies.annotations.list as { target: { rawSql: string } }[];
    // These versions were applied at fixed times.
    const marks = await rows(annotation!.target.rawSql.replace('$__timeFilter(applied)', 'applied > 0'));
    assert.match(String(marks[0]!.title), /^version \d+ by /);
    await rows(annotation!.target.rawSql);
  });

  it('counts as the questions of the documents do', async () => {
    const shares = new Map((await rows(sqlOf('Policies'))).map((row) => [row.policy_name, row]));
    const violations = await rows(sqlOf('Violations by policy'));
    for (const [name, { fired }] of shares) {
      const items = violations
        .filter((row) => row.policy_name === name)
        .reduce((sum, row) => sum + Number(row.items), 0);
      assert.equal(Number(fired), items, String(name));
    }
    const [{ items } = {}] = await rows(sqlOf('Items'));
    const environments = await rows(sqlOf('Environments'));
    assert.equal(
      Number(items),
      environments.reduce((sum, row) => sum + Number(row.items), 0),
    );
  });
});
