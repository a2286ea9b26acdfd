/** Large requests on the threads: evaluated in slices, with other tasks between. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { decodeRecord } from '#weir/shared/api/results/record';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { createLogger } from '#weir/shared/log';
import { compilePlan } from '#weir/shared/policy/compile';
import { BUNDLE_NAMES } from '#weir/shared/policy/detectors/terms/bundles';
import { ThreadLost, TookTooLong } from '#weir/shared/process/threads';
import { NOTHING_GATHERED } from '#weir/workers/evaluator/gather/gather-context';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';
import { createPool, type FinishedTask, type Pool } from '#weir/workers/evaluator/threads/pool';
import type { ChunkTask } from '#weir/workers/evaluator/threads/thread';
import { seeded } from '../../../shared/policy/work/generators.ts';
import { entryOf } from '../support.ts';

const cardOf = (team: string): string => `aaaaaaaa-0000-4000-8000-00000000000${team === 't' ? 1 : team}`;
const NUMBERS = 'bbbbbbbb-0000-4000-8000-000000000002';
const TEXT = JSON.stringify({
  version: 1,
  teams: ['t', 'a', 'b', 'c', 'o', 'x', 'y', 'z'].map((id) => ({ id })),
  policies: [
    ...['t', 'a', 'b', 'c'].map((team) => (
      { id: cardOf(team), team, name: 'Card', detect: { any: [{ pii: { entities: ['CREDIT_CARD'] } }, { terms: { list: ['secret'] } }] } }
    )),
    { id: NUMBERS, team: 't', name: 'Numbers', detect: { pii: { entities: 'all' } } },
  ],
  deployments: [{ id: 'd', team: 't', name: 'D', policies: [NUMBERS] }],
  environments: [
    ...['o', 'x', 'y', 'z'].map((team) => ({ id: `of-${team}`, team, conditions: [] })),
    ...['t', 'a', 'b', 'c'].map((team) => (
      { id: team === 't' ? 'e' : `of-${team}`, team, conditions: [{ id: 'all', name: 'All', when: 'true', policies: [cardOf(team)] }] }
    )),
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

function taskOf(entries: readonly ReturnType<typeof batch>[]): ChunkTask {
  let at = 0;
  const listed = entries.map(({ id, header, body: { length } }) => {
    at += length;
    return { id, header, gathered: NOTHING_GATHERED, late: false, at: at - length, length };
  });
  const bodies = new Uint8Array(Buffer.concat(entries.map(({ body }) => body)));
  return { version: 1, plan: '1-a@b', configuration: TEXT, entries: listed, bodies, moves: false };
}

const itemsOf = ({ outcomes, bytes }: Pick<FinishedTask, 'outcomes' | 'bytes'>) =>
  outcomes.map(({ record: [at, length] }) => decodeRecord(Buffer.from(bytes.subarray(at, at + length))).items);

/** The same, of another team. */
function taskOfTeam(team: string, contents: readonly string[]): ChunkTask {
  const events = contents.map((content, i) => ({ type: 'message', role: 'user', event_id: `e${i}`, run_id: 'r', content }));
  const scope = `of-${team}`;
  const { header, ...entry } = entryOf('events', { environment_id: scope, events });
  return taskOf([{ ...entry, header: { ...header, team, scope } }]);
} // biome-ignore format: as short as it is

/** Runs a task, and says in how many slices, each of which is named in `log`. */
async function inSlices(
  run: Pool['run'],
  task: ChunkTask,
  log: string[] = [],
  name = '',
): Promise<FinishedTask & { slices: number }> {
  let slices = 0;
  const spent = (): void => {
    log.push(name);
    slices++;
  };
  return { ...(await run(task, 60_000, { spent })), slices };
}

