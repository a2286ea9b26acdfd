/** `POST /api/label` at the HTTP edge. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '#weir/shared/api/errors';
import type { ItemLabel, LabelKind, LabelStatement } from '#weir/shared/api/types';
import type { StoredAppeal } from '#weir/shared/history/read/appeals';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import type { LastStatement } from '#weir/shared/history/read/labels';
import { type Answer, assertError, POLICY, sharedIngress, storedItem } from './support.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const OLD = '11111111-2222-4333-8444-555555555555';
const map = (flagged: boolean): string => JSON.stringify({ [POLICY]: { flagged, name: 'Hate' } });

describe('POST /api/label', () => {
  const ingress = sharedIngress();
  const label = (body: unknown, key = 'reviewer'): Promise<Answer> =>
    ingress.call({
      path: '/api/label',
      body,
      headers: { authorization: `Bearer ${key}`, 'service-version': '2026-06-01' },
    });
  const event = { internal_event_id: ID, policy: POLICY, label: 'true_alarm' };
  const found = (change: Parameters<typeof storedItem>[0] = {}): void => {
    ingress.found = { status: 'found', item: storedItem({ flagged: true, policies: map(true), ...change }) };
  };

  it('stores what was said, and answers with it [labels.post]', async () => {
    found();
    const { json } = await label({ ...event, note: ' of a film ', reviewer: 'ann' });
    const { at, ...rest } = json as { at: string };
    const said = { label: 'true_alarm', reviewer: 'ann', note: 'of a film' };
    assert.deepEqual(rest, { internal_event_id: ID, policy_id: POLICY, policy_name: 'Hate', ...said });
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    const { ts, at: stored, ...row } = ingress.labels.at(-1)!;
    assert.deepEqual(row, {
      team: 'acme',
      scope: 'prod',
      item: 'event',
      id: ID,
      policy_id: POLICY,
      policy_name: 'Hate',
      flagged: true,
      key: 'reviewer',
      ...said,
    });
    assert.equal(`${stored.replace(' ', 'T')}Z`, at);
    assert.match(ts, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
    assert.deepEqual(ingress.lookups.at(-1), ['byId', 'event', 'acme', 'prod', ID]);
  });

  it('takes a label back, whatever the verdict is and whatever has become of the policy [labels.withdraw]', async () => {
    const later = Date.now() + 60_000;
    ingress.stated = { status: 'found', value: [{ policy_id: OLD, policy_name: 'Gone', label: 'missed', at: later }] };
    for (const flagged of [true, false, null]) {
      found({ flagged, policies: flagged === null ? '{}' : map(flagged) });
      const { json } = await label({ ...event, policy: 'Gone', label: 'withdrawn' });
      const { at, ...rest } = json as { at: string };
      assert.deepEqual(rest, {
        internal_event_id: ID,
        policy_id: OLD,
        policy_name: 'Gone',
        label: 'withdrawn',
        reviewer: 'reviewer',
      });
      assert.equal(
        Date.parse(at),
        later + 1,
        'it is newer than the label, also where the clock of another host is ahead',
      );
      assert.equal(ingress.labels.at(-1)!.label, 'withdrawn');
      const { action, details } = ingress.told.at(-1)!;
      assert.deepEqual([action, details], ['label.withdrawn', { policy_id: OLD }]);
    }
    ingress.stated = { status: 'unavailable' };
    assertError(await label({ ...event, label: 'withdrawn' }), { status: 503, code: 'unavailable' });
    ingress.stated = { status: 'found', value: [] };
  });

  it('stores nothing where the audit log cannot be told of it [audit.first]', async () => {
    found();
    const [{ told }, stored] = [ingress, ingress.labels.length];
    const error = new ApiError('unavailable', 'The audit log cannot be written at the moment. Try again.');
    ingress.told = Object.assign([], {
      push() {
        throw error;
      },
    });
    assertError(await label(event), { status: 503, code: 'unavailable' });
    assert.equal(ingress.labels.length, stored);
    ingress.told = told;
  });

  it('takes the name of a policy, the default deployment of the key, and the key as reviewer', async () => {
    found({ kind: 'session', scope: 'chat' });
    const { json } = await label({
      internal_session_id: ID.toUpperCase(),
      policy: 'Hate',
      label: 'false_alarm',
      note: null,
    });
    const { at: _, ...rest } = json as { at: string };
    assert.deepEqual(rest, {
      internal_session_id: ID,
      policy_id: POLICY,
      policy_name: 'Hate',
      label: 'false_alarm',
      reviewer: 'reviewer',
    });
    assert.equal(ingress.labels.at(-1)!.note, null);
    assert.deepEqual(ingress.lookups.at(-1), ['byId', 'session', 'acme', 'chat', ID]);
  });

  it('knows a policy that judged the item and is gone, and one of the team that did not judge it', async () => {
    found({ policies: JSON.stringify({ [OLD]: { flagged: true, name: 'Gone' } }) });
    assert.equal((await label({ ...event, policy: 'Gone' })).status, 200);
    assert.equal((await label({ ...event, policy: OLD })).status, 200);
    assert.equal((await label({ ...event, policy: 'Hate', label: 'missed' })).status, 200);
    assert.equal(ingress.labels.at(-1)!.flagged, false);
    assertError(await label({ ...event, policy: 'Unknown' }), { status: 404, code: 'not_found', param: 'policy' });
  });

  it('wants an id where several policies have the name', async () => {
    const twice = { [OLD]: { flagged: true, name: 'Hate' }, [POLICY]: { flagged: true, name: 'Hate' } };
    found({ policies: JSON.stringify(twice) });
    const { error } = await label({ ...event, policy: 'Hate' });
    assert.deepEqual(
      error.issues?.map(({ path, code }) => [path, code]),
      [['policy', 'ambiguous']],
    );
    assert.equal((await label({ ...event, policy: OLD })).status, 200);
  });

  it('is about verdicts that can be so [labels.match]', async () => {
    const cases: [flagged: boolean | null, label: string, message: RegExp | undefined][] = [
      [true, 'true_alarm', undefined],
      [true, 'false_alarm', undefined],
      [true, 'missed', /expected true_alarm or false_alarm/],
      [false, 'missed', undefined],
      [false, 'true_alarm', /expected missed/],
      [false, 'false_alarm', /expected missed/],
      [null, 'missed', /no verdict/],
    ];
    for (const [flagged, said, message] of cases) {
      found({ flagged, policies: flagged === null ? '{}' : map(flagged) });
      const answer = await label({ ...event, label: said });
      const about = `${flagged} ${said}`;
      assert.equal(answer.status, message ? 400 : 200, about);
      if (!message) continue;
      assert.deepEqual(
        answer.error.issues!.map(({ path, code }) => [path, code]),
        [['label', 'verdict']],
      );
      assert.match(answer.error.issues![0]!.message, message, about);
    }
  });

  it('is a 404 for what the key may not see, after the same look-up [labels.foreign]', async () => {
    found();
    const before = ingress.labels.length;
    ingress.found = { status: 'absent' };
    assertError(await label(event), { status: 404, code: 'not_found', param: 'internal_event_id' });
    found();
    const elsewhere = { ...event, environment_id: 'staging' };
    assertError(await label(elsewhere), { status: 404, code: 'not_found', param: 'environment_id' });
    assert.deepEqual(ingress.lookups.at(-1), ['byId', 'event', 'acme', 'staging', ID]);
    ingress.artifact = { status: 'absent' };
    const image = { internal_artifact_id: ID, policy: POLICY, label: 'true_alarm' };
    assertError(await label(image), { status: 404, code: 'not_found', param: 'internal_artifact_id' });
    const there = { ...image, deployment_id: 'secret' };
    assertError(await label(there), { status: 404, code: 'not_found', param: 'deployment_id' });
    assert.equal(ingress.labels.length, before);
  });

  it('needs the scope review [labels.scope]', async () => {
    found();
    for (const key of ['good', 'reader', 'writer', 'shown'])
      assertError(await label(event, key), { status: 403, code: 'permission_denied' });
  });

  it('waits for a check that is under way', async () => {
    ingress.found = { status: 'pending' };
    assertError(await label(event), { status: 409, code: 'result_not_ready' });
    const processing = {
      id: ID,
      status: 'processing',
      flagged: null,
      policies: '{}',
      explained: '',
      note: '',
    } as const;
    const artifact = {
      ...processing,
      version: 0,
      created: 1,
      completed: null,
      external: '',
      session: { internal: '', external: '' },
    };
    ingress.artifact = { status: 'found', value: artifact };
    const image = { internal_artifact_id: ID, policy: POLICY, label: 'missed' };
    assertError(await label(image), { status: 409, code: 'result_not_ready' });
    ingress.artifact = { status: 'found', value: { ...artifact, status: 'completed', flagged: false, completed: 2 } };
    assert.equal((await label(image)).status, 200);
  });

  it('is a 503 where the item cannot be looked up', async () => {
    ingress.found = { status: 'unavailable' };
    assertError(await label(event), { status: 503, code: 'unavailable' });
  });

  it('says what is wrong with a body', async () => {
    found();
    const cases: [body: unknown, path: string, code: string][] = [
      [{ policy: POLICY, label: 'missed' }, 'internal_event_id', 'required'],
      [{ ...event, internal_session_id: ID }, 'internal_session_id', 'required'],
      [{ ...event, internal_event_id: 'e1' }, 'internal_event_id', 'uuid'],
      [{ ...event, deployment_id: 'chat' }, 'deployment_id', 'conflict'],
      [{ ...event, label: 'alarm' }, 'label', 'type'],
      [{ ...event, label: undefined }, 'label', 'required'],
      [{ ...event, policy: '' }, 'policy', 'required'],
      [{ ...event, policy: 'x'.repeat(1000) }, 'policy', 'too_long'],
      [{ ...event, note: 'é'.repeat(2001) }, 'note', 'too_long'],
      [{ ...event, reviewer: 'x'.repeat(201) }, 'reviewer', 'too_long'],
      [{ ...event, reviewer: 7 }, 'reviewer', 'type'],
    ];
    for (const [body, path, code] of cases) {
      const { status, error } = await label(body);
      assert.equal(status, 400, JSON.stringify(body).slice(0, 200));
      assert.deepEqual(error.issues?.map((issue) => [issue.path, issue.code])[0], [path, code]);
    }
    assert.equal((await label({ ...event, note: '😀'.repeat(2000), reviewer: ' ' })).status, 200);
    assert.equal(ingress.labels.at(-1)!.reviewer, 'reviewer');
    // Half a pair of surrogates is no text that ClickHouse takes.
    assert.equal((await label({ ...event, reviewer: '\ud800x' })).status, 200);
    assert.equal(ingress.labels.at(-1)!.reviewer, '\ufffdx');
  });
});

describe('a label that is taken back', () => {
  const told: [news: string, state: string, at: number][] = [];
  const ingress = sharedIngress(undefined, {
    appeals: {
      once: (_item, _policy, { make }) => make(),
      store: async () => undefined,
      tell: async (news, { state }, at) => void told.push([news, state, at]),
    },
  });
  const at = 1_795_000_000_000;
  const open = { item: 'event', id: ID, team: 'acme', scope: 'prod', policy_id: POLICY, policy_name: 'Hate' } as const;
  const appeal = { ...open, note: null, reference: null, at, state: 'open', decided: null } as const;
  const overturned = (reviewer: string, after: number): object => ({
    ...appeal,
    state: 'overturned',
    decided: { reviewer, at: at + after },
  });
  const said = (label: LabelStatement, after: number): LastStatement[] => [
    { policy_id: POLICY, policy_name: 'Hate', label, at: at + after },
  ];
  const ofBob = (label: LabelKind): Map<string, ItemLabel[]> =>
    new Map([
      [ID, [{ policy_id: POLICY, policy_name: 'Hate', label, reviewer: 'bob', at: new Date(at + 5).toISOString() }]],
    ]);

  async function withdraw(now: object, stated: LastStatement[], left = new Map<string, ItemLabel[]>()) {
    told.length = 0;
    ingress.found = { status: 'found', item: storedItem({ flagged: true, policies: map(true) }) };
    ingress.appeals = { status: 'found', value: [now as StoredAppeal] };
    ingress.stated = { status: 'found', value: stated };
    ingress.said = { status: 'found', value: left };
    const { status, text } = await ingress.call({
      path: '/api/label',
      body: { internal_event_id: ID, policy: POLICY, label: 'withdrawn', reviewer: 'ann' },
      headers: { authorization: 'Bearer reviewer', 'service-version': '2026-06-01' },
    });
    assert.equal(status, 200, text);
    return told.map(([news, state]) => [news, state]);
  }

  it('is told to webhooks where it changes the state of an appeal [appeals.unchanged]', async () => {
    assert.deepEqual(await withdraw(appeal, []), [], 'nothing was said');
    assert.deepEqual(await withdraw(overturned('bob', 5), []), [], 'only another one has spoken');
    assert.deepEqual(await withdraw(appeal, said('true_alarm', -5)), [], 'it was said before the appeal');
    assert.deepEqual(await withdraw(overturned('bob', 9), said('true_alarm', 5)), [], 'another one decides');
    assert.deepEqual(await withdraw(overturned('ann', 9), said('false_alarm', 9), ofBob('false_alarm')), []);
    assert.deepEqual(await withdraw(overturned('ann', 9), said('false_alarm', 9), ofBob('true_alarm')), [
      ['appeal.decided', 'stands'],
    ]);
    assert.deepEqual(await withdraw(overturned('ann', 9), said('false_alarm', 9)), [['appeal.opened', 'open']]);
  });

  it('is told again as the same where it is sent again, unless another label has come since [appeals.unchanged]', async () => {
    assert.deepEqual(await withdraw(appeal, said('withdrawn', 9)), [['appeal.opened', 'open']]);
    assert.equal(told[0]![2], at + 9, 'so the delivery has the id that it had');
    assert.deepEqual(await withdraw(overturned('bob', 12), said('withdrawn', 9)), []);
    assert.deepEqual(await withdraw(appeal, said('withdrawn', -9)), []);
  });
});

describe('POST /api/label while ClickHouse is away', () => {
  const down = { store: () => Promise.reject(new HistoryUnavailable('away')) };
  const ingress = sharedIngress({}, { labels: down });

  it('is a 503 where the label cannot be stored [labels.kept]', async () => {
    ingress.found = { status: 'found', item: storedItem({ policies: map(true) }) };
    const answer = await ingress.call({
      path: '/api/label',
      body: { internal_event_id: ID, policy: POLICY, label: 'true_alarm', note: 'quiet' },
      headers: { authorization: 'Bearer reviewer', 'service-version': '2026-06-01' },
    });
    assertError(answer, { status: 503, code: 'unavailable' });
    assert.ok(answer.headers['retry-after']);
  });
});

describe('GET /api/label/queue', () => {
  const ingress = sharedIngress();
  const queue = (query: string, key = 'reviewer'): Promise<Answer> =>
    ingress.call({
      method: 'GET',
      path: `/api/label/queue${query}`,
      headers: { authorization: `Bearer ${key}`, 'service-version': '2026-06-01' },
    });

  it('asks for what the key was granted, and says where each item is [labels.queue]', async () => {
    const of = { team: 'acme', policy_id: POLICY, policy_name: 'Hate', severity: 'high' } as const;
    ingress.queue = {
      status: 'found',
      value: [
        {
          ...of,
          item: 'event',
          id: ID,
          scope: 'prod',
          time: 1_790_000_000_000,
          score: 0.5,
          reasons: ['appeal'],
          appeal: { note: 'no', reference: null, at: 1_790_000_000_002 },
        },
        {
          ...of,
          item: 'artifact',
          id: ID,
          scope: 'chat',
          time: 1_790_000_000_001,
          score: null,
          reasons: [],
          appeal: null,
        },
      ],
    };
    const { json } = await queue('?days=3&limit=2&policy=Hate&reviewer=ann');
    const { team: _, ...same } = of;
    assert.deepEqual(json, {
      verdicts: [
        {
          internal_event_id: ID,
          environment_id: 'prod',
          ...same,
          score: 0.5,
          reasons: ['appeal'],
          appeal: { note: 'no', made_at: '2026-09-21T14:13:20.002Z' },
          created_at: '2026-09-21T14:13:20.000Z',
        },
        {
          internal_artifact_id: ID,
          deployment_id: 'chat',
          ...same,
          reasons: [],
          created_at: '2026-09-21T14:13:20.001Z',
        },
      ],
    });
    const { since, ...asked } = ingress.queues.at(-1)!;
    assert.deepEqual(asked, {
      team: 'acme',
      seen: { environments: ['prod'], deployments: ['chat', 'gone'] },
      policy: 'Hate',
      reviewer: 'ann',
      limit: 2,
      newest: 2000,
    });
    assert.ok(Math.abs(Date.now() - 3 * 86_400_000 - since) < 60_000);
    await queue('');
    assert.deepEqual([ingress.queues.at(-1)!.limit, ingress.queues.at(-1)!.policy], [20, '']);
  });

  it('says what is wrong with a query, needs the scope review, and is a 503 while ClickHouse is away', async () => {
    for (const [query, param] of [
      ['?days=0', 'days'],
      ['?days=31', 'days'],
      ['?limit=101', 'limit'],
      ['?limit=1e1', 'limit'],
      [`?policy=${'x'.repeat(1000)}`, 'policy'],
      [`?reviewer=${'x'.repeat(201)}`, 'reviewer'],
      ['?limit=1&limit=2', 'limit'],
    ] as const)
      assertError(await queue(query), { status: 400, code: 'validation_failed', param });
    for (const key of ['good', 'reader', 'shown'])
      assertError(await queue('', key), { status: 403, code: 'permission_denied' });
    ingress.queue = { status: 'unavailable' };
    assertError(await queue(''), { status: 503, code: 'unavailable' });
  });
});
