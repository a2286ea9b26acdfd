/** OpenAI's moderations, by OpenAI's own client with another base URL. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import OpenAI, { APIError } from 'openai';
import { flat } from '../../support/images/images.ts';
import { CARD } from '../configuration.ts';
import type { System } from '../system.ts';
import type { DialectKeys } from './configuration.ts';

const HATE = 'I hate those people, they are vermin and should all be wiped out';

export function moderationsTests(system: () => System, keys: DialectKeys): void {
  const client = (key: keyof DialectKeys): OpenAI =>
    new OpenAI({ apiKey: keys[key], baseURL: `${system().stack.url}/v1`, maxRetries: 0, timeout: 120_000 });
  const failed = (status: number, code: string) => (error: unknown) => {
    assert.ok(error instanceof APIError, String(error));
    assert.deepEqual([error.status, error.code], [status, code], error.message);
    return true;
  };

  describe('the client of OpenAI', () => {
    it('is told of each text whether it is flagged, by category, with scores', async () => {
      const { id, model, results } = await client('open').moderations.create({
        model: 'omni-moderation-latest',
        input: ['Good morning.', HATE, `My card is ${CARD}`, ''],
      });
      assert.equal(model, 'omni-moderation-latest');
      assert.match(id, /^modr-/);
      assert.deepEqual(
        results.map(({ flagged }) => flagged),
        [false, true, true, false],
      );
      assert.deepEqual(
        results.map(({ categories }) => categories.hate),
        [false, true, false, false],
      );
      const [kind, hateful] = results.map(({ category_scores: scores }) => scores.hate) as [number, number];
      assert.ok(kind > 0 && kind < 0.5 && hateful > 0.5 && hateful < 1, `${kind} ${hateful}`);
      assert.deepEqual(results[0]!.category_applied_input_types.hate, ['text']);
      assert.deepEqual(results[0]!.category_applied_input_types.violence, [], 'nothing looks for it');
      const cards = results.map(({ categories }) => (categories as unknown as Record<string, boolean>)['Payment data']);
      assert.deepEqual(cards, [false, false, true, false]);
    });

    it('goes by the categories of the configuration', async () => {
      const { results } = await client('mapped').moderations.create({ input: [HATE, `pay ${CARD}`] });
      assert.deepEqual(
        results.map(({ categories: { hate, harassment, illicit } }) => [hate, harassment, illicit]),
        [
          [false, true, false],
          [false, false, true],
        ],
      );
    });

    it('has texts and images checked together', async () => {
      const pixels = (await flat(40, 40).png().toBuffer()).toString('base64');
      const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${pixels}` } };
      const { results } = await client('open').moderations.create({ input: [{ type: 'text', text: 'look' }, image] });
      assert.equal(results.length, 1);
      const [{ flagged, category_applied_input_types: types }] = results as unknown as [
        Record<string, Record<string, string[]>>,
      ];
      assert.equal(flagged, true, 'images are not allowed here');
      assert.deepEqual([types!.hate, types!.Images], [['text'], ['image']]);
      const alone = await client('open').moderations.create({ input: [image] });
      assert.deepEqual(alone.results[0]!.category_applied_input_types.hate, [], 'there is no text');
    });

    it('gets an error for what was not looked at, never a verdict', async () => {
      const broken = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } };
      const create = (key: keyof DialectKeys, input: unknown) =>
        client(key).moderations.create({ input: input as string });
      await assert.rejects(create('open', [{ type: 'text', text: 'x' }, broken]), (error) => {
        assert.equal((error as APIError).param, 'input[1].image_url');
        return failed(400, 'validation_failed')(error);
      });
      await assert.rejects(create('open', []), failed(400, 'validation_failed'));
      await assert.rejects(create('open', null), failed(400, 'validation_failed'));
      await assert.rejects(create('dead', 'some advice'), failed(503, 'unavailable'));
      await assert.rejects(create('dead', ['a', 'b']), failed(503, 'unavailable'));
      await assert.rejects(
        client('slow').moderations.create({ input: 'x' }, { headers: { prefer: 'wait=1' } }),
        failed(504, 'evaluation_timeout'),
      );
      const unknown = new OpenAI({ apiKey: 'wk_no', baseURL: `${system().stack.url}/v1`, maxRetries: 0 });
      await assert.rejects(unknown.moderations.create({ input: 'x' }), failed(401, 'invalid_api_key'));
    });

    it('says which categories do not know the language', async () => {
      const { results } = await client('open').moderations.create({
        input: 'Ég vil fá að vita hvað klukkan er núna á Íslandi í dag',
      });
      const [{ categories, category_applied_input_types: types, note }] = results as unknown as [
        Record<string, Record<string, unknown>>,
      ];
      assert.equal(categories!.hate, false);
      assert.deepEqual(types!.hate, [], 'it has not been looked for');
      assert.match(String(note), /left out, since it does not know \w+: Hateful words/);
    });

    it('makes session checks like any other: by user, in look-ups, once for a retry', async () => {
      const body = { input: ['first', `second ${CARD}`], user: 'moderated-user' };
      const post = () =>
        client('open').post('/moderations', {
          body,
          headers: { 'idempotency-key': 'moderated' },
        }) as Promise<OpenAI.ModerationCreateResponse>;
      const [one, two] = [await post(), await post()];
      assert.deepEqual(two, one);
      const { internal_session_id: id } = one.results[1] as unknown as { internal_session_id: string };
      const found = await system().get(`/api/session/${id}`, { key: keys.open });
      assert.equal(found.json.session.flagged, true);
      const risk = await system().get('/api/radar/risk?id=moderated-user', { key: keys.open });
      assert.equal(risk.status, 200);
    });
  });
}
