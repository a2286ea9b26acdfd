import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LabelScores, TextScores } from '#weir/shared/api/results/record';
import { validateSession } from '#weir/shared/api/validate/validate';
import { type Answer, assertError, POLICY, record, recordItem, sharedIngress } from '../support.ts';

const PATH = '/v1alpha1/comments:analyze';
const MIB = 1024 * 1024;

describe('the Perspective API', () => {
  const ingress = sharedIngress();
  const { call } = ingress;

  const ask = (
    body: unknown,
    path = `${PATH}?key=good`,
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer> =>
    call({ path, headers: { 'service-version': undefined, authorization: undefined, ...headers }, body });
  const comment = (text: string, attributes: object = { TOXICITY: {} }, more: object = {}) => ({
    comment: { text },
    requestedAttributes: attributes,
    ...more,
  });
  const known = (score: number, least = 0.5) => ({ score, least });
  function scores(of: LabelScores, sentences: TextScores[] = [], flagged = false): void {
    ingress.outcome = async () => {
      const item = recordItem(1, { type: 'session', flagged, scores: [{ start: 0, end: 1, of }, ...sentences] });
      const policies = JSON.stringify({ [POLICY]: { flagged, name: 'Hate', flagged_source: flagged ? ['text'] : [] } });
      return { status: 'done', record: record({ kind: 'session', items: [item], fragments: [policies] }) };
    };
  }
  const values = ({ json }: Answer): Record<string, number> =>
    Object.fromEntries(
      Object.entries(json.attributeScores ?? {}).map(([name, one]) => [
        name,
        (one as { summaryScore: { value: number } }).summaryScore.value,
      ]),
    );

  it('makes a session check of a comment [adapter.perspective]', async () => {
    scores({ toxicity: known(0.5) });
    const answer = await ask(
      comment(
        'naïve 😀',
        { TOXICITY: {} },
        { sessionId: 'talk', communityId: 'forum', languages: ['en'], clientToken: 't', context: {} },
      ),
    );
    assert.equal(answer.status, 200, answer.text);
    const check = ingress.checks.at(-1)!;
    const body = JSON.parse(check.body.toString());
    assert.deepEqual(body, {
      external_session_id: 'talk',
      messages: [{ role: 'user', content: 'naïve 😀' }],
      metadata: { communityId: 'forum' },
    });
    assert.equal(validateSession(body, check.body.length).ok, true);
    assert.deepEqual(
      [check.scope, check.affinity, check.scores, check.unkept],
      ['chat', 'talk', { labels: ['toxicity'] }, undefined],
    );
    assert.deepEqual(answer.json, {
      attributeScores: {
        TOXICITY: {
          spanScores: [{ begin: 0, end: 1, score: { value: 0.8, type: 'PROBABILITY' } }],
          summaryScore: { value: 0.8, type: 'PROBABILITY' },
        },
      },
      languages: ['en'],
      clientToken: 't',
    });
  });

  it('scores a text at 0.8 where the detector of its label fires, whatever its threshold is', async () => {
    const asked = {
      TOXICITY: {},
      SEVERE_TOXICITY: {},
      INSULT_EXPERIMENTAL: {},
      IDENTITY_ATTACK: null,
      THREAT: {},
      SEXUALLY_EXPLICIT: {},
    };
    scores({ toxicity: known(0.95, 0.95), hate: known(0.3, 0.3), violence: known(1), sexual: known(0) });
    const answer = values(await ask(comment('x', asked)));
    const { SEVERE_TOXICITY: severe, THREAT: most, SEXUALLY_EXPLICIT: least, ...others } = answer;
    assert.deepEqual(others, { TOXICITY: 0.8, INSULT_EXPERIMENTAL: 0.8, IDENTITY_ATTACK: 0.8 });
    assert.ok(severe! > 0.1 && severe! < 0.2 && most! > 0.999 && least! < 0.001, JSON.stringify(answer));
    assert.deepEqual([...ingress.checks.at(-1)!.scores!.labels].sort(), ['hate', 'sexual', 'toxicity', 'violence']);
  });

  it('leaves out scores below their thresholds, and all of them where none is left', async () => {
    scores({ toxicity: known(0.5), violence: known(0.01) });
    const some = await ask(comment('x', { TOXICITY: { scoreThreshold: 0.8 }, THREAT: { scoreThreshold: 0.5 } }));
    assert.deepEqual(Object.keys(some.json.attributeScores), ['TOXICITY']);
    assert.deepEqual((await ask(comment('x', { THREAT: { scoreThreshold: 0.5 } }))).json, {});
  });

  it('scores sentences by themselves, with offsets in code points [adapter.perspective-spans]', async () => {
    const text = '😀 fine. bad 😀!';
    const sentence = (start: number, end: number, score: number | undefined): TextScores => ({
      start,
      end,
      of: { toxicity: score === undefined ? { foreign: 'Danish' } : known(score) },
    });
    scores({ toxicity: known(0.5) }, [sentence(0, 9, 0.01), sentence(9, 14, undefined), sentence(14, 16, 0.5)]);
    const { json } = await ask(comment(text, { TOXICITY: {} }, { spanAnnotations: true }));
    const spans = json.attributeScores.TOXICITY.spanScores as {
      begin: number;
      end: number;
      score: { value: number };
    }[];
    assert.deepEqual(
      spans.map(({ begin, end }) => [begin, end]),
      [
        [0, 8],
        [8, 13],
        [13, 14],
      ],
    );
    assert.ok(spans[0]!.score.value < 0.1 && spans[1]!.score.value === 0.8);
    assert.deepEqual(ingress.checks.at(-1)!.scores, { labels: ['toxicity'], sentences: true });
  });

  it('takes policies of the deployment as attributes, by their names [adapter.perspective-policies]', async () => {
    scores({ hate: known(0.25) });
    assert.deepEqual(values(await ask(comment('x', { HATE: {} }))), { HATE: 0.25 });
    assert.deepEqual(ingress.checks.at(-1)!.scores, { labels: ['hate'] });
    scores({ hate: known(0.25) }, [], true);
    assert.deepEqual(values(await ask(comment('x', { HATE: {} }))), { HATE: 1 });
  });

  it('says which attribute does not know the language, as the Perspective API does [adapter.perspective-language]', async () => {
    scores({ toxicity: known(0.5), violence: { foreign: 'Danish' } });
    const answer = await ask(comment('x', { TOXICITY: {}, THREAT: {} }));
    assert.equal(answer.status, 400);
    const message = 'Attribute THREAT does not support request languages: da';
    assert.deepEqual(
      [answer.json.error.code, answer.json.error.message, answer.json.error.status],
      [400, message, 'INVALID_ARGUMENT'],
    );
    assert.deepEqual(answer.json.error.details[1], {
      '@type': 'type.googleapis.com/google.commentanalyzer.v1alpha1.Error',
      errorType: 'LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE',
      languageNotSupportedByAttributeError: { attribute: 'THREAT', detectedLanguages: ['da'] },
    });
    scores({ violence: { foreign: 'Cyrillic' } });
    const script = await ask(comment('x', { THREAT: {} }));
    assert.match(script.json.error.message, /: und$/);
  });

  it('never scores a policy that has not looked at the text [adapter.perspective-policies]', async () => {
    const absent = async (of: LabelScores): Promise<Answer> => {
      ingress.outcome = async () => {
        const item = recordItem(1, { type: 'session', scores: [{ start: 0, end: 1, of }] });
        return { status: 'done', record: record({ kind: 'session', items: [item] }) };
      };
      return ask(comment('x', { HATE: {} }));
    };
    const foreign = await absent({ hate: { foreign: 'Danish' } });
    assert.match(foreign.json.error.message, /^Attribute HATE does not support request languages: da$/);
    const failed = await absent({ hate: known(0.1) });
    assertError(failed, { status: 503, code: 'unavailable', param: 'requestedAttributes.HATE' });
    // It looks at what models write, and that one at images alone.
    for (const name of ['ANSWERS', 'PICTURES']) {
      assertError(await ask(comment('x', { [name]: {} })), {
        status: 400,
        param: `requestedAttributes.${name}`,
        code: 'validation_failed',
      });
    }
  });

  it('refuses what it cannot score, by its place and by the names of the Perspective API [adapter.perspective-errors]', async () => {
    ingress.checks.length = 0;
    for (const [body, param, name] of [
      [comment(''), 'comment.text', 'COMMENT_EMPTY'],
      [comment('x'.repeat(MIB + 1)), 'comment.text', 'COMMENT_TOO_LONG'],
      [comment('x', {}), 'requestedAttributes', 'NO_REQUESTED_ATTRIBUTES'],
      [{ comment: { text: 'x' } }, 'requestedAttributes', undefined],
      [comment('x', { FLIRTATION: {} }), 'requestedAttributes.FLIRTATION', undefined],
      [comment('x', { 'a secret': {} }), 'requestedAttributes', undefined],
      [comment('x', { TOXICITY: { scoreType: 'OTHER' } }), 'requestedAttributes.TOXICITY', undefined],
      [comment('x', { TOXICITY: 5 }), 'requestedAttributes.TOXICITY', undefined],
      [comment('x', { 'a secret': 5 }), 'requestedAttributes', undefined],
      [comment('x', { TOXICITY: { scoreThreshold: '1' } }), 'requestedAttributes.TOXICITY', undefined],
      [{ comment: { text: 'x', type: 'HTML' }, requestedAttributes: { TOXICITY: {} } }, 'comment.type', undefined],
      [{ comment: { text: null }, requestedAttributes: { TOXICITY: {} } }, 'comment.text', undefined],
      [{ requestedAttributes: { TOXICITY: {} } }, 'comment', undefined],
      [comment('x', { TOXICITY: {} }, { clientToken: 'x'.repeat(300) }), 'clientToken', undefined],
      [comment('x', { TOXICITY: {} }, { languages: Array.from({ length: 65 }, () => 'en') }), 'languages', undefined],
      [
        comment('x', Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`A${i}`, {}]))),
        'requestedAttributes',
        undefined,
      ],
    ] as const) {
      const answer = await ask(body);
      assertError(answer, { status: 400, code: 'validation_failed', param });
      assert.equal(answer.json.error.details[1]?.errorType, name, answer.text);
      assert.ok(!answer.text.includes('a secret'));
    }
    assert.equal(ingress.checks.length, 0);
    const wrong = await ask(comment('x'), `${PATH}?key=nobody`);
    assertError(wrong, { status: 401, code: 'invalid_api_key' });
    assert.deepEqual([wrong.json.error.code, wrong.json.error.status], [401, 'UNAUTHENTICATED']);
  });

  it('takes its key from the query or the headers, but not two of them [adapter.perspective-key]', async () => {
    scores({ toxicity: known(0.5) });
    const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
      (await ask(comment('x'), path, headers)).status;
    assert.equal(await status(`${PATH}?alt=json&key=good`), 200);
    assert.equal(await status(PATH, { authorization: 'Bearer good' }), 200);
    assert.equal(await status(PATH, { 'x-api-key': 'good' }), 200);
    assert.equal(await status(`${PATH}?key=good`, { authorization: 'Bearer good' }), 200);
    assert.equal(await status(`${PATH}?key=good`, { authorization: 'Bearer internal' }), 401);
    assert.equal(await status(`${PATH}?key=good&key=good`), 401);
    assert.equal(await status(PATH), 401);
    assert.equal(await status(`${PATH}?key=reader`), 403);
    const elsewhere = await call({
      path: '/v1/moderations?key=good',
      headers: { authorization: undefined },
      body: { input: 'x' },
    });
    assert.equal(elsewhere.status, 401, 'no other route takes it there');
  });

  it('has content dropped where the caller asks for that [adapter.perspective-unkept]', async () => {
    scores({ toxicity: known(0.5) });
    await ask(comment('x', { TOXICITY: {} }, { doNotStore: true }));
    assert.equal(ingress.checks.at(-1)!.unkept, 'asked');
  });
});
