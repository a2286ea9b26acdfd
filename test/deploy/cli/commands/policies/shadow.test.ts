import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ShadowReport } from '#weir/deploy/cli/shadow-report';
import { sinceOf } from '#weir/deploy/cli/since';
import { itemId } from '#weir/shared/ids';
import type { ShadowVerdict } from '#weir/shared/policy/types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { pluck } from '../../../../support/pluck.ts';
import { sharedHistory } from '../../../../support/stores/clickhouse.ts';
import { encodeRows } from '../../../../support/stores/encoded.ts';
import { POLICY, rowItem, rowRequest, violating } from '../../../../support/stores/history.ts';
import { insertAs } from '../../../../support/stores/insert.ts';
import { weir } from '../../support.ts';

const HOUR = 3_600_000;
const STRICT = POLICY.replace(/0$/, '1');
const QUIET = POLICY.replace(/0$/, '2');
const { engine, client } = await sharedHistory();
const before = { ...process.env };
process.env.WEIR_CLICKHOUSE_URL = engine.url;
after(() => {
  process.env = before;
});

const clean = rowItem(1).verdict;
const says = (evaluated: string[], flagged: boolean, notEvaluated = 0): ShadowVerdict => ({
  evaluated,
  violations: flagged ? [{ ...violating.violations[0]!, id: STRICT, name: 'Stricter', severity: 'low' }] : [],
  notEvaluated,
});
const now = Date.now();
const [recent, older, other] = [
  rowRequest({ team: 'acme', config: 8 }, now - HOUR),
  rowRequest({ team: 'acme', config: 7, kind: 'session', scope: 'chat' }, now - 30 * HOUR),
  rowRequest({ team: 'beta' }, now - HOUR),
];
const both = [STRICT, QUIET];
for (const [request, items] of [
  [
    recent,
    [
      rowItem(1, { verdict: { ...violating, shadow: says(both, true) }, flagged: true }),
      rowItem(2, { verdict: { ...clean, shadow: says(both, true) }, content: 'two\nlines \u001b[31mred' }),
      rowItem(3, { verdict: { ...violating, shadow: says(both, false, 1) }, flagged: true }),
      rowItem(4),
    ],
  ],
  [
    older,
    [
      rowItem(1, {
        verdict: { ...clean, shadow: says([STRICT], true) },
        content: '',
        runId: '',
        externalSessionId: 's',
      }),
    ],
  ],
  [other, [rowItem(1, { verdict: { ...clean, shadow: says([], false, 1) } })]],
] as const) {
  const rows = unpackRows('3', encodeRows(request, items)).bytes;
  await insertAs('3', client, [rows, rows]);
}
const policies = [POLICY, STRICT, QUIET].map((id, i) => ({
  id,
  team: 'acme',
  name: ['Cards', 'Stricter', 'Quiet'][i],
}));
await client.insert({
  table: 'configurations',
  values: [{ number: 8, id: 'x', applied: 0, configuration: JSON.stringify({ policies }) }],
  format: 'JSONEachRow',
});

const reportOf = async (...args: string[]): Promise<ShadowReport> => {
  const { code, out, err } = await weir('shadow', 'report', '--json', ...args);
  assert.equal(code, 0, err);
  return JSON.parse(out) as ShadowReport;
};

