/** What the SDK does not send over standard streams, and how sessions end there. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { it } from 'node:test';
import { createClient, unwrap } from '#weir/shared/client/index';
import { packageRoot } from '#weir/shared/paths';
import { newRun, type System } from '../system.ts';
import { type WayOptions, WEIR } from './ways.ts';

const CARD = '4111 1111 1111 1111';

/** Answers each request with what it was sent, in its order. Some methods do something else. */
const SERVER = `
const lines = require('node:readline').createInterface({ input: process.stdin });
const say = (message) => process.stdout.write((typeof message === 'string' ? message : JSON.stringify(message)) + '\\n');
const answer = ({ id, method, params }) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'heard ' + method }], params } });
process.on('SIGTERM', () => { say({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'terminated' } }); setTimeout(() => process.exit(7), 50); });
lines.on('line', (line) => {
  const message = JSON.parse(line);
  const all = Array.isArray(message) ? message : [message];
  for (const { method } of all) {
    if (method === 'noise') say('this is no message');
    if (method === 'exit') process.exit(3);
    if (method === 'stay') return;
    if (method === 'notify') say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: ${JSON.stringify(CARD)} } });
  }
  if (all[0].method === 'raw') return say('{"jsonrpc":"2.0","id":' + JSON.stringify(all[0].id) + ',"result":{"line":' + JSON.stringify(line) + '}}');
  const answers = all.filter(({ id, method }) => id !== undefined && method).map(answer);
  if (answers.length > 0) say(Array.isArray(message) ? answers : answers[0]);
});
lines.on('close', () => process.exit(0));
`;

interface Session {
  child: ChildProcessWithoutNullStreams;
  lines: Interface;
  send(message: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  next(): Promise<any>;
  ended: Promise<[number | null]>;
  said(): string;
}

function start({ url, key }: WayOptions, options: string[] = [], command = [process.execPath, '-e', SERVER]): Session {
  const args = [WEIR, 'mcp-proxy', '--url', url, '--environment', 'prod', ...options, '--', ...command];
  const child = spawn(process.execPath, args, {
    cwd: packageRoot,
    env: { PATH: process.env.PATH ?? '', WEIR_KEY: key },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    child,
    lines,
    send: (message) => child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    next: async () => {
      const { value, done } = await iterator.next();
      assert.ok(!done, `no more lines: ${said}`);
      return JSON.parse(value);
    },
    ended: once(child, 'close') as Promise<[number | null]>,
    said: () => said,
  };
}

const call = (id: unknown, text: string, method = 'tools/call') => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { name: 'echo', arguments: { text } },
});

async function ends({ child, ended }: Session, code = 0): Promise<void> {
  child.stdin.end();
  assert.equal((await ended)[0], code);
}