describe('a batch of large texts', () => {
  const large = batch(30, 200_000);

  it('is evaluated in slices, and its outcome is as if it were not', async () => {
    const { slices, ...done } = await inSlices(pool.runSlow, taskOf([large]));
    assert.ok(slices > 1, `${slices} slices`);
    const whole = decodeRecord(evaluateEntry(plan, large).record).items;
    assert.deepEqual(itemsOf(done), [whole]);
    assert.equal(whole.filter(({ flagged }) => flagged).length, 10);
  });

  it('keeps its thread from no other task between two slices, while it passes its turn', async () => {
    const small = batch(3, 100);
    let slices = 0;
    let others = 0;
    const done = await pool.run(taskOf([large]), 60_000, {
      spent: () => slices++,
      pass: async () => {
        assert.equal(itemsOf(await pool.run(taskOf([small]), 60_000))[0]!.length, 3);
        others++;
      },
    });
    assert.ok(slices > 1);
    assert.equal(others, slices - 1);
    assert.equal(itemsOf(done)[0]!.length, 30);
  });

  it('has the outcomes of all entries of its chunk, whichever slice they are of', async () => {
    const entries = [batch(2, 100), large, batch(3, 100)];
    const { slices, ...done } = await inSlices(pool.run, taskOf(entries));
    assert.ok(slices > 1);
    assert.deepEqual(
      itemsOf(done).map(({ length }) => length),
      [2, 30, 3],
    );
  });

  it('may take longer in all than a thread may be at work at a time', async () => {
    /** ms in all, where no slice takes longer than `limitMs` */
    const inAll = async (limitMs: number): Promise<number> => {
      let total = 0;
      const spent = (microseconds: number): void => {
        total += microseconds / 1000;
      };
      await pool.runSlow(taskOf([large]), limitMs, { spent });
      return total;
    };
    let finished = false;
    // Each slice takes a small part of half of that, but where a busy machine gives the thread nothing for so long.
    for (let attempt = 0; attempt < 10 && !finished; attempt++) {
      const limitMs = (await inAll(60_000)) / 2;
      finished = await inAll(limitMs).then(
        () => true,
        (error) => {
          assert.ok(error instanceof TookTooLong);
          return false;
        },
      );
    }
    assert.ok(finished);
  });

  it('says so where its thread has ended between two slices', async () => {
    const own = createPool({ threads: 1, slow: 1, logger: createLogger('test', 'silent') });
    const pass = async (): Promise<void> => {
      // All of it is read before the first look at the slice.
      const content = `[${'1,'.repeat(4_000_000)}1]`;
      const event = { type: 'message', role: 'user', event_id: 'e', run_id: 'r', content };
      const slow = entryOf('events', { environment_id: 'e', events: [event] });
      await assert.rejects(own.run(taskOf([slow]), 1), TookTooLong);
    };
    await assert.rejects(own.run(taskOf([large]), 60_000, { pass }), ThreadLost);
    await own.end();
  });
});

describe('a try', () => {
  it('that takes longer than its caller waits is there for the next one', async () => {
    const own = createPool({ threads: 1, slow: 1, overtimeMs: 60_000, logger: createLogger('test', 'silent') });
    const task = taskOf([batch(3, 100)]);
    const { version, plan: named } = task;
    let asked = 0;
    // Each plan takes a thread longer than the watch of its limit: all bundles are read first.
    const all = JSON.parse(TEXT);
    all.policies[0].detect = { any: [{ terms: { bundle: BUNDLE_NAMES } }, { terms: { list: ['secret'] } }] };
    const configuration = JSON.stringify(all);
    const limits = {
      plan: { version, plan: 'as it is', configuration: TEXT },
      planMs: 60_000,
      left: () => ++asked && 1,
    };
    const tried = { ...task, configuration, plan: `${named} edited` };
    assert.equal(itemsOf(await own.runTry(tried, limits))[0]!.length, 3);
    const { configuration: _, ...known } = tried;
    assert.equal(itemsOf(await own.runTry(known, limits))[0]!.length, 3);
    assert.equal(asked, 2);
    await own.end();
  });

  it('whose caller is gone before it begins is none', async () => {
    const own = createPool({ threads: 1, slow: 1, logger: createLogger('test', 'silent') });
    const limits = { plan: { version: 1, plan: 'as it is', configuration: TEXT }, planMs: 60_000, left: () => 0 };
    await assert.rejects(own.runTry(taskOf([batch(3, 100)]), limits), TookTooLong);
    await own.end();
  });
});

