/** `redact=reversible` and `POST /api/restore`, at the HTTP edge. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSealer } from '#weir/ingress/seals/seal';
import { ApiError } from '#weir/shared/api/errors';
import { LIMITS } from '#weir/shared/api/limits';
import { type Answer, assertError, record, recordItem, sharedIngress } from './support.ts';

const CARD = '4111 1111 1111 1111';
const NEWEST = '2026-06-01';

describe('an answer with a seal', () => {
  const ingress = sharedIngress();
  const message = { type: 'message', role: 'user', content: `é ${CARD}` };
  const chat = { messages: [{ role: 'user', content: `é ${CARD}` }] };
  type Redacted = { redacted?: string; sealed?: string; note?: string };
  const CHECKS: [path: string, body: object, at: (json: never) => Redacted][] = [
    ['/api/event', { environment_id: 'prod', event: message }, (json) => json],
    [
      '/api/events',
      { environment_id: 'prod', events: [message] },
      (json) => (json as { results: { message: { m1: Redacted } } }).results.message.m1,
    ],
    ['/api/session/check', chat, (json) => json],
    ['/api/session', chat, (json) => (json as { session: Redacted }).session],
  ];

  async function check(path: string, body: object, query: string, headers = {}): Promise<Answer> {
    ingress.outcome = async (request) => {
      const text = request.body.toString();
      const start = Buffer.byteLength(text.slice(0, text.indexOf('"é ')));
      const marks = { at: [start, start + 24], texts: ['[CREDIT_CARD]'], cuts: [4, 19, 0] };
      const made = { kind: request.kind, items: [recordItem(1, { flagged: true, marks: 1 })] };
      return { status: 'done', record: record({ ...made, fragments: ['{}', JSON.stringify(marks)] }) };
    };
    return await ingress.call({ path: `${path}?redact=${query}`, body, headers });
  }

  it('is restored by the key that asked, whatever the case of the word [masks.restore]', async () => {
    for (const [path, body, at] of CHECKS) {
      const { redacted, sealed } = at((await check(path, body, 'Reversible')).json as never);
      assert.equal(redacted, 'é [CREDIT_CARD_1]', path);
      const answer = await ingress.call({ path: '/api/restore', body: { text: redacted, sealed } });
      assert.deepEqual(answer.json, { text: `é ${CARD}` });
    }
  });

  it('says nothing of a seal to the dispatcher, and has the answer of redact=true without [masks.stored-nothing]', async () => {
    const [path, body] = CHECKS[0]!;
    const plain = await check(path, body, 'true');
    const asked = { ...ingress.checks.at(-1)! };
    const { sealed, ...rest } = (await check(path, body, 'reversible')).json as Redacted;
    assert.ok(sealed);
    const again = ingress.checks.at(-1)!;
    const same = { received: 0, requestId: '' };
    assert.deepEqual({ ...again, ...same }, { ...asked, ...same });
    assert.equal(JSON.stringify(again).includes('good'), true, 'the id of the key is handed on');
    assert.deepEqual(Object.keys(plain.json as object), Object.keys(rest));
    assert.equal(plain.text.includes('sealed'), false);
  });

  it('is a 400 where the query says something else', async () => {
    for (const [path, body] of CHECKS) {
      const refused = await check(path, body, 'reversibly');
      assertError(refused, { status: 400, code: 'validation_failed', param: 'redact' });
    }
  });
});

describe('POST /api/restore', () => {
  const ingress = sharedIngress();
  const OWNER = { token: 'good', team: 'acme', key: 'good' };
  const sealOf = (values: Record<string, string>, owner = OWNER): string =>
    createSealer(owner)(new Map(Object.entries(values)))!;
  const restore = (body: unknown, more: Record<string, string> = {}): Promise<Answer> =>
    ingress.call({
      path: '/api/restore',
      body,
      headers: { authorization: 'Bearer good', 'service-version': NEWEST, ...more },
    });

  it('answers a text with a text, and texts with texts in their order, by any number of seals', async () => {
    const first = sealOf({ EMAIL_ADDRESS_1: 'a@b.c' });
    const second = sealOf({ EMAIL_ADDRESS_2: 'x@y.z', EMAIL_ADDRESS_1: 'a@b.c' });
    const text = ['[EMAIL_ADDRESS_2] and [EMAIL_ADDRESS_1]', '[EMAIL_ADDRESS_3]'];
    assert.deepEqual((await restore({ text, sealed: [first, second] })).json, {
      text: ['x@y.z and a@b.c', '[EMAIL_ADDRESS_3]'],
    });
    assert.deepEqual((await restore({ text: text[0], sealed: first })).json, { text: '[EMAIL_ADDRESS_2] and a@b.c' });
    assert.deepEqual((await restore({ text: 'as it is', sealed: [] })).json, { text: 'as it is' });
    assert.deepEqual((await restore({ text: [], sealed: first })).json, { text: [] });
    assert.equal(ingress.checks.length, 0, 'nothing is checked');
  });

  it('is a 400 that tells nothing, for a seal that is not of this key, or not as it was [masks.not-opened]', async () => {
    const whole = sealOf({ SECRET_1: 'hush' });
    const [other, team] = [
      sealOf({ SECRET_1: 'hush' }, { ...OWNER, token: 'rotated' }),
      sealOf({ SECRET_1: 'hush' }, { ...OWNER, team: 'globex' }),
    ];
    const version = Buffer.from(whole, 'base64url');
    version[0] = 2;
    const texts = new Set<string>();
    for (const sealed of [
      other,
      team,
      whole.slice(0, -2),
      `A${whole}`,
      version.toString('base64url'),
      '',
      'hush',
      '{}',
    ]) {
      const answer = await restore({ text: '[SECRET_1] kept', sealed }, { 'x-request-id': 'same' });
      assertError(answer, { status: 400, code: 'validation_failed', param: 'sealed' });
      assert.deepEqual(
        answer.error.issues!.map(({ code }) => code),
        ['sealed'],
      );
      assert.doesNotMatch(answer.text, /hush|kept|SECRET/);
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1, 'all of them look alike');
    assert.equal((await restore({ text: '', sealed: [whole, other] })).error.param, 'sealed[1]');
    const writer = { authorization: 'Bearer writer' };
    assert.equal((await restore({ text: '', sealed: whole }, writer)).error.param, 'sealed', 'another key of the team');
  });

  it('is a 400 where two seals have another value for a mark [masks.conflict]', async () => {
    const seals = [
      sealOf({ TERM_1: 'a', TERM_2: 'b' }),
      sealOf({ TERM_2: 'b', TERM_3: 'c' }),
      sealOf({ TERM_3: 'other word' }),
    ];
    const answer = await restore({ text: '[TERM_1]', sealed: seals });
    assertError(answer, { status: 400, code: 'validation_failed', param: 'sealed[2]' });
    assert.deepEqual(
      answer.error.issues!.map(({ code }) => code),
      ['conflict'],
    );
    assert.doesNotMatch(answer.text, /TERM|other word/);
    assert.deepEqual((await restore({ text: '[TERM_3]', sealed: seals.slice(0, 2) })).json, { text: 'c' });
  });

  it('bounds texts, seals, and what is made of them', async () => {
    const refused = async (body: object, code: string, param: string): Promise<void> => {
      const answer = await restore(body);
      assertError(answer, { status: 400, code: code as never, param });
    };
    const long = 'x'.repeat(LIMITS.restoreTextBytes);
    const seal = 'A'.repeat(LIMITS.sealBytes);
    assert.deepEqual(((await restore({ text: long, sealed: [] })).json as { text: string }).text, long);
    await refused({ text: `${long}x`, sealed: [] }, 'content_too_large', 'text');
    await refused({ text: [long, 'x'], sealed: [] }, 'content_too_large', 'text');
    await refused({ text: Array(LIMITS.restoreTexts + 1).fill(''), sealed: [] }, 'validation_failed', 'text');
    await refused({ text: '', sealed: `${seal}A` }, 'content_too_large', 'sealed');
    await refused({ text: '', sealed: [seal, seal, 'A'] }, 'content_too_large', 'sealed');
    await refused({ text: '', sealed: Array(LIMITS.restoreSeals + 1).fill('A') }, 'validation_failed', 'sealed');
    const value = 'v'.repeat(LIMITS.restoredBytes / 4);
    const sealed = sealOf({ TERM_1: value });
    const four = (await restore({ text: '[TERM_1]'.repeat(4), sealed })).json as { text: string };
    assert.equal(four.text.length, LIMITS.restoredBytes);
    await refused({ text: '[TERM_1]'.repeat(5), sealed }, 'content_too_large', 'text');
  });

  it('is a 400 for a body of another shape, which names the place', async () => {
    for (const [body, path] of [
      [{}, 'text'],
      [{ text: '' }, 'sealed'],
      [{ text: 1, sealed: '' }, 'text'],
      [{ text: [1], sealed: '' }, 'text'],
      [{ text: '', sealed: { a: 1 } }, 'sealed'],
      [{ text: null, sealed: '' }, 'text'],
      [[], ''],
    ] as const) {
      const answer = await restore(body);
      assert.equal(answer.error.code, 'validation_failed', JSON.stringify(body));
      assert.ok(
        answer.error.issues!.some((issue) => issue.path.startsWith(path)),
        answer.text,
      );
    }
  });

  it('needs the scope check, and neither the queue nor a configuration of its own [masks.restore-scope]', async () => {
    const reader = { authorization: 'Bearer reader' };
    assertError(await restore({ text: '', sealed: [] }, reader), { status: 403, code: 'permission_denied' });
    ingress.refusal = new ApiError('overloaded', 'full');
    assert.equal((await restore({ text: '', sealed: [] })).status, 200);
    ingress.refusal = undefined;
    const metrics = await ingress.registry.metrics();
    assert.match(metrics, /weir_seals_total\{outcome="opened"\} \d/);
  });
});