export function stdioTests(given: () => WayOptions, system: () => System): void {
  it('answers in order, with ids as they were, and batches in parts', async () => {
    const session = start(given());
    for (const id of [1, '1', 0, 'a b']) session.send(call(id, 'Good morning.'));
    for (const id of [1, '1', 0, 'a b']) assert.equal((await session.next()).id, id);
    session.send([
      call(5, `The card ${CARD}.`),
      call(6, 'Good morning.'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ]);
    const [first, second] = [await session.next(), await session.next()];
    const stopped = [first, second].find(([{ id }]) => id === 5);
    assert.equal(stopped.length, 1);
    assert.equal(stopped[0].result.isError, true);
    assert.match(stopped[0].result.content[0].text, /Cards/);
    assert.deepEqual([first, second].find(([{ id }]) => id === 6).length, 1);
    await ends(session);
  });

  it('hands on the bytes that came, and refuses what two programs read in two ways', async () => {
    const session = start(given());
    const line = '{"jsonrpc":"2.0", "id":"r","method":"raw","params":{"n":12345678901234567890,"é":1.50}}';
    session.send(line);
    assert.equal((await session.next()).result.line, line);
    session.send(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{"a":"${CARD}","a":""}}}`,
    );
    const twice = await session.next();
    assert.deepEqual([twice.id, twice.error.code], [2, -32600]);
    session.send(
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","arguments":{"n":4111111111111111000e-3}}}',
    );
    assert.match((await session.next()).result.content[0].text, /Cards/);
    session.send('{"jsonrpc":"2.0","id":4');
    assert.deepEqual(await session.next(), {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'This is not JSON.' },
    });
    for (const wrong of [
      { id: 5, method: 'ping' },
      { jsonrpc: '2.0', id: 5, method: 'ping', extra: CARD },
      { jsonrpc: '2.0', id: 5 },
    ]) {
      session.send(wrong);
      const answer = await session.next();
      assert.deepEqual([answer.id, answer.error.code], [5, -32600]);
    }
    session.send([]);
    assert.equal((await session.next()).error.code, -32600);
    await ends(session);
  });

  it('checks methods and notifications that it does not know', async () => {
    const session = start(given());
    session.send({ jsonrpc: '2.0', id: 1, method: 'acme/do', params: { what: CARD } });
    assert.match((await session.next()).error.message, /Stopped by Weir\. It violates: Cards\./);
    session.send({ jsonrpc: '2.0', id: 2, method: `my card is ${CARD}` });
    assert.match((await session.next()).error.message, /Cards/);
    // Neither a notification that is stopped, nor a line that is no message, comes through.
    session.send({ jsonrpc: '2.0', method: 'notifications/message', params: { data: CARD } });
    session.send({ jsonrpc: '2.0', id: 3, method: 'notify', params: {} });
    session.send({ jsonrpc: '2.0', id: 4, method: 'noise', params: {} });
    assert.equal((await session.next()).id, 3);
    assert.equal((await session.next()).id, 4);
    await ends(session);
    assert.match(session.said(), /dropped: a line of the server: This is not JSON\./);
    assert.doesNotMatch(session.said(), /4111|no message$/m);
  });

  it('refuses where there is no verdict, unless an option lets it pass', async () => {
    const away = { ...given(), url: 'http://127.0.0.1:9' };
    const refusing = start(away, ['--timeout', '1']);
    refusing.send(call(1, 'Good morning.'));
    const refused = await refusing.next();
    assert.equal(refused.result.isError, true);
    assert.match(refused.result.content[0].text, /There is no verdict on it \(Weir: network_error\)\./);
    await ends(refusing);
    const passing = start(away, ['--timeout', '1', '--on-failure', 'pass']);
    passing.send(call(1, 'Good morning.'));
    assert.equal((await passing.next()).result.content[0].text, 'heard tools/call');
    await ends(passing);
    assert.match(passing.said(), /passed unchecked: tools\/call request of the client: no verdict/);
    for (const wrong of [{ ...given(), key: 'wk_wrong' }]) {
      const session = start(wrong, ['--on-failure', 'pass']);
      session.send(call(1, 'Good morning.'));
      assert.match((await session.next()).result.content[0].text, /no verdict on it \(Weir: invalid_api_key\)/);
      await ends(session);
    }
    const elsewhere = start(given(), ['--on-failure', 'pass', '--environment', 'none']);
    elsewhere.send(call(1, 'Good morning.'));
    assert.equal((await elsewhere.next()).result.isError, true);
    await ends(elsewhere);
  });

  it('refuses more text than Weir takes, unless an option lets it pass', async () => {
    const long = 'Good morning. '.repeat(20_000);
    const refusing = start(given());
    refusing.send(call(1, long));
    assert.match((await refusing.next()).result.content[0].text, /cannot be looked at: more than 256 KiB of text\./);
    await ends(refusing);
    const passing = start(given(), ['--unchecked', 'pass']);
    passing.send(call(1, long));
    assert.equal((await passing.next()).result.content[0].text, 'heard tools/call');
    await ends(passing);
    assert.match(passing.said(), /passed unchecked: .* more than 256 KiB of text/);
  });

  it('keeps a call and its result as cause and effect, with the id of the call', async () => {
    const run = newRun('mcp');
    const session = start(given(), ['--run', run]);
    session.send(call('call-7', 'Good morning.'));
    await session.next();
    await ends(session);
    const { url, key } = given();
    const client = createClient({ url, apiKey: key });
    const { nodes, edges } = unwrap(await client.getRunGraph({ environment_id: 'prod', run_id: run }));
    assert.deepEqual(
      nodes.map(({ type, flagged }) => [type, flagged]),
      [
        ['tool', false],
        ['tool', false],
      ],
    );
    assert.deepEqual(
      edges.map(({ kind, source, target }) => [kind, source, target]),
      [['parent', nodes[0]!.internal_event_id, nodes[1]!.internal_event_id]],
    );
    await system().archived();
    const rows = await system().sql(`SELECT field, call_id FROM items FINAL WHERE run_id = '${run}' ORDER BY field`);
    assert.deepEqual(
      rows.map(({ field, call_id: id }) => [field, id]),
      [
        ['arguments', 'call-7'],
        ['output', 'call-7'],
      ],
    );
  });

  it('ends with the server, and answers what that has not', async () => {
    const session = start(given());
    session.send({ jsonrpc: '2.0', id: 'waits', method: 'stay', params: {} });
    session.send({ jsonrpc: '2.0', id: 'ends', method: 'exit', params: {} });
    const answers = [await session.next(), await session.next()];
    assert.deepEqual(
      answers.map(({ id }) => id),
      ['waits', 'ends'],
    );
    for (const { error } of answers) assert.equal(error.message, 'The server has ended.');
    assert.equal((await session.ended)[0], 3);
  });

  it('hands a signal to the server, and hands on what that says last', async () => {
    const session = start(given());
    session.send(call(1, 'Good morning.'));
    await session.next();
    session.child.kill('SIGTERM');
    assert.equal((await session.next()).params.data, 'terminated');
    assert.equal((await session.ended)[0], 7);
  });

  it('ends at a message that is too long, and where the server cannot be started', async () => {
    const session = start(given(), ['--max-bytes', '2000']);
    session.send(call(1, 'x'.repeat(3000)));
    assert.equal((await session.ended)[0], 1);
    assert.match(session.said(), /ended: a message has more than 2000 bytes/);
    const none = start(given(), [], ['/no/such/program']);
    assert.equal((await none.ended)[0], 1);
    assert.match(none.said(), /\/no\/such\/program: cannot be started \(ENOENT\)/);
  });

  it('says what is wrong with its options', async () => {
    for (const [options, why] of [
      [['--on-failure', 'ignore'], /--on-failure: expected refuse or pass/],
      [['--metadata', '[]'], /--metadata: expected a JSON object/],
      [['--listen', '8080'], /expected "-- COMMAND", or --listen and --upstream/],
      [['--run', 'a b'], /--run: expected/],
      [['--url', 'ftp://x'], /--url, WEIR_URL, WEIR_KEY: url: expected/],
    ] as const) {
      const session = start(given(), [...options]);
      assert.equal((await session.ended)[0], 2);
      assert.match(session.said(), why);
    }
    const keyless = start({ ...given(), key: '' });
    assert.equal((await keyless.ended)[0], 2);
    assert.match(keyless.said(), /expected an API key in the environment variable WEIR_KEY/);
  });
}
