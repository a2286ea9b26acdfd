/** Large requests on the threads: evaluated in slices, with other tasks between. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { decodeRecord } from '#weir/shared/api/results/record';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { createLogger } from '#weir/shared/log';
import { compilePlan } from '#weir/shared/policy/compile';
import { NOTHING_GATHERED } from '#weir/workers/evaluator/gather/gather-context';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';
import { ThreadLost, TookTooLong } from '#weir/workers/evaluator/threads/group';
import { createPool, type Done } from '#weir/workers/evaluator/threads/pool';
import type { Task } from '#weir/workers/evaluator/threads/thread';
import { entryOf, finished } from '../support.ts';

const CARD = 'aaaaaaaa-0000-4000-8000-000000000001';
const TEXT = JSON.stringify({
  version: 1,
  teams: ['t', 'o', 'a', 'b', 'c'].map((id) => ({ id })),
  policies: [
    { id: CARD, team: 't', name: 'Card', detect: { any: [{ pii: { entities: ['CREDIT_CARD'] } }, { terms: { list: ['secret'] } }] } },
  ],
  environments: [
    { id: 'e', team: 't', conditions: [{ id: 'all', name: 'All', when: 'true', policies: [CARD] }] },
    ...['o', 'a', 'b', 'c'].map((team) => ({ id: `of-${team}`, team, conditions: [] })),
  ],
}); // biome-ignore format: as short as it is
const loaded = loadConfiguration(TEXT);
assert.ok(loaded.ok);
const plan = compilePlan(loaded.configuration, 1);

const pool = createPool({ threads: 1, slow: 1, logger: createLogger('test', 'silent') });
after(() => pool.end());

/** English of about so many characters, which no other one of the test is. */
const text = (i: number, characters: number): string =>
  `text ${i} `.repeat(Math.ceil(characters / 7)).slice(0, characters);

/** A batch of so many texts, of which every third one is flagged. */
function batch(texts: number, characters: number) {
  const events = Array.from({ length: texts }, (_, i) => ({
    type: 'message',
    role: 'user',
    event_id: `e${i}`,
    run_id: 'r',
    content: `${text(i, characters)}${i % 3 === 0 ? ' secret' : ''}`,
  }));
  return entryOf('events', { environment_id: 'e', events });
}

function taskOf(entries: readonly ReturnType<typeof batch>[]): Task {
  let at = 0;
  const listed = entries.map(({ id, header, body: { length } }) => {
    at += length;
    return { id, header, gathered: NOTHING_GATHERED, late: false, at: at - length, length };
  });
  const bodies = new Uint8Array(Buffer.concat(entries.map(({ body }) => body)));
  return { version: 1, plan: '1-a@b', configuration: TEXT, entries: listed, bodies, moves: false };
}

const itemsOf = ({ outcomes, bytes }: Pick<Done, 'outcomes' | 'bytes'>) =>
  outcomes.map(
    ({ record: [at, length] }) => decodeRecord(Buffer.from(bytes.subarray(at, at + length)).toString()).items,
  );

