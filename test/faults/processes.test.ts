/** Processes that end without a word, or stop for a while, under load: of ours, and the ClickHouse engine. */
import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { seeded } from '#weir/bench/workloads/random';
import type { InstallationPart } from '#weir/deploy/local/processes/part';
import { partsOf } from '#weir/shared/ids';
import { GROUP, keys } from '#weir/shared/streams/keys';
import { createClient, type Load } from '../support/installation/load.js';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { select } from '../support/installation/tables.js';
import { sleep, until } from '../support/wait.js';
import { kill, killAtPart } from './kill/strikes.js';

/** Checks that are answered while the engine is away. A longer absence takes its time: `WEIR_LONG=1`. */
const ANSWERED_AWAY = process.env.WEIR_LONG === '1' ? 3000 : 40;
const LIMIT_MS = 300_000;

let stack: TestStack;
/** of the last test of the engine */
let last: Load;

before(async () => {
  stack = await startTestStack({ ingresses: 2, evaluators: 2, beside: true });
});
after(() => stack?.close());

/** Waits until the load was answered 200 this many times more. */
async function more(load: { accepted(): number }, count: number): Promise<void> {
  const target = load.accepted() + count;
  await until(`${count} more answers`, () => load.accepted() >= target);
}

/** Rows that an archiver has stored. */
async function archivedBy({ ready }: InstallationPart): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${ready.metricsPort}/metrics`)).text();
  return Number(/^weir_archived_rows_total\S* (\d+)/m.exec(metrics)?.[1] ?? 0);
}

describe('parts that are killed in turn', () => {
  it('take nothing with them that was answered, and leave every row once in every table, view and look-up', async () => {
    // `npm run faults` does this for minutes, with Redis as well.
    const seed = Date.now();
    const random = seeded(seed);
    const load = stack.load('turn', { all: true, repeat: true, seed });
    const strikes = [
      kill(stack.evaluators[0]!, random),
      killAtPart(stack, 'items', random),
      killAtPart(stack, 'run_events', random),
    ];
    for (const strike of strikes) {
      await more(load, 8);
      await strike();
    }
    await more(load, 8);
    const statuses = new Set(load.sent.flatMap(({ status, earlier }) => [...earlier.map((one) => one.status), status]));
    assert.deepEqual([...statuses], [200], `callers saw nothing of it, seed ${seed}`);
    await kill(stack.ingresses[0]!, random)();
    await more(load, 20);
    const { accepted, timeouts } = await stack.settle('turn', load);
    assert.ok(accepted >= 60, `${accepted} answers`);
    assert.equal(timeouts, 0);
  });
});

describe('a worker that is killed', () => {
  it('leaves hundreds of entries, whose callers are all answered', async () => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const { pid } of stack.evaluators) process.kill(pid, signal);
    };
    const clients = [createClient(stack.url, stack.key), createClient(stack.url, stack.key)];
    try {
      stop('SIGSTOP');
      const answers = clients.flatMap((client, c) =>
        Array.from({ length: 120 }, (_, i) => {
          const event = { type: 'message', role: 'user', event_id: 'e', content: 'Good morning.' };
          const body = { environment_id: 'prod', run_id: `left-${c}-${i}`, events: [event] };
          return client.request('POST', '/api/events', JSON.stringify(body));
        }),
      );
      // A worker reads them and is never heard of again. The first few may have gone to those that sleep, who waited for them.
      await until('all are held', async () => {
        let held = 0;
        for (let p = 0; p < stack.partitions; p++) {
          await stack.connection.xreadgroup('GROUP', GROUP, 'killed', 'STREAMS', keys.checks(p), '>');
          held += Number((await stack.connection.xpending(keys.checks(p), GROUP))[0]);
        }
        return held >= answers.length;
      });
      stop('SIGCONT');
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)], [200]);
    } finally {
      stop('SIGCONT');
      for (const client of clients) client.close();
    }
  });

  it('is waited for when it was the only one', async () => {
    const load = stack.load('alone');
    await more(load, 20);
    await stack.evaluators[0]!.kill();
    await more(load, 20);
    await stack.evaluators[1]!.kill();
    await sleep(1000);
    await stack.evaluators[1]!.restart();
    await more(load, 20);
    await stack.evaluators[0]!.restart();
    const { broken } = await stack.settle('alone', load);
    assert.deepEqual(broken, []);
  });

  it('archives every row once when the archiver is killed at any moment, and when another one joins it and is killed', async () => {
    const load = stack.load('archiver');
    await more(load, 8);
    await sleep(900 * Math.random());
    await stack.archiver.kill();
    // Until it is not heard of, the dead one would keep its share, and save this test its point.
    await stack.connection.del(keys.configMembers('archiver'));
    await stack.archiver.restart();
    const other = await stack.worker('another archiver', 'archiver');
    try {
      await until('the other one archives', async () => (await archivedBy(other)) > 0);
      const before = await archivedBy(stack.archiver);
      await until('so does the first one, besides', async () => (await archivedBy(stack.archiver)) > before);
    } finally {
      await other.kill();
    }
    await more(load, 8);
    // Waits until its partition is archived by the one that is left.
    const { accepted, refused, broken } = await stack.settle('archiver', load);
    assert.ok(accepted >= 16, `${accepted} answers`);
    assert.deepEqual([refused, broken], [0, []], 'checks do not wait for the archiver');
  });

  it('commits nothing twice when it was only asleep', async () => {
    const load = stack.load('asleep');
    for (const worker of stack.evaluators) {
      await more(load, 20);
      process.kill(worker.pid, 'SIGSTOP');
      try {
        await sleep(1500);
        await more(load, 10);
      } finally {
        process.kill(worker.pid, 'SIGCONT');
      }
    }
    await more(load, 20);
    const { broken } = await stack.settle('asleep', load);
    assert.deepEqual(broken, []);
  });

  it('finishes what it has begun when it is told to stop', async () => {
    const load = stack.load('stopped-worker');
    const worker = stack.evaluators[1]!;
    await more(load, 20);
    await worker.close();
    await more(load, 10);
    await worker.restart();
    await more(load, 20);
    const { refused, timeouts, broken } = await stack.settle('stopped-worker', load);
    assert.deepEqual({ refused, timeouts, broken }, { refused: 0, timeouts: 0, broken: [] });
  });
});

describe('an ingress', () => {
  it('that is told to stop answers all it has accepted', async () => {
    const load = stack.load('stopped-ingress');
    const ingress = stack.ingresses[1]!;
    await more(load, 20);
    await ingress.close();
    await more(load, 10);
    await ingress.restart();
    await more(load, 20);
    const { storedUnanswered, timeouts } = await stack.settle('stopped-ingress', load);
    assert.equal(storedUnanswered, 0, 'a check was accepted, and its caller got no answer');
    assert.equal(timeouts, 0);
    for (const sent of load.sent) {
      if (sent.status === 503) assert.equal(sent.code, 'shutting_down');
    }
  });

  it('serves others while callers stall in the middle of a body or do not read their answers', async () => {
    const body = `{"environment_id":"prod","run_id":"stalled","events":[${'{"type":"message","role":"user","content":"x"},'.repeat(49)}{"type":"message","role":"user","content":"x"}]}`;
    const head = [
      'POST /api/events HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${stack.key}`,
      'service-version: 2026-06-01',
      'content-type: application/json',
      `content-length: ${body.length}`,
    ].join('\r\n');
    const sockets = Array.from({ length: 60 }, (_, i) => {
      const socket = createConnection(Number(new URL(stack.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      // Every second one sends all, many times over, and never reads.
      if (i % 2 === 0) socket.write(`${head}\r\n\r\n${body.slice(0, body.length / 2)}`);
      else for (let n = 0; n < 20; n++) socket.write(`${head}\r\n\r\n${body}`);
      return socket;
    });
    try {
      const load = stack.load('stalled');
      await more(load, 40);
      const { timeouts, broken } = await stack.settle('stalled', load);
      assert.deepEqual({ timeouts, broken }, { timeouts: 0, broken: [] });
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

describe('a ClickHouse engine', () => {
  it('that is away holds up no verdict, and everything is archived when it is back', async () => {
    const client = createClient(stack.url, stack.key);
    const load = stack.load('away');
    await until('answers', () => load.accepted() > 20);
    const early = load.sent[0]!.verdicts[0]!;
    const cold = async (): Promise<boolean> => (await stack.connection.exists(keyOf(early.id))) === 0;
    await until('the first result has left Redis', cold);
    await stack.clickhouse.kill();
    const before = load.accepted();
    const limit = Date.now() + LIMIT_MS;
    while (load.accepted() < before + ANSWERED_AWAY) {
      assert.ok(Date.now() < limit, 'verdicts go on');
      const hot = load.sent.at(-1)!;
      const { id } = hot.verdicts[0]!;
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
    last = load;
  });
});

describe('the accounts of a load', () => {
  it('name what is lost and what is doubled, in whichever table', async () => {
    const [lost, gone, doubled] = last.sent.filter(({ kind }) => kind === 'events').map(({ verdicts }) => verdicts[0]!);
    await select(stack, `ALTER TABLE items DELETE WHERE id = '${lost!.id}' SETTINGS mutations_sync = 2`);
    await select(stack, `ALTER TABLE contents DELETE WHERE id = '${gone!.id}' SETTINGS mutations_sync = 2`);
    await select(
      stack,
      `INSERT INTO metrics SELECT * REPLACE (toUUID('7a000000-0000-4000-8000-000000000009') AS metric_id) FROM metrics FINAL WHERE id = '${doubled!.id}'`,
    );
    const { problems } = await stack.account('away', last);
    const wanted = [
      new RegExp(`^events \\S+, answered 200: no row of ${lost!.id}$`),
      new RegExp(`^run_events FINAL: 1 rows instead of 0 of ${lost!.id} `),
      new RegExp(`^contents FINAL: 0 rows instead of 1 of ${gone!.id} `),
      new RegExp(`^metrics FINAL: 2 rows instead of 1 of ${doubled!.id} `),
      /^metrics_hourly: /,
    ];
    for (const one of wanted)
      assert.ok(
        problems.some((problem) => one.test(problem)),
        `${one}: ${problems.join('\n')}`,
      );
  });
});

function keyOf(id: string): string {
  const parts = partsOf(id)!;
  return keys.result(parts.partition, parts.requestId);
}
