/** `retention: {content: masked}`: what flagged policies find is in no store once it is evaluated. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { weir } from '../../deploy/cli/support.ts';
import { filesWith } from '../../support/files.ts';
import { inClickHouse, inRedis } from '../../support/stores/search.ts';
import { until } from '../../support/wait.ts';
import { CARD, configuration, POLICY } from '../configuration.ts';
import { newRun, type System } from '../system.ts';

export const MASKED = 'retention: {content: masked}\n';

/** 8 × 8 pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAUElEQVR42mNgYOcTlVHWMmTgFZFW0jQwt2OQUtTQN7N18WZQ1zO1cfYKjGAwsXbyDAiPS2Vw9PAPi03JLmLwC41JziqsqGeITsosKK9r7QEA05cRgRJ7RIUAAAAASUVORK5CYII=';

/** `folder`: that of the installation. */
export function masked(system: () => System, folder: string): void {
  describe('an installation that keeps content with marks', () => {
    it('has what was found in no store once it is archived, and all else [config.masked]', async () => {
      const s = system();
      const [run, chat, stream] = [newRun(), `chat-${randomUUID()}`, `stream-${randomUUID()}`];
      const mail = `${randomUUID()}@example.com`;
      const sent = `pay ${CARD} to ${mail}, open sesame, or hold`;
      const { json } = await s.events(
        [
          { type: 'message', role: 'assistant', event_id: 'said', content: sent },
          { type: 'tool', event_id: 'called', arguments: { card: 4111111111111111, note: 'keep this' } },
          { type: 'artifact', event_id: 'seen', content: { kind: 'image', data: PICTURE } },
        ],
        { run_id: run },
      );
      // A policy of the deployment looks back, so the text is kept for later checks.
      const said = { external_session_id: chat, deployment_id: 'support' };
      for (const content of [`card ${CARD}`, 'thanks'])
        await s.session({ ...said, messages: [{ role: 'user', content }] });
      const answer = `it is ${CARD}`;
      const piece = { stream_id: stream, sequence: 0, delta: answer, final: true, role: 'assistant' };
      const ended = await s.post(
        '/api/stream/check',
        { ...piece, deployment_id: 'chat' },
        {
          headers: { 'idempotency-key': randomUUID() },
        },
      );
      assert.deepEqual([ended.status, ended.json.flagged], [200, true]);
      const [message, tool] = json.order;
      await s.cold(message.internal_event_id);
      await s.archived();
      const where = `id IN (SELECT id FROM items WHERE run_id = '${run}')`;
      const rows = await s.sql(`SELECT content FROM contents FINAL WHERE ${where} ORDER BY id`);
      assert.deepEqual(
        rows.map(({ content }) => content),
        [
          'pay [CREDIT_CARD] to [EMAIL_ADDRESS], open sesame, or hold',
          '{"card":"[CREDIT_CARD]","note":"keep this"}',
          '{"kind":"image"}',
        ],
      );
      const chats = await s.sql(
        "SELECT DISTINCT content FROM contents WHERE id IN (SELECT id FROM items WHERE kind = 'session') ORDER BY content",
      );
      assert.deepEqual(
        chats.map(({ content }) => content),
        ['card [CREDIT_CARD]', 'it is [CREDIT_CARD]', 'thanks'],
      );
      assert.equal((await inRedis(s, 'card [CREDIT_CARD]')).filter((key) => key.startsWith('ctx:')).length, 1);
      for (const original of [CARD, '4111111111111111', mail, PICTURE.slice(40, 80)]) {
        assert.deepEqual(await inRedis(s, original), [], original);
        assert.deepEqual(await inClickHouse(s, original), [], original);
        await until(`no file has ${original}`, () => filesWith(folder, original).length === 0);
      }
      const query = `environment_id=prod&explain=true&policies=flagged&matched=true`;
      const stored = (await s.get(`/api/event/${message.internal_event_id}?${query}`)).json;
      const found = (policy: string): unknown[] =>
        stored.policies[policy].evidence.map((one: Record<string, unknown>) => [one.start, one.end, one.matched]);
      const at = (what: string, mark: string): unknown[] => [
        [sent.indexOf(what), sent.indexOf(what) + what.length, mark],
      ];
      assert.deepEqual(found(POLICY.card), at(CARD, '[CREDIT_CARD]'));
      assert.deepEqual(found(POLICY.mail), at(mail, '[EMAIL_ADDRESS]'));
      const findings = await s.sql(
        `SELECT DISTINCT matched FROM findings WHERE run_id = '${run}' AND type = 'message' ORDER BY matched`,
      );
      assert.deepEqual(findings, [{ matched: '[CREDIT_CARD]' }, { matched: '[EMAIL_ADDRESS]' }]);
      assert.equal((await s.get(`/api/event/${tool.internal_event_id}?${query}`)).status, 200);
    });

    it('says what was found in the answer of the check, and of a hot result from what is kept', async () => {
      const s = system();
      const event = { type: 'message', role: 'user', content: `a card: ${CARD}` };
      const body = { environment_id: 'prod', run_id: newRun(), event };
      const query = 'explain=true&policies=flagged&matched=true';
      const checked = (await s.post(`/api/event?${query}`, body)).json;
      assert.equal(checked.policies[POLICY.card].evidence[0].matched, CARD);
      const id = checked.event.internal_event_id;
      await s.archived();
      const found = (await s.get(`/api/event/${id}?environment_id=prod&${query}`)).json;
      assert.equal(found.policies[POLICY.card].evidence[0].matched, '[CREDIT_CARD]');
    });

    it('is tested by policies on what is kept: what is masked is found no more [config.masked]', async () => {
      const s = system();
      await s.archived();
      await until('its configuration is written', async () => {
        const written = 'SELECT 1 FROM configurations WHERE number = (SELECT max(config) FROM items)';
        return (await s.sql(written)).length === 1;
      });
      const file = join(folder, 'new.yaml');
      writeFileSync(
        file,
        configuration({ sesame: 'keep this' }).replace('direction: input, detect', 'detect') + MASKED,
      );
      const before = { ...process.env };
      process.env.WEIR_DATA_DIR = folder;
      const ran = await weir('backtest', file, '--json', '--threads', '1', '--team', 'acme').finally(() => {
        process.env = before;
      });
      assert.equal(ran.code, 0, ran.err);
      const lines = ran.out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const of = (policy: string) => lines.find((line) => line.policy === policy || line.id === policy)!;
      assert.deepEqual([of(POLICY.card).newly_flagged, of(POLICY.card).still_flagged], [0, 0]);
      assert.equal(of(POLICY.sesame).newly_flagged, 1, ran.out);
    });
  });
}
