/** Appeals in a whole installation: made, decided by labels, told to webhooks, erased, seen by nobody else. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '#weir/shared/api/limits';
import type { Appeal } from '#weir/shared/api/types';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { type Origin, startOrigin } from '../support/network/origin.ts';
import { until } from '../support/wait.ts';
import { configuration, KEY, POLICY } from './configuration.ts';
import { type Answer, newRun, type System, startSystem } from './system.ts';

/** Of a program that checks and reads, and labels nothing. */
const PROGRAM = createKey();

interface Told {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

describe('appeals', { timeout: 600_000 }, () => {
  let system: System;
  let receiver: Origin;
  const told: Told[] = [];
  before(async () => {
    receiver = await startOrigin((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        told.push({ id: String(request.headers['webhook-id']), ...JSON.parse(body) });
        response.end();
      });
    });
    const host = `127.0.0.1:${receiver.port}`;
    const grants = 'deployments: [chat], default_deployment: chat, environments: [prod]';
    const text = configuration().replace(
      'keys:\n',
      `notify:
- {id: appeals, team: acme, url: "http://${host}/", on: [appeal], policies: [${POLICY.sesame}], secret_env: HOOK_SECRET}
- {id: others, team: globex, url: "http://${host}/", on: [flagged, appeal], secret_env: HOOK_SECRET}
keys:
- {id: program, team: acme, sha256: ${hashKey(PROGRAM)}, ${grants}, scopes: [check, read]}
`,
    );
    system = await startSystem({
      configuration: { text, file: 'test.yaml' },
      followers: true,
      env: { HOOK_SECRET: `whsec_${'A'.repeat(32)}`, WEIR_FETCH_ALLOW: host },
    });
  });
  after(async () => {
    await system?.close();
    await receiver?.close();
  });

  const appeal = (body: object, key: string = PROGRAM): Promise<Answer> => system.post('/api/appeal', body, { key });
  const label = (body: object): Promise<Answer> => system.post('/api/label', body);
  const of = (id: string) => ({ internal_event_id: id, environment_id: 'prod' });
  const found = async (id: string, key: string = PROGRAM): Promise<Appeal[]> => {
    const { status, json, text } = await system.get(`/api/appeal?internal_event_id=${id}&environment_id=prod`, { key });
    assert.equal(status, 200, text);
    return json.appeals;
  };
  async function event(content = 'open sesame', rest: object = {}): Promise<string> {
    const { json } = await system.events([{ type: 'message', role: 'user', content, ...rest }], { run_id: newRun() });
    return json.order[0].internal_event_id;
  }
  /** Each delivery once: one that is told again has the same id. */
  const toldOf = (id: string): Told[] => [
    ...new Map(told.filter(({ data }) => data.internal_event_id === id).map((one) => [one.id, one])).values(),
  ];
  async function toldLast(id: string, many: number): Promise<Told> {
    await until(`${many} deliveries about ${id}`, async () => toldOf(id).length >= many);
    assert.equal(toldOf(id).length, many);
    return toldOf(id).at(-1)!;
  }

  it('are open until a reviewer labels the verdict, and follow the newest label [appeals.made] [appeals.decided] [appeals.hooks]', async () => {
    const id = await event();
    // What was said before decides nothing.
    await label({ ...of(id), policy: 'Sesame', label: 'true_alarm', reviewer: 'zoe' });
    const note = 'It is the title of a "film"\u0000 😀';
    const { status, json } = await appeal({ ...of(id), policy: 'Sesame', note: ` ${note} `, reference: 'ticket-311' });
    const { made_at: made, ...rest } = json;
    const known = { ...of(id), policy_id: POLICY.sesame, policy_name: 'Sesame', note, reference: 'ticket-311' };
    assert.deepEqual([status, rest], [200, { ...known, state: 'open' }]);
    assert.deepEqual(await found(id), [{ ...known, state: 'open', made_at: made }]);
    const first = await toldLast(id, 1);
    const { id: _, ...payload } = first;
    assert.deepEqual(payload, {
      type: 'appeal.opened',
      timestamp: made,
      data: {
        kind: 'event',
        team: 'acme',
        ...of(id),
        policy: { id: POLICY.sesame, name: 'Sesame' },
        state: 'open',
        made_at: made,
        reference: 'ticket-311',
        appeal_url: `/api/appeal?internal_event_id=${id}&environment_id=prod`,
      },
    });
    const again = await appeal({ ...of(id), policy: POLICY.sesame, note: 'other words' });
    assert.deepEqual(again.json, json, 'it is there once');

    const said = { ...of(id), policy: 'Sesame', reviewer: 'ann' };
    await label({ ...said, label: 'false_alarm' });
    const [decided] = await found(id);
    assert.deepEqual([decided!.state, decided!.decided_by], ['overturned', 'ann']);
    assert.ok(decided!.decided_at! > made);
    const { type, data, timestamp } = await toldLast(id, 2);
    assert.deepEqual([type, data.state, timestamp], ['appeal.decided', 'overturned', decided!.decided_at]);
    assert.equal(
      (await appeal({ ...of(id), policy: 'Sesame' })).json.state,
      'overturned',
      'a repetition has what became of it',
    );

    await label({ ...said, label: 'true_alarm', reviewer: 'bob' });
    assert.deepEqual(
      (await found(id)).map(({ state, decided_by }) => [state, decided_by]),
      [['stands', 'bob']],
    );
    assert.equal((await toldLast(id, 3)).data.state, 'stands');
    await label({ ...said, label: 'withdrawn', reviewer: 'bob' });
    assert.equal((await found(id))[0]!.state, 'overturned', 'that of the label before counts again');
    assert.equal((await toldLast(id, 4)).data.state, 'overturned');
    await label({ ...said, label: 'withdrawn' });
    assert.deepEqual(await found(id), [{ ...known, state: 'open', made_at: made }]);
    assert.equal((await toldLast(id, 5)).type, 'appeal.opened');
    assert.ok(!JSON.stringify(told).includes('film'), 'no webhook has the note');
  });