describe('the line of the slow threads', () => {
  const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => text(i, 200_000));

  for (const line of ['runSlow', 'runAlone'] as const) {
    it(`finishes what a team has sent first before the next begins (${line})`, async () => {
      const log: string[] = [];
      const all = ['first', 'second', 'third'].map(async (name) => {
        const { slices } = await inSlices(pool[line], taskOfTeam('a', texts(20)), log, name);
        return Array.from({ length: slices }, () => name);
      });
      const inOrder = (await Promise.all(all)).flat();
      assert.ok(inOrder.length > 3);
      assert.deepEqual(log, inOrder);
    });
  }

  it('serves teams in turn, slice by slice, and each its first batch first', async () => {
    const log: string[] = [];
    // One thread, so that what follows does not depend on the processors. Its start is no time of a team.
    await pool.runAlone(taskOfTeam('o', ['x']), 60_000);
    const run = (team: string, name: string) => inSlices(pool.runAlone, taskOfTeam(team, texts(20)), log, name);
    await Promise.all(['a', 'b', 'c'].flatMap((team) => [run(team, `${team} first`), run(team, `${team} second`)]));
    const until = (name: string): string[] => log.slice(0, log.lastIndexOf(name) + 1);
    for (const team of ['a', 'b', 'c']) assert.ok(!until(`${team} first`).includes(`${team} second`), String(log));
    const [done] = ['a', 'b', 'c'].map((team) => `${team} first`).sort((x, y) => until(x).length - until(y).length);
    for (const name of ['a first', 'b first', 'c first']) {
      const had = until(done!).filter((slice) => slice === name).length;
      assert.ok(had > 1, `${had} slices of ${name} before the end of ${done}`);
    }
  });

  it('has two batches of a team at work at once where threads are free', async () => {
    const two = createPool({ threads: 1, slow: 2, logger: createLogger('test', 'silent') });
    const log: string[] = [];
    const run = (name: string, count: number) => inSlices(two.runSlow, taskOfTeam('a', texts(count)), log, name);
    await Promise.all([run('starts one', 1), run('starts the other', 1)]);
    await Promise.all([run('long', 40), run('short', 1)]);
    assert.ok(log.indexOf('short') < log.lastIndexOf('long'), String(log));
    await two.end();
  });

  it('finds the images of a team in its turn, and those of others meanwhile', async () => {
    const log: string[] = [];
    const find = async (team: string): Promise<void> => {
      const { entries, bodies, ...task } = taskOfTeam(team, ['no image']);
      const { images } = await pool.extractAlone({ ...task, header: entries[0]!.header, body: bodies }, 60_000);
      assert.deepEqual(images, []);
      log.push(`images of ${team}`);
    };
    await Promise.all([inSlices(pool.runAlone, taskOfTeam('a', texts(20)), log, 'texts of a'), find('a'), find('b')]);
    assert.equal(log.at(-1), 'images of a');
    assert.ok(log.indexOf('images of b') < log.lastIndexOf('texts of a'), String(log));
  });
});

describe('a single text that takes long', () => {
  const LONG = 6_000_000;
  const theirs = (): ChunkTask => taskOfTeam('o', ['x']);

  it('delays no other team, but what its own team has behind it', async () => {
    // So that the spare thread is there.
    await Promise.all([taskOf([batch(1, LONG)]), theirs()].map((task) => pool.runSlow(task, 60_000)));
    const order: string[] = [];
    const noted = async (name: string, task: ChunkTask): Promise<void> => {
      const { outcomes } = await pool.runSlow(task, 60_000);
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
    const noted = async (name: string, task: ChunkTask): Promise<void> => {
      await pool.runSlow(task, 60_000);
      order.push(name);
    };
    await Promise.all([
      ...['x', 'y', 'z'].map((team) => noted(team, taskOfTeam(team, [text(0, LONG)]))),
      ...['x', 'y', 'z'].map((team) => noted(`${team} again`, taskOfTeam(team, [text(1, LONG)]))),
      noted('theirs', theirs()),
    ]);
    assert.equal(order.filter((name) => name.endsWith('again')).length, 3);
    assert.ok(order.indexOf('theirs') < order.findIndex((name) => name.endsWith('again')), String(order));
  });
});

describe('the text of a session', () => {
  it('is evaluated in slices where it is long, and its outcome is as if it were not', async () => {
    const random = seeded(1);
    const numbers = Array.from({ length: 120_000 }, () => random(10 ** (1 + random(15)))).join(' ');
    const content = numbers.slice(0, 1_048_576);
    const entry = entryOf('session', { deployment_id: 'd', messages: [{ role: 'user', content }] });
    const { slices, ...done } = await inSlices(pool.runSlow, taskOf([entry]));
    assert.ok(slices > 1, `${slices} slices`);
    const whole = decodeRecord(evaluateEntry(plan, entry).record).items;
    assert.deepEqual(itemsOf(done), [whole]);
    assert.equal(whole[0]!.flagged, true);
  });
});

describe('a batch of a few texts', () => {
  it('is one slice, whatever the clock says', async () => {
    const { slices } = await inSlices(pool.run, taskOf([batch(10, 300)]));
    assert.equal(slices, 1);
  });
});
