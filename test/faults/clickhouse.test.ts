/** The ClickHouse engine ends without a word, or is away for long, under load. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { partsOf } from '#weir/shared/ids';
import { keys } from '#weir/shared/streams/keys';
import { verdictsOf } from '../support/ledger.js';
import { createClient } from '../support/load.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { sleep, until } from '../support/wait.js';

/** Checks that are answered while the engine is away. A longer absence takes its time: `WEIR_LONG=1`. */
const ANSWERED_AWAY = process.env.WEIR_LONG === '1' ? 3000 : 150;
const LIMIT_MS = 300_000;

let stack: TestStack;

before(async () => {
  stack = await startTestStack();
});
after(() => stack?.close());

describe('a ClickHouse engine', () => {
  it('that is killed at any moment has every row once', async () => {
    const load = stack.load('engine');
    for (let i = 0; i < 4; i++) {
      await sleep(300 + 1200 * Math.random());
      await stack.clickhouse.kill();
      await sleep(200 * Math.random());
      await stack.clickhouse.restart();
    }
    const { accepted, refused, timeouts, broken } = await stack.settle('engine', load);
    assert.ok(accepted > 100, `${accepted} answers`);
    assert.deepEqual({ refused, timeouts, broken }, { refused: 0, timeouts: 0, broken: [] });
  });

  it('that is away holds up no verdict, and everything is archived when it is back', async () => {
    const client = createClient(stack.url, stack.key);
    const load = stack.load('away');
    await until('answers', () => load.accepted() > 60);
    const early = verdictsOf(load.sent[0]!)[0]!;
    const cold = async (): Promise<boolean> => (await stack.connection.exists(keyOf(early.id))) === 0;
    await until('the first result has left Redis', cold);
    await stack.clickhouse.kill();
    const before = load.accepted();
    const limit = Date.now() + LIMIT_MS;
    while (load.accepted() < before + ANSWERED_AWAY) {
      assert.ok(Date.now() < limit, 'verdicts go on');
      const hot = load.sent.at(-1)!;
      const { id } = verdictsOf(hot)[0]!;
      const path = hot.kind === 'session' ? `/api/session/${id}` : `/api/event/${id}?environment_id=prod`;
      assert.equal((await client.request('GET', path)).status, 200, 'a result that is hot');
      const missed = await client.request('GET', `/api/event/${early.id}?environment_id=prod`);
      assert.equal(missed.status, 503, 'nobody can say that a result does not exist');
      await sleep(500);
    }
    await stack.clickhouse.restart();
    const { refused, timeouts, broken } = await stack.settle('away', load);
    assert.deepEqual({ refused, timeouts, broken }, { refused: 0, timeouts: 0, broken: [] });
    client.close();
  });
});

function keyOf(id: string): string {
  const parts = partsOf(id)!;
  return keys.result(parts.partition, parts.requestId);
}
