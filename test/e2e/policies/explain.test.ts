/** `explain=true` and `policies=flagged`, through the whole system: an archived result says what the hot one did. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { EventResult, EventsResponse } from '#weir/shared/api/types';
import { fillHistory } from '../../support/stores/clickhouse.ts';
import { CARD, configuration, KEY, POLICY } from '../configuration.ts';
import { replay } from '../recorded/replay.ts';
import { newFolder, newRun, type System, startSystem } from '../system.ts';
import { backtest } from './backtest.ts';
import { textModelOfTheOperator } from './text-model.ts';

let system: System;
const folder = newFolder();
before(async () => {
  await fillHistory(folder);
  system = await startSystem({ dataDir: folder });
});
after(async () => {
  await system?.close();
  rmSync(folder, { recursive: true, force: true });
});

replay(() => system);

const tool = (output: unknown, more: object = {}): object => ({ type: 'tool', event_id: 't', output, ...more });

describe('an answer that explains itself', () => {
  it('is the same from a check, a hot look-up, an archived one, a retry and a reference', async () => {
    const run = newRun();
    const body = { environment_id: 'prod', run_id: run, events: [tool({ pay: [`now ${CARD}`, 'hush hush'] })] };
    const headers = { 'idempotency-key': randomUUID() };
    const plain = await system.post('/api/events', body, { headers });
    const checked = await system.post('/api/events?explain=true', body, { headers });
    assert.equal(checked.headers.get('idempotency-replayed'), 'true');
    const { policies, event } = (checked.json as EventsResponse).results.tool.t!;
    const id = event.internal_event_id!;
    assert.equal(id, plain.json.results.tool.t.event.internal_event_id);
    const card = policies[POLICY.card]!;
    assert.equal(card.severity, 'high');
    const where = { path: '/pay/0', start: 4, end: 4 + CARD.length };
    assert.deepEqual(
      card.evidence!.map(({ score: _, ...evidence }) => evidence),
      [{ detector: 'pii:CREDIT_CARD', view: 'raw', source: 'text', ...where }],
    );
    assert.deepEqual(policies[POLICY.toolOutput]!.evidence![0]!.path, '/pay/1');
    assert.deepEqual(policies[POLICY.toolOutput]!.severity, 'low');

    const look = async (query: string): Promise<EventResult> =>
      (await system.get(`/api/event/${id}?environment_id=prod${query}`)).json;
    const reference = async (): Promise<EventResult> => {
      const events = [{ type: 'tool', event_id: 't' }];
      const { json } = await system.post('/api/events?explain=1', { environment_id: 'prod', run_id: run, events });
      return json.results.tool.t;
    };
    assert.deepEqual((await look('&explain=1')).policies, policies);
    assert.deepEqual((await reference()).policies, policies);
    const hot = await look('');
    await system.cold(id);
    assert.deepEqual((await look('&explain=1')).policies, policies);
    assert.deepEqual(await look(''), hot, 'without the query nothing has changed');
    assert.deepEqual(hot.policies, plain.json.results.tool.t.policies);
    assert.deepEqual((await reference()).policies, policies);
    const again = await system.post('/api/events?explain=true', body, { headers });
    assert.deepEqual(again.json.results.tool.t.policies, policies);
  });

  it('is that of a chat and of its look-ups, and of the protect view', async () => {
    const external = newRun('chat');
    const content = [
      { type: 'text', text: 'hello' },
      { type: 'text', text: 'open sesame' },
    ];
    const body = { deployment_id: 'chat', external_session_id: external, messages: [{ role: 'user', content }] };
    const { json } = await system.post('/api/session/check?explain=true&policies=flagged', body);
    assert.deepEqual(Object.keys(json.policies), [POLICY.sesame]);
    const sesame = json.policies[POLICY.sesame];
    assert.equal(sesame.severity, 'medium');
    assert.deepEqual(sesame.evidence, [
      { detector: 'terms', view: 'folded', source: 'text', path: '/content/1/text', start: 0, end: 11 },
    ]);
    const id = json.internal_session_id;
    await system.cold(id);
    for (const path of [`/api/session/${id}?`, `/api/session?external_session_id=${external}&`]) {
      const found = await system.get(`${path}explain=true&policies=flagged`);
      assert.deepEqual(found.json.session.policies, json.policies);
    }
    const view = await system.get(
      `/api/protect/get_by_id?deployment_id=chat&internal_id=${id}&explain=1&policies=flagged`,
    );
    const { severity, evidence } = sesame;
    assert.deepEqual(view.json.list[0].violations, {
      [POLICY.sesame]: { violation: true, violation_source: ['text'], severity, evidence },
    });
  });
});

describe('an answer in code points, with what was found', () => {
  const content = `😀 é: ${CARD}`;
  const points = { start: 5, end: 5 + CARD.length };

  it('is the same from a check, an archived look-up and a retry, and lacks the text where history has none yet', async () => {
    const event = { type: 'tool', output: { pay: ['😀', content] } };
    const body = { environment_id: 'prod', run_id: newRun(), event };
    const headers = { 'idempotency-key': randomUUID() };
    const query = 'offsets=codepoints&matched=true';
    const checked = await system.post(`/api/event?${query}`, body, { headers });
    const [evidence] = checked.json.policies[POLICY.card].evidence;
    assert.deepEqual(evidence, { ...evidence, path: '/pay/1', ...points, matched: CARD });
    const id = checked.json.event.internal_event_id;
    const look = async (): Promise<EventResult> =>
      (await system.get(`/api/event/${id}?environment_id=prod&${query}`)).json;
    const first = await look();
    const { matched: _, ...bare } = evidence;
    assert.ok([evidence, bare].some((one) => isDeepStrictEqual(first.policies[POLICY.card]!.evidence![0], one)));
    assert.equal(first.note === undefined, first.policies[POLICY.card]!.evidence![0]!.matched !== undefined);
    await system.cold(id);
    const archived = await look();
    assert.deepEqual(archived.policies, checked.json.policies);
    assert.equal(archived.note, undefined);
    const again = await system.post(`/api/event?${query}`, body, { headers });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(again.json.policies, checked.json.policies);
  });

  it('is that of a chat of several parts and of its look-ups, and of the protect view, by the client as well', async () => {
    const parts = ['😀', content].map((text) => ({ type: 'text', text }));
    const request = { deployment_id: 'chat', messages: [{ role: 'user' as const, content: parts }] };
    const options = { offsets: 'codepoints' as const, matched: true };
    const checked = await system.client.checkSession(request, options);
    assert.ok(checked.ok);
    const { internal_session_id: id, policies } = checked.value;
    const [evidence] = policies[POLICY.card]!.evidence!;
    assert.deepEqual(evidence, { ...evidence, path: '/content/1/text', ...points, matched: CARD });
    await system.cold(id);
    const found = await system.client.getSession({ internal_session_id: id, deployment_id: 'chat' }, options);
    assert.ok(found.ok);
    assert.deepEqual(found.value.session.policies, policies);
    const view = await system.client.getProtect({ deployment_id: 'chat', internal_id: id }, options);
    assert.ok(view.ok);
    assert.deepEqual(view.value.list[0]!.violations[POLICY.card]!.evidence, [evidence]);
  });
});

describe('an answer with redacted content', () => {
  it('has all of it, is the same for a retry, and leaves look-ups as they are', async () => {
    const output = { pay: [`now ${CARD}`, 4111111111111111], é: JSON.stringify({ q: 'hush hush', n: 1 }) };
    const chat = { type: 'message', role: 'user', event_id: 'm', content: `é ${Array(20).fill(CARD).join(', ')}` };
    const body = {
      environment_id: 'prod',
      run_id: newRun(),
      events: [tool(output), chat, { type: 'message', event_id: 'm' }],
    };
    const headers = { 'idempotency-key': randomUUID() };
    const { json } = await system.post('/api/events?redact=true', body, { headers });
    const { results, order } = json as EventsResponse;
    const inner = JSON.stringify({ q: '[TERM]', n: 1 });
    assert.deepEqual(results.tool.t!.redacted, { pay: ['now [CREDIT_CARD]', '[CREDIT_CARD]'], é: inner });
    assert.equal(order[1]!.result!.redacted, `é ${Array(20).fill('[CREDIT_CARD]').join(', ')}`);
    assert.equal('redacted' in results.message.m!, false, 'a reference');
    const again = await system.post('/api/events?redact=true', body, { headers });
    assert.deepEqual(again.json, json);
    const plain = await system.post('/api/events', body, { headers });
    assert.equal(plain.text.includes('redact'), false);
    const look = await system.get(`/api/event/${order[0]!.internal_event_id}?environment_id=prod&redact=true`);
    assert.deepEqual(look.json.policies, results.tool.t!.policies);
    assert.equal(look.text.includes('redact'), false);
  });

  it('has numbered marks and a seal, which restores them, also after a retry [masks.restore] [masks.retry]', async () => {
    const output = { pay: [`now ${CARD}`, `${CARD}!`], é: JSON.stringify({ q: 'hush hush', n: 1 }) };
    const events = [tool(output), { type: 'message', role: 'user', event_id: 'm', content: 'é' }];
    const body = { environment_id: 'prod', run_id: newRun(), events };
    const headers = { 'idempotency-key': randomUUID() };
    const first = (await system.post('/api/events?redact=reversible', body, { headers })).json as EventsResponse;
    const again = await system.post('/api/events?redact=reversible', body, { headers });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const marked = { pay: ['now [CREDIT_CARD_1]', '[CREDIT_CARD_1]!'], é: JSON.stringify({ q: '[TERM_1]', n: 1 }) };
    const seals: string[] = [];
    for (const { results } of [first, again.json as EventsResponse]) {
      assert.deepEqual(results.tool.t!.redacted, marked);
      assert.deepEqual([results.message.m!.redacted, results.message.m!.sealed], ['é', undefined]);
      const sealed = results.tool.t!.sealed!;
      seals.push(sealed);
      const restored = await system.client.restore({ text: [...marked.pay, marked.é], sealed });
      assert.deepEqual(restored.ok && restored.value.text, [...output.pay, output.é]);
    }
    assert.notEqual(seals[0], seals[1]);
    const both = await system.client.restore({ text: 'pay by [CREDIT_CARD_1]', sealed: seals });
    assert.equal(both.ok && both.value.text, `pay by ${CARD}`);
    const other = await system.post('/api/restore', { text: '', sealed: seals[0] }, { key: KEY.spare });
    assert.equal(other.json.error.param, 'sealed');
  });

  it('is stored as that of redact=true: a retry may ask for either [masks.stored-nothing]', async () => {
    const body = { environment_id: 'prod', event: { type: 'message', role: 'user', run_id: newRun(), content: CARD } };
    const headers = { 'idempotency-key': randomUUID() };
    const asked = async (query: string) => (await system.post(`/api/event?redact=${query}`, body, { headers })).json;
    assert.deepEqual(
      [(await asked('true')).redacted, (await asked('reversible')).redacted],
      ['[CREDIT_CARD]', '[CREDIT_CARD_1]'],
    );
  });

  it('is that of a chat, and of a guardrail where its policies let it pass', async () => {
    const content = [
      { type: 'text', text: 'open sesame' },
      { type: 'text', text: 'é' },
    ];
    const request = { deployment_id: 'chat', messages: [{ role: 'user' as const, content }] };
    const checked = await system.client.createSession(request, { redact: true });
    assert.ok(checked.ok);
    assert.deepEqual(checked.value.session.redacted, [{ type: 'text', text: '[TERM]' }, content[1]]);
    const blocked = await system.post('/beta/litellm_basic_guardrail_api', { texts: [CARD] });
    assert.equal(blocked.json.action, 'BLOCKED');
    await system.apply(configuration().replace('severity: high, ', 'severity: high, action: redact, '));
    const asked = async (texts: string[]) => (await system.post('/beta/litellm_basic_guardrail_api', { texts })).json;
    assert.deepEqual(await asked(['fine', `my ${CARD}`]), {
      action: 'GUARDRAIL_INTERVENED',
      texts: ['fine', 'my [CREDIT_CARD]'],
    });
    assert.equal((await asked(['open sesame', CARD])).action, 'BLOCKED');
    assert.deepEqual(await asked(['fine']), { action: 'NONE' });
    await system.apply(configuration());
  });
});

describe('an answer with flagged policies only', () => {
  it('has no policies for a clean batch of 50, and two thirds of the size or less', async () => {
    const events = Array.from({ length: 50 }, (_, i) => ({
      type: 'message',
      role: 'user',
      event_id: `m${i}`,
      content: 'good day',
    }));
    const body = { environment_id: 'prod', run_id: newRun(), events };
    const all = await system.post('/api/events', body);
    const flagged = await system.post('/api/events?policies=flagged', body);
    for (const result of Object.values<EventResult>(flagged.json.results.message))
      assert.deepEqual(result.policies, {});
    assert.ok(flagged.text.length * 1.5 < all.text.length, `${flagged.text.length} of ${all.text.length} bytes`);
  });

  it('is the same from the client', async () => {
    const event = { type: 'reasoning' as const, content: CARD };
    const options = { explain: true, policies: 'flagged' as const };
    const checked = await system.client.checkEvent({ environment_id: 'prod', event }, options);
    assert.ok(checked.ok);
    const { policies, event: about } = checked.value;
    assert.deepEqual([Object.keys(policies), policies[POLICY.card]!.severity], [[POLICY.card], 'high']);
    const query = { internal_event_id: about.internal_event_id!, environment_id: 'prod' };
    const found = await system.client.getEvent(query, options);
    assert.ok(found.ok);
    assert.deepEqual(found.value.policies, policies);
  });
});

backtest(
  () => system,
  () => folder,
);

// The last ones: they change the configuration.
describe('a severity', () => {
  it('is the one by which the item was judged, also of a clean policy and after it is archived', async () => {
    const { json } = await system.post('/api/event', {
      environment_id: 'prod',
      run_id: newRun(),
      event: tool('nothing'),
    });
    const id = json.event.internal_event_id;
    await system.cold(id);
    await system.apply(configuration().replaceAll('severity: high', 'severity: medium'));
    const found = await system.get(`/api/event/${id}?environment_id=prod&explain=true`);
    const told = Object.values<{ severity: string; evidence?: unknown }>(found.json.policies);
    assert.deepEqual(
      [found.json.policies[POLICY.card].severity, found.json.policies[POLICY.toolOutput].severity],
      ['high', 'low'],
    );
    assert.equal(
      told.some(({ evidence }) => evidence),
      false,
    );
  });
});

textModelOfTheOperator(
  () => system,
  () => folder,
);
