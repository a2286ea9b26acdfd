/** Limits of section 8 at their exact boundary, as the HTTP edge and the validators hold them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError, batch, request, sharedIngress } from '../ingress/support.ts';
import { validateEvent, validateEvents } from '../support/model/check-input.ts';

const MIB_32 = 32 * 1024 * 1024;

/** JSON of exactly `bytes` bytes, a valid batch with a filler. */
function bodyOf(bytes: number): Buffer {
  const text = JSON.stringify({ ...batch(), filler: '' });
  const filled = text.replace('"filler":""', `"filler":"${'x'.repeat(bytes - Buffer.byteLength(text))}"`);
  const body = Buffer.from(filled);
  assert.equal(body.length, bytes);
  return body;
}

describe('the limit of a body', () => {
  const ingress = sharedIngress();

  it('takes 32 MiB and refuses one byte more, with an announced length and in chunks [8.body] [error.request_too_large]', async () => {
    const { call, raw } = ingress;
    const path = '/api/events';
    const most = await call({ path, body: bodyOf(MIB_32) });
    assert.equal(most.status, 200, most.text);
    assert.equal(ingress.checks.at(-1)!.body.length, MIB_32);
    const more = bodyOf(MIB_32 + 1);
    const announced = await call({ path, body: more });
    const chunked = async (body: Buffer) => {
      const head = request({ path, headers: { 'transfer-encoding': 'chunked' } });
      const [answer] = await raw([head, `${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']);
      return answer!;
    };
    assert.equal((await chunked(bodyOf(MIB_32))).status, 200);
    for (const answer of [announced, await chunked(more)]) {
      assertError(answer, { status: 413, code: 'request_too_large', type: 'invalid_request_error' });
    }
  });
});

describe('the characters of an id', () => {
  const accepted = (id: string): boolean =>
    validateEvent({ environment_id: 'prod', event: { type: 'reasoning', content: 'x', event_id: id, run_id: id } }).ok;

  it('are letters and digits of ASCII, dot, underscore, colon and hyphen, and no other [8.characters] [2.7.event_id-characters] [2.7.run_id-characters] [general.code-points]', () => {
    const taken: string[] = [];
    for (let point = 0; point < 0x600; point++) {
      const character = String.fromCodePoint(point);
      if (accepted(character)) taken.push(character);
      assert.equal(accepted(`a${character}b`), accepted(character), `U+${point.toString(16)}`);
    }
    assert.equal(taken.join(''), '-.0123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
    for (const character of ['０', 'Ａ', '‐', '－', '🦊', '\ud800', 'ⅷ', '\u2028'])
      assert.equal(accepted(character), false);
  });

  it('are the same in every place where an id is named [8.characters]', () => {
    const places: ((id: string) => unknown)[] = [
      (id) => ({ events: [{ type: 'reasoning', content: 'x', event_id: id }] }),
      (id) => ({ events: [{ type: 'reasoning', content: 'x', run_id: id }] }),
      (id) => ({ run_id: id, events: [{ type: 'reasoning', content: 'x' }] }),
      (id) => ({ run_id: 'r', events: [{ type: 'reasoning', event_id: id }] }),
      (id) => ({ events: [{ type: 'reasoning', content: 'x', parent: { event_id: id } }] }),
      (id) => ({ events: [{ type: 'reasoning', content: 'x', links: [{ event_id: 'e', run_id: id }] }] }),
    ];
    for (const [index, place] of places.entries()) {
      const takes = (id: string): boolean => validateEvents({ environment_id: 'prod', ...(place(id) as object) }).ok;
      const taken = ['aA0.b_c:d-e', 'x'.repeat(128), 'x'.repeat(129), 'a b', 'a/b', 'é', '', 'a\n'].map(takes);
      assert.deepEqual(taken, [true, true, false, false, false, false, false, false], `place ${index}`);
    }
  });
});

describe('unknown fields', () => {
  it('are ignored wherever they stand, but in an event without content [general.unknown-fields] [general.misspelt-content]', () => {
    const extra = { extra: { deep: [1] }, session_id: 'x', tags: null };
    const reference = { event_id: 'e', ...extra };
    const content = { type: 'reasoning', content: 'x', ...extra, parent: reference, links: [{ ...reference }] };
    assert.equal(validateEvents({ environment_id: 'prod', ...extra, events: [content] }).ok, true);
    assert.equal(validateEvent({ environment_id: 'prod', ...extra, event: content }).ok, true);
    const bare = { type: 'reasoning', event_id: 'e', run_id: 'r' };
    assert.equal(validateEvent({ environment_id: 'prod', ...extra, event: bare }).ok, true);
    for (const key of ['extra', 'contents', 'Content', 'text']) {
      assert.equal(validateEvent({ environment_id: 'prod', event: { ...bare, [key]: 'x' } }).ok, false, key);
    }
  });
});
