/** Alerts, their tests and the sample configuration, by promtool and without. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { DEFINITIONS } from '#weir/shared/settings';
import { METRICS_PAGE } from '../../docs/metrics-page.ts';
import { anchorsOf, linksOf, quotedIn, readPage, tablesOf } from '../../docs/pages.ts';
import { findPromtool } from '../../support/promtool.ts';
import { ALERTMANAGER, ALERTS, FOLDER, RECORDED, RULE_TESTS, SAMPLE } from './rules.ts';

const RUNBOOKS = ['runbooks', 'runbooks-stores', 'runbooks-content'].map((name) => `docs/operations/${name}.md`);

/** Metrics of each process of Node, and of Prometheus itself. */
const OTHERS = new Set(['up', 'process_start_time_seconds']);

const expressions = [...ALERTS, ...RECORDED].map(({ expr }) => expr);

/** Metrics of a table of the metrics page, and the values that each label may have; absent: they are open. */
const METRICS = new Map(
  tablesOf(readPage(METRICS_PAGE), 'Metric | Meaning | Labels').map(([name, , cell]) => {
    const labels = [...cell!.matchAll(/`(\w+)`(?:: ((?:`\w+`(?:, )?)+))?/g)].map(
      ([, label, values]) => [label!, values === undefined ? undefined : quotedIn(values)] as const,
    );
    return [quotedIn(name!)[0]!, new Map(labels)] as const;
  }),
);

/** Selectors of an expression: names of metrics with their matchers. */
function selectorsIn(expr: string): { name: string; matchers: [label: string, operator: string, value: string][] }[] {
  return [...expr.matchAll(/\b((?:weir|up|process)(?:_\w+|:[\w:]+)?)(?:\{([^}]*)\})?(?=[\s[)]|$)/g)]
    .filter(([, name]) => name !== 'process')
    .map(([, name, inside = '']) => ({
      name: name!,
      matchers: [...inside.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, ...parts]) => parts as [string, string, string],
      ),
    }));
}

describe('the alerts', () => {
  it('are about metrics that there are, with labels and values that these have', () => {
    const recorded = new Set(RECORDED.map(({ record }) => record));
    let seen = 0;
    for (const expr of expressions) {
      for (const { name, matchers } of selectorsIn(expr)) {
        if (OTHERS.has(name) || recorded.has(name)) continue;
        const labels = METRICS.get(name) ?? METRICS.get(name.replace(/_(?:bucket|count|sum)$/, ''));
        assert.ok(labels, `${name} in ${expr}`);
        seen++;
        for (const [label, operator, value] of matchers) {
          if (label === 'process') {
            assert.ok(['ingress', 'worker'].includes(value), expr);
            continue;
          }
          assert.ok(labels.has(label), `${name} has no label ${label}`);
          const values = labels.get(label);
          const wanted = operator.endsWith('~') ? value.split('|') : [value];
          for (const one of values ? wanted : []) assert.ok(values!.includes(one), `${name}{${label}="${one}"}`);
        }
      }
    }
    assert.ok(seen > 50, `${seen} selectors`);
    for (const record of recorded)
      assert.ok(
        expressions.some((expr) => expr.includes(record)),
        `${record} is used`,
      );
  });

  it('name routes that there are', () => {
    const rows = tablesOf(readPage('docs/api/README.md'), 'Request | What it does | `service-version`');
    const routes = rows.flatMap(([requests]) =>
      [...requests!.matchAll(/`((?:GET|POST) [^?`[]+)/g)].map(([, name]) => name!.trim()),
    );
    for (const expr of expressions) {
      for (const { matchers } of selectorsIn(expr.replaceAll('{internal', ''))) {
        for (const [label, , value] of matchers.filter(([label]) => label === 'route')) {
          const pattern = new RegExp(`^(?:${value})$`);
          assert.ok(
            routes.some((route) => pattern.test(route)),
            `${label} ${value}`,
          );
        }
      }
    }
  });

  it('have names of their own, a severity, and texts', () => {
    const names = ALERTS.map(({ alert }) => alert);
    assert.deepEqual(names, [...new Set(names)]);
    for (const { alert, labels, annotations } of ALERTS) {
      assert.match(alert, /^Weir[A-Z]\w+$/);
      assert.ok(['page', 'ticket'].includes(labels.severity), alert);
      for (const text of [annotations.summary, annotations.description]) assert.ok(text.length > 10, alert);
      assert.doesNotMatch(annotations.summary, /\.$/, alert);
    }
  });

  it('are each tested to be silent and to fire', () => {
    for (const { alert } of ALERTS) {
      const test = RULE_TESTS.find(({ name }) => name === alert);
      const asked = (test?.promql_expr_test ?? []).filter(({ expr }) => expr.includes(`alertname="${alert}"`));
      assert.ok(
        asked.some(({ exp_samples }) => exp_samples.length === 0),
        `${alert} is silent`,
      );
      assert.ok(
        asked.some(({ exp_samples }) => exp_samples[0]?.value === 1),
        `${alert} fires`,
      );
    }
  });
});

