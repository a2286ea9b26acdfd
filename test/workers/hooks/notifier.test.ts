/** The role that tells webhooks, with a real Redis and receivers on loopback, and as a process that is killed. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { itemId, newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { programPath } from '#weir/shared/paths';
import { loadSettings } from '#weir/shared/settings';
import { activate, activeIdentity, type Identity, storeVersion } from '#weir/shared/streams/configuration';
import {
  addDeliveries,
  countsOf,
  deadDeliveries,
  deliveryId,
  settleDelivery,
  takeDeliveries,
} from '#weir/shared/streams/hooks';
import { keys } from '#weir/shared/streams/keys';
import { createRegistry } from '#weir/shared/telemetry';
import { nextId } from '#weir/workers/archiver/archive-scripts';
import { createHookMeters } from '#weir/workers/hooks/meters';
import { createNotifier } from '#weir/workers/hooks/notifier';
import { attemptedBy, createPost, LONGEST_PAUSE_MS } from '#weir/workers/hooks/post';
import { createSender, HOOK_SLOTS } from '#weir/workers/hooks/sender';
import { parseAllowList } from '#weir/workers/images/fetch/address';
import { movePlace, placeOf } from '#weir/workers/log/places';
import { startLogReader } from '#weir/workers/log/reader';
import { SETTINGS } from '#weir/workers/role';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { weir } from '../../deploy/cli/support.ts';
import { type Origin, startBareOrigin, startOrigin } from '../../support/network/origin.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowItem, rowRequest, violating } from '../../support/stores/history.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const PARTITIONS = 2;
const SECRET = Buffer.alloc(24, 5);
const RETRIES = { firstMs: 40, factor: 2, mostMs: 200, giveUpMs: 1000 };
/** So long that no machine is too slow to answer. */
const TIMEOUT_MS = 120_000;
const HOLD_MS = 60_000;

let server: TestRedis;
let redis: Redis;
let config = 0;
let worker: ChildProcess | undefined;
const origins: Origin[] = [];

before(async () => {
  process.env.TEST_HOOK_SECRET = `whsec_${SECRET.toString('base64')}`;
  server = await startTestRedis();
  process.env.WEIR_REDIS_URL = server.url;
  redis = new Redis(server.port, '127.0.0.1');
  await redis.set(keys.partitions(), `${PARTITIONS} even`);
});
after(async () => {
  worker?.kill('SIGKILL');
  redis?.disconnect();
  await Promise.all([...origins.map((origin) => origin.close()), server?.close()]);
});

interface Received {
  id: string;
  body: string;
  headers: IncomingMessage['headers'];
}

/** A receiver that notes whole requests, and answers as `answer` does. */
async function receiver(answer: (response: ServerResponse, n: number) => void) {
  const received: Received[] = [];
  const origin = await startOrigin((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ id: String(request.headers['webhook-id']), body, headers: request.headers });
      answer(response, received.length);
    });
  });
  origins.push(origin);
  return { received, port: origin.port, requests: origin.requests };
}
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(code, headers).end();
  };

/** Makes a configuration active that has these webhooks, of team acme or of the team before a slash. */
async function apply(ports: Record<string, number>, secret = 'TEST_HOOK_SECRET'): Promise<void> {
  const hooks = Object.entries(ports).map(([name, port]) => {
    const [id, team = 'acme'] = name.split('/').reverse();
    return `{id: ${id}, team: ${team}, url: "http://127.0.0.1:${port}/x", on: [flagged], secret_env: ${secret}}`;
  });
  const loaded = loadConfiguration(`version: 1\nteams: [{id: acme}, {id: hostile}]\nnotify: [${hooks.join()}]`);
  assert.ok(loaded.ok, JSON.stringify(loaded));
  config = await storeVersion(redis as never, JSON.stringify(loaded.configuration));
  await activate(redis as never, config);
}

