/** The dashboards: that their files are what the code makes, and that what they ask Prometheus can be asked. No Grafana shows them here. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { stringify } from 'yaml';
import { DASHBOARDS } from '#weir/deploy/grafana/dashboards';
import { packageRoot } from '#weir/shared/paths';
import { createRegistry } from '#weir/shared/telemetry';
import { METRICS_PAGE } from '../../docs/metrics-page.ts';
import { quotedIn, readPage, tablesOf } from '../../docs/pages.ts';
import { findPromtool } from '../../support/promtool.ts';

const FOLDER = join(packageRoot, 'deploy', 'grafana', 'dashboards');
const boards = Object.entries(DASHBOARDS).map(([file, make]) => ({ file, board: make() }));
const queries = boards.flatMap(({ file, board: { panels } }) =>
  panels.flatMap(({ title, targets = [] }) =>
    targets.flatMap(({ expr }) => (expr === undefined ? [] : [{ name: `${file}: ${title}`, expr: String(expr) }])),
  ),
);

/** What Grafana puts in place of its variables. */
const asked = (expr: string): string => expr.replaceAll('$__rate_interval', '1m').replaceAll('$namespace', 'prod|test');

interface PromqlParts {
  names: string[];
  /** matchers and what is grouped by, with what a matcher takes */
  labels: { label: string; values?: string[] }[];
}

/** What a query of PromQL names. Throws where it is none. */
function partsOf(expr: string): PromqlParts {
  const text = asked(expr);
  const parts: PromqlParts = { names: [], labels: [] };
  parser.parse(text).iterate({
    enter({ name, from, to, node }) {
      const own = text.slice(from, to);
      if (node.type.isError) throw new Error(`${text}: not understood at ${from}: ${text.slice(from)}`);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') parts.names.push(own);
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') parts.labels.push({ label: own });
      if (name === 'UnquotedLabelMatcher') {
        const [, label, value] = /^(\w+)\s*(?:=|!=|=~|!~)\s*"([^"]*)"$/.exec(own) ?? assert.fail(own);
        parts.labels.push({ label: label!, values: value!.split('|') });
      }
    },
  });
  return parts;
}

describe('the dashboards', () => {
  it('are the files that the code makes', () => {
    if (process.env.DOCS === 'write') mkdirSync(FOLDER, { recursive: true });
    for (const { file, board } of boards) {
      if (process.env.DOCS === 'write') writeFileSync(join(FOLDER, file), `${JSON.stringify(board, null, 2)}\n`);
      const how = 'DOCS=write node test/run.mjs test/deploy/grafana writes it, and biome check --write formats it';
      assert.deepEqual(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')), board, how);
    }
    assert.deepEqual(readdirSync(FOLDER).sort(), Object.keys(DASHBOARDS).sort());
  });

  it('have panels that say what they show, of a size that fits, each at a place of its own', () => {
    for (const { file, board } of boards) {
      const taken = new Set<string>();
      const ids = new Set<number>();
      for (const { id, type, title, description, gridPos } of board.panels) {
        const { x, y, w, h } = gridPos;
        assert.ok(x + w <= 24, `${file}: ${title}`);
        for (let cell = 0; cell < w * h; cell++) {
          const place = `${x + (cell % w)},${y + Math.floor(cell / w)}`;
          assert.ok(!taken.has(place), `${file}: ${title} lies over another panel`);
          taken.add(place);
        }
        assert.ok(!ids.has(id));
        ids.add(id);
        assert.ok(type === 'row' || description !== '', `${file}: ${title}`);
      }
    }
    const uids = boards.map(({ board: { uid } }) => uid);
    assert.deepEqual(uids, [...new Set(uids)]);
  });

  it('name no variable that they do not have, and ask through a data source that is chosen', () => {
    for (const { file, board } of boards) {
      const names = board.templating.list.map(({ name }) => name);
      const used = [...JSON.stringify(board).matchAll(/\$\{?([a-z]\w*)/g)].map(([, name]) => name!);
      assert.deepEqual(
        [...new Set(used)].filter((name) => !names.includes(name)),
        [],
        file,
      );
      for (const { targets = [], title } of board.panels)
        for (const { datasource } of targets) assert.match(datasource.uid, /^\$\{(prometheus|clickhouse)\}$/, title);
    }
  });

  it('ask Prometheus for metrics that exist, by labels and values that they have', async () => {
    const rows = tablesOf(readPage(METRICS_PAGE), 'Metric | Meaning | Labels');
    // Of a name that several processes have, the labels of all.
    const known = new Map<string, Map<string, string[]>>();
    for (const [name, , labels = ''] of rows) {
      const own = known.get(quotedIn(name!)[0]!) ?? new Map<string, string[]>();
      // `reason`: `a`, `b`; or `route`, `status` whose values are not listed
      const [first, ...values] = quotedIn(labels);
      if (labels.includes(':')) own.set(first!, values);
      else for (const label of quotedIn(labels)) own.set(label, []);
      known.set(quotedIn(name!)[0]!, own);
    }
    const usual = new Map([
      ['process', ['ingress', 'worker']],
      ...['namespace', 'instance', 'job', 'le'].map((label): [string, string[]] => [label, []]),
    ]);
    const text = await createRegistry('ingress').metrics();
    for (const [, name] of text.matchAll(/^# TYPE ((?:process|nodejs)_\w+) (?:counter|gauge)/gm))
      known.set(name!, new Map());
    assert.ok(queries.length > 90, `${queries.length} queries`);
    for (const { name, expr } of queries) {
      const { names, labels } = partsOf(expr);
      assert.ok(names.length > 0, name);
      const metrics = names.map(
        (each) =>
          known.get(each) ?? known.get(each.replace(/_(bucket|count|sum)$/, '')) ?? assert.fail(`${name}: ${each}`),
      );
      for (const { label, values = [] } of labels) {
        assert.ok(
          [usual, ...metrics].some((each) => each.has(label)),
          `${name}: no label ${label}`,
        );
        const listed = [usual, ...metrics].flatMap((each) => each.get(label) ?? []);
        if (listed.length > 0)
          for (const value of values) assert.ok(listed.includes(value), `${name}: ${label}="${value}"`);
      }
      // Each metric is of the installation that was chosen.
      assert.equal(expr.match(/namespace=~"\$namespace"/g)?.length, names.length, `${name}: ${expr}`);
    }
  });

  it('would be refused with a query that is none', () => {
    for (const wrong of [
      'sum(rate(weir_items_total[1m])',
      'weir_items_total{lane="fast"',
      'sum by lane (weir_items_total)',
    ])
      assert.throws(() => partsOf(wrong), /not understood/);
  });

  const found = findPromtool();
  const skip = 'lacking' in found ? found.lacking : false;
  it('ask what Prometheus itself takes', { skip }, () => {
    // The parser knows no types, such as that of what a function takes. Rules of Prometheus are checked for them.
    const rules = queries.map(({ expr }, n) => ({ record: `query_${n}`, expr: asked(expr) }));
    const folder = mkdtempSync(join(tmpdir(), 'weir-queries-'));
    try {
      const file = join(folder, 'queries.yml');
      writeFileSync(file, stringify({ groups: [{ name: 'dashboards', rules }] }));
      const { status, stdout, stderr } = spawnSync((found as { program: string }).program, ['check', 'rules', file], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout + stderr);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