describe('the runbooks', () => {
  const pages = RUNBOOKS.map(readPage);
  const sections = new Map(
    pages.flatMap(({ path, text }) =>
      text
        .split(/^### /m)
        .slice(1)
        .map((section) => [section.split('\n')[0]!, { path, text: section }] as const),
    ),
  );

  it('have a section for each alert, and no other', () => {
    assert.deepEqual([...sections.keys()].sort(), ALERTS.map(({ alert }) => alert).sort());
    for (const { alert, annotations } of ALERTS) {
      const [page, anchor] = annotations.runbook_url.split('#') as [string, string];
      assert.equal(page, sections.get(alert)!.path, alert);
      assert.ok(anchorsOf(readPage(page)).has(anchor), annotations.runbook_url);
    }
  });

  it('say of each how bad it is, what it means, what to run first, what to do, and how to tell that it is over', () => {
    for (const { alert, labels } of ALERTS) {
      const { text } = sections.get(alert)!;
      assert.match(text, new RegExp(`^${alert}\\n\\n${labels.severity === 'page' ? 'Page' : 'Ticket'}\\. `), alert);
      for (const part of ['First', 'Do', 'Over'])
        assert.match(text, new RegExp(`^- \\*\\*${part}\\*\\*: `, 'm'), `${alert}: ${part}`);
      assert.match(
        /^- \*\*First\*\*: (.*)$/m.exec(text)![1]!,
        /`(?:npx weir|redis-cli|curl|SELECT|grep|ps|kubectl|systemctl) [^`]+`/,
        alert,
      );
    }
  });

  it('name commands, metrics and settings that there are', () => {
    const commands = tablesOf(readPage('docs/cli.md'), 'Command | What it does').map(
      ([usage]) => /^`weir ([a-z-]+(?: [a-z]+\b)?)/.exec(usage!)![1]!,
    );
    const variables = new Set<string>(Object.values(DEFINITIONS).map(({ variable }) => variable));
    for (const { path, text } of pages) {
      for (const [, command] of text.matchAll(/\bweir ([a-z]+(?:-[a-z]+)*(?: [a-z]+\b)?)(?=[^`\n]*`)/g)) {
        const [verb] = command!.split(' ');
        assert.ok(commands.includes(command!) || commands.includes(verb!), `${path}: weir ${command}`);
      }
      for (const [name] of text.matchAll(/\bweir_\w+/g)) {
        const base = name.replace(/_(?:bucket|count|sum)$/, '');
        assert.ok(
          METRICS.has(name) || METRICS.has(base) || [...METRICS.keys()].some((each) => each.startsWith(name)),
          `${path}: ${name}`,
        );
      }
      for (const [variable] of text.matchAll(/\bWEIR_[A-Z_]+/g))
        assert.ok(variables.has(variable), `${path}: ${variable}`);
    }
  });

  it('look for texts of the log that are written', () => {
    const sources = ['ingress', 'workers', 'shared'].flatMap((folder) =>
      readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(join(packageRoot, folder, file), 'utf8')),
    );
    let looked = 0;
    for (const { path, text } of pages) {
      for (const [, sought] of text.matchAll(/grep '([^']+)' weir\.log/g)) {
        const phrase = sought!.replaceAll('"', '');
        assert.ok(
          sources.some((source) => source.includes(phrase)),
          `${path}: ${phrase}`,
        );
        looked++;
      }
    }
    assert.ok(looked >= 6, `${looked} phrases`);
  });

  it('are linked from the page of metrics', () => {
    const targets = linksOf(readPage(METRICS_PAGE)).map((target) => target.split('#')[0]);
    for (const page of RUNBOOKS) assert.ok(targets.includes(page.split('/').at(-1)!), page);
  });
});

