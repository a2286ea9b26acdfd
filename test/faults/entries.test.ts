/** Work entries that nobody should have written: broken ones, doubled ones, and ones that cannot be evaluated yet. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { decodeRecord } from '#weir/shared/api/results/record';
import { itemId, newRequestId, partsOf } from '#weir/shared/ids';
import { activeVersion } from '#weir/shared/streams/configuration';
import { listDeadLetters, replayDeadLetter } from '#weir/shared/streams/dead-letters';
import { keys } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import { drained } from '../support/installation/ledger.js';
import { type Client, createClient } from '../support/installation/load.js';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { select } from '../support/installation/tables.js';
import { until } from '../support/wait.js';

let stack: TestStack;
let client: Client;

before(async () => {
  stack = await startTestStack({ partitions: 1 });
  client = createClient(stack.url, stack.key);
});
after(async () => {
  client?.close();
  await stack?.close();
});

async function headerOf(change: Partial<WorkHeader> = {}): Promise<WorkHeader> {
  const now = Date.now();
  const config = await activeVersion(stack.connection);
  const header: WorkHeader = {
    id: newRequestId(0, now),
    kind: 'events',
    team: 'acme',
    scope: 'prod',
    config,
    key: 'demo',
    received: now,
    deadline: now + 5000,
    reply: '',
  };
  return { ...header, ...change };
}

const BODY = JSON.stringify({
  environment_id: 'prod',
  run_id: 'by-hand',
  events: [
    { type: 'message', role: 'user', event_id: 'a', content: 'My card is 4111 1111 1111 1111.' },
    { type: 'message', role: 'user', event_id: 'b', content: 'Good morning.' },
  ],
});

const add = (header: WorkHeader, body = BODY): Promise<string | null> =>
  stack.connection.xadd(keys.checks(0), '*', 'header', JSON.stringify(header), 'body', body);

const letters = (): Promise<Awaited<ReturnType<typeof listDeadLetters>>> => listDeadLetters(stack.connection, 0, 100);

interface EventAnswer {
  flagged: boolean;
  note?: string;
  event: { status: string };
}

async function lookUp(requestId: string, item: number): Promise<EventAnswer> {
  const answer = await client.request('GET', `/api/event/${itemId(requestId, item)}?environment_id=prod`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as EventAnswer;
}

const rowsOf = (table: string, requestId: string): Promise<{ status: string; version: number }[]> =>
  select(stack, `SELECT status, version FROM ${table} WHERE request_id = '${requestId}' ORDER BY id, version`);

describe('a broken entry', () => {
  it('is a dead letter, and the stream goes on', async () => {
    const load = stack.load('broken');
    await until('answers', () => load.accepted() > 10);
    await stack.connection.xadd(keys.checks(0), '*', 'something', 'else');
    await stack.connection.xadd(keys.checks(0), '*', 'header', '{"id":', 'body', BODY);
    await add(await headerOf({ id: 'somebody' }));
    const garbled = await headerOf();
    await add(garbled, '{"events":[');
    await until('dead letters', async () => (await letters()).length === 4);
    const before = load.accepted();
    await until('more answers', () => load.accepted() > before + 10);
    const { timeouts, broken, refused } = await stack.settle('broken', load, { deadLetters: 4 });
    assert.deepEqual({ timeouts, broken, refused }, { timeouts: 0, broken: [], refused: 0 });
    const found = await letters();
    assert.equal(found.filter((letter) => letter.header === undefined).length, 2);
    for (const letter of found) {
      assert.notEqual(letter.reason, '');
      if (letter.header?.id === garbled.id) assert.equal(letter.attempts, 3);
      else if (!letter.header)
        await assert.rejects(replayDeadLetter(stack.connection, 0, letter.id), /cannot be replayed/);
    }
    await stack.connection.del(keys.dead(0));
  });

  it('whose body cannot be read has a result that says so', async () => {
    const garbled = await headerOf();
    await add(garbled, '{"events":[');
    const key = keys.result(0, garbled.id);
    await until('its result', async () => (await stack.connection.exists(key)) === 1);
    const record = decodeRecord((await stack.connection.getBuffer(key))!);
    assert.equal(record.error?.status, 500);
    assert.deepEqual(record.items, []);
    await drained(stack.connection, 1);
    const [letter] = await letters();
    assert.equal(letter!.reason, 'the body of the entry has no events that can be read', 'without a word of the body');
    assert.equal(await stack.connection.xlen(keys.refused(0)), 0);
    await stack.connection.del(keys.dead(0));
  });
});

describe('a session check whose body cannot be read', () => {
  it('is an error to whoever looks it up, hot and cold, and not absent [failure.dead-letter]', async () => {
    const header = await headerOf({ kind: 'session', scope: 'chat' });
    await add(header, '{"messages":[');
    const key = keys.result(0, header.id);
    await until('its result', async () => (await stack.connection.exists(key)) === 1);
    const path = `/api/session/${itemId(header.id, 1)}`;
    const hot = await client.request('GET', path);
    await drained(stack.connection, 1);
    assert.deepEqual(await rowsOf('items', header.id), [{ status: 'failed', version: 1 }]);
    await until('it has left Redis', async () => (await stack.connection.exists(key)) === 0);
    for (const { status, body } of [hot, await client.request('GET', path)]) {
      assert.equal(status, 500, JSON.stringify(body));
      assert.equal((body as { error: { code: string } }).error.code, 'internal_error');
    }
    await stack.connection.del(keys.dead(0));
  });
});

describe('an entry that cannot be evaluated', () => {
  it('is a failed event with a note until it is replayed, and then what it should have been, everywhere [failure.dead-letter]', async () => {
    const config = (await activeVersion(stack.connection)) + 1;
    // Nothing can be judged by what is there under its number.
    await stack.connection.hset(keys.configVersions(), config, '{}');
    const header = await headerOf({ config });
    await add(header);
    await until('a dead letter', async () => (await letters()).length === 1);
    for (const item of [1, 2]) {
      const { event, flagged, note } = await lookUp(header.id, item);
      assert.equal(event.status, 'failed');
      assert.equal(flagged, false);
      assert.equal(note, 'the check could not be finished');
    }
    await drained(stack.connection, 1);
    const failed = { status: 'failed', version: 1 };
    assert.deepEqual(await rowsOf('items', header.id), [failed, failed]);

    // With the version it asks for there, it can be.
    const text = stack.configuration.replace('name: Everything', 'name: Always');
    const applied = await applyConfiguration({ redisUrl: stack.redisUrl, text, file: 'weir.yaml' });
    assert.deepEqual(applied, { version: config, changed: true });
    const [letter] = await letters();
    await replayDeadLetter(stack.connection, 0, letter!.id);
    await until('the new verdict', async () => (await lookUp(header.id, 1)).event.status === 'completed');
    assert.deepEqual(await letters(), []);
    assert.equal((await lookUp(header.id, 1)).flagged, true);
    assert.equal((await lookUp(header.id, 2)).flagged, false);
    await drained(stack.connection, 1);
    const completed = { status: 'completed', version: 2 };
    assert.deepEqual(await rowsOf('results', header.id), [completed, completed]);
    const cold = async (): Promise<boolean> => (await stack.connection.exists(keys.result(0, header.id))) === 0;
    await until('it has left Redis', cold);
    assert.equal((await lookUp(header.id, 1)).event.status, 'completed');
    assert.equal((await lookUp(header.id, 1)).flagged, true);
  });
});

describe('a dead letter that is replayed after a later check of its ids was archived', () => {
  it('hides that check from no look-up and no reference [4.3.answer] [4.9.latest] [4.9.references]', async () => {
    const wrong = (await activeVersion(stack.connection)) + 1000;
    await stack.connection.hset(keys.configVersions(), wrong, '{}');
    const [run, session] = ['replayed-late', 'replayed-late'];
    const events = (content: string): string =>
      JSON.stringify({
        environment_id: 'prod',
        run_id: run,
        events: [{ type: 'message', role: 'user', event_id: 'a', content }],
      });
    const messages = (content: string): string =>
      JSON.stringify({ deployment_id: 'chat', external_session_id: session, messages: [{ role: 'user', content }] });
    const early = await headerOf({ config: wrong });
    const earlySession = await headerOf({ config: wrong, kind: 'session', scope: 'chat' });
    await add(early, events('Good morning.'));
    await add(earlySession, messages('Good morning.'));
    await until('dead letters', async () => (await letters()).length === 2);
    const card = 'My card is 4111 1111 1111 1111.';
    const second = await client.request('POST', '/api/events', events(card));
    const secondSession = await client.request('POST', '/api/session/check', messages(card));
    assert.deepEqual([second.status, secondSession.status], [200, 200]);
    await drained(stack.connection, 1);
    const left = async (): Promise<boolean> => (await stack.connection.keys('result:*')).length === 0;
    await until('all of it has left Redis', left);

    // The active version judges what asks for one that is gone.
    await stack.connection.hdel(keys.configVersions(), String(wrong));
    for (const { id } of await letters()) await replayDeadLetter(stack.connection, 0, id);
    const finished = async (): Promise<boolean> => (await stack.connection.keys('result:*')).length === 2;
    await until('both are replayed', finished);
    const event = await client.request('GET', `/api/event?environment_id=prod&run_id=${run}&event_id=a`);
    const { flagged, event: found } = event.body as { flagged: boolean; event: { internal_event_id: string } };
    const { order } = second.body as { order: { internal_event_id: string }[] };
    assert.deepEqual([flagged, found.internal_event_id], [true, order[0]!.internal_event_id]);
    const stored = await client.request('GET', `/api/session?deployment_id=chat&external_session_id=${session}`);
    assert.equal((stored.body as { session: { flagged: boolean } }).session.flagged, true);
    const reference = { environment_id: 'prod', run_id: run, events: [{ type: 'message', event_id: 'a' }] };
    const referred = await client.request('POST', '/api/events', JSON.stringify(reference));
    const { flagged: any, order: referredTo } = referred.body as { flagged: boolean; order: unknown[] };
    assert.equal(any, true);
    assert.equal((referredTo[0] as { internal_event_id: string }).internal_event_id, order[0]!.internal_event_id);
    assert.deepEqual(await letters(), []);
  });
});

describe('an entry that was added twice', () => {
  it('has one result and one row of each item', async () => {
    const headers = await Promise.all(Array.from({ length: 20 }, () => headerOf()));
    await Promise.all(headers.flatMap((header) => [add(header), add(header)]));
    await drained(stack.connection, 1);
    const ids = headers.map(({ id }) => id).sort();
    for (const table of ['items', 'results']) {
      const rows = await select<{ id: string; versions: number[] }>(
        stack,
        `SELECT toString(request_id) AS id, groupArray(version) AS versions FROM ${table}
         WHERE request_id IN (${ids.map((id) => `'${id}'`).join()}) AND status = 'completed' GROUP BY id ORDER BY id`,
      );
      assert.deepEqual(
        rows,
        ids.map((id) => ({ id, versions: [1, 1] })),
        table,
      );
    }
    for (const id of ids) assert.equal((await lookUp(id, 1)).flagged, true);
    assert.deepEqual(await letters(), []);
  });
});

describe('an entry that is given up, of a team that fails closed', () => {
  it('is a failed event that is flagged, to its caller, later, and in the history [failure.fail_closed]', async () => {
    const text = stack.configuration.replace('fail_closed: false', 'fail_closed: true');
    const { version } = await applyConfiguration({ redisUrl: stack.redisUrl, text, file: 'weir.yaml' });
    const checked = async (): Promise<number> => {
      const { body } = await client.request('POST', '/api/events', BODY);
      const { order } = body as { order: { internal_event_id: string }[] };
      const { requestId } = partsOf(order[0]!.internal_event_id)!;
      return decodeRecord((await stack.connection.getBuffer(keys.result(0, requestId)))!).config;
    };
    await until('the configuration is in force', async () => (await checked()) === version);

    // An entry as ingress made it, but for the version that judges it: nothing can be judged by that.
    await stack.connection.hset(keys.configVersions(), version + 100, '{}');
    const stream = keys.checks(0);
    for (const evaluator of stack.evaluators) await evaluator.kill();
    const answer = client.request('POST', '/api/events', BODY);
    await until('it is added', async () => (await stack.connection.xlen(stream)) === 1);
    const [[id, fields]] = (await stack.connection.xrange(stream, '-', '+')) as [[string, string[]]];
    const header = JSON.parse(fields[fields.indexOf('header') + 1]!) as WorkHeader;
    await stack.connection.xdel(stream, id);
    await add({ ...header, config: version + 100, configId: undefined });
    for (const evaluator of stack.evaluators) await evaluator.restart();

    await until('it is given up', async () => (await letters()).length === 1);
    const { status, body } = await answer;
    if (status === 200) assert.equal((body as EventAnswer).flagged, true);
    else assert.equal(status, 504, 'the workers took longer to come back than the caller waits');
    for (const item of [1, 2]) {
      const { event, flagged, note } = await lookUp(header.id, item);
      assert.deepEqual([event.status, flagged, note], ['failed', true, 'the check could not be finished']);
    }
    await drained(stack.connection, 1);
    const rows = await select(stack, `SELECT status, flagged FROM results WHERE request_id = '${header.id}'`);
    assert.deepEqual(rows, Array(2).fill({ status: 'failed', flagged: true }));
    await stack.connection.del(keys.dead(0));
  });
});