describe('weir shadow report', () => {
  it('says what each policy in the shadow would have flagged, beside the live ones', async () => {
    const { out } = await weir('shadow', 'report');
    assert.deepEqual(out.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').split('\n'), [
      'Since TIME policies in the shadow were evaluated for 4 items.',
      '2 verdicts of them could not be made.',
      '',
      `Stricter  ${STRICT}  (team acme, low, version 8)`,
      '  evaluated  3',
      '  flagged    2  66.67 %',
      '  new        1  33.33 %',
      '  beside Cards: both 1, live only 1',
      `    TIME  prod  message ${itemId(recent.id, 2)}, run run-1, event event-2`,
      '      new; pii:CREDIT_CARD, terms',
      '      two lines \\u001b[31mred',
      `    TIME  prod  message ${itemId(recent.id, 1)}, run run-1, event event-1`,
      '      flagged by Cards; pii:CREDIT_CARD, terms',
      '      content of 1',
      '',
      `Quiet  ${QUIET}  (team acme, version 8)`,
      '  evaluated  3',
      '  flagged    0  0.00 %',
      '  new        0  0.00 %',
      '  beside Cards: both 0, live only 2',
    ]);
  });

  it('goes back as far as it is asked to, and has the same as JSON', async () => {
    const report = await reportOf('--since', '3d', '--policy', 'Stricter', '--examples', '2');
    assert.deepEqual([report.checks, report.not_evaluated, report.policies.length], [5, 2, 1]);
    const { examples, ...policy } = report.policies[0]!;
    assert.deepEqual(policy, {
      id: STRICT,
      name: 'Stricter',
      team: 'acme',
      severity: 'low',
      config: [7, 8],
      checks: 4,
      flagged: 3,
      newly_flagged: 2,
      live: [{ id: POLICY, name: 'Cards', both: 1, live_only: 1 }],
    });
    assert.deepEqual(pluck(examples, 'id', 'content', 'live'), [
      [itemId(recent.id, 2), 'two\nlines \u001b[31mred', []],
      [itemId(older.id, 1), null, []],
    ]);
    assert.deepEqual(pluck(examples, 'kind', 'external_session_id')[1], ['session', 's']);
    assert.equal(examples[0]!.ts, new Date(now - HOUR).toISOString());
  });

  it('is of one team or one policy where that is asked', async () => {
    assert.deepEqual((await reportOf('--team', 'beta')).policies, []);
    const said = await weir('shadow', 'report', '--team', 'nobody', '--since', new Date(now - HOUR / 2).toISOString());
    assert.match(said.out, /^Since \S+ no policy of team nobody was evaluated in the shadow\.$/);
    const [quiet] = (await reportOf('--policy', QUIET.toUpperCase(), '--examples', '0')).policies;
    assert.deepEqual([quiet!.name, quiet!.checks, quiet!.examples], ['Quiet', 3, []]);
    const { code, err } = await weir('shadow', 'report', '--policy', 'Strict');
    assert.equal(code, 1);
    assert.equal(
      err,
      `weir shadow report: no policy in the shadow "Strict" was evaluated in that time; there was "Stricter" (${STRICT}), "Quiet" (${QUIET})`,
    );
  });

  it('says what was wrong, or what is away', async () => {
    const failed = async (...args: string[]) => {
      const { code, err } = await weir('shadow', 'report', ...args);
      return [code, err.split('\n')[0]!.replace('weir shadow report: ', '')] as const;
    };
    const span = 'expected a span such as 30m, 24h or 7d, or a time that is past, such as 2027-01-31T00:00:00Z';
    assert.deepEqual(await failed('--since', 'yesterday'), [2, `--since: ${span}; got "yesterday"`]);
    assert.deepEqual(await failed('--examples', '101'), [
      2,
      '--examples: expected a whole number from 0 to 100, got "101"',
    ]);
    assert.deepEqual(await failed('all'), [2, 'expected no arguments but options']);
    await client.command({ query: 'DROP VIEW shadow_violations' });
    const none = 'ClickHouse has no tables for policies in the shadow: run weir migrate';
    assert.deepEqual(await failed(), [1, none]);
    process.env.WEIR_CLICKHOUSE_DATABASE = 'foreign';
    assert.match((await failed())[1], /^ClickHouse refuses the question: .*privileges/);
    process.env.WEIR_CLICKHOUSE_URL = 'http://127.0.0.1:1';
    assert.match((await failed())[1], /^ClickHouse does not answer: /);
  });

  it('takes spans and times', () => {
    assert.equal(sinceOf('90m', now), now - 1.5 * HOUR);
    assert.equal(sinceOf('7d', now), now - 168 * HOUR);
    assert.equal(sinceOf('2026-01-31T00:00:00Z', now), Date.UTC(2026, 0, 31));
    for (const wrong of ['', '0h', '5', '5w', '-1h', '99999d', '9999-01-01', '2026-13-01', '2026-02-30', 'never']) {
      assert.throws(() => sinceOf(wrong, now), /expected a span/, wrong);
    }
  });
});
