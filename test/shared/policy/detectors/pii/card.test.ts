// Card numbers among ids: one id in ten has the check digit of a card.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generator } from '../../../../detection/secrets/generate.ts';
import { evidenceOf, pieces } from '../../support.ts';

const CARD = '4539578763621486';
const DETECT = { pii: { entities: ['CREDIT_CARD'] } };

describe('the digits of a card', () => {
  it('are an id where they are called one, or stand in a log', () => {
    for (const text of [
      `order_id=${CARD}`,
      `trace_id: ${CARD}`,
      `{"requestId":"${CARD}"}`,
      `{"id": ${CARD}, "ok": true}`,
      `session ${CARD} is closed`,
      `[req ${CARD}] GET / 200`,
      `Invoice number ${CARD}`,
      `2026-11-27T10:00:00Z INFO ${CARD} created`,
      `Nov 27 10:00:00 host app[12]: ${CARD} flushed`,
      `ERROR worker: ${CARD} is gone`,
      `I0312 10:22:33 ${CARD} main.go:12] ok`,
      `<34>1 2026-10-11T22:14:15.003Z host su - ${CARD}`,
      `{"level":30,"msg":"up","x":${CARD}}`,
    ]) {
      assert.deepEqual(pieces(DETECT, text), [], text);
      const low = evidenceOf({ pii: { entities: ['CREDIT_CARD'], threshold: 0.3 } }, text);
      assert.deepEqual(
        low.map(({ score }) => score),
        [0.3],
        text,
      );
    }
  });

  it('are a card anywhere else, in groups, and where a word says so', () => {
    for (const text of [
      CARD,
      `it is ${CARD}`,
      `order 12: ${CARD} thanks`,
      `{"card_number":"${CARD}"}`,
      `pan=${CARD}`,
      `payment_id=${CARD}`,
      `order_id=77 pan ${CARD}`,
      `2026-11-27T10:00:00Z INFO charged ${CARD}`,
      `ERROR card declined: ${CARD}`,
      `id=${CARD} exp 12/29`,
      'order id 4539 5787 6362 1486',
      '2026-11-27T10:00:00Z INFO 4539-5787-6362-1486 created',
    ])
      assert.equal(pieces(DETECT, text).length, 1, text);
  });

  it('are seldom found in logs with ids of 16 digits', () => {
    const { some } = generator(11);
    const digits = (count: number): string =>
      `${[1, 4, 5, 6][Number(some('digits', 1)) % 4]}${some('digits', count - 1)}`;
    const line = (n: number): string =>
      [
        `2026-03-1${n % 10}T0${n % 9}:14:15Z INFO job ${digits(16)} took 31 ms`,
        `{"level":30,"seq":${digits(16)},"msg":"message is delivered"}`,
        `ts=1774000000 level=debug offset=${digits(15)} event_id=${digits(16)}`,
        `trace=${digits(16)} span=${digits(14)} done`,
      ][n % 4]!;
    const blocks = Array.from({ length: 800 }, () => Array.from({ length: 20 }, (_, n) => line(n)).join('\n'));
    const found = blocks.filter((block) => evidenceOf(DETECT, block).length > 0);
    assert.ok(found.length === 0, `${found.length} of 800`);
  });
});
