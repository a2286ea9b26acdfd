/** The commands that read labels, over rows in the real engine. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { LabelReport } from '#weir/deploy/cli/labels/report';
import type { QueuedVerdict } from '#weir/shared/history/read/label-queue';
import { itemId } from '#weir/shared/ids';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { blocksOf, readPage } from '../../../../docs/pages.ts';
import { sharedHistory } from '../../../../support/stores/clickhouse.ts';
import { encodeRows } from '../../../../support/stores/encoded.ts';
import { POLICY, rowItem, rowRequest, violating } from '../../../../support/stores/history.ts';
import { insertRows } from '../../../../support/stores/insert.ts';
import { weir } from '../../support.ts';

const { engine, client } = await sharedHistory();
const folder = mkdtempSync(join(tmpdir(), 'weir-labels-'));
const before = { ...process.env };
process.env.WEIR_CLICKHOUSE_URL = engine.url;
after(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});

const now = Date.now();
const NAME = 'No card data';

interface Given {
  score?: number;
  content: string;
  team?: string;
  user?: string;
  email?: string;
  flagged?: boolean;
}

/** Stores an item, each later than the one before. */
let stored = 0;
async function store({
  score,
  content,
  team = 'acme',
  user = '',
  email = '',
  flagged = true,
}: Given): Promise<{ id: string; ts: number }> {
  const ts = now - 3_600_000 + 1000 * stored++;
  const request = rowRequest({ team }, ts);
  const find = {
    detector: 'classifier',
    view: 'raw',
    source: 'text',
    start: 0,
    end: 5,
    ...(score === undefined ? {} : { score }),
  };
  const explained = JSON.stringify(['h', { [POLICY]: [find] }]);
  const item = flagged ? { verdict: { ...violating, notEvaluated: 0, unknown: 0 }, flagged, explained } : {};
  const rows = unpackRows(
    '1',
    encodeRows(request, [rowItem(1, { ...item, content, userId: user, userEmail: email })]),
  ).bytes;
  await insertRows(client, rows);
  return { id: itemId(request.id, 1), ts };
}

interface Said {
  label: 'true_alarm' | 'false_alarm' | 'missed' | 'withdrawn';
  reviewer?: string;
  at?: number;
}

async function say(all: readonly ({ id: string; ts: number } & Said)[]): Promise<void> {
  const time = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, -1);
  const values = all.map(({ id, ts, label, reviewer = 'ann', at = now }) => ({
    ts: time(ts),
    team: 'acme',
    scope: 'prod',
    item: 'event',
    id,
    policy_id: POLICY,
    policy_name: NAME,
    flagged: label !== 'missed',
    label,
    reviewer,
    key: 'k',
    at: time(at),
  }));
  await client.insert({ table: 'labels', values, format: 'JSONEachRow' });
}

const items: { id: string; ts: number }[] = [];
for (let n = 0; n < 15; n++) items.push(await store({ score: 0.7 + n / 100, content: `zebra crossing ${n}` }));
for (let n = 0; n < 15; n++) items.push(await store({ score: 0.5 + n / 100, content: `horse ${n}` }));
const missed = await store({ content: 'zebra missed', flagged: false });
const isTrue = (n: number): boolean => n < 15;
const truth = (n: number) => (isTrue(n) ? 'true_alarm' : 'false_alarm');
// What ann said first does not count.
await say(items.map((item) => ({ ...item, label: 'false_alarm', at: now - 1000 })));
await say(items.map((item, n) => ({ ...item, label: truth(n) })));
const ofBob = [...items.slice(0, 10), ...items.slice(15, 20)];
await say(
  ofBob.map((item, n) => ({ ...item, label: n === 0 ? 'false_alarm' : truth(items.indexOf(item)), reviewer: 'bob' })),
);
await say([{ ...missed, label: 'missed' }]);
const unlabelled: { id: string; ts: number }[] = [];
for (const given of [
  ...[0, 1, 2].map((n) => ({ score: 0.8, content: `new ${n}`, user: 'many' })),
  { score: 0.51, content: 'low' },
  { score: 0.99, content: 'high' },
  { content: 'of others', team: 'beta' },
])
  unlabelled.push(await store(given));
