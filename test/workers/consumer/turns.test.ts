import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurns } from '#weir/workers/consumer/turns';
import { gate, sleep } from '../../support/wait.js';

/** A job that ends when it is told to. */
function held(log: string[], name: string): { job: () => Promise<void>; end(): void } {
  const { open, end } = gate();
  return {
    job: () => {
      log.push(name);
      return open;
    },
    end,
  };
}

/** Lets the clock of the turns move. */
const moment = (): Promise<void> => sleep(3);

describe('turns', () => {
  it('runs as many jobs at once as there are slots, those of a team in order', async () => {
    const turns = createTurns({ slots: 2 });
    const log: string[] = [];
    const jobs = ['a', 'b', 'c', 'd'].map((name) => held(log, name));
    for (const { job } of jobs) turns.add('acme', job);
    assert.deepEqual(log, ['a', 'b']);
    jobs[1]!.end();
    await moment();
    assert.deepEqual(log, ['a', 'b', 'c']);
    for (const { end } of jobs) end();
    await moment();
    assert.deepEqual(log, ['a', 'b', 'c', 'd']);
  });

  it('gives the next slot to the team that has had least, however many jobs another team has', async () => {
    const turns = createTurns({ slots: 1 });
    const log: string[] = [];
    const many = Array.from({ length: 100 }, (_, i) => held(log, `hostile ${i}`));
    for (const { job } of many) turns.add('hostile', job);
    await moment();
    const one = held(log, 'acme');
    turns.add('acme', one.job);
    many[0]!.end();
    await moment();
    assert.deepEqual(log, ['hostile 0', 'acme']);
    one.end();
    await moment();
    assert.deepEqual(log.slice(2), ['hostile 1']);
  });

  it('lets a job pass its slot to other teams, and go on before those of its team that have not started', async () => {
    const turns = createTurns({ slots: 1 });
    const log: string[] = [];
    const work = gate();
    turns.add('hostile', async ({ pass }) => {
      for (let slice = 0; slice < 3; slice++) {
        log.push(`slice ${slice}`);
        await work.open;
        await pass();
      }
      log.push('done');
    });
    for (const name of ['hostile 1', 'hostile 2']) turns.add('hostile', async () => void log.push(name));
    await moment();
    const others = ['acme', 'other'].map((name) => held(log, name));
    turns.add('acme', others[0]!.job);
    turns.add('other', others[1]!.job);
    work.end();
    await moment();
    assert.deepEqual(log, ['slice 0', 'acme']);
    others[0]!.end();
    await moment();
    assert.deepEqual(log, ['slice 0', 'acme', 'other']);
    others[1]!.end();
    await moment();
    assert.deepEqual(log.slice(3), ['slice 1', 'slice 2', 'done', 'hostile 1', 'hostile 2']);
  });

  it('lets a job pass its slot until something is ready, and go on before later ones of its team', async () => {
    const turns = createTurns({ slots: 1 });
    const log: string[] = [];
    const ready = gate();
    turns.add('acme', async ({ pass }) => {
      log.push('begins');
      await pass(ready.open);
      log.push('goes on');
    });
    const [second, third] = [held(log, 'second'), held(log, 'third')];
    turns.add('acme', second.job);
    turns.add('acme', third.job);
    assert.deepEqual(log, ['begins', 'second']);
    ready.end();
    await moment();
    assert.deepEqual(log, ['begins', 'second'], 'the slot is taken');
    second.end();
    await moment();
    assert.deepEqual(log, ['begins', 'second', 'goes on', 'third']);
    third.end();
  });

  it('takes no further slot for a job that passes its own', async () => {
    const turns = createTurns({ slots: 1, spare: 1 });
    const log: string[] = [];
    turns.add('hostile', async ({ pass }) => {
      for (let slice = 0; slice < 10; slice++) await pass();
      log.push('done');
    });
    const other = held(log, 'hostile 1');
    turns.add('hostile', other.job);
    await moment();
    assert.deepEqual(log, ['done', 'hostile 1']);
    assert.equal(await turns.idle(0), false);
    other.end();
    assert.equal(await turns.idle(1000), true);
  });

  it('has jobs of a team go on in the order in which they were added, whichever passed its slot first', async () => {
    const turns = createTurns({ slots: 2 });
    const log: string[] = [];
    const passes = ['first', 'second'].map((name) => {
      const { open, end } = gate();
      turns.add('acme', async ({ pass }) => {
        await open;
        await pass();
        log.push(name);
      });
      return end;
    });
    const others = ['other 1', 'other 2'].map((name) => held(log, name));
    for (const { job } of others) turns.add('other', job);
    await moment();
    passes[1]!();
    await moment();
    passes[0]!();
    await moment();
    assert.deepEqual(log, ['other 1', 'other 2']);
    others[0]!.end();
    await moment();
    assert.deepEqual(log.slice(2), ['first', 'second']);
    others[1]!.end();
  });

  it('gives a job the slot back that it has lent, and has later jobs of its team wait with it', async () => {
    const turns = createTurns({ slots: 2 });
    const log: string[] = [];
    const lends = ['first', 'second'].map((name) => {
      const { open, end } = gate();
      turns.add('acme', async (place) => {
        const { slot } = place;
        await open;
        await place.lend();
        assert.equal(place.slot, slot);
        log.push(name);
      });
      return end;
    });
    const [one, two] = ['one', 'two'].map((name) => held(log, name));
    turns.add('other', one!.job);
    turns.add('third', two!.job);
    await moment();
    for (const end of lends) end();
    await moment();
    assert.deepEqual(log, ['one', 'two'], 'each in a slot that was lent');
    two!.end();
    await moment();
    assert.deepEqual(log.slice(2), [], 'the slot of the second is free, and that of the first is not');
    turns.add('third', async () => void log.push('three'));
    await moment();
    assert.deepEqual(log.slice(2), ['three'], 'another team may have it');
    one!.end();
    await moment();
    assert.deepEqual(log.slice(3), ['first', 'second']);
  });

  it('gives spare slots to teams that hold few, where it is told how few', async () => {
    const turns = createTurns({ slots: 2, spare: Number.POSITIVE_INFINITY, few: 2 });
    const log: string[] = [];
    const jobs = ['acme', 'other', 'third'].flatMap((team) =>
      [1, 2, 3].map((n) => ({ team, ...held(log, `${team} ${n}`) })),
    );
    for (const { team, job } of jobs) turns.add(team, job);
    assert.deepEqual(log, ['acme 1', 'acme 2', 'other 1', 'other 2', 'third 1', 'third 2']);
    assert.equal(await turns.idle(1), false);
    jobs[1]!.end();
    await moment();
    assert.deepEqual(log.slice(6), ['acme 3']);
    for (const { end } of jobs) end();
    assert.equal(await turns.idle(60_000), true);
  });

  it('gives spare slots only to teams that hold no slot', async () => {
    const turns = createTurns({ slots: 2, spare: 2 });
    const log: string[] = [];
    const many = Array.from({ length: 10 }, (_, i) => held(log, `hostile ${i}`));
    for (const { job } of many) turns.add('hostile', job);
    assert.deepEqual(log, ['hostile 0', 'hostile 1']);
    const [first, second, other, late] = ['first', 'second', 'other', 'late'].map((name) => held(log, name));
    turns.add('acme', first!.job);
    turns.add('acme', second!.job);
    turns.add('zeta', other!.job);
    turns.add('late', late!.job);
    assert.deepEqual(log.slice(2), ['first', 'other'], 'each one, and no more than there are');
    assert.equal(await turns.idle(1), false);
    many[0]!.end();
    await moment();
    assert.deepEqual(log.slice(4), ['late'], 'it has none');
    first!.end();
    await moment();
    assert.deepEqual(log.slice(5), ['second']);
    for (const { end } of [many[1]!, other!, late!, second!]) end();
    await moment();
    assert.deepEqual(log.slice(6), ['hostile 2', 'hostile 3']);
    for (const { end } of many) end();
  });

  it('counts the time of jobs, not their number', async () => {
    const turns = createTurns({ slots: 1 });
    const log: string[] = [];
    const costly = [held(log, 'costly'), held(log, 'costly')];
    const cheap = Array.from({ length: 5 }, () => held(log, 'cheap'));
    for (const { job } of costly) turns.add('hostile', job);
    for (const { job, end } of cheap) {
      turns.add('acme', job);
      end();
    }
    await sleep(50);
    costly[0]!.end();
    await moment();
    // Five short jobs run before the second long one.
    assert.deepEqual(log, ['costly', 'cheap', 'cheap', 'cheap', 'cheap', 'cheap', 'costly']);
    costly[1]!.end();
  });

  it('counts the time of jobs that still run', async () => {
    const turns = createTurns({ slots: 2 });
    const log: string[] = [];
    const [long, before, next] = [held(log, 'long'), held(log, 'before'), held(log, 'next')];
    turns.add('hostile', long.job);
    turns.add('third', before.job);
    turns.add('hostile', next.job);
    await moment();
    const one = held(log, 'acme');
    turns.add('acme', one.job);
    before.end();
    await moment();
    assert.deepEqual(log, ['long', 'before', 'acme']);
    for (const { end } of [long, next, one]) end();
  });

  it('saves up no time for a team that was away', async () => {
    const turns = createTurns({ slots: 1 });
    const log: string[] = [];
    const work = async (team: string): Promise<void> => {
      log.push(team);
      await moment();
    };
    // One team works while the other is away. Then both have the same work.
    for (let i = 0; i < 10; i++) turns.add('busy', () => work('busy'));
    while (log.length < 10) await moment();
    log.length = 0;
    for (let i = 0; i < 10; i++) {
      turns.add('busy', () => work('busy'));
      turns.add('rested', () => work('rested'));
    }
    while (log.length < 10) await moment();
    const rested = log.slice(0, 10).filter((team) => team === 'rested').length;
    assert.ok(rested >= 3 && rested <= 7, log.join());
  });

  it('says when a slot is free and no job waits for it', async () => {
    const turns = createTurns({ slots: 1 });
    assert.equal(await turns.idle(60_000), true);
    const [first, second] = [held([], 'a'), held([], 'b')];
    turns.add('acme', first.job);
    turns.add('acme', second.job);
    assert.equal(await turns.idle(1), false);
    const idle = turns.idle(60_000);
    first.end();
    second.end();
    assert.equal(await idle, true);
  });
});