/** Appends flagged events to the log as commits do; returns their ids. */
async function put(partition: number, count: number, team = 'acme', newer?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const items = [rowItem(1), rowItem(2, { verdict: violating, flagged: true })];
    const request = rowRequest({ config, team });
    const format = newer ?? rowFormatOf(items);
    const fields = ['id', request.id, 'format', format, 'rows', encodeRows(request, items), 'index', '[]'];
    await redis.xadd(keys.results(partition), '*', ...fields);
    ids.push(itemId(request.id, 2));
  }
  return ids;
}

interface RoleOptions {
  registry?: ReturnType<typeof createRegistry>;
  timeoutMs?: number;
  giveUpMs?: number;
  /** default: what the heartbeat of the role has heard */
  active?(): Identity | undefined;
}

/** The role in this process, with short waits between attempts. */
async function startRole(
  t: TestContext,
  ports: number[],
  { registry = createRegistry('test'), timeoutMs = TIMEOUT_MS, giveUpMs = RETRIES.giveUpMs, active }: RoleOptions = {},
): Promise<() => Promise<void>> {
  const settings = loadSettings({ WEIR_REDIS_URL: server.url }, SETTINGS);
  const logger = createLogger('test', 'silent');
  const tools = { settings, redis: redis as never, logger, registry, partitions: () => PARTITIONS };
  const allow = parseAllowList(ports.map((port) => `127.0.0.1:${port}`).join());
  const role = await startLogReader('hooks', tools, ({ redis: own, pulse, name }) =>
    createNotifier({
      redis: own,
      partitions: () => PARTITIONS,
      name,
      active: active ?? (() => pulse.last()?.active),
      backlogBytes: 1 << 20,
      post: createPost({ allow, timeoutMs, version: '1.2.3' }),
      timeoutMs,
      meters: createHookMeters(registry),
      logger,
      retries: { ...RETRIES, giveUpMs },
    }),
  );
  t.after(role.stop);
  return role.stop;
}

const eventOf = ({ body }: { body: string }): string => JSON.parse(body).data.internal_event_id;
const counts = (hook: string) => countsOf(redis, [hook], [0, 1]);
const dead = async (hook: string) => (await Promise.all([0, 1].map((p) => deadDeliveries(redis, p, hook, 100)))).flat();

test('what a newer release has logged waits for a worker of that release, with all behind it', async (t) => {
  const good = await receiver(status(200));
  await apply({ newer: good.port });
  const stop = await startRole(t, [good.port]);
  const place = keys.place('hooks', 0);
  await until('the log is read', async () => (await redis.exists(place)) === 1);
  const [first] = await put(0, 1);
  await put(0, 1, 'acme', '9');
  await put(0, 1);
  const [other] = await put(1, 1);
  await until('what comes before, and another partition, are told', () => good.received.length === 2);
  assert.deepEqual(good.received.map(eventOf).sort(), [first, other].sort());
  const [[id]] = (await redis.xrange(keys.results(0), '-', '+', 'COUNT', 1)) as [[string, string[]]];
  await until('its place is behind the first', async () => (await redis.hget(place, 'next')) === nextId(id));
  await stop();
  await redis.del(keys.results(0), keys.results(1), place, keys.place('hooks', 1));
});