const waiting = unlabelled.map(({ id }) => id);
// What was taken back counts nowhere below: a label beside others, and the only one of an item.
const withdrawn = [
  { ...items[20]!, reviewer: 'carl' },
  { ...unlabelled[4]!, reviewer: 'ann' },
];
await say(withdrawn.map((one) => ({ ...one, label: 'true_alarm', at: now - 1000 })));
await say(withdrawn.map((one) => ({ ...one, label: 'withdrawn' })));

const policy = `{id: ${POLICY}, team: acme, name: ${NAME}, detect: {terms: {list: [zebra]}}}`;
const file = join(folder, 'weir.yaml');
writeFileSync(
  file,
  `version: 1
teams: [{id: acme}]
policies: [${policy}]
environments: [{id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${POLICY}]}]}]
`,
);
await client.insert({
  table: 'configurations',
  values: [
    {
      number: 7,
      id: 'x',
      applied: 0,
      configuration: JSON.stringify({
        policies: [{ id: POLICY, team: 'acme', name: NAME }],
        retention: { content_days: 30 },
      }),
    },
  ],
  format: 'JSONEachRow',
});

const json = async (...args: string[]): Promise<string[]> => {
  const { code, out, err } = await weir(...args, '--json');
  assert.equal(code, 0, err);
  return out.split('\n').filter((line) => line !== '');
};

describe('weir labels report', () => {
  it('has precision with its interval, weeks, agreement and a better threshold of each policy [labels.withdraw]', async () => {
    const report = JSON.parse((await json('labels', 'report'))[0]!) as LabelReport;
    assert.equal(report.labels, 46);
    const [one, ...more] = report.policies;
    assert.deepEqual(more, []);
    const { weeks, precision, agreement, threshold, ...rest } = one!;
    assert.deepEqual(rest, {
      id: POLICY,
      name: NAME,
      team: 'acme',
      labels: 46,
      true_alarms: 14,
      false_alarms: 15,
      missed: 1,
      disputed: 1,
      appeals: { made: 0, open: 0, stands: 0, overturned: 0 },
    });
    assert.equal(precision!.value, 14 / 29);
    assert.ok(precision!.low > 0.3 && precision!.high < 0.67);
    assert.equal(
      weeks.reduce((sum, { items: n }) => sum + n, 0),
      29,
    );
    for (const { week } of weeks) assert.equal(new Date(week).getUTCDay(), 1);
    assert.deepEqual(
      agreement.map(({ reviewers, items: n }) => [reviewers, n]),
      [[['ann', 'bob'], 15]],
    );
    assert.ok(Math.abs(agreement[0]!.kappa! - 0.857) < 1e-3);
    assert.deepEqual(threshold, { threshold: 0.71, kept: 14, true_alarms: 14, removed: 15, false_alarms: 15 });
  });

  it('is a few lines for people', async () => {
    const { out } = await weir('labels', 'report', '--policy', NAME);
    assert.match(out, /46 labels: 14 true alarms, 15 false alarms, 1 missed, 1 disputed/);
    assert.match(out, /precision {2}48\.3 % \(31\.\d % to 65\.\d %\)/);
    assert.match(out, /ann and bob agree on 93\.3 % of 15 items, kappa 0\.86/);
    assert.match(out, /threshold 0\.71 would keep 14 of 14 true alarms, and remove 15 of 15 false ones/);
  });

  it('says where there is nothing, and what is wrong', async () => {
    assert.match((await weir('labels', 'report', '--team', 'beta')).out, /^Since \S+ nothing was labelled\.$/);
    assert.equal((await weir('labels', 'report', 'x')).code, 2);
    assert.equal((await weir('labels', 'report', '--since', 'soon')).code, 2);
    process.env.WEIR_CLICKHOUSE_URL = 'http://127.0.0.1:1';
    const { code, err } = await weir('labels', 'report');
    process.env.WEIR_CLICKHOUSE_URL = engine.url;
    assert.equal(code, 1);
    assert.match(err, /ClickHouse could not be asked/);
  });
});

describe('the statement of the page of labels', () => {
  it('has the precision of each policy', async () => {
    const [statement] = blocksOf(readPage('docs/api/labels.md')).filter(({ language }) => language === 'sql');
    const answer = await client.query({ query: statement!.code, format: 'JSONEachRow' });
    const [row] = await answer.json<{ policy_name: string; precision: number }>();
    // A row is a reviewer, and the one that is disputed counts on both sides.
    assert.deepEqual([row!.policy_name, row!.precision], [NAME, 0.533]);
  });
});

