/** `weir backtest` over what a whole installation has stored. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { backtest as run } from '#weir/deploy/cli/backtest/run';
import { questionOf } from '#weir/deploy/cli/commands/policies/backtest';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { createHistoryClient } from '#weir/shared/history/client';
import { type Ran, weir } from '../../deploy/cli/support.ts';
import { until } from '../../support/wait.ts';
import { CARD, configuration, POLICY } from '../configuration.ts';
import { newRun, type System } from '../system.ts';

const message = (content: unknown, more: object = {}): object => ({ type: 'message', role: 'user', content, ...more });
const tool = (field: string, value: unknown, more: object = {}): object => ({ type: 'tool', [field]: value, ...more });

/** `folder`: that of the installation. */
export function backtest(system: () => System, folder: () => string): void {
  describe('a backtest', () => {
    let since: string;
    const file = (name: string, text: string): string => {
      const path = join(folder(), name);
      writeFileSync(path, text);
      return path;
    };
    async function asked(text: string, ...args: string[]): Promise<Ran & { lines: Line[] }> {
      const before = { ...process.env };
      process.env.WEIR_DATA_DIR = folder();
      try {
        const ran = await weir(
          'backtest',
          file('new.yaml', text),
          '--json',
          '--threads',
          '1',
          '--since',
          since,
          ...args,
        );
        return {
          ...ran,
          lines: ran.out
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as Line),
        };
      } finally {
        process.env = before;
      }
    }

    it('finds no difference where the configuration is the same', async () => {
      since = new Date().toISOString();
      const s = system();
      const metadata = { user: { tier: 'free' } };
      await s.events([
        message(CARD),
        message('good day for nothing', { metadata }),
        message('for nothing', { metadata: { user: { tier: 'paid' } } }),
        message('mail a@example.org', { role: 'assistant' }),
        tool('output', { a: ['hush hush', CARD] }),
        tool('arguments', JSON.stringify({ pay: CARD, note: 'open "sesame"' })),
        tool('arguments', '{"open":"sesame"}'),
        tool('arguments', { open: 'sesame' }),
        { type: 'agent', state: `line\n{"x":"hush\\u0020hush"}` },
        { type: 'reasoning', content: '' },
        { type: 'reasoning', content: 'открой open sesame 🙂' },
      ]);
      for (const event of [message('x', { metadata: { level: 9 } }), tool('output', CARD, { name: 'search' })]) {
        await s.events([event], { environment_id: 'staging' });
      }
      await s.session({ messages: [{ role: 'user', content: `open sesame ${CARD}` }] });
      await s.session({ messages: [{ role: 'assistant-2', content: 'mail a@example.org' }] });
      await s.session({ messages: [{ role: 'user', content: `open sesame ${CARD}` }], policies: [POLICY.card] });
      const parts = ['{"a":"open sesame"}', 'and', `["${CARD}"]`].map((text) => ({ type: 'text', text }));
      const { json } = await s.session({ messages: [{ role: 'user', content: parts }] });
      await s.cold(json.internal_session_id);
      await s.archived();
      // Archivers write configurations every few seconds. Without it a backtest cannot know what a session was restricted to.
      const written = `SELECT 1 FROM configurations WHERE number = (SELECT max(config) FROM items)`;
      await until('its configuration is written', async () => (await s.sql(written)).length === 1);
      const { code, err, lines } = await asked(configuration());
      assert.equal(code, 0, err);
      const { versions, ...summary } = summaryOf(lines);
      assert.deepEqual(Object.values(versions as object), [17]);
      assert.deepEqual(
        { ...summary, microseconds: 0 },
        {
          kind: 'summary',
          since,
          until: summary.until,
          items: 17,
          evaluated: 17,
          changed: 0,
          expired: 0,
          not_kept: 0,
          images: 0,
          failed: 0,
          no_scope: 0,
          two_readings: 0,
          microseconds: 0,
        },
      );
      const cards = policyOf(lines, POLICY.card);
      assert.deepEqual([cards.newly_flagged, cards.newly_cleared], [0, 0]);
      assert.ok((cards.still_flagged as number) >= 6 && (cards.still_clean as number) > 0);
      assert.ok((cards.microseconds_alone as number) > 0);
    });

    it('sees texts that are split over events, as the service did', async () => {
      const s = system();
      const context = { environment_id: 'support' };
      const words = ['purple', 'elephants', 'dance'];
      const [one, other, third] = [newRun(), newRun(), newRun()];
      // In requests of their own, in one batch, over a session, and with one between.
      for (const word of words) await s.events([message(word)], { ...context, run_id: one });
      const { json } = await s.events(
        words.map((word) => message(word)),
        { ...context, run_id: other },
      );
      assert.equal(json.flagged, true);
      for (const word of words) {
        await s.events([message(word)], { ...context, run_id: newRun(), external_session_id: third });
      }
      for (const word of ['purple', 'elephants', 'do not', 'dance']) {
        await s.events([message(word)], { ...context, run_id: `${one}-4` });
      }
      await s.archived();
      const { lines } = await asked(configuration(), '--environment', 'support', '--threads', '2');
      assert.equal(summaryOf(lines).items, 13);
      const { newly_flagged, newly_cleared, still_flagged, without_context } = policyOf(lines, POLICY.split);
      assert.deepEqual([newly_flagged, newly_cleared, still_flagged, without_context], [0, 0, 3, 0]);
      // A policy that looks further back finds the one with a text between.
      const deeper = configuration().replace('[purple elephants dance], context: 2', '["do not dance"], context: 1');
      const changed = policyOf((await asked(deeper, '--environment', 'support')).lines, POLICY.split);
      assert.deepEqual([changed.newly_flagged, changed.newly_cleared], [1, 3]);
    });

    it('finds what a changed policy flags and clears, with examples', async () => {
      const { lines, err } = await asked(configuration({ sesame: 'good day' }), '--team', 'acme', '--examples', '1');
      const { newly_flagged, newly_cleared } = policyOf(lines, POLICY.sesame);
      const query = `SELECT count() AS items FROM violations WHERE team = 'acme' AND policy_id = '${POLICY.sesame}'`;
      const [stored] = await system().sql(`${query} AND ts >= parseDateTime64BestEffort('${since}', 3)`);
      assert.ok(Number(stored!.items) >= 3);
      assert.deepEqual([newly_flagged, newly_cleared], [1, Number(stored!.items)], err);
      const examples = lines.filter(({ kind }) => kind === 'example');
      assert.deepEqual(examples.map(({ policy, change }) => [policy, change]).sort(), [
        [POLICY.sesame, 'newly_cleared'],
        [POLICY.sesame, 'newly_flagged'],
      ]);
      const flagged = examples.find(({ change }) => change === 'newly_flagged')!;
      assert.equal(flagged.text, 'good day for nothing');
      assert.deepEqual(flagged.evidence, [{ detector: 'terms', view: 'folded', start: 0, end: 8 }]);
      const table = await asked(configuration().replaceAll('staging', 'stage'));
      assert.equal(summaryOf(table.lines).no_scope, 2);
    });

    it('tells weir apply --dry-run how many items would be judged otherwise', async () => {
      const before = { ...process.env };
      process.env.WEIR_DATA_DIR = folder();
      try {
        const path = file('next.yaml', configuration({ sesame: 'good day' }));
        const { out, err, code } = await weir('apply', path, '--dry-run', '--rehearse', since);
        assert.equal(code, 0, err);
        assert.match(out, /^policies: 1 changed$/m);
        assert.match(out, /^[1-9]\d* of \d+ items since \S+ would be judged otherwise\.$/m);
        const alone = await weir('apply', path, '--rehearse', '1h');
        assert.match(alone.err, /--rehearse is for --dry-run/);
        assert.equal(alone.code, 2);
      } finally {
        process.env = before;
      }
    });

    it('goes on from where it has ended, and refuses a state of another question', async () => {
      const loaded = loadConfiguration(configuration());
      assert.ok(loaded.ok);
      const [url] = [system().stack.clickhouseUrl];
      const window = { since: Date.parse(since), until: Date.now() };
      const options = {
        history: { url, database: 'weir' },
        configuration: loaded.configuration,
        models: new Map(),
        examples: 1,
        threadCount: 1,
      };
      const places: string[] = [];
      const whole = await run({ ...options, window, onState: (state) => places.push(JSON.stringify(state)) });
      assert.ok(places.length >= 3, 'a place for each scope');
      for (const place of places.slice(0, 2)) {
        const rest = await run({ ...options, window, resume: JSON.parse(place) });
        assert.deepEqual({ ...rest.result.counts }, { ...whole.result.counts });
      }
      const state = file('state.json', places[0]!);
      const other = await asked(configuration(), '--state', state);
      assert.equal(other.code, 1);
      assert.match(other.err, /state\.json is of a backtest of another configuration or with other options/);
      const question = questionOf(loaded, { positionals: [], values: { since } });
      const mine = file('mine.json', JSON.stringify({ ...JSON.parse(places[0]!), question }));
      process.env.WEIR_CLICKHOUSE_URL = url;
      process.env.WEIR_CLICKHOUSE_DATABASE = 'nowhere';
      const away = await asked(configuration(), '--state', mine);
      delete process.env.WEIR_CLICKHOUSE_URL;
      delete process.env.WEIR_CLICKHOUSE_DATABASE;
      assert.equal(away.code, 1);
      assert.match(
        away.err,
        /has no tables of Weir there that this user may read: .*\n.*mine\.json has how far it is: the same command goes on/,
      );
      const rest = await asked(configuration(), '--state', mine);
      assert.equal(summaryOf(rest.lines).items, whole.result.counts.items, rest.err);
      assert.equal(existsSync(mine), false, 'it is removed when all is done');
      const lost = await asked(configuration(), '--state', join(folder(), 'absent', 'x.json'));
      assert.match(lost.err, /absent\/x\.json\.\d+: cannot be written \(ENOENT\)/);
    });

    it('counts what is not stored any more, and what cannot be evaluated', async () => {
      const s = system();
      const before = new Date().toISOString();
      const { json } = await s.events([message(`gone ${CARD}`), message('there')]);
      await s.events([
        { type: 'artifact', event_id: 'i', content: { kind: 'image', data: gzipSync('x').toString('base64') } },
      ]);
      const { internal_event_id: id } = json.order[0];
      await s.cold(id);
      await s.archived();
      const { stack } = s;
      const query = `ALTER TABLE contents DELETE WHERE id = '${id}' SETTINGS mutations_sync = 1`;
      const client = createHistoryClient({ url: stack.clickhouseUrl, database: 'weir' });
      await client.command({ query }).finally(() => client.close());
      since = before;
      const { lines } = await asked(configuration());
      const { items, evaluated, expired, images, changed } = summaryOf(lines);
      assert.deepEqual(
        { items, evaluated, expired, images, changed },
        { items: 3, evaluated: 1, expired: 1, images: 1, changed: 0 },
      );
    });

    it('says what is wrong with its options', async () => {
      for (const [args, expected] of [
        [['--team', 'nobody'], /--team: the configuration has no team "nobody"; expected one of acme, globex/],
        [['--environment', 'x'], /--environment: there is no "x"; expected one of prod, staging, support/],
        [['--since', 'soon'], /--since: expected a span/],
        [['--sample', '0'], /--sample: expected a whole number from 1/],
      ] as const) {
        const { code, err } = await asked(configuration(), ...args);
        assert.match(err, expected);
        assert.equal(code, 2);
      }
    });
  });
}

type Line = Record<string, unknown>;

const summaryOf = (lines: readonly Line[]): Line => lines.find(({ kind }) => kind === 'summary')!;
const policyOf = (lines: readonly Line[], id: string): Line =>
  lines.find((line) => line.kind === 'policy' && line.id === id)!;
