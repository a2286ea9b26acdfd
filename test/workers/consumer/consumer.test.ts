import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { GROUP, keys } from '#weir/shared/streams/keys';
import {
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  type EntriesSlot,
  type RawEntry,
} from '#weir/workers/consumer/consumer';
import { listSilentEntries } from '#weir/workers/consumer/pending';
import { pluck } from '../../support/pluck.ts';
import { sharedRedis } from '../../support/stores/redis.js';
import { handOutAhead } from '../../support/stores/redis-clock.js';
import { gate, sleep, until } from '../../support/wait.js';

const { server, redis } = await sharedRedis();
const logger = createLogger('test', 'silent');

const add = (p: number, body: string): Promise<string | null> =>
  redis.xadd(keys.checks(p), '*', 'header', '{}', 'body', body);

const ack = async ({ partition, lane, id }: RawEntry): Promise<void> => {
  await redis.xack(keys.checks(partition, lane), GROUP, id);
  await redis.xdel(keys.checks(partition, lane), id);
};

const ackAll = async (entries: readonly RawEntry[]): Promise<void> => {
  for (const entry of entries) await ack(entry);
};

/** Finishes what it gets, and notes each in `seen`. */
const noting =
  (seen: string[], named = ({ body }: RawEntry) => body.toString()) =>
  async (entries: readonly RawEntry[]): Promise<void> => {
    for (const entry of entries) {
      seen.push(named(entry));
      await ack(entry);
    }
  };

/** Notes what it gets in `busy`, and finishes it once it may. */
const holding =
  (busy: RawEntry[], open: Promise<unknown>) =>
  async (entries: readonly RawEntry[]): Promise<void> => {
    busy.push(...entries);
    await open;
    await ackAll(entries);
  };

const allDone = () => until('all are done', async () => (await redis.xlen(keys.checks(0))) === 0);

async function withConsumer(
  options: Partial<ConsumerOptions>,
  use: (consumer: Consumer) => Promise<unknown>,
): Promise<void> {
  const consumer = createConsumer({
    name: randomUUID(),
    endpoint: { redisUrl: server.url },
    redis,
    partitions: () => 1,
    lane: 'fast',
    chunk: 8,
    capacity: 2,
    bytes: Number.POSITIVE_INFINITY,
    claimIdleMs: 400,
    attemptsTogether: 2,
    logger,
    handle: async () => undefined,
    ...options,
  });
  consumer.start();
  await use(consumer).finally(() => consumer.stop(2000));
}