describe('weir labels queue', () => {
  const queue = async (...args: string[]): Promise<QueuedVerdict[]> =>
    (await json('labels', 'queue', ...args)).map((line) => JSON.parse(line) as QueuedVerdict);

  it('has what nobody has labelled, those first of which a label says most', async () => {
    const found = await queue();
    assert.deepEqual(
      found.map(({ id, reasons, score }) => [waiting.indexOf(id), score, reasons]),
      [
        [2, 0.8, ['many_of_user']],
        [1, 0.8, ['many_of_user']],
        [0, 0.8, ['many_of_user']],
        [3, 0.51, ['uncertain']],
        [5, null, []],
        [4, 0.99, []],
      ],
    );
    const { id: _, time, ...rest } = found[3]!;
    assert.ok(time < now);
    const where = {
      item: 'event',
      team: 'acme',
      scope: 'prod',
      policy_id: POLICY,
      policy_name: NAME,
      severity: 'high',
    };
    assert.deepEqual(rest, { ...where, score: 0.51, reasons: ['uncertain'], appeal: null });
  });

  it('puts the verdicts of a new rule first', async () => {
    const changed = [{ id: POLICY, team: 'acme', name: NAME, detect: { terms: { list: ['x'] } } }];
    const values = [
      {
        number: 8,
        id: 'y',
        applied: new Date(now).toISOString().replace('T', ' ').slice(0, -1),
        configuration: JSON.stringify({ policies: changed }),
      },
    ];
    await client.insert({ table: 'configurations', values, format: 'JSONEachRow' });
    assert.ok((await queue()).every(({ reasons }) => reasons.includes('new_rule')));
  });

  it('is of a reviewer, a team, a policy and a number that is asked for', async () => {
    assert.equal((await queue('--reviewer', 'bob', '--limit', '100')).length, 15 + 6);
    assert.equal((await queue('--reviewer', 'ann', '--limit', '100')).length, 6);
    assert.deepEqual(
      (await queue('--team', 'beta')).map(({ id }) => id),
      [waiting[5]],
    );
    assert.deepEqual(await queue('--policy', 'Other'), []);
    assert.equal((await queue('--policy', POLICY.toUpperCase(), '--limit', '2')).length, 2);
    const { out } = await weir('labels', 'queue', '--team', 'beta');
    assert.match(out, /event \S+ {2}beta\/prod {2}No card data \(high, new rule\)$/);
    assert.match((await weir('labels', 'queue', '--team', 'nobody')).out, /^Nothing that is flagged/);
    assert.equal((await weir('labels', 'queue', '--limit', '0')).code, 2);
  });

  it('knows a user by e-mail address, and that scores which are alike say nothing', async () => {
    const [first, second] = ['one@example.com', 'two@example.com'];
    for (const named of [
      { email: first },
      { email: first },
      { email: first },
      { user: 'two', email: second },
      { user: 'two' },
      { email: second },
      { user: 'three', email: 'shared@example.com' },
      { user: 'four', email: 'shared@example.com' },
      { email: 'shared@example.com' },
    ])
      await store({ score: 0.6, content: JSON.stringify(named), team: 'gamma', ...named });
    await store({ score: 0.6, content: 'alone', team: 'delta' });
    const told = async (team: string) =>
      (await queue('--team', team)).map(({ reasons }) => reasons.filter((reason) => reason !== 'new_rule'));
    assert.deepEqual(await told('gamma'), [...Array.from({ length: 6 }, () => ['many_of_user']), [], [], []]);
    assert.deepEqual(await told('delta'), [[]]);
  });
});