  it('are made once where requests overlap: the first one stays, and all are answered with it', async () => {
    const id = await event();
    const sent = Array.from({ length: 6 }, (_, n) => appeal({ ...of(id), policy: 'Sesame', reference: `no. ${n}` }));
    const answers = await Promise.all(sent);
    const [first] = answers;
    for (const { status, json } of answers) assert.deepEqual([status, json], [200, first!.json]);
    assert.deepEqual(await found(id), [first!.json]);
    assert.equal((await toldLast(id, 1)).data.made_at, first!.json.made_at);
  });

  it('are first in the queue of reviewers, also of what was labelled before, and gone once decided [appeals.queue]', async () => {
    const [older, newer, other] = [await event(), await event(), await event()];
    for (const id of [older, newer, other]) await system.cold(id);
    await label({ ...of(older), policy: 'Sesame', label: 'true_alarm' });
    await appeal({ ...of(newer), policy: 'Sesame', note: 'first' });
    await appeal({ ...of(older), policy: 'Sesame' });
    const queue = async (query = ''): Promise<Record<string, unknown>[]> =>
      (await system.get(`/api/label/queue?limit=100${query}`)).json.verdicts;
    const places = async (): Promise<number[]> => {
      const ids = (await queue()).map(({ internal_event_id: id }) => id as string);
      return [newer, older, other].map((id) => ids.indexOf(id));
    };
    const [first, second, third] = await places();
    assert.ok(
      first! >= 0 && first! < second! && second! < third!,
      'the oldest appeal first, then verdicts without one',
    );
    const shown = (await queue()).find(({ internal_event_id: id }) => id === newer)!;
    assert.equal((shown.reasons as string[])[0], 'appeal');
    assert.equal((shown.appeal as { note: string }).note, 'first');
    assert.equal((await queue('&policy=Cards')).length, 0);
    await label({ ...of(newer), policy: 'Sesame', label: 'true_alarm' });
    await label({ ...of(older), policy: 'Sesame', label: 'true_alarm' });
    assert.deepEqual((await places()).slice(0, 2), [-1, -1]);
  });

  it('are listed page by page, the oldest first, of what the key may see [appeals.open]', async () => {
    const mine: string[] = [];
    for (let n = 0; n < 5; n++) {
      const id = await event();
      await appeal({ ...of(id), policy: 'Sesame' });
      mine.push(id);
    }
    const { json: checked } = await system.session({ messages: [{ role: 'user', content: 'open sesame' }] });
    const session = { internal_session_id: checked.internal_session_id };
    assert.equal((await appeal({ ...session, policy: 'Sesame' })).json.deployment_id, 'chat');
    const list = async (): Promise<Appeal[]> => {
      const all: Appeal[] = [];
      for (let next = ''; ; ) {
        const { status, json } = await system.get(`/api/appeal/open?limit=2&after=${next}`);
        assert.equal(status, 200);
        all.push(...json.appeals);
        next = json.next;
        if (next === undefined) return all;
      }
    };
    const own = async (): Promise<(string | undefined)[]> =>
      (await list()).flatMap(({ internal_event_id: event, internal_session_id: id }) =>
        id === session.internal_session_id || mine.includes(event!) ? [event ?? id] : [],
      );
    assert.deepEqual(await own(), [...mine, session.internal_session_id]);
    await label({ ...of(mine[2]!), policy: 'Sesame', label: 'true_alarm' });
    assert.deepEqual(await own(), [...mine.filter((_, n) => n !== 2), session.internal_session_id]);
    assert.deepEqual((await system.get('/api/appeal/open?policy=Cards')).json, { appeals: [] });
    assert.deepEqual((await system.get('/api/appeal/open', { key: KEY.globex })).json, { appeals: [] });
    for (const query of ['limit=101', 'after=x', `after=1.${mine[0]}.x`, `policy=${'x'.repeat(300)}`])
      assert.equal((await system.get(`/api/appeal/open?${query}`)).status, 400, query);
  });

