/** Teams that send much at once, and what others notice of it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { GROUP, keys } from '#weir/shared/streams/keys';
import { pluck } from '../support/pluck.ts';
import { until } from '../support/wait.ts';
import { CARD, KEY } from './configuration.ts';
import { newRun, type System, startSystem } from './system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system?.close());

/** Single digits in random order, which nobody has sent before. */
function matrix(length: number): string {
  const digits = Array.from({ length: length / 2 }, () => Math.floor(Math.random() * 10));
  return digits.join(' ');
}

describe('a batch of large texts of digits', () => {
  const TEXTS = 24;

  it('is evaluated in full at its first attempt, and checks of another team, large and small, are answered meanwhile', async () => {
    const events = Array.from({ length: TEXTS }, (_, i) => ({
      type: 'reasoning',
      event_id: `e${i}`,
      content: i === TEXTS - 1 ? `${matrix(249_000)}\n${CARD}` : matrix(250_000),
    }));
    const order: string[] = [];
    const noted = async <T>(name: string, answer: Promise<T>): Promise<T> => {
      const given = await answer;
      order.push(name);
      return given;
    };
    const batch = noted('batch', system.events(events, { run_id: newRun() }));
    const slow = keys.checks(0, 'slow');
    await until('it is at work', async () => ((await system.redis.xpending(slow, GROUP)) as [number])[0] === 1);
    const theirs = (content: string) => {
      const body = { environment_id: 'prod', event: { type: 'reasoning', content } };
      return system.post('/api/event', body, { key: KEY.globex });
    };
    const large = noted('large', theirs('an answer '.repeat(25_000)));
    const small: number[] = [];
    for (let i = 0; i < 10; i++) small.push((await noted('small', theirs(`answer ${i}`))).status);
    assert.equal((await large).status, 200);
    const delivered = (await system.redis.xpending(slow, GROUP, '-', '+', 10)) as [string, string, number, number][];
    const { json } = await batch;
    assert.deepEqual([...new Set(small)], [200]);
    assert.equal(order.at(-1), 'batch', order.join());
    assert.equal(delivered[0]?.[3], 1, 'its first attempt');
    assert.equal(json.failed, 0);
    assert.deepEqual([...new Set(pluck(json.order, 'status'))], ['completed']);
    assert.equal(json.results.reasoning[`e${TEXTS - 1}`].flagged, true);
    assert.equal(await system.redis.xlen(keys.dead(0)), 0);
  });

  it('leaves its texts whole in history, and nothing of them in Redis', async () => {
    const contents = Array.from({ length: 5 }, () => matrix(200_000));
    const events = contents.map((content, i) => ({ type: 'reasoning', event_id: `e${i}`, content }));
    const { json } = await system.events(events, { run_id: newRun() });
    await system.archived();
    const ids = json.order.map(({ internal_event_id: id }: { internal_event_id: string }) => id);
    const rows = await system.sql(
      `SELECT id, lower(hex(SHA256(content))) AS hash FROM weir.contents FINAL WHERE id IN ('${ids.join("','")}')`,
    );
    const hashes = new Map(rows.map(({ id, hash }) => [id, hash]));
    assert.deepEqual(
      ids.map((id: string) => hashes.get(id)),
      contents.map((content) => createHash('sha256').update(content).digest('hex')),
    );
    await until('its segments are deleted', async () => (await system.redis.keys('segments:*')).length === 0);
  });
});