describe('the consumer', () => {
  it('reads every partition, also work that was there before any consumer', async () => {
    const seen: string[] = [];
    for (let p = 0; p < 16; p++) await add(p, `body ${p}`);
    const handle = noting(seen, (entry) => `${entry.partition} ${entry.body.toString()}`);
    await withConsumer({ partitions: () => 16, handle }, () =>
      until('all partitions are read', () => seen.length === 16),
    );
    assert.deepEqual(seen.sort(), Array.from({ length: 16 }, (_, p) => `${p} body ${p}`).sort());
  });

  it('reads partitions that come while it runs, without connecting again', async () => {
    let partitions = 1;
    const seen: string[] = [];
    const handle = noting(seen);
    const connections = async (): Promise<number> =>
      Number(/total_connections_received:(\d+)/.exec(await redis.info('stats'))?.[1]);
    await withConsumer({ partitions: () => partitions, handle }, async () => {
      await add(0, 'first');
      await until('the first is read', () => seen.length === 1);
      const before = await connections();
      partitions = 3;
      await add(2, 'third');
      await until('the new one is read', () => seen.length === 2);
      assert.equal(await connections(), before);
    });
  });

  it('reads its own lane only', async () => {
    const seen: string[] = [];
    await add(0, 'fast');
    await redis.xadd(keys.checks(0, 'slow'), '*', 'header', '{}', 'body', 'slow');
    const handle = noting(seen, (entry) => `${entry.lane} ${entry.body.toString()}`);
    await withConsumer({ lane: 'slow', handle }, () =>
      until('its entry is done', async () => (await redis.xlen(keys.checks(0, 'slow'))) === 0),
    );
    assert.deepEqual(seen, ['slow slow']);
    assert.equal(await redis.xlen(keys.checks(0)), 1);
  });

  it('reads nothing more while it holds its limit of bytes', async () => {
    const held: RawEntry[] = [];
    const { open, end } = gate();
    for (let i = 0; i < 5; i++) await add(0, 'x'.repeat(600));
    const handle = async (entries: RawEntry[]): Promise<void> => {
      held.push(...entries);
      await open;
      await ackAll(entries);
    };
    await withConsumer({ chunk: 1, capacity: 100, bytes: 1000, handle }, async () => {
      await until('it is full', () => held.length >= 2);
      await sleep(50);
      assert.equal(held.length, 2);
      end();
      await allDone();
    });
  });

  it('finishes every entry of a read of many partitions with fewer slots than entries', async () => {
    const partitions = 16;
    const [each, body, capacity] = [3, 'x'.repeat(600), 2];
    for (let p = 0; p < partitions; p++) for (let i = 0; i < each; i++) await add(p, body);
    let [now, most, heldMost, done] = [0, 0, 0, 0];
    const work = async (entries: readonly RawEntry[], consumer: Consumer | undefined): Promise<void> => {
      most = Math.max(most, ++now);
      heldMost = Math.max(heldMost, consumer?.underWay() ?? 0);
      await sleep(1);
      now--;
      done += entries.length;
      await ackAll(entries);
    };
    let reading: Consumer | undefined;
    // Every other chunk is set aside, and needs a second slot.
    const handle = async (entries: RawEntry[], { aside }: EntriesSlot): Promise<void> => {
      if (entries[0]!.partition % 2 === 0) aside(entries, sleep(5), () => work(entries, reading));
      else await work(entries, reading);
    };
    // A read brings one entry of each partition.
    await withConsumer({ partitions: () => partitions, chunk: 1, capacity, handle }, async (consumer) => {
      reading = consumer;
      await until('all are done', () => done === partitions * each);
      await until('and let go', () => consumer.underWay() === 0);
    });
    assert.ok(heldMost > capacity + 1, `${heldMost} entries held: more was read than there were places for`);
    assert.equal(most, capacity);
  });

  it('reads one entry at a time where bytes are limited, with many partitions and after all were empty', async () => {
    const partitions = 16;
    const body = 'x'.repeat(600);
    for (let i = 0; i < 3; i++) for (let p = 0; p < partitions; p++) await add(p, body);
    let [heldMost, done] = [0, 0];
    let reading: Consumer | undefined;
    const handle = async (entries: RawEntry[]): Promise<void> => {
      heldMost = Math.max(heldMost, reading?.underWay() ?? 0);
      await ackAll(entries);
      done += entries.length;
    };
    // There is room for one entry.
    await withConsumer(
      { partitions: () => partitions, chunk: 1, capacity: 64, bytes: 600, handle },
      async (consumer) => {
        reading = consumer;
        await until('all are done', () => done === 3 * partitions);
        await sleep(50);
        await Promise.all(Array.from({ length: partitions }, (_, p) => add(p, body)));
        await until('and what came later', () => done === 4 * partitions);
      },
    );
    assert.equal(heldMost, 1);
  });

  it('takes nothing over while it holds its limit of bytes', async () => {
    await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
    for (let i = 0; i < 5; i++) await add(0, 'x'.repeat(600));
    await redis.xreadgroup('GROUP', GROUP, 'dead', 'STREAMS', keys.checks(0), '>');
    let held = 0;
    const { open, end } = gate();
    const handle = async (entries: RawEntry[]): Promise<void> => {
      held += entries.length;
      await open;
      await ackAll(entries);
    };
    await withConsumer({ chunk: 1, capacity: 100, bytes: 1000, handle }, async (consumer) => {
      await until('it is full', () => held === 2);
      await sleep(300);
      assert.deepEqual([held, consumer.underWay()], [2, 2]);
      end();
      await allDone();
    });
  });

  /** As `add`, for a team. */
  const addOf = (team: string, body: string): Promise<string | null> =>
    redis.xadd(keys.checks(0), '*', 'header', JSON.stringify({ id: '1', kind: 'event', team }), 'body', body);

  it('starts the entry of a second team before the rest of a first team’s hundreds', async () => {
    const { open, end } = gate();
    const started: string[] = [];
    const handle = async (entries: RawEntry[]): Promise<void> => {
      started.push(...entries.map(({ body }) => body.toString()));
      if (started.length === 2) await open;
      await ackAll(entries);
    };
    for (let i = 0; i < 200; i++) await addOf('hostile', `hostile ${i}`);
    await withConsumer({ chunk: 2, capacity: 1, handle }, async (consumer) => {
      await until('its place is taken', () => started.length === 2);
      await addOf('acme', 'acme');
      await until('all are read', () => consumer.underWay() === 201);
      end();
      await allDone();
    });
    assert.deepEqual(started.slice(0, 4), ['hostile 0', 'hostile 1', 'acme', 'hostile 2']);
  });

  it('hands over entries of one team together, up to the bytes of a chunk', async () => {
    const chunks: string[][] = [];
    const { open, end } = gate();
    const handle = async (entries: RawEntry[]): Promise<void> => {
      chunks.push(entries.map(({ header }) => JSON.parse(header.toString()).team));
      if (chunks.length === 1) await open;
      await ackAll(entries);
    };
    await addOf('first', 'x');
    await withConsumer({ capacity: 1, handle }, async (consumer) => {
      await until('its place is taken', () => chunks.length === 1);
      for (let i = 0; i < 3; i++) await addOf('large', 'x'.repeat(100 * 1024));
      for (let i = 0; i < 3; i++) for (const team of ['a', 'b']) await addOf(team, 'x');
      await until('all are read', () => consumer.underWay() === 10);
      end();
      await allDone();
    });
    const joined = chunks.map((chunk) => chunk.join()).sort();
    assert.deepEqual(joined, ['a,a,a', 'b,b,b', 'first', 'large', 'large', 'large']);
  });

  it('hands over entries of several partitions of one Redis together once no slot is free', async () => {
    const chunks: number[][] = [];
    const { open, end } = gate();
    const handle = async (entries: RawEntry[]): Promise<void> => {
      chunks.push(entries.map(({ partition }) => partition));
      if (chunks.length === 1) await open;
      await ackAll(entries);
    };
    await add(0, 'first');
    await withConsumer({ partitions: () => 4, capacity: 1, handle }, async (consumer) => {
      await until('its place is taken', () => chunks.length === 1);
      for (const p of [1, 2, 3]) await add(p, 'x');
      await until('all are read', () => consumer.underWay() === 4);
      end();
      await until('all are done', () => consumer.underWay() === 0);
    });
    assert.deepEqual([chunks[0], chunks[1]!.toSorted(), chunks.length], [[0], [1, 2, 3], 2]);
  });

  it('leaves new entries to a worker with a free slot, and reads ahead up to its limit', async () => {
    const { open, end } = gate();
    const busy: RawEntry[] = [];
    let quick = 0;
    const handle = async (entries: RawEntry[]): Promise<void> => {
      await ackAll(entries);
      quick += entries.length;
    };
    await add(0, 'first');
    await withConsumer(
      { chunk: 1, capacity: 1, ahead: 3, claimIdleMs: 60_000, handle: holding(busy, open) },
      async (consumer) => {
        await until('its place is taken', () => busy.length === 1);
        for (let i = 0; i < 5; i++) await add(0, String(i));
        await until('it has read ahead', () => consumer.underWay() === 3);
        await withConsumer({ chunk: 1, claimIdleMs: 60_000, handle }, async () => {
          await until('the rest goes to the other', () => quick === 3);
        });
        assert.equal(consumer.underWay(), 3);
        end();
        await allDone();
      },
    );
  });

  it('reads ahead the less often the more partitions a read names', async () => {
    const { open, end } = gate();
    const busy: RawEntry[] = [];
    const reads = async (): Promise<number> =>
      Number(/cmdstat_xreadgroup:calls=(\d+)/.exec(await redis.info('commandstats'))![1]);
    await add(0, 'first');
    const many = { partitions: () => 500, chunk: 1, capacity: 1, claimIdleMs: 60_000, handle: holding(busy, open) };
    await withConsumer(many, async () => {
      await until('its place is taken', () => busy.length === 1);
      const before = await reads();
      const started = performance.now();
      await until('it has read ahead', async () => (await reads()) >= before + 6);
      // A slow machine takes longer, and none takes less: 4 ms, and 10 for its partitions.
      assert.ok(performance.now() - started >= 5 * 14);
      end();
      await allDone();
    });
  });

  it('hands over a few chunks of every team, however many teams there are, where it is told to', async () => {
    const { open, end } = gate();
    const begun: string[] = [];
    const handle = async (entries: RawEntry[]): Promise<void> => {
      begun.push(entries[0]!.body.toString());
      await open;
      await ackAll(entries);
    };
    const teams = ['acme', 'other', 'third'];
    for (const n of [1, 2, 3]) {
      for (const team of teams) {
        await redis.xadd(keys.checks(0), '*', 'header', JSON.stringify({ team }), 'body', `${team} ${n}`);
      }
    }
    const few = { capacity: 2, spare: Number.POSITIVE_INFINITY, few: 2 };
    await withConsumer({ ...few, chunk: 1, claimIdleMs: 60_000, handle }, async (consumer) => {
      await until('all are read', () => consumer.underWay() === 9);
      assert.deepEqual(begun.sort(), teams.flatMap((team) => [`${team} 1`, `${team} 2`]).sort());
      end();
      await allDone();
    });
    assert.equal(begun.length, 9);
  });

  it('runs no more chunks than it has slots', async () => {
    let now = 0;
    let most = 0;
    let done = 0;
    for (let i = 0; i < 20; i++) await add(0, String(i));
    const handle = async (entries: RawEntry[]): Promise<void> => {
      most = Math.max(most, ++now);
      await sleep(10);
      now--;
      done += entries.length;
      await ackAll(entries);
    };
    await withConsumer({ chunk: 1, capacity: 3, handle }, () => until('all are done', () => done === 20));
    assert.equal(most, 3);
  });

  /** Entries that `times` workers have read and died with. */
  async function left(bodies: readonly string[], times: number): Promise<void> {
    await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM').catch(() => undefined);
    for (const body of bodies) await add(0, body);
    const read = await redis.xreadgroup('GROUP', GROUP, 'dead', 'STREAMS', keys.checks(0), '>');
    const ids = (read as [string, [string, string[]][]][])[0]![1].map(([id]) => id);
    for (let i = 1; i < times; i++) await redis.xclaim(keys.checks(0), GROUP, `dead ${i}`, 0, ...ids);
  }

  it('takes over the entries of a dead worker in groups, with the number of their attempt', async () => {
    const bodies = Array.from({ length: 300 }, (_, i) => String(i));
    await left(bodies, 1);
    const chunks: number[][] = [];
    const handle = async (entries: RawEntry[]): Promise<void> => {
      chunks.push(entries.map(({ attempt }) => attempt));
      await ackAll(entries);
    };
    await withConsumer({ chunk: 32, handle }, () => allDone());
    assert.deepEqual(pluck(chunks, 'length'), [...Array<number>(37).fill(8), 4]);
    assert.deepEqual([...new Set(chunks.flat())], [2]);
  });

  it('hands over entries of two dead workers alone, one after the other, and counts the attempt only then', async () => {
    await left(['a', 'b', 'c'], 2);
    await left(['once'], 1);
    const { open, end } = gate();
    const started: string[] = [];
    const handle = async (entries: RawEntry[]): Promise<void> => {
      started.push(entries.map(({ body, attempt }) => `${body} ${attempt}`).join());
      if (entries[0]!.body.toString() === 'a') await open;
      await ackAll(entries);
    };
    await withConsumer({ capacity: 8, handle }, async () => {
      await until('what may come in a group does not wait', () => started.includes('once 2'));
      await until('the first alone', () => started.includes('a 3'));
      const pending = (await redis.xpending(keys.checks(0), GROUP, '-', '+', 10)) as unknown[][];
      const delivered = pending.map(([, , , times]) => times);
      assert.deepEqual(delivered, [3, 2, 2]);
      assert.equal(started.length, 2);
      end();
      await allDone();
    });
    assert.deepEqual(started.filter((one) => one !== 'once 2').sort(), ['a 3', 'b 3', 'c 3']);
  });

  it('takes over those of its share of the partitions, as that is now', async () => {
    await left(['a'], 1);
    const seen: string[] = [];
    let asked = 0;
    let own: number[] = [];
    const mine = async (): Promise<number[]> => {
      asked++;
      return own;
    };
    await withConsumer({ own: mine, handle: noting(seen) }, async () => {
      await until('its claim is over', async () => {
        const silent = await redis.xpending(keys.checks(0), GROUP, 'IDLE', 400, '-', '+', 10);
        return silent.length === 1;
      });
      const rounds = asked + 3;
      await until('it has had rounds', () => asked >= rounds);
      assert.deepEqual(seen, [], 'it belongs to others');
      own = [0];
      await allDone();
    });
    assert.deepEqual(seen, ['a']);
  });

  it('takes over entries that were handed out before the clock of Redis was set back', async () => {
    await left(['a', 'b'], 1);
    await handOutAhead(redis, keys.checks(0), 3_600_000);
    const silent = await redis.xpending(keys.checks(0), GROUP, 'IDLE', 1, '-', '+', 10);
    assert.deepEqual(silent, [], 'for Redis they are not silent for an hour');
    const seen: string[] = [];
    const handle = noting(seen, (entry) => `${entry.body} ${entry.attempt}`);
    await withConsumer({ handle }, () => until('they are taken over', () => seen.length === 2));
    assert.deepEqual(seen, ['a 2', 'b 2']);
  });

  it('goes on after handling fails: the slot is free, and the entries are tried again', async () => {
    const tried: string[] = [];
    const handle = async (entries: RawEntry[]): Promise<void> => {
      for (const { body, attempt } of entries) tried.push(`${body} ${attempt}`);
      if (tried.length === 1) throw new Error('a bug');
      await ackAll(entries);
    };
    await add(0, 'bad');
    await withConsumer({ handle, capacity: 1 }, async (consumer) => {
      await until('it has failed', () => tried.length === 1 && consumer.underWay() === 0);
      await add(0, 'good');
      await allDone();
    });
    assert.deepEqual(tried.sort(), ['bad 1', 'bad 2', 'good 1']);
  });

  it('renews its claims, so that slow work is not repeated', async () => {
    const claimIdleMs = 2000;
    let started = 0;
    /** Waits until the claim would have lapsed twice without renewals. */
    const renewed = async (): Promise<void> => {
      let [times, last] = [0, 0];
      await until('its claim is renewed', async () => {
        const pending = (await redis.xpending(keys.checks(0), GROUP, '-', '+', 1)) as [string, string, number][];
        const idle = pending[0]![2];
        if (idle < last) times++;
        last = idle;
        return times >= 10;
      });
    };
    const handle = async (entries: RawEntry[]): Promise<void> => {
      started += entries.length;
      await renewed();
      await ackAll(entries);
    };
    await add(0, 'slow');
    await withConsumer({ claimIdleMs, handle }, async () => {
      await withConsumer({ claimIdleMs, handle }, async () => {
        await until('the entry is done', async () => started > 0 && (await redis.xlen(keys.checks(0))) === 0);
      });
    });
    assert.equal(started, 1);
  });

  it('makes its group again when Redis has lost it, and skips nothing', async () => {
    const seen: string[] = [];
    const handle = noting(seen);
    await withConsumer({ handle }, async () => {
      await add(0, 'before');
      await until('the first is read', () => seen.length === 1);
      await redis.flushall();
      await add(0, 'after');
      await until('the second is read', () => seen.length === 2);
    });
    assert.deepEqual(seen, ['before', 'after']);
  });

  it('goes on after its connection was cut', async () => {
    const seen: string[] = [];
    const handle = noting(seen);
    await withConsumer({ handle }, async () => {
      await add(0, 'one');
      await until('the first is read', () => seen.length === 1);
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await add(0, 'two');
      await until('the second is read', () => seen.length === 2);
    });
  });

  it('hands on an entry that has neither header nor body', async () => {
    const seen: RawEntry[] = [];
    await redis.xadd(keys.checks(0), '*', 'nonsense', 'x');
    const handle = async (entries: RawEntry[]): Promise<void> => {
      seen.push(...entries);
      await ackAll(entries);
    };
    await withConsumer({ handle }, () => until('it is read', () => seen.length === 1));
    assert.equal(seen[0]?.header.length, 0);
  });

  it('finishes what is under way when it stops, and reads nothing more', async () => {
    let done = 0;
    const handle = async (entries: RawEntry[]): Promise<void> => {
      await sleep(100);
      done += entries.length;
      await ackAll(entries);
    };
    await add(0, 'one');
    await withConsumer({ handle }, async (consumer) => {
      await until('it is under way', () => consumer.underWay() === 1);
      await consumer.stop(2000);
      assert.equal(done, 1);
      await add(0, 'two');
      await sleep(100);
      assert.equal(done, 1);
    });
  });

  it('gives back what was on its way to it when it stops, and what it has not finished in time', async () => {
    const { open, end } = gate();
    const name = randomUUID();
    let partitions = 1;
    await add(0, 'begun');
    await withConsumer(
      { name, partitions: () => partitions, claimIdleMs: 60_000, handle: () => open },
      async (consumer) => {
        await until('it is under way', () => consumer.underWay() === 1);
        // What a connection had asked for that was closed before it came.
        await add(1, 'on its way');
        await redis.xgroup('CREATE', keys.checks(1), GROUP, '0');
        await redis.xreadgroup('GROUP', GROUP, name, 'STREAMS', keys.checks(1), '>');
        partitions = 2;
        await consumer.stop(100);
      },
    ).finally(end);
    const given = async (partition: number) => {
      const stream = { partition, lane: 'fast' } as const;
      const silent = await listSilentEntries(redis, stream, { idleMs: 600_000, from: '-', most: 10 });
      return pluck(silent, 'delivered');
    };
    assert.deepEqual(await given(0), [1], 'its attempt counts');
    assert.deepEqual(await given(1), [0], 'that of one that it never saw does not');
  });

  it('frees the slot of an entry that is set aside, keeps its claim, and finishes it in another slot', async () => {
    const finished: string[] = [];
    let now = 0;
    let most = 0;
    const { open: ready, end } = gate();
    const work = async (entries: readonly RawEntry[]): Promise<void> => {
      most = Math.max(most, ++now);
      await sleep(1);
      now--;
      for (const entry of entries) {
        finished.push(entry.body.toString());
        await ack(entry);
      }
    };
    const handle = async (entries: RawEntry[], { aside }: EntriesSlot): Promise<void> => {
      const slow = entries.filter(({ body }) => body.toString().startsWith('slow'));
      for (const one of slow) aside([one], ready, () => work([one]));
      await work(entries.filter((one) => !slow.includes(one)));
    };
    for (const body of ['slow 1', 'a', 'slow 2', 'b', 'slow 3']) await add(0, body);
    await withConsumer({ capacity: 1, claimIdleMs: 400, handle }, async (consumer) => {
      await until('the others are done', () => finished.length === 2);
      await add(0, 'c');
      await until('and what came later, in the one place', () => finished.length === 3);
      assert.deepEqual(finished, ['a', 'b', 'c']);
      await until('they are let go', () => consumer.underWay() === 3);
      // The time of silence falls when a claim is renewed.
      const silent = async (): Promise<number[]> => {
        const pending = await redis.xpending(keys.checks(0), GROUP, '-', '+', 10);
        return (pending as [string, string, number][]).map(([, , idle]) => idle);
      };
      let before = await silent();
      assert.equal(before.length, 3);
      await until('their claims are renewed', async () => {
        const now = await silent();
        const renewed = now.every((idle, i) => idle < before[i]!);
        before = now;
        return renewed;
      });
      const stopped = consumer.stop(5000);
      end();
      await stopped;
      assert.deepEqual(finished.slice(3).sort(), ['slow 1', 'slow 2', 'slow 3']);
      assert.equal(consumer.underWay(), 0);
    });
    assert.equal(most, 1);
  });

  it('frees the slot each time an entry is set aside, and loses no entry', async () => {
    const finished: string[] = [];
    const [first, second] = [gate(), gate()];
    let times = 0;
    const work = noting(finished);
    const handle = async (entries: RawEntry[], { aside }: EntriesSlot): Promise<void> => {
      if (entries[0]!.body.toString() !== 'slow') return work(entries);
      aside(entries, first.open, async (again) => {
        times++;
        again.aside(entries, second.open, () => work(entries));
      });
    };
    await withConsumer({ chunk: 1, capacity: 1, handle }, async (consumer) => {
      await add(0, 'slow');
      await until('it waits', () => consumer.underWay() === 1);
      first.end();
      await until('it waits once more', () => times === 1);
      await add(0, 'other');
      await until('the place is free', () => finished.length === 1 && consumer.underWay() === 1);
      second.end();
      await until('it is finished', () => consumer.underWay() === 0);
    });
    assert.deepEqual(finished, ['other', 'slow']);
    assert.equal(await redis.xlen(keys.checks(0)), 0);
  });
});
