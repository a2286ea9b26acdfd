/** Another team's ids and nobody's are told apart by nothing: not the answer, not its headers, not the work it makes. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { sleep, until } from '../../support/wait.ts';
import { KEY } from '../configuration.ts';
import { ASKING, LOOKUPS, nobodys, type Theirs, theirs } from '../foreign/look-ups.ts';
import type { Answer, System } from '../system.ts';

/** No match is no error there (decisions, Protect); for the ids of another team neither. */
const EMPTY = new Set(['getProtect']);
/** How often the work of two look-ups is compared until it is the same. */
const LOOKS = 25;
const ROUNDS = 4;
/** Rounds at the same time: enough to mix both teams, and no more than ClickHouse answers at once. */
const AT_ONCE = 2;

/** All that an answer tells, without what differs from one request to the next. */
function told(answer: Answer): string {
  const headers = [...answer.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  const id = answer.headers.get('x-request-id') ?? '';
  assert.notEqual(id, '');
  return JSON.stringify([answer.status, headers, answer.text.replaceAll(id, '')]);
}

/**
 * What Redis is told, line by line, while `ask` runs. A socket of our own: ioredis breaks its queue when a command of
 * someone else is reported in the same breath as the answer to MONITOR.
 */
async function monitored(redisUrl: string, marker: string, ask: () => Promise<unknown>): Promise<string[]> {
  const { hostname, port, password } = new URL(redisUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  let failed: Error | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', (error) => {
    failed = error;
  });
  const seen = (what: string): Promise<void> =>
    until(`the monitor has seen ${what}`, () => {
      if (failed) throw failed;
      return text.includes(what);
    });
  try {
    socket.write(`AUTH ${password}\r\nMONITOR\r\n`);
    await seen('+OK\r\n+OK\r\n');
    await ask();
    await seen(marker);
  } finally {
    socket.destroy();
  }
  return text.split('\r\n');
}

/** Commands of the connection that ingress looks things up with, while `ask` runs: names and numbers of arguments. */
async function redisCommands(system: System, ask: () => Promise<unknown>): Promise<string[]> {
  const clients = String(await system.redis.client('LIST')).split('\n');
  const addresses = clients
    .filter((line) => line.includes('name=weir-lookups'))
    .map((line) => /addr=(\S+)/.exec(line)?.[1] ?? '');
  assert.ok(addresses.length > 0);
  const marker = `end-${Math.random()}`;
  const lines = await monitored(system.stack.redisUrl, marker, async () => {
    await ask();
    await system.redis.echo(marker);
  });
  return lines.flatMap((line) => {
    // +1700000000.123456 [0 127.0.0.1:50000] "GET" "key"
    const [, address = '', command = ''] = /^\+\S+ \[\d+ (\S+)\] (.*)$/.exec(line) ?? [];
    const args = command.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
    const name = args[0]?.toLowerCase();
    // The same connection also looks at times whether there is a new configuration, says that it lives, and asks for the role of Redis.
    if (!addresses.includes(address) || name === '"role"' || args.some((each) => each.startsWith('"config:')))
      return [];
    return `${name} ${args.length}`;
  });
}

/** Queries that ClickHouse has answered, and rows that it has read for them. */
async function clickhouseWork(system: System): Promise<{ queries: number; rows: number }> {
  const [row] = await system.sql(
    "SELECT sumIf(value, event = 'SelectQuery') AS queries, sumIf(value, event = 'SelectedRows') AS rows FROM system.events",
  );
  return { queries: Number(row!.queries), rows: Number(row!.rows) };
}

async function workOf(system: System, path: string): Promise<{ redis: string[]; queries: number; rows: number }> {
  const before = await clickhouseWork(system);
  const redis = await redisCommands(system, () => system.get(path, ASKING));
  const after = await clickhouseWork(system);
  return { redis, queries: after.queries - before.queries, rows: after.rows - before.rows };
}

export function indistinguishable(started: () => System): void {
  describe('the ids of another team', () => {
    let system: System;
    let cold: Theirs;
    before(async () => {
      system = started();
      cold = await theirs(system, 1000);
    });

    /** Asks for what is theirs and for what is nobody's, all at once and both teams for each other's. */
    async function hammer(acme: Theirs, globex: Theirs): Promise<void> {
      for (const [name, path] of Object.entries(LOOKUPS)) {
        const answers = new Set<string>();
        for (let i = 0; i < ROUNDS; i += AT_ONCE) {
          const asked: Promise<Answer>[] = [];
          for (let j = 0; j < AT_ONCE; j++) {
            asked.push(system.get(path(acme), ASKING), system.get(path(nobodys(acme)), ASKING));
            asked.push(
              system.get(path(globex), { key: KEY.acme }),
              system.get(path(nobodys(globex)), { key: KEY.acme }),
            );
          }
          for (const answer of await Promise.all(asked)) {
            assert.equal(answer.status, EMPTY.has(name) ? 200 : 404, `${name}: ${answer.text}`);
            answers.add(told(answer));
          }
        }
        assert.equal(answers.size, 1, `${name}: ${[...answers].join('\n')}`);
      }
    }

    async function sameWork(ids: Theirs): Promise<void> {
      for (const [name, path] of Object.entries(LOOKUPS)) {
        // The work of the archiver and of merges is seen, too: it may take more looks, but what differs for good never passes.
        for (let attempt = 0; attempt < LOOKS; attempt++) {
          const [foreign, absent] = [await workOf(system, path(ids)), await workOf(system, path(nobodys(ids)))];
          assert.deepEqual(foreign.redis, absent.redis, name);
          // One query is that of the count itself: a look-up that asks nobody would prove nothing.
          assert.ok(foreign.redis.length > 0 && foreign.queries > 1, name);
          if (foreign.queries === absent.queries && foreign.rows === absent.rows) break;
          assert.ok(attempt < LOOKS - 1, `${name}: ${JSON.stringify([foreign, absent])}`);
          await sleep(20 * attempt);
        }
      }
    }

    it('are nobody’s while they are hot, for two teams that hammer each other', async () => {
      const acme = await theirs(system, 5000);
      const globex = await theirs(asGlobex(system), 100);
      await hammer(acme, globex);
    });

    it('make the same work as nobody’s, hot and cold', async () => {
      await system.cold(cold.event);
      await system.cold(cold.session);
      await system.cold(cold.artifact);
      await system.archived();
      await sameWork(cold);
      await sameWork(await theirs(system, 5000));
    });

    it('are nobody’s when they are cold', async () => {
      await hammer(cold, nobodys(cold));
      // To their owner they are there.
      assert.equal((await system.get(LOOKUPS.getEvent(cold))).status, 200);
      assert.equal((await system.get(LOOKUPS.findSession(cold))).status, 200);
    });
  });
}

/** The system as the other team sees it. */
function asGlobex(system: System): System {
  const post: System['post'] = (path, body) => system.post(path, body, { key: KEY.globex });
  return {
    ...system,
    post,
    events: (events, rest) => post('/api/events', { environment_id: 'prod', ...rest, events }),
    session: (body) => post('/api/session/check', { deployment_id: 'chat', ...body }),
  };
}