describe('a batch of large texts', () => {
  const large = batch(30, 200_000);

  it('is evaluated in slices, and its outcome is as if it were not', async () => {
    const { slices, ...done } = await finished(pool.runSlow(taskOf([large]), 60_000));
    assert.ok(slices > 2, `${slices} slices`);
    const whole = decodeRecord(evaluateEntry(plan, large).record.toString()).items;
    assert.deepEqual(itemsOf(done), [whole]);
    assert.equal(whole.filter(({ flagged }) => flagged).length, 10);
  });

  it('keeps its thread from no other task between two slices', async () => {
    const small = batch(3, 100);
    let others = 0;
    const { slices, ...done } = await finished(pool.runSlow(taskOf([large]), 60_000), async () => {
      const other = await finished(pool.runSlow(taskOf([small]), 60_000));
      assert.equal(other.slices, 1);
      assert.equal(itemsOf(other)[0]!.length, 3);
      others++;
    });
    assert.equal(others, slices - 1);
    assert.equal(itemsOf(done)[0]!.length, 30);
  });

  it('has the outcomes of all entries of its chunk, whichever slice they are of', async () => {
    const entries = [batch(2, 100), large, batch(3, 100)];
    const { slices, ...done } = await finished(pool.run(taskOf(entries), 60_000));
    assert.ok(slices > 2);
    assert.deepEqual(
      itemsOf(done).map(({ length }) => length),
      [2, 30, 3],
    );
  });

  it('may take longer in all than a thread may be at work at a time', async () => {
    /** ms in all, where no slice takes longer than `limitMs` */
    const inAll = async (limitMs: number): Promise<number> => {
      let step = await pool.runSlow(taskOf([large]), limitMs);
      let total = step.microseconds;
      while (step.status === 'paused') {
        step = await step.goOn(limitMs);
        total += step.microseconds;
      }
      return total / 1000;
    };
    const total = await inAll(60_000);
    // Each slice takes a small part of that.
    assert.ok((await inAll(total / 2)) > 0);
  });

  it('says so where its thread has ended between two slices', async () => {
    const own = createPool({ threads: 1, slow: 1, logger: createLogger('test', 'silent') });
    const step = await own.run(taskOf([large]), 60_000);
    assert.ok(step.status === 'paused');
    await assert.rejects(own.run(taskOf([batch(1, 20_000_000)]), 1), TookTooLong);
    await assert.rejects(step.goOn(60_000), ThreadLost);
    await own.end();
  });
});

describe('a single text that takes long', () => {
  const LONG = 6_000_000;
  const of = (team: string, content: string): Task => {
    const event = { type: 'message', role: 'user', event_id: 'e', run_id: 'r', content };
    const scope = `of-${team}`;
    const { header, ...entry } = entryOf('events', { environment_id: scope, events: [event] });
    return taskOf([{ ...entry, header: { ...header, team, scope } }]);
  };
  const theirs = (): Task => of('o', 'x');

  it('delays no other team, but what its own team has in the slow lane', async () => {
    // So that the spare thread is there.
    await Promise.all([
      finished(pool.runSlow(taskOf([batch(1, LONG)]), 60_000)),
      finished(pool.runSlow(theirs(), 60_000)),
    ]);
    const order: string[] = [];
    const noted = async (name: string, task: Task): Promise<void> => {
      const { outcomes } = await finished(pool.runSlow(task, 60_000));
      assert.equal(outcomes[0]!.items, 1);
      order.push(name);
    };
    await Promise.all([
      noted('long', taskOf([batch(1, LONG)])),
      noted('own', taskOf([batch(1, 10)])),
      noted('theirs', theirs()),
    ]);
    assert.deepEqual(order, ['theirs', 'long', 'own']);
  });

  it('is followed by what a team without any has, on whichever thread is free first, though its own team has another one', async () => {
    const order: string[] = [];
    const noted = async (name: string, task: Task): Promise<void> => {
      await finished(pool.runSlow(task, 60_000));
      order.push(name);
    };
    await Promise.all([
      ...['a', 'b', 'c'].map((team) => noted(team, of(team, text(0, LONG)))),
      ...['a', 'b', 'c'].map((team) => noted(`${team} again`, of(team, text(1, LONG)))),
      noted('theirs', theirs()),
    ]);
    assert.equal(order.filter((name) => name.endsWith('again')).length, 3);
    assert.ok(order.indexOf('theirs') < order.findIndex((name) => name.endsWith('again')), String(order));
  });
});

describe('a batch of a few texts', () => {
  it('is one slice, whatever the clock says', async () => {
    const { slices } = await finished(pool.run(taskOf([batch(10, 300)]), 60_000));
    assert.equal(slices, 1);
  });
});
