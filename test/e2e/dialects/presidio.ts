/** Presidio, called as its clients do, with their texts in other words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD } from '../configuration.ts';
import type { Answer, System } from '../system.ts';
import type { DialectKeys } from './configuration.ts';

export function presidioTests(system: () => System, keys: DialectKeys): void {
  const post = (path: string, key: keyof DialectKeys, body: unknown, headers = {}): Promise<Answer> =>
    system().post(path, body, { key: keys[key], headers: { 'service-version': '', ...headers } });
  const analyze = (key: keyof DialectKeys, text: unknown, more: object = {}, headers = {}): Promise<Answer> =>
    post('/analyze', key, { text, language: 'en', ...more }, headers);

  describe('a client of Presidio', () => {
    it('finds all of many, and has them replaced', async () => {
      const text = Array.from({ length: 60 }, (_, i) => `${i} 😀 pays with ${CARD}.`).join('\n');
      const { status, json } = await analyze('open', text);
      assert.equal(status, 200);
      assert.equal(json.length, 60);
      const points = [...text];
      for (const { entity_type, start, end } of json as { entity_type: string; start: number; end: number }[]) {
        assert.deepEqual([entity_type, points.slice(start, end).join('')], ['CREDIT_CARD', CARD]);
      }
      const replaced = await post('/anonymize', 'open', { text, analyzer_results: json });
      assert.equal(replaced.json.text, text.replaceAll(CARD, '<CREDIT_CARD>'));
      assert.equal(replaced.json.items.length, 60);
    });

    it('gets a list for each text, and is told what is looked for', async () => {
      const { json } = await analyze('open', ['Good morning.', `my card: ${CARD}`, ''], { entities: ['CREDIT_CARD'] });
      assert.deepEqual(
        (json as object[][]).map((one) => one.length),
        [0, 1, 0],
      );
      const headers = { 'service-version': '' };
      const known = await system().get('/supportedentities', { key: keys.open, headers });
      assert.deepEqual(known.json, ['CREDIT_CARD', 'HATEFUL_WORDS']);
    });

    it('gets an error where a policy could not look, never an empty list [adapter.presidio-unseen]', async () => {
      assert.equal((await analyze('dead', 'some advice')).status, 503);
      assert.equal((await analyze('dead', ['some advice', 'x'])).status, 503);
      const late = await analyze('slow', 'x', {}, { prefer: 'wait=1' });
      assert.equal(late.status, 504);
      assert.match(late.json.result_url, /^\/api\/session\//);
      const foreign = 'Ég vil fá að vita hvað klukkan er núna á Íslandi í dag';
      const unknown = await analyze('open', foreign);
      assert.deepEqual([unknown.status, unknown.json.code], [422, 'not_evaluable']);
      assert.deepEqual((await analyze('open', foreign, { entities: ['CREDIT_CARD'] })).json, []);
      const both = await analyze('open', `${foreign} ${CARD}`);
      assert.equal(both.status, 422, 'what another policy has found is not all that is asked for');
    });

    it('makes session checks like any other: in history, once for a retry', async () => {
      const headers = { 'idempotency-key': 'presidio' };
      const ask = () => analyze('open', `again ${CARD}`, { correlation_id: 'presidio-call' }, headers);
      const [one, two] = [await ask(), await ask()];
      assert.deepEqual(two.json, one.json);
      await system().archived();
      const rows = await system().sql(
        `SELECT r.flagged AS flagged FROM weir.results AS r JOIN weir.contents AS c ON c.id = r.id
         WHERE position(c.metadata, 'presidio-call') > 0`,
      );
      assert.deepEqual(
        rows.map(({ flagged }) => Boolean(flagged)),
        [true],
      );
    });
  });
}
