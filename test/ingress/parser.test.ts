import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createParser, LARGE_BODY, type Parser } from '#weir/ingress/parser';
import { createLogger } from '#weir/shared/log';

const large = (change: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      environment_id: 'prod',
      events: [{ type: 'reasoning', content: 'x' }],
      filler: 'é'.repeat(LARGE_BODY),
      ...change,
    }),
  );

describe('the parser', () => {
  const parser: Parser = createParser(createLogger('test', 'silent'));
  // The thread does not keep the process alive; in a server its sockets do.
  const alive = setInterval(() => undefined, 1000);
  after(async () => {
    clearInterval(alive);
    await parser.close();
  });

  it('judges off the loop as on it, and gives the bytes back', async () => {
    for (const body of [large(), large({ events: [] }), Buffer.concat([large(), Buffer.from('}')])]) {
      const copy = Buffer.from(body);
      const judged = await parser.later('events', body);
      assert.ok(judged.body.equals(copy));
      assert.deepEqual(judged.judgement, parser.now('events', copy));
    }
  });

  it('takes a body that shares its memory with others', async () => {
    const shared = Buffer.concat([Buffer.alloc(10), large()]);
    const judged = await parser.later('events', shared.subarray(10));
    assert.equal(judged.judgement.ok, true);
    assert.equal(shared[10], 0x7b);
  });

  it('goes on with a new thread after one that had to grow, answering what waited', async () => {
    const grown = Buffer.from(`[${'[],'.repeat(3_000_000)}[]]`);
    const answers = await Promise.all([parser.later('events', grown), parser.later('events', large())]);
    assert.deepEqual(
      answers.map((judged) => judged.judgement.ok),
      [false, true],
    );
    assert.equal((await parser.later('events', large())).judgement.ok, true);
  });

  it('refuses what it had been given when it is stopped', async () => {
    const waiting = parser.later('events', large());
    await parser.close();
    await assert.rejects(waiting, { code: 'unavailable', status: 503 });
    assert.equal((await parser.later('events', large())).judgement.ok, true);
  });
});