describe('appeals', () => {
  it('are first in the queue, the oldest first, and counted by what became of them [appeals.queue]', async () => {
    const time = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, -1);
    const of = [items[0]!, items[1]!, items[15]!, unlabelled[3]!, items[16]!];
    const appeals = of.map(({ id, ts }, n) => ({
      ts: time(ts),
      team: 'acme',
      scope: 'prod',
      item: 'event',
      id,
      policy_id: POLICY,
      policy_name: NAME,
      note: `says ${n}`,
      key: 'k',
      // The third was made after all labels: those do not decide it.
      at: time(n === 2 ? now + 1000 : now - 500 - n),
    }));
    await client.insert({ table: 'appeals', values: appeals, format: 'JSONEachRow' });
    const queue = (await json('labels', 'queue', '--limit', '3')).map((line) => JSON.parse(line) as QueuedVerdict);
    assert.deepEqual(
      queue.map(({ id, reasons, appeal }) => [of.findIndex((one) => one.id === id), reasons[0], appeal?.note]),
      [
        [3, 'appeal', 'says 3'],
        [2, 'appeal', 'says 2'],
        [-1, 'new_rule', undefined],
      ],
    );
    const { out } = await weir('labels', 'queue', '--limit', '1');
    assert.match(out, /No card data \(high, score 0\.51, appeal, .*\): says 3$/);
    const { policies } = JSON.parse((await json('labels', 'report'))[0]!) as LabelReport;
    // What bob says of the first is as new as what ann says.
    const { made, open, stands, overturned } = policies[0]!.appeals;
    assert.deepEqual([made, open, stands + overturned], [5, 2, 3]);
    assert.ok(overturned >= 1);
    const report = await weir('labels', 'report');
    assert.match(report.out, /5 appeals: 2 open, \d where the verdict stands, \d overturned/);
    const [statement] = blocksOf(readPage('docs/api/appeals.md')).filter(({ language }) => language === 'sql');
    const answer = await client.query({ query: statement!.code, format: 'JSONEachRow' });
    const [row] = await answer.json<Record<string, string | number>>();
    assert.deepEqual(
      [row!.policy_name, Number(row!.open), Number(row!.stands) + Number(row!.overturned)],
      [NAME, 2, 3],
    );
  });
});

describe('weir eval --labels', () => {
  it('judges what people have labelled', async () => {
    const [line] = await json('eval', '--labels', '--config', file, '--policy', POLICY);
    const { texts, positives, results } = JSON.parse(line!) as {
      texts: number;
      positives: number;
      results: { confusion: Record<string, number> }[];
    };
    assert.deepEqual([texts, positives], [30, 15]);
    assert.deepEqual(results[0]!.confusion, { tp: 15, fp: 0, fn: 0, tn: 15 });
  });

  it('says what it needs', async () => {
    for (const args of [
      ['--labels', '--detector', 'injection'],
      ['--labels', 'data.jsonl', '--config', file, '--policy', POLICY],
      ['--labels', '--label', 'x', '--config', file, '--policy', POLICY],
    ])
      assert.equal((await weir('eval', ...args)).code, 2, args.join(' '));
    const none = await weir('eval', '--labels', '--config', file, '--policy', POLICY, '--team', 'beta');
    assert.match(none.err, /there are no labels of a policy/);
  });
});

describe('weir train --labels', () => {
  it('learns from what people have labelled', async () => {
    const out = join(folder, 'model.bin');
    const args = ['--labels', '--policy', NAME, '--label', 'zebra', '--out', out, '--folds', '2'];
    const { code, err } = await weir('train', ...args);
    assert.equal(code, 0, err);
    assert.match(err, /30 labelled texts of "No card data"; left out: 1 disputed/);
    assert.ok(readFileSync(out).length > 0);
    assert.match(readFileSync(`${out}.md`, 'utf8'), /labels of No card data/);
  });

  it('says what it needs', async () => {
    const out = ['--out', join(folder, 'other.bin')];
    assert.equal((await weir('train', '--labels', '--label', 'zebra', ...out)).code, 2);
    assert.equal((await weir('train', '--labels', '--policy', NAME, '--label', 'a,b', ...out)).code, 2);
    assert.equal((await weir('train', '--policy', NAME, '--label', 'a', ...out)).code, 2);
  });
});

describe('weir backtest --labels', () => {
  it('says which alarms stay and which go', async () => {
    const lines = (await json('backtest', file, '--labels', '--since', '1d', '--threads', '1')).map((line) =>
      JSON.parse(line),
    );
    const summary = lines.find(({ kind }) => kind === 'summary');
    assert.equal(summary.evaluated, 31, 'the disputed one is evaluated, too');
    const { kind: _, ...labelled } = lines.find(({ kind }) => kind === 'labelled');
    assert.deepEqual(labelled, {
      id: POLICY,
      name: NAME,
      true_kept: 14,
      true_lost: 0,
      false_removed: 15,
      false_kept: 0,
      missed_found: 1,
      missed_still: 0,
      unknown: 0,
    });
    const { out } = await weir('backtest', file, '--labels', '--since', '1d', '--threads', '1');
    assert.match(
      out,
      /labels of No card data: 14 of 14 true alarms kept, 15 of 15 false alarms removed, 1 of 1 missed found/,
    );
  });
});
