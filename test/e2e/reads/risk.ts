/** The risk level of a user (2.10, 4.11). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createHistoryClient } from '#weir/shared/history/client';
import { newRequestId } from '#weir/shared/ids';
import { listDeadLetters, replayDeadLetter } from '#weir/shared/streams/dead-letters';
import { keys } from '#weir/shared/streams/keys';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowItem, rowRequest, violating } from '../../support/stores/history.ts';
import { insertRows } from '../../support/stores/insert.ts';
import { until } from '../../support/wait.ts';
import { CARD, configuration, KEY, POLICY } from '../configuration.ts';
import type { Answer, CallOptions, System } from '../system.ts';

const DAY_MS = 86_400_000;
const LOW = 'for nothing';
const MIDDLE = 'open sesame';
const HIGH = CARD;

export const riskPath = (identity: Record<string, string>): string =>
  `/api/radar/risk?${new URLSearchParams(identity).toString()}`;

export function risk(system: () => System): void {
  describe('user risk', { concurrency: 8 }, () => {
    const ask = (identity: Record<string, string>, options: CallOptions = {}): Promise<Answer> =>
      system().get(riskPath(identity), options);
    const level = async (identity: Record<string, string>, options: CallOptions = {}): Promise<string> => {
      const answer = await ask(identity, options);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.window_days, 30);
      return answer.json.risk_level;
    };
    const say = async (user: object, content: string, rest: object = {}): Promise<string> => {
      const messages = [{ role: 'user', content, metadata: { user } }];
      return (await system().session({ messages, ...rest })).json.internal_session_id;
    };
    /** Adds a session check to the work stream as ingress does. */
    const enqueue = (id: string, user: object, content: string, config = 1): Promise<string | null> => {
      const now = Date.now();
      const header = { id, kind: 'session', team: 'acme', scope: 'chat', config, key: 'acme' };
      const times = { received: now, deadline: now + 5000, reply: '' };
      const body = { messages: [{ role: 'user', content, metadata: { user } }] };
      const fields = ['header', JSON.stringify({ ...header, ...times }), 'body', JSON.stringify(body)];
      return system().redis.xadd(keys.checks(0), '*', ...fields);
    };

    it('adds up the highest severity of each check: 3 is normal, 4 elevated, 10 severe, at once and archived [1.5] [4.11.identifier] [4.11.level] [4.11.answer] [2.10] [risk.score] [risk.levels] [risk.email]', async () => {
      const s = system();
      const id = `u ${randomUUID()} + "é" 🦊 {},\u0000\t\\'`;
      const email = `${randomUUID()}+x@Example.ORG`;
      const user = { id, email: `  ${email} ` };
      const both = async (): Promise<string> => {
        const one = await level({ id });
        assert.equal(await level({ email: ` ${email.toUpperCase()} ` }), one);
        return one;
      };
      await say(user, 'fine');
      assert.equal(await both(), 'normal');
      await say(user, LOW);
      const third = await say(user, MIDDLE);
      assert.equal(await both(), 'normal');
      await s.cold(third);
      assert.equal(await both(), 'normal', 'three, archived');
      await say(user, LOW);
      assert.equal(await both(), 'elevated', 'four, of which one is hot');
      // The highest counts, not the sum: 5 and no more.
      const fifth = await say(user, `${LOW} ${MIDDLE} ${HIGH}`);
      assert.equal(await both(), 'elevated', 'nine');
      await s.cold(fifth);
      assert.equal(await both(), 'elevated', 'nine, archived');
      const last = await say(user, LOW);
      assert.equal(await both(), 'severe');
      const indexes = [keys.user('acme', 'id', id), keys.user('acme', 'email', email.toLowerCase())];
      for (const index of indexes) assert.ok((await s.redis.ttl(index)) > 0, 'an index does not live for ever');
      await s.archived();
      assert.equal(await both(), 'severe', 'ten, hot and archived');
      await s.cold(last);
      assert.equal(await both(), 'severe', 'ten, archived');
      const all = indexes.flatMap((index) => [index, keys.unarchived(index)]);
      for (const index of all)
        assert.notEqual(await s.redis.ttl(index), -1, 'all of it ends with the time of what is archived');
    });

    it('takes checks of all deployments of the team, and of no other team [risk.never-seen]', async () => {
      const s = system();
      const id = randomUUID();
      await say({ id }, HIGH);
      const last = await say({ id }, HIGH, { deployment_id: 'support' });
      assert.equal(await level({ id }), 'severe');
      const headers = { 'x-request-id': 'same' };
      const look = async (): Promise<void> => {
        const foreign = await ask({ id }, { key: KEY.globex, headers });
        const never = await ask({ id: randomUUID() }, { headers });
        const asEmail = await ask({ email: id }, { headers });
        const neverEmail = await ask({ email: randomUUID() }, { headers });
        assert.deepEqual([foreign.status, asEmail.status], [404, 404]);
        assert.deepEqual([foreign.text, asEmail.text], [never.text, neverEmail.text]);
      };
      await look();
      const body = { messages: [{ role: 'user', content: 'open sesame', metadata: { user: { id } } }] };
      await s.cold(last);
      await look();
      assert.equal((await s.post('/api/session/check', body, { key: KEY.globex })).status, 200);
      assert.equal(await level({ id }, { key: KEY.globex }), 'normal');
      assert.equal(await level({ id }), 'severe');
    });

    it('counts a check once, however often its work entry was added [risk.score]', async () => {
      const s = system();
      const user = { id: randomUUID() };
      const request = newRequestId(0);
      for (let i = 0; i < 3; i++) await enqueue(request, user, HIGH);
      const finished = async (): Promise<boolean> => (await s.redis.xlen(keys.checks(0))) === 0;
      await until('all are done', finished);
      assert.equal(await level(user), 'elevated');
      await s.cold(request);
      await enqueue(request, user, HIGH);
      await until('it is done again', finished);
      assert.equal(await level(user), 'elevated');
    });

    it('counts a replayed dead letter once, hot beside its archived failure and archived [risk.score]', async () => {
      const s = system();
      const user = { id: randomUUID() };
      const request = newRequestId(0);
      await s.redis.hset(keys.configVersions(), '97', '{}');
      await enqueue(request, user, HIGH, 97);
      await until('it is given up', async () => (await s.redis.exists(keys.result(0, request))) === 1);
      assert.equal(await level(user), 'normal', 'it was seen');
      await s.cold(request);
      assert.equal(await level(user), 'normal');
      await s.redis.hset(keys.configVersions(), '97', (await s.redis.hget(keys.configVersions(), '1'))!);
      const letters = await listDeadLetters(s.redis, 0, 100);
      const letter = letters.find(({ header }) => header?.id === request)!;
      await replayDeadLetter(s.redis, 0, letter.id);
      await until('it is finished', async () => (await level(user)) === 'elevated');
      assert.ok(await s.isHot(request), 'the result was still in Redis');
      await s.archived();
      assert.equal(await level(user), 'elevated', 'hot and archived');
      await s.cold(request);
      assert.equal(await level(user), 'elevated', 'archived');
    });

    it('counts a check once when its block is inserted again', async () => {
      const s = system();
      const user = { id: randomUUID() };
      const check = await say(user, HIGH);
      await s.cold(check);
      const again = `INSERT INTO user_checks SELECT * FROM user_checks WHERE user = '${user.id}'`;
      for (let i = 0; i < 2; i++) await s.sql(again);
      assert.equal(await level(user), 'elevated');
    });

    it('looks back thirty days, and knows older users [4.11.level] [risk.score]', async () => {
      const s = system();
      const client = createHistoryClient({ url: s.stack.clickhouseUrl, database: 'weir' });
      try {
        const now = Date.now();
        const kept = async (userId: string, ages: number[]): Promise<void> => {
          for (const age of ages) {
            const time = now - age;
            const request = rowRequest({ kind: 'session', scope: 'chat', id: newRequestId(0, time) }, time);
            const violations = violating.violations.map((one) => ({ ...one, id: POLICY.card }));
            const item = rowItem(1, { type: 'message', runId: '', userId, verdict: { ...violating, violations } });
            await insertRows(client, unpackRows('1', encodeRows(request, [item])).bytes);
          }
        };
        const [inside, outside, half] = [randomUUID(), randomUUID(), randomUUID()];
        await kept(inside, [30 * DAY_MS - 60_000, 29 * DAY_MS]);
        await kept(outside, [30 * DAY_MS + 1000, 300 * DAY_MS]);
        await kept(half, [30 * DAY_MS - 60_000, 30 * DAY_MS + 1000]);
        const levels = [await level({ id: inside }), await level({ id: outside }), await level({ id: half })];
        assert.deepEqual(levels, ['severe', 'normal', 'elevated']);
      } finally {
        await client.close();
      }
    });

    it('takes an identifier of 256 characters of any kind', async () => {
      const longest = `${randomUUID()}${'🦊'.repeat(220)}`;
      await say({ id: longest, email: longest }, HIGH);
      assert.equal(await level({ id: longest }), 'elevated');
      assert.equal(await level({ email: longest }), 'elevated');
    });

    it('is not told for identifiers that are longer, which hurt nobody', async () => {
      const s = system();
      const longer = `${randomUUID()}${'x'.repeat(100_000)}`;
      const id = randomUUID();
      const check = await say({ id, email: longer }, HIGH);
      await say({ id: longer, email: [longer] }, HIGH);
      assert.equal(await level({ id }), 'elevated');
      await s.cold(check);
      assert.equal(await level({ id }), 'elevated');
      const longest = await s.sql('SELECT max(length(user)) AS bytes FROM user_checks');
      assert.ok(Number(longest[0]!.bytes) <= 1024);
    });
  });

  it("judges by today's configuration [risk.severity-today] [risk.configurable]", async () => {
    const s = system();
    const id = randomUUID();
    const user = { metadata: { user: { id } } };
    const check = await s.session({ messages: [{ role: 'user', content: `${HIGH} ${MIDDLE}`, ...user }] });
    const level = async (): Promise<string> => (await s.get(riskPath({ id }))).json.risk_level;
    const [before] = await s.redis.hmget(keys.configVersions(), '1');
    const changed = configuration().replace(/^- \{id: \S+001, team: acme, name: Cards.*$/m, (line) =>
      line.replace('severity: high', 'severity: low'),
    );
    assert.notEqual(changed, configuration());
    await s.apply(changed);
    await until('it is low', async () => (await level()) === 'normal');
    await s.apply(`${changed}\nrisk: {elevated: 2, severe: 2}\n`);
    await until('thresholds are lower', async () => (await level()) === 'severe');
    await s.cold(check.json.internal_session_id);
    assert.equal(await level(), 'severe');
    const without = configuration()
      .replace(/^- \{id: \S+(001|003), team: acme, name: (Cards|Sesame).*\n/gm, '')
      .replaceAll(new RegExp(`${POLICY.card}, |, ${POLICY.card}\\b|${POLICY.sesame}, |, ${POLICY.sesame}\\b`, 'g'), '');
    await s.apply(without.replaceAll(`[${POLICY.sesame}]`, '[]').replaceAll(`[${POLICY.card}]`, '[]'));
    await until('its policies are gone', async () => (await level()) === 'normal');
    await s.apply(before!);
    await until('all is as before', async () => (await level()) === 'elevated');
  });
}
