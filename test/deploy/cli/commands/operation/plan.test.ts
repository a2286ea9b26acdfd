import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMAND_DEFAULTS } from '#weir/deploy/cli/plan/demand';
import { bytes, type PlanAnswer, planLines, round } from '#weir/deploy/cli/plan/text';
import { shippedPacks } from '#weir/deploy/packs';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { weir } from '../../support.ts';

const RATE = ['plan', '--events-per-second', '100000'];

describe('weir plan', () => {
  it('needs nothing but a rate', async () => {
    const { code, out, err } = await weir(...RATE);
    assert.equal(code, 0, err);
    for (const name of ['ingress', 'Redis', 'ClickHouse', 'WEIR_PARTITIONS', 'across 3 zones', 'What ends next']) {
      assert.ok(out.includes(name), name);
    }
    assert.match(out, /No prices were given, so no costs are/);
  });

  it('keeps things as long as a configuration does that says nothing of it', () => {
    const loaded = loadConfiguration('version: 1\n', 'weir.yaml', undefined, shippedPacks);
    assert.ok(loaded.ok);
    const { content_days, results_days } = loaded.configuration.retention;
    assert.deepEqual([DEMAND_DEFAULTS.contentDays, DEMAND_DEFAULTS.resultsDays], [content_days, results_days]);
  });

  it('says the same as JSON and as text', async () => {
    const options = ['--zones', '2', '--images', '0.01', '--price-vcpu-hour', '0.04', '--price-zone-gib', '0.01'];
    const text = await weir(...RATE, ...options);
    const json = await weir(...RATE, ...options, '--json');
    const answer = JSON.parse(json.out) as PlanAnswer;
    assert.equal(planLines(answer).join('\n'), text.out);
    const { plan, money } = answer;
    assert.ok(text.out.includes(`${bytes(plan.acrossZones)}/s`));
    assert.ok(text.out.includes(`${round(plan.images)} images/s`));
    assert.match(text.out, new RegExp(`WEIR_PARTITIONS +${plan.partitions}\n`));
    assert.ok(text.out.includes(`costs a month of 730 hours: ${Math.round(money!.total).toLocaleString('en-US')} (`));
    assert.match(text.out, /without memory, disk, whose price was not given/);
    for (const tier of Object.values(plan.tiers))
      assert.ok(text.out.includes(` ${tier.processes.toLocaleString('en-US')} `));
  });

  it('names the option that is wrong, in a sentence', async () => {
    const cases: [option: string, value: string, expected: string][] = [
      ['events-per-second', '0', 'a number from 0.001 to 1000000000'],
      ['events-per-second', '-1', 'a number'],
      ['events-per-second', '1e5', 'a number'],
      ['events-per-second', 'many', 'a number'],
      ['batch', '51', 'a number from 1 to 50'],
      ['event-bytes', '0', 'a number from 1 to 1000000'],
      ['images', '1.1', 'a number from 0 to 1'],
      ['image-bytes', '', 'a number from 1 to 20000000'],
      ['flagged', '5%', 'a number from 0 to 1'],
      ['mean', '0', 'a number from 0.001 to 1'],
      ['content-days', '1.5', 'a whole number from 0 to 36500'],
      ['results-days', '0', 'a whole number from 1 to 36500'],
      ['hot-seconds', '0', 'a whole number from 1 to 86400'],
      ['redis-replicas', '6', 'a whole number from 0 to 5'],
      ['clickhouse-replicas', '0', 'a whole number from 1 to 5'],
      ['zones', '0', 'a whole number from 1 to 10'],
      ['busy', '0', 'a number from 0.05 to 1'],
      ['cpu-factor', '0', 'a number from 0.01 to 100'],
      ['skew', '0.5', 'a number from 1 to 1000'],
      ['clickhouse-vcpu', '0', 'a whole number from 1 to 1024'],
      ['clickhouse-disk-tib', '0', 'a number from 0.01 to 10000'],
      ['redis-memory-gib', '0', 'a number from 1 to 10000'],
      ['network-gbit', '0', 'a number from 0.01 to 10000'],
      ['price-vcpu-hour', 'x', 'a number from 0 to 1000000000'],
      ['price-gib-hour', 'x', 'a number'],
      ['price-disk-gib-month', '-', 'a number'],
      ['price-zone-gib', 'free', 'a number'],
    ];
    for (const [option, value, expected] of cases) {
      const given =
        option === 'events-per-second' ? ['plan', `--${option}=${value}`] : [...RATE, `--${option}=${value}`];
      const { code, err } = await weir(...given);
      assert.equal(code, 2, option);
      assert.ok(err.startsWith(`weir plan: --${option}: expected ${expected}`), `${option}: ${err}`);
      assert.ok(err.includes(`got "${value}"`), err);
    }
  });

  it('takes every option that its help names, and no other', async () => {
    const { out } = await weir('plan', '--help');
    const named = [...new Set([...out.matchAll(/--([a-z-]+)/g)].map(([, name]) => name!))];
    assert.ok(named.length > 24);
    for (const name of named.filter((each) => each !== 'output')) {
      const { err } = await weir('plan', `--${name}=`);
      assert.ok(!err.includes('Unknown option'), `${name}: ${err}`);
    }
    const unknown = await weir(...RATE, '--shards', '2');
    assert.equal(unknown.code, 2);
  });

  it('says what is missing or cannot be', async () => {
    const none = await weir('plan');
    assert.equal(none.code, 2);
    assert.match(none.err, /expected --events-per-second N/);
    const word = await weir(...RATE, 'more');
    assert.equal(word.code, 2);
    assert.match(word.err, /expected no arguments but options/);
    const figures = await weir(...RATE, '--figures', '/nowhere/figures.json');
    assert.equal(figures.code, 1);
    assert.match(figures.err, /^weir plan: \/nowhere\/figures\.json: cannot be read/);
    const much = await weir('plan', '--events-per-second', '1000000000');
    assert.equal(much.code, 1);
    assert.match(much.err, /primaries of Redis would be needed, but 1024 partitions serve at most 256/);
  });
});
