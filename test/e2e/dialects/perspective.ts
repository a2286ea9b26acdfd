/** The Perspective API, called as its clients do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CARD } from '../configuration.ts';
import type { Answer, System } from '../system.ts';
import type { DialectKeys } from './configuration.ts';

const RUDE = 'You are a stupid worthless idiot and everybody hates you';

export function perspectiveTests(system: () => System, keys: DialectKeys): void {
  const analyze = (
    key: keyof DialectKeys,
    text: string,
    attributes: object,
    more: object = {},
    headers = {},
  ): Promise<Answer> =>
    system().post(
      `/v1alpha1/comments:analyze?key=${keys[key]}`,
      { comment: { text }, requestedAttributes: attributes, ...more },
      { headers: { authorization: '', 'service-version': '', ...headers } },
    );
  const summary = ({ json }: Answer, name: string): number => json.attributeScores[name].summaryScore.value;
  const ALL = { TOXICITY: {}, SEVERE_TOXICITY: {}, IDENTITY_ATTACK: {}, INSULT: {}, PROFANITY: {}, THREAT: {} };

  describe('a client of the Perspective API', () => {
    it('gets scores for the attributes that it asks for, and for policies by their names', async () => {
      const [kind, rude] = [
        await analyze('open', 'Have a nice day, all of you.', ALL),
        await analyze('open', RUDE, ALL),
      ];
      for (const [name, one] of Object.entries(kind.json.attributeScores)) {
        assert.ok((one as { summaryScore: { value: number } }).summaryScore.value < 0.5, name);
      }
      assert.ok(summary(rude, 'TOXICITY') >= 0.8, rude.text);
      assert.ok(summary(rude, 'SEVERE_TOXICITY') < summary(rude, 'TOXICITY'));
      const card = await analyze('open', `mine is ${CARD}`, { PAYMENT_DATA: {}, HATEFUL_WORDS: {} });
      assert.equal(summary(card, 'PAYMENT_DATA'), 1);
      assert.ok(summary(card, 'HATEFUL_WORDS') < 0.5);
    });

    it('gets scores of sentences, in its own offsets', async () => {
      const text = `Good morning to all of you 😀. ${RUDE}. The weather is fine today.`;
      const { json } = await analyze('open', text, { TOXICITY: {} }, { spanAnnotations: true });
      const spans = json.attributeScores.TOXICITY.spanScores as {
        begin: number;
        end: number;
        score: { value: number };
      }[];
      const told = spans.map(({ begin, end, score }) => [
        [...text].slice(begin, end).join('').trim(),
        score.value >= 0.5,
      ]);
      assert.deepEqual(told, [
        ['Good morning to all of you 😀.', false],
        [`${RUDE}.`, true],
        ['The weather is fine today.', false],
      ]);
    });

    it('is told which language is not known', async () => {
      const answer = await analyze('open', 'Ég vil fá að vita hvað klukkan er núna á Íslandi í dag', { TOXICITY: {} });
      assert.equal(answer.status, 400);
      const [, detail] = answer.json.error.details;
      assert.equal(detail.errorType, 'LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE');
      assert.match(detail.languageNotSupportedByAttributeError.detectedLanguages[0], /^[a-z]{2}$/);
    });

    it('gets an error where a policy could not look, never a score', async () => {
      assert.equal((await analyze('dead', 'some advice', { TOXICITY: {} })).json.error.status, 'UNAVAILABLE');
      const late = await analyze('slow', 'x', { TOXICITY: {} }, {}, { prefer: 'wait=1' });
      assert.deepEqual([late.status, late.json.error.status], [504, 'DEADLINE_EXCEEDED']);
      assert.match(late.json.error.details[0].metadata.result_url, /^\/api\/session\//);
    });

    it('has its text dropped where it asks for that, with what was found in it [adapter.perspective-unkept]', async () => {
      const session = 'perspective-unkept';
      const asked = { doNotStore: true, sessionId: session, communityId: 'forum' };
      assert.equal((await analyze('open', `never kept ${CARD}`, { TOXICITY: {} }, asked)).status, 200);
      await system().archived();
      const rows = await system().sql(
        `SELECT r.flagged AS flagged, r.note AS note, c.content AS content, c.metadata AS metadata
         FROM weir.results AS r JOIN weir.contents AS c ON c.id = r.id WHERE r.external_session_id = '${session}'`,
      );
      const [row] = rows;
      assert.deepEqual([rows.length, Boolean(row!.flagged), row!.content, row!.metadata], [1, true, '', null]);
      assert.match(String(row!.note), /not kept, as its caller asked/);
    });
  });
}