  it('are of the team alone, and need check, read and review [appeals.scope] [appeals.foreign]', async () => {
    const id = await event();
    const body = { ...of(id), policy: 'Sesame' };
    const without = ({ json }: Answer) => ({ ...json.error, request_id: '' });
    const absent = id.replace(/.{4}-/, '0000-');
    const foreign = await appeal(body, KEY.globex);
    assert.equal(foreign.status, 404);
    assert.deepEqual(without(foreign), without(await appeal({ ...body, internal_event_id: absent }, KEY.globex)));
    const look = (one: string): Promise<Answer> =>
      system.get(`/api/appeal?internal_event_id=${one}&environment_id=prod`, { key: KEY.globex });
    await appeal(body);
    assert.equal((await look(id)).status, 404);
    assert.deepEqual(without(await look(id)), without(await look(absent)));
    assert.equal((await system.get('/api/appeal/open', { key: PROGRAM })).status, 403);
    assert.equal((await system.get('/api/appeal', { key: KEY.operator })).status, 403);
    assert.equal((await appeal(body, KEY.operator)).status, 403);
  });

  it('are against policies that have flagged the item, and say what is wrong', async () => {
    const id = await event();
    for (const [body, param, code] of [
      [{ ...of(id), policy: 'Cards' }, 'policy', 'verdict'],
      [{ ...of(id), policy: '' }, 'policy', 'required'],
      [{ policy: 'Sesame' }, 'internal_event_id', 'required'],
      [{ ...of(id), policy: 'Sesame', note: 'é'.repeat(2001) }, 'note', 'too_long'],
      [{ ...of(id), policy: 'Sesame', reference: 'x'.repeat(257) }, 'reference', 'too_long'],
    ] as const) {
      const { status, json } = await appeal(body);
      assert.deepEqual([status, json.error.issues[0].path, json.error.issues[0].code], [400, param, code]);
    }
    assert.equal((await appeal({ ...of(id), policy: 'Nothing' })).status, 404);
    const both = `internal_event_id=${id}&internal_session_id=${id}`;
    for (const query of ['', both, 'internal_event_id=e1', `internal_event_id=${id}&deployment_id=chat`])
      assert.equal((await system.get(`/api/appeal?${query}`)).status, 400, query);
  });

  it('go with their item [appeals.erased]', async () => {
    const id = await event('open sesame', { metadata: { user: { id: 'u-gone' } } });
    await appeal({ ...of(id), policy: 'Sesame', note: 'of u-gone' });
    const receipt = await system.remove('/api/user?id=u-gone');
    assert.equal(receipt.status, 202);
    await until('it is erased', async () => {
      const { json } = await system.get(`/api/erasure/${receipt.json.erasure_id}`);
      return ['erased', 'complete'].includes(json.state);
    });
    assert.deepEqual(await system.sql(`SELECT note FROM appeals WHERE id = '${id}'`), []);
    assert.equal((await system.get(`/api/appeal?internal_event_id=${id}&environment_id=prod`)).status, 404);
  });

  it('are a 503 while ClickHouse is away, and none that was answered is lost [appeals.kept]', async () => {
    const [kept, late] = [await event(), await event()];
    assert.equal((await appeal({ ...of(kept), policy: 'Sesame' })).status, 200);
    await system.stack.clickhouse.kill();
    try {
      const refused = await appeal({ ...of(late), policy: 'Sesame' });
      assert.deepEqual([refused.status, refused.json.error.code], [503, 'unavailable']);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    } finally {
      await system.stack.clickhouse.restart();
    }
    await until('appeals are taken', async () => (await appeal({ ...of(late), policy: 'Sesame' })).status === 200);
    for (const id of [kept, late]) assert.equal((await found(id))[0]!.state, 'open');
  });

  it('are so many of a team in a day [appeals.bound]', async () => {
    const id = await event();
    await system.sql(`INSERT INTO appeals (team, scope, item, ts, id, policy_id, at)
      SELECT 'acme', 'full', 'event', now64(3), generateUUIDv4(), generateUUIDv4(), now64(3) FROM numbers(${LIMITS.appealsPerDay})`);
    const refused = await appeal({ ...of(id), policy: 'Sesame' });
    assert.deepEqual([refused.status, refused.json.error.code], [429, 'rate_limited']);
    assert.equal(refused.headers.get('retry-after'), '3600');
    assert.deepEqual(await found(id), []);
    const [open] = await system.sql(`SELECT count() AS n FROM appeals WHERE scope = 'full'`);
    assert.equal(Number(open!.n), LIMITS.appealsPerDay);
    const before = (await system.get('/api/appeal/open?limit=1')).json.appeals[0];
    assert.equal(
      (await appeal({ ...of(before.internal_event_id), policy: 'Sesame' })).status,
      200,
      'one that is there is answered',
    );
  });
});
