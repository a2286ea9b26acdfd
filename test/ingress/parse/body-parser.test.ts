import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { after, describe, it } from 'node:test';
import { createParser, LARGE_BODY, type Parser } from '#weir/ingress/parse/body-parser';
import { costOf } from '#weir/ingress/parse/cost';
import { listed } from '#weir/shared/api/read/events';
import { createLogger } from '#weir/shared/log';
import { Registry } from '#weir/shared/telemetry';

const large = (change: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      environment_id: 'prod',
      events: [{ type: 'reasoning', content: 'x' }],
      filler: 'é'.repeat(LARGE_BODY),
      ...change,
    }),
  );

const LIMITS = { bodyValues: 10_000_000, messageBytes: 1024 * 1024, parseMs: 60_000 };
const tools = (registry = new Registry()) => ({ logger: createLogger('test', 'silent'), registry });

describe('the parser', () => {
  const parser: Parser = createParser(LIMITS, tools());
  // The thread does not keep the process alive; in a server its sockets do.
  const alive = setInterval(() => undefined, 1000);
  after(async () => {
    clearInterval(alive);
    await parser.close();
  });

  it('parses off the loop as on it, and gives the bytes back', async () => {
    for (const body of [large(), large({ events: [] }), Buffer.concat([large(), Buffer.from('}')])]) {
      const copy = Buffer.from(body);
      const parsed = await parser.later('events', [body], 'a');
      assert.ok(parsed.body.equals(copy));
      const now = parser.now('events', copy);
      assert.deepEqual(parsed.result, now.ok ? { ok: true, value: listed(now.value) } : now);
    }
  });

  it('says how many values and names a body has, whatever its strings hold', async () => {
    const few = await parser.later('events', [Buffer.from(`[1,{"a":"${',:['.repeat(LARGE_BODY)}"}]`)], 'a');
    // Two brackets, a comma, a colon.
    assert.equal(few.values, 4);
    const many = await parser.later('events', [Buffer.from(`[${'1,'.repeat(LARGE_BODY)}1]`)], 'a');
    assert.equal(many.values, LARGE_BODY + 1);
  });

  it('says what the texts of a body may cost', async () => {
    const body = Buffer.from(`{"a":"${'1'.repeat(LARGE_BODY)}"}`);
    const cost = costOf(body);
    assert.ok(cost > 4 * LARGE_BODY);
    assert.equal((await parser.later('events', [body], 'a')).cost, cost);
  });

  it('runs threads below the priority of the loop', {
    skip: process.platform !== 'linux' || getPriority() >= 5,
  }, async () => {
    await parser.later('events', [large()], 'a');
    const threads = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
    // The thread that has parsed this body.
    assert.equal(threads.filter((priority) => priority === 5).length, 1);
    assert.ok(getPriority() < 5);
  });

  it('puts a body together that came in pieces', async () => {
    const body = large();
    const pieces = [body.subarray(0, 1000), body.subarray(1000, 1001), body.subarray(1001)].map((one) => {
      const own = Buffer.allocUnsafeSlow(one.length);
      one.copy(own);
      return own;
    });
    const parsed = await parser.later('events', pieces, 'a');
    assert.ok(parsed.body.equals(body));
    assert.equal(parsed.result.ok, true);
    // Their memory was transferred to the thread.
    const left = pieces.map(({ buffer }) => buffer.byteLength);
    assert.deepEqual(left, [0, 0, 0]);
  });

  it('takes a body that shares its memory with others', async () => {
    const shared = Buffer.concat([Buffer.alloc(10), large()]);
    const parsed = await parser.later('events', [shared.subarray(10)], 'a');
    assert.equal(parsed.result.ok, true);
    assert.equal(shared[10], 0x7b);
  });

  it('goes on with a new thread after one that had to grow, answering what waited', async () => {
    const grown = Buffer.from(`[${'[],'.repeat(3_000_000)}[]]`);
    const answers = await Promise.all([parser.later('events', [grown], 'a'), parser.later('events', [large()], 'a')]);
    const good = answers.map((parsed) => parsed.result.ok);
    assert.deepEqual(good, [false, true]);
    assert.equal((await parser.later('events', [large()], 'a')).result.ok, true);
  });

  it('rejects its bodies when it is closed', async () => {
    const two = Promise.allSettled(['a', 'b'].map((team) => parser.later('events', [large()], team)));
    await parser.close();
    for (const one of await two) {
      assert.ok(one.status === 'rejected');
      assert.deepEqual([one.reason.code, one.reason.status], ['unavailable', 503]);
    }
    assert.equal((await parser.later('events', [large()], 'a')).result.ok, true);
  });

  it('serves teams in turn, however many bodies one of them has [edge.parse-turns]', async () => {
    const order: string[] = [];
    const sent = (team: string) => parser.later('events', [large()], team).then(() => order.push(team));
    await Promise.all([sent('a'), sent('a'), sent('a'), sent('a'), sent('b'), sent('b')]);
    // The first one found an empty queue.
    assert.deepEqual(order, ['a', 'a', 'b', 'a', 'b', 'a']);
  });

  it('never lets a body of 100 KB wait for a huge one', async () => {
    // In one queue with these it would be the last.
    const huge = Array.from({ length: 20 }, () => Buffer.from(`[${'[],'.repeat(300_000)}[]]`));
    let left = huge.length;
    const all = huge.map((body) => parser.later('events', [body], 'a').then(() => left--));
    await parser.later('events', [large()], 'a');
    assert.notEqual(left, 0);
    await Promise.all(all);
  });

  it('refuses what has too many values or levels without parsing it [edge.values]', async () => {
    const strict = createParser({ ...LIMITS, bodyValues: 100_000 }, tools());
    const parsed = async (body: string) => {
      const { result } = await strict.later('events', [Buffer.from(body)], 'a');
      return result.ok === false ? result.issues.map(({ path, code }) => [path, code]) : result.ok;
    };
    const filler = (text: string): string =>
      `{"environment_id":"prod","events":[{"type":"reasoning","content":"x"}],"f":${text}}`;
    for (const unit of ['{}', '[]', '1', '""', '{"a":1}']) {
      const many = filler(`[${`${unit},`.repeat(110_000)}0]`);
      assert.deepEqual(await parsed(many), [['', 'too_many_values']], unit);
    }
    assert.deepEqual(await parsed(filler('['.repeat(300_000))), [['', 'too_deep']]);
    // The text in a string is not a value, however it is written.
    for (const text of ['{[,:'.repeat(100_000), '\\"\\\\'.repeat(100_000), ',\\"'.repeat(100_000)]) {
      assert.equal(await parsed(filler(`"${text}"`)), true, text.slice(0, 8));
    }
    assert.equal(await parsed(filler(`[${'"xxxxxxxx",'.repeat(90_000)}0]`)), true);
    await strict.close();
  });

  it('gives up a body that takes too long, and that one alone [edge.parse-time]', async () => {
    const registry = new Registry();
    const hasty = createParser({ ...LIMITS, parseMs: 1 }, tools(registry));
    const long = (): Buffer => Buffer.from(`[${'[],'.repeat(3_000_000)}[]]`);
    const given = ['a', 'b'].map((team) => hasty.later('events', [long()], team));
    for (const each of given) await assert.rejects(each, { code: 'unavailable', status: 503 });
    assert.match(await registry.metrics(), /^weir_parse_ended_total 2$/m);
    assert.match(await registry.metrics(), /^weir_parse_waiting 0$/m);
    await hasty.close();
  });
});