test('receivers that fail are tried and given up, and delay no others; what they missed is replayed', async (t) => {
  let healed = false;
  const good = await receiver(status(200));
  const moved = await receiver(status(302, { location: `http://127.0.0.1:${good.port}/` }));
  const broken = await receiver((response) => status(healed ? 204 : 500)(response));
  const refusing = await receiver(status(403));
  const endless = await receiver((response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65536)));
    };
    response.on('drain', more);
    more();
  });
  const closing = await startBareOrigin((socket) => socket.resetAndDestroy());
  origins.push(closing);
  const ports = {
    good: good.port,
    moved: moved.port,
    broken: broken.port,
    refusing: refusing.port,
    endless: endless.port,
    closing: closing.port,
    private: 1,
  };
  await apply(ports);
  const registry = createRegistry('test');
  await startRole(t, Object.values(ports).slice(0, -1), { registry });
  await until(
    'the log is read',
    async () => (await redis.exists(keys.place('hooks', 0), keys.place('hooks', 1))) === 2,
  );
  const events = [...(await put(0, 4)), ...(await put(1, 4))].sort();
  await until('the good one has all', () => new Set(good.received.map(eventOf)).size === events.length);
  assert.deepEqual([...new Set(good.received.map(eventOf))].sort(), events);
  const { headers, body, id } = good.received[0]!;
  const signed = createHmac('sha256', SECRET).update(`${id}.${headers['webhook-timestamp']}.${body}`).digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${signed}`);
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 240);
  assert.deepEqual([headers['content-type'], headers['user-agent']], ['application/json', 'weir/1.2.3']);
  await until('the endless one has all', () => new Set(endless.received.map(eventOf)).size === events.length);

  const ends = {
    moved: 'redirect',
    broken: 'server_error',
    refusing: 'client_error',
    closing: 'broken',
  };
  for (const [hook, outcome] of Object.entries({ ...ends, private: 'refused' })) {
    await until(`${hook} is given up`, async () => (await counts(`acme/${hook}`)).dead === events.length);
    const letters = await dead(`acme/${hook}`);
    assert.deepEqual([...new Set(letters.map((letter) => letter.outcome))], [outcome]);
    assert.deepEqual(letters.map(eventOf).sort(), events);
  }
  assert.ok(
    good.requests.every(({ url }) => url === '/x'),
    'no redirect was followed',
  );
  assert.equal((await counts('acme/endless')).dead, 0);
  const said = await registry.metrics();
  assert.match(said, /weir_hook_attempts_total\{outcome="delivered",process="test"\} (?:1[6-9]|[2-9]\d)$/m);
  assert.match(said, /weir_hook_deliveries_given_up_total\{process="test"\} 40$/m);

  healed = true;
  const [first] = (await weir('hooks', 'show', 'acme/broken')).out.split('\n');
  assert.match(first!, /^msg_[0-9a-f]{48} {2}attempts \d+ {2}server_error {2}since \S+Z {2}\/api\/event\//);
  const missed = broken.received.length;
  const one = first!.split(' ')[0]!;
  assert.equal((await weir('hooks', 'replay', 'acme/broken', one)).out, 'Due again: 1.');
  await until('it is sent', () => broken.received.length === missed + 1);
  assert.equal(broken.received.at(-1)!.id, one);
  assert.equal((await weir('hooks', 'replay', 'acme/broken')).out, `Due again: ${events.length - 1}.`);
  await until('all are sent', async () => (await counts('acme/broken')).waiting === 0);
  const again = broken.received.slice(missed);
  assert.deepEqual(again.map(eventOf).sort(), events);
  assert.ok(again.every(({ id: same }) => broken.received.slice(0, missed).some((before) => before.id === same)));
  assert.match((await weir('hooks', 'list')).out, /^acme\/broken {2}waiting 0 {2}given up 0 {2}dropped 0 {2}bytes 0$/m);
  assert.match(
    (await weir('hooks', 'list')).out,
    /^acme\/moved {2}waiting 0 {2}given up 8 {2}dropped 0 {2}bytes \d+$/m,
  );
  const state = (await weir('status')).out;
  assert.match(state, /^webhooks {7}7 in use, workers: 1, deliveries waiting: 0, given up: 32$/m);
  for (const [wrong, code] of [
    [['show'], 2],
    [['show', 'acme/brokn'], 1],
    [['replay', 'acme/good', one], 1],
  ] as const) {
    const { code: got, err } = await weir('hooks', ...wrong);
    assert.equal(got, code, err);
    assert.match(err, /expected TEAM\/WEBHOOK|did you mean "acme\/broken"|has given up no delivery/);
  }
});

test('a receiver that hangs delays no other, nor the end of the role, which loses nothing', async (t) => {
  const silent = await receiver(() => undefined);
  const good = await receiver(status(200));
  await apply({ hanging: silent.port, quick: good.port });
  const stop = await startRole(t, [silent.port, good.port]);
  const events = [...(await put(0, 10)), ...(await put(1, 10))].sort();
  await until('the quick one has all', () => good.received.length === events.length);
  assert.deepEqual(good.received.map(eventOf).sort(), events);
  await until('the other has as many as it may', () => silent.received.length === HOOK_SLOTS.perHook);
  await stop();
  const { waiting, dead: lost } = await counts('acme/hanging');
  assert.deepEqual([silent.received.length, waiting, lost], [HOOK_SLOTS.perHook, events.length, 0]);
  assert.equal((await counts('acme/quick')).waiting, 0);
});

test('a team with many receivers that hang and long queues delays no other team', async (t) => {
  const silent = await receiver(() => undefined);
  const good = await receiver(status(200));
  const many = Array.from({ length: 10 }, (_, n) => [`hostile/h${n}`, silent.port]);
  await apply({ ...Object.fromEntries(many), good: good.port });
  await startRole(t, [silent.port, good.port]);
  await put(0, 12, 'hostile');
  const share = HOOK_SLOTS.total / 2;
  await until('the hostile team has its share', () => silent.received.length === share);
  const events = [...(await put(0, 20)), ...(await put(1, 20))];
  await until('the other team has all', () => good.received.length === events.length);
  assert.deepEqual(good.received.map(eventOf).sort(), events.sort());
  assert.equal(silent.received.length, share);
});

test('a receiver that says when to come again is sent nothing before, and one that says a year, for an hour', async (t) => {
  const [held, after]: [number[], number[]] = [[], []];
  const busy = await receiver((response, n) => {
    (n === 1 ? held : after).push(performance.now());
    status(n === 1 ? 429 : 200, n === 1 ? { 'retry-after': '1' } : {})(response);
  });
  const away = await receiver(status(503, { 'retry-after': String(365 * 86_400) }));
  await apply({ busy: busy.port });
  const registry = createRegistry('test');
  const stop = await startRole(t, [busy.port], { registry, giveUpMs: 86_400_000 });
  await put(0, 1);
  await until('it has said so', async () => /weir_hook_pauses_total\{[^}]*\} 1$/m.test(await registry.metrics()));
  await put(0, 3);
  await until('all have arrived', () => after.length === 4);
  assert.ok(after[0]! - held[0]! >= 990, `${after[0]! - held[0]!} ms`);
  await stop();
  await apply({ away: away.port });
  await startRole(t, [away.port], { giveUpMs: 86_400_000 });
  await put(0, 1);
  const dueIn = async (): Promise<number> => {
    const [, due = '0'] = await redis.zrangebyscore(keys.hookDue(0, 'acme/away'), '-inf', '+inf', 'WITHSCORES');
    return Number(due) - Date.now();
  };
  // While it is taken it is due after the time of an attempt.
  await until('it waits', async () => (await dueIn()) > 2 * TIMEOUT_MS);
  const ms = await dueIn();
  assert.ok(ms > LONGEST_PAUSE_MS - 60_000 && ms <= 1.1 * LONGEST_PAUSE_MS, `${ms}`);
  assert.equal(away.received.length, 1);
});

test('a receiver that is left alone costs two commands a round, however much waits for it', async (t) => {
  // A partition of its own: queues of other tests are in the first two.
  const place = { partition: 5, hook: 'acme/resting' };
  const hook = { id: 'resting', team: 'acme', url: 'http://127.0.0.1:1/', on: ['flagged' as const], policies: null };
  const hooks = new Map([[place.hook, { ...hook, secret_env: 'TEST_HOOK_SECRET' }]]);
  let [rounds, attempts] = [0, 0];
  const sender = createSender({
    redis: redis as never,
    async own() {
      rounds++;
      return [place.partition];
    },
    active: async () => ({ id: 'one', hooks }),
    async post() {
      attempts++;
      return { outcome: 'client_error', pauseMs: 3_600_000 };
    },
    timeoutMs: HOLD_MS,
    meters: createHookMeters(createRegistry('test')),
    logger: createLogger('test', 'silent'),
  });
  const add = (from: number, to: number) => {
    const waiting = Array.from({ length: to - from }, (_, n) => ({ id: `msg_${from + n}`, body: 'x' }));
    return addDeliveries(redis as never, { ...place, mostBytes: 1 << 20 }, waiting);
  };
  await add(0, 1);
  sender.start();
  t.after(sender.stop);
  await until('it has asked for a pause', () => attempts === 1);
  await add(1, 1000);
  const spent = async (): Promise<[commands: number, bytes: number]> => {
    const stats = await redis.info('stats');
    const [commands, bytes] = ['commands_processed', 'net_output_bytes'].map((name) => {
      return Number(new RegExp(`^total_${name}:(\\d+)`, 'm').exec(stats)![1]);
    });
    return [commands!, bytes!];
  };
  const [[commands, bytes], from] = [await spent(), rounds];
  await until('it was passed over 20 times', () => {
    sender.wake();
    return rounds >= from + 20;
  });
  const [commandsAfter, bytesAfter] = await spent();
  // One round was under way before; INFO, and what is measured every 5 s.
  assert.ok(commandsAfter - commands <= 2 * (rounds - from + 1) + 10, `${commandsAfter - commands} commands`);
  assert.ok(bytesAfter - bytes < 20_000, `${bytesAfter - bytes} bytes`);
  assert.equal(attempts, 1);
});

test('Retry-After counts where it says that a receiver has too much to do', () => {
  const answer = (code: number, headers: Record<string, string>) =>
    attemptedBy({ status: code, headers: { one: (name) => headers[name] } });
  const later = { date: 'Tue, 01 Sep 2026 10:00:00 GMT', 'retry-after': 'Tue, 01 Sep 2026 10:00:30 GMT' };
  assert.deepEqual(answer(503, later), { outcome: 'server_error', pauseMs: 30_000 });
  assert.deepEqual(answer(429, { 'retry-after': '0' }), { outcome: 'client_error', pauseMs: 0 });
  for (const bad of ['soon', '-5', '1e9']) assert.equal(answer(429, { 'retry-after': bad }).pauseMs, undefined, bad);
  for (const code of [200, 404, 500]) assert.equal(answer(code, { 'retry-after': '60' }).pauseMs, undefined);
});

test('what fails is tried again under its id until it arrives, and what hangs for longer than it may has failed', async (t) => {
  const weak = await receiver((response, n) => status(n > 3 ? 200 : 503)(response));
  await apply({ weak: weak.port });
  const stop = await startRole(t, [weak.port], { giveUpMs: 3_600_000 });
  await put(0, 1);
  await until('it arrives', async () => weak.received.length === 4 && (await counts('acme/weak')).waiting === 0);
  assert.equal(new Set(weak.received.map(({ id }) => id)).size, 1);
  await stop();
  const mute = await receiver(() => undefined);
  await apply({ mute: mute.port });
  await startRole(t, [mute.port], { timeoutMs: 100 });
  await put(0, 1);
  await until('it is given up', async () => (await counts('acme/mute')).dead === 1);
  assert.deepEqual(
    (await dead('acme/mute')).map(({ outcome }) => outcome),
    ['timeout'],
  );
});

test('a receiver that is gone is asked once, and again when another configuration is active; of one that was removed, what waits is dropped and counted', async (t) => {
  let answer = 410;
  const gone = await receiver((response) => status(answer)(response));
  await apply({ gone: gone.port });
  const registry = createRegistry('test');
  await startRole(t, [gone.port], { registry });
  await until('it follows', async () => (await redis.exists(keys.place('hooks', 0))) === 1);
  await put(0, 1);
  await until('the first is given up', async () => (await counts('acme/gone')).dead === 1);
  await put(0, 3);
  await until('all are given up', async () => (await counts('acme/gone')).dead === 4);
  assert.equal(gone.received.length, 1);
  answer = 200;
  await apply({ gone: gone.port, other: gone.port });
  assert.equal((await weir('hooks', 'replay', 'acme/gone')).out, 'Due again: 4.');
  // Until the role has heard of the configuration they are given up again.
  await until('they are sent', async () => {
    await weir('hooks', 'replay', 'acme/gone');
    const { dead, waiting } = await counts('acme/gone');
    return dead + waiting === 0;
  });
  assert.deepEqual(new Set(gone.received.slice(1).map(({ id }) => id)).size, 4);
  const earlier = config;
  await apply({ other: gone.port });
  const later = config;
  await until('the role knows that the webhook was removed', async () => {
    // Judged by the configuration that had it.
    config = earlier;
    await put(0, 1);
    config = later;
    return /weir_hook_deliveries_removed_total\{[^}]*\} [1-9]/.test(await registry.metrics());
  });
});

test('what a webhook is told that was just added waits until the role has heard of it, and is dropped where the webhook goes again', async (t) => {
  const good = await receiver(status(200));
  const names = ['acme/added', 'acme/undone'];
  const waiting = async (): Promise<number[]> =>
    await Promise.all(names.map(async (hook) => (await counts(hook)).waiting));
  // The role knows a configuration with another webhook, and one that has none.
  for (const known of [{ known: good.port }, {}] as Record<string, number>[]) {
    good.received.length = 0;
    const registry = createRegistry('test');
    await apply(known);
    let active = await activeIdentity(redis as never);
    const stop = await startRole(t, [good.port], { registry, active: () => active });
    await apply({ ...known, added: good.port, undone: good.port });
    // As ingress does with appeals.
    const ids = names.map((hook) => deliveryId(hook, newRequestId(0), 'appeal.opened'));
    const dueOf = (n: number) => redis.zscore(keys.hookDue(0, names[n]!), ids[n]!);
    const first: (string | null)[] = [];
    for (const [n, hook] of names.entries()) {
      await addDeliveries(redis, { partition: 0, hook, mostBytes: 1 << 20 }, [{ id: ids[n]!, body: '{}' }]);
      first.push(await dueOf(n));
    }
    for (const n of names.keys())
      await until('the role has looked at the appeal', async () => (await dueOf(n)) !== first[n]);
    assert.deepEqual(await waiting(), [1, 1]);
    const [event] = await put(0, 1);
    await until('the check waits as well', async () => (await waiting()).join() === '2,2');
    await apply({ ...known, added: good.port });
    active = await activeIdentity(redis as never);
    await until('nothing waits', async () => (await waiting()).join() === '0,0');
    // With what waited for webhooks of other tests.
    await until('what the other one was to be told is counted', async () => {
      return /weir_hook_deliveries_removed_total\{[^}]*\} ([2-9]|\d\d+)$/m.test(await registry.metrics());
    });
    const told = new Set(good.received.map(({ id }) => id));
    const both = names.map((hook, n) => [told.has(ids[n]!), told.has(deliveryId(hook, event!))]);
    assert.deepEqual(both, [
      [true, true],
      [false, false],
    ]);
    await stop();
  }
});

test('without its secret nothing is sent to a webhook, and what waits is sent once it is there', async (t) => {
  const good = await receiver(status(200));
  await apply({ unsigned: good.port }, 'TEST_HOOK_UNSET');
  const registry = createRegistry('test');
  await startRole(t, [good.port], { registry });
  const [event] = await put(1, 1);
  await until('it was tried', async () => /outcome="no_secret",process="test"\} [1-9]/.test(await registry.metrics()));
  assert.equal(good.requests.length, 0);
  process.env.TEST_HOOK_UNSET = process.env.TEST_HOOK_SECRET;
  // It may have been given up meanwhile.
  await until('it is sent', async () => {
    await weir('hooks', 'replay', 'acme/unsigned');
    return good.received.length > 0;
  });
  assert.equal(eventOf(good.received[0]!), event);
  delete process.env.TEST_HOOK_UNSET;
});

test('a queue keeps to its bytes: what was given up makes room, and what finds none is counted', async () => {
  const place = { partition: 0, hook: 'acme/full' };
  const delivery = (n: number) => ({ id: `msg_${n}`, body: 'x'.repeat(980) });
  const add = (...ns: number[]) => addDeliveries(redis, { ...place, mostBytes: 3072 }, ns.map(delivery));
  assert.equal(await add(1, 2, 3), 0);
  assert.equal(await add(1, 2), 0, 'those that wait are not added again');
  assert.equal(await add(4, 5), 2);
  assert.deepEqual(await counts('acme/full'), { waiting: 3, dead: 0, dropped: 2, bytes: 3 * 998 });
  const taken = await takeDeliveries(redis, place, { most: 2, holdMs: HOLD_MS });
  assert.deepEqual(
    taken.map(({ id }) => id),
    ['msg_1', 'msg_2'],
  );
  for (const one of taken) assert.equal(await settleDelivery(redis, place, { ...one, attempts: 9 }, 'dead'), true);
  assert.equal(await add(6), 0);
  assert.deepEqual(
    (await dead('acme/full')).map(({ id, attempts }) => [id, attempts]),
    [['msg_2', 9]],
  );
  const [third] = await takeDeliveries(redis, place, { most: 1, holdMs: 5 });
  const [same] = await takeDeliveries(redis, place, { most: 1, holdMs: HOLD_MS });
  assert.deepEqual([third!.id, same!.id], ['msg_3', 'msg_6'], 'in the order in which they are due');
  assert.equal(await settleDelivery(redis, place, third!, 'done'), true);
  assert.equal(await settleDelivery(redis, place, third!, 'done'), false, 'the second worker is late');
});

test('the log keeps what any follower has not read', async () => {
  const p = 1;
  await redis.del(keys.results(p), keys.place('hooks', p), keys.position(p));
  await put(p, 2);
  const ids = (await redis.xrange(keys.results(p), '-', '+')).map(([id]) => id);
  await redis.hset(keys.position(p), 'last', ids[1]!);
  await redis.hset(keys.place('hooks', p), 'next', ids[0]!);
  await redis.hset(keys.place('metrics', p), 'next', ids[0]!);
  const to = `${ids[1]!.split('-')[0]}-9`;
  const read = { partition: p, from: ids[0]!, to, bytes: 1, entries: 2 };
  assert.equal(await movePlace(redis, 'metrics', read), true);
  assert.equal(await redis.xlen(keys.results(p)), 2);
  assert.equal(await movePlace(redis, 'hooks', read), true);
  assert.equal(await redis.xlen(keys.results(p)), 0);
  assert.equal((await placeOf(redis, 'hooks', p)).next, to);
  await redis.del(keys.place('metrics', p), keys.place('hooks', p), keys.position(p));
});

test('a worker that is killed loses nothing, and repeats under the same ids alone', async () => {
  let answering = false;
  const held = await receiver((response) => {
    if (answering) status(200)(response);
  });
  await apply({ held: held.port });
  const start = (): void => {
    worker = spawn(process.execPath, [programPath('worker')], {
      env: {
        ...process.env,
        WEIR_ROLES: 'hooks',
        WEIR_FETCH_ALLOW: `127.0.0.1:${held.port}`,
        WEIR_HOOK_TIMEOUT_MS: '2000',
        WEIR_METRICS_PORT: '0',
        WEIR_LOG_LEVEL: 'silent',
      },
      stdio: 'ignore',
    });
  };
  start();
  await until(
    'the log is read',
    async () => (await redis.exists(keys.place('hooks', 0), keys.place('hooks', 1))) === 2,
  );
  const events = [...(await put(0, 6)), ...(await put(1, 6))];
  await until('some are under way', () => held.received.length >= 3);
  worker!.kill('SIGKILL');
  await once(worker!, 'exit');
  const before = held.received.length;
  answering = true;
  start();
  await until('all have arrived', async () => {
    const { waiting, dead: lost } = await counts('acme/held');
    assert.equal(lost, 0);
    return waiting === 0 && new Set(held.received.slice(before).map(eventOf)).size === events.length;
  });
  const ids = new Map(held.received.map((one) => [eventOf(one), one]));
  assert.deepEqual([...ids.keys()].sort(), events.sort());
  for (const one of held.received)
    assert.deepEqual([one.id, one.body], [ids.get(eventOf(one))!.id, ids.get(eventOf(one))!.body]);
  worker!.kill('SIGTERM');
  const [code] = await once(worker!, 'exit');
  assert.equal(code, 0);
});