describe('the sample configuration of Prometheus', () => {
  it('scrapes each kind of process on its metrics port, and has the alerts', () => {
    const targets = SAMPLE.scrape_configs.map(({ job_name, static_configs }) => [
      job_name,
      static_configs.flatMap((each) => each.targets),
    ]);
    const port = DEFINITIONS.metricsPort.default;
    assert.deepEqual(targets, [
      ['weir-ingress', [`ingress:${port}`]],
      ['weir-worker', [`worker:${port}`]],
    ]);
    assert.deepEqual(
      SAMPLE.rule_files.map((file) => existsSync(join(FOLDER, file))),
      [true],
    );
  });

  it('belongs to the package', () => {
    const { files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { files: string[] };
    assert.ok(files.includes('deploy/prometheus/*.yml'));
  });
});

const found = findPromtool();
const skip = 'lacking' in found ? found.lacking : false;

describe('promtool', { skip }, () => {
  const says = (...args: string[]): void => {
    const { status, stdout, stderr } = spawnSync('program' in found ? found.program : '', args, {
      cwd: FOLDER,
      encoding: 'utf8',
      timeout: 240_000,
    });
    assert.equal(status, 0, `${stdout}${stderr}`);
  };
  it('takes the rules', () => says('check', 'rules', 'weir.rules.yml'));
  it('takes the sample configuration', () => says('check', 'config', 'prometheus.yml'));
  it('finds that each alert is silent, and fires, where it should', () => says('test', 'rules', 'weir.tests.yml'));
});

describe('the sample configuration of Alertmanager', () => {
  const { route, receivers, inhibit_rules: inhibitions } = ALERTMANAGER;
  /** Alerts that a list of matchers takes; all in it are of one alert's name. */
  const taken = ([matcher, ...more]: readonly string[]): string[] => {
    assert.deepEqual(more, []);
    const [, operator, value] = /^alertname(=~?)"([^"]+)"$/.exec(matcher!)!;
    for (const one of operator === '=~' ? value!.split('|') : [value!])
      assert.ok(
        ALERTS.some(({ alert }) => new RegExp(`^(${one})$`).test(alert)),
        one,
      );
    return ALERTS.filter(({ alert }) => new RegExp(`^(${value})$`).test(alert)).map(({ alert }) => alert);
  };

  it('has a receiver for each severity, and one message for the alerts of an installation', () => {
    assert.deepEqual(route.group_by, ['namespace']);
    const names = receivers.map(({ name }) => name);
    const used = [route, ...route.routes].map(({ receiver }) => receiver);
    assert.deepEqual([...used].sort(), [...names].sort());
    assert.deepEqual(route.routes[0]!.matchers, ['severity="page"']);
  });

  it('silences what follows from another alert, never a page for a ticket, and not two for each other', () => {
    const severityOf = (name: string): string => ALERTS.find(({ alert }) => alert === name)!.labels.severity;
    const silenced = new Set<string>();
    for (const { source_matchers: source, target_matchers: target, equal } of inhibitions) {
      const [from, ...others] = taken(source);
      assert.deepEqual(others, []);
      assert.equal(severityOf(from!), 'page');
      const absent = ALERTS.find(({ alert }) => alert === from)!.expr.startsWith('absent(');
      assert.deepEqual(equal, absent ? undefined : ['namespace'], from);
      for (const to of taken(target)) silenced.add(`${from} ${to}`);
    }
    for (const each of silenced) {
      const [from, to] = each.split(' ') as [string, string];
      assert.notEqual(from, to);
      assert.ok(!silenced.has(`${to} ${from}`), each);
    }
  });

  it('pages once for a Redis that is away', () => {
    // As long as it lasts these fire, whatever else does.
    const firing = ['WeirRedisAway', 'WeirUnavailable', 'WeirErrorsBurnFast', 'WeirErrorsBurn', 'WeirReplicasLacking'];
    const quiet = inhibitions
      .filter(({ source_matchers: source }) => firing.includes(taken(source)[0]!))
      .flatMap(({ target_matchers: target }) => taken(target));
    assert.deepEqual(
      firing.filter((each) => !quiet.includes(each)),
      ['WeirRedisAway'],
    );
  });
});
