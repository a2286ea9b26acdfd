/** Policies that ask, through the whole system: a language model that behaves well and badly, and a model of texts. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { PolicyEvidence } from '#weir/shared/api/types';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { BAD, judge, type LanguageModel, startLanguageModel } from '../../support/models/language-model.ts';
import { modelFolder } from '../../support/models/model-folder.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';
import { until } from '../../support/wait.ts';
import { type Answer, type System, startSystem } from '../system.ts';

const [ADVICE, CHEAP, WORDS, SLOW, CLOSED, HIDDEN, SCORED, THRIFTY] = [1, 2, 3, 4, 5, 6, 7, 8].map(
  (n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`,
) as [string, string, string, string, string, string, string, string];
const WAYS = Object.entries(BAD);
const KEYS = { acme: createKey(), closed: createKey() };

/** A backend and a policy for each way to behave badly, as one that failed is not called for a while. */
const bad = (n: number): string => `aaaaaaaa-0000-4000-8000-0000000001${String(n).padStart(2, '0')}`;

const llm = (more: object = {}): object => ({
  llm: { backend: 'guard', flagged_content: 'advice', allowed_content: 'the rest', ...more },
});
/** Open where a text has the word. */
const asking = (word: string, more?: object): object => ({ all: [{ terms: { list: [word] } }, llm(more)] });

const onnx = { onnx: { model: 'words', source: 'text', label: 'bad', threshold: 0.3 } };

function configurationFor(url: string, hook: string): string {
  const fields = { url, model: 'm', timeout_ms: 250, api_key_env: 'GUARD_KEY' };
  const policies = {
    acme: [
      { id: ADVICE, name: 'Advice', detect: asking('ask') },
      { id: CHEAP, name: 'Cheap', detect: { any: [{ terms: { list: ['sure'] } }, asking('ask', { threshold: 0.9 })] } },
      { id: WORDS, name: 'Words', detect: { terms: { list: ['hush'] } } },
      // For each text, and it asks about none.
      { id: HIDDEN, name: 'Hidden', mode: 'shadow', detect: llm({ flagged_content: 'anything' }) },
      { id: SLOW, name: 'Slow', detect: asking('slow', { backend: 'slow' }) },
      { id: THRIFTY, name: 'Thrifty', detect: asking('thrifty', { backend: 'thrifty' }) },
      { id: SCORED, name: 'Scored', detect: { all: [{ terms: { list: ['scored'] } }, onnx] } },
      ...WAYS.map((_, n) => ({ id: bad(n), name: `Bad ${n}`, detect: asking(`bad${n}`, { backend: `bad${n}` }) })),
    ],
    closed: [{ id: CLOSED, name: 'Closed', detect: llm() }],
  };
  const teams = Object.entries(policies).map(([id, list]) => ({ id, ids: list.map((policy) => policy.id) }));
  const chat = { id: 'chat', name: 'Chat' };
  const all = { id: 'all', name: 'All', when: 'true' };
  const rights = {
    deployments: ['chat'],
    default_deployment: 'chat',
    environments: ['prod'],
    scopes: ['check', 'read'],
  };
  return JSON.stringify({
    version: 1,
    teams: teams.map(({ id }) => ({ id, fail_closed: id === 'closed' })),
    keys: teams.map(({ id }) => ({ id, team: id, sha256: hashKey(KEYS[id as keyof typeof KEYS]), ...rights })),
    backends: [
      { id: 'guard', team: 'acme', ...fields, timeout_ms: 60_000 },
      { id: 'slow', team: 'acme', ...fields, timeout_ms: 60_000, cache_seconds: 0 },
      { id: 'thrifty', team: 'acme', ...fields, timeout_ms: 60_000, budget: { requests_per_minute: 1 } },
      { id: 'guard', team: 'closed', ...fields },
      ...WAYS.map((_, n) => ({ id: `bad${n}`, team: 'acme', ...fields })),
    ],
    notify: [
      { id: 'words', team: 'acme', url: hook, on: ['flagged'], policies: [WORDS, ADVICE], secret_env: 'HOOK_SECRET' },
    ],
    policies: Object.entries(policies).flatMap(([team, list]) => list.map((policy) => ({ ...policy, team }))),
    deployments: teams.map(({ id, ids }) => ({ ...chat, team: id, policies: ids })),
    environments: teams.map(({ id, ids }) => ({ id: 'prod', team: id, conditions: [{ ...all, policies: ids }] })),
  });
}

let model: LanguageModel;
let system: System;
const folder = modelFolder();
let receiver: Origin;
/** Bodies that the webhook was told. */
const told: string[] = [];
before(async () => {
  model = await startLanguageModel();
  receiver = await startOrigin((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      told.push(body);
      response.end();
    });
  });
  const host = `127.0.0.1:${receiver.port}`;
  const configuration = { text: configurationFor(model.url, `http://${host}/`), file: 'llm.json' };
  const HOOK_SECRET = `whsec_${'A'.repeat(32)}`;
  system = await startSystem({
    configuration,
    followers: true,
    env: {
      GUARD_KEY: 'sk-guard-key',
      HOOK_SECRET,
      WEIR_FETCH_ALLOW: host,
      WEIR_MODELS: folder.path,
      // A model that hangs computes until then.
      WEIR_DEADLINE_MS: '15000',
    },
  });
});
after(async () => {
  await system?.close();
  await model?.close();
  folder.remove();
  await receiver?.close();
});
beforeEach(() => {
  model.respond = judge;
  model.asked.length = 0;
});

let count = 0;
/** A text that no test has asked about yet. */
const fresh = (words: string): string => `${words} (${++count})`;

const event = async (content: unknown, key = KEYS.acme, query = ''): Promise<Answer> => {
  const body = { environment_id: 'prod', event: { type: 'message', role: 'user', content } };
  return await system.post(`/api/event${query}`, body, { key });
};
const session = (content: string, key = KEYS.acme): Promise<Answer> =>
  system.post('/api/session/check', { deployment_id: 'chat', messages: [{ role: 'user', content }] }, { key });
const flags = ({ json }: Answer): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(json.policies as Record<string, { flagged: boolean }>).map(([id, { flagged }]) => [id, flagged]),
  );
const ALL_CLEAN: Record<string, boolean> = Object.fromEntries(
  [ADVICE, CHEAP, WORDS, SLOW, SCORED, THRIFTY, ...WAYS.map((_, n) => bad(n))].map((id) => [id, false]),
);

describe('a policy in words', () => {
  it('is judged by its backend, with one call for all that are open', async () => {
    const text = fresh('ask: some advice');
    const flagged = await event(text, KEYS.acme, '?explain=true');
    assert.equal(flagged.json.event.status, 'completed');
    assert.deepEqual(flags(flagged), { ...ALL_CLEAN, [ADVICE]: true, [CHEAP]: true });
    const [{ policies, content, authorization }] = model.asked as [LanguageModel['asked'][number]];
    assert.deepEqual([content, authorization, model.asked.length], [text, 'Bearer sk-guard-key', 1]);
    assert.deepEqual(
      policies.map(({ policy }) => policy),
      [ADVICE, CHEAP],
    );
    const evidence = flagged.json.policies[ADVICE].evidence as PolicyEvidence[];
    const said = { detector: 'llm', view: 'raw', source: 'text', start: 0, end: text.length, score: 0.97 };
    assert.deepEqual(evidence.at(-1), said);
    const clean = await session(fresh('ask: the weather'));
    assert.deepEqual([clean.status, clean.json.flagged, flags(clean)], [200, false, ALL_CLEAN]);
  });

  it('leaves what other detectors have found to be redacted', async () => {
    const { json } = await event('ask: hush about advice', KEYS.acme, '?redact=true');
    assert.deepEqual([json.redacted, json.policies[ADVICE].flagged], ['[TERM]: [TERM] about advice', true]);
    assert.equal(model.asked.length, 1);
  });

  it('is not asked about where other detectors decide', async () => {
    assert.deepEqual(flags(await session(fresh('advice'))), ALL_CLEAN);
    assert.deepEqual(flags(await event(fresh('hush'))), { ...ALL_CLEAN, [WORDS]: true });
    assert.equal(model.asked.length, 0);
    assert.deepEqual(flags(await event(fresh('sure, ask for advice'))), {
      ...ALL_CLEAN,
      [ADVICE]: true,
      [CHEAP]: true,
    });
    assert.deepEqual(
      model.asked.map(({ policies }) => policies.length),
      [1],
      'the other policy is open alone',
    );
  });

  it('is asked about once for each text of a batch that is open, by the text that is checked', async () => {
    const events = [
      { type: 'message', role: 'user', event_id: 'a', content: fresh('ask: advice') },
      { type: 'message', role: 'user', event_id: 'b', content: fresh('nothing') },
      { type: 'tool', event_id: 'c', output: { say: [fresh('ask'), 'advice'] } },
    ];
    const { json } = await system.post(
      '/api/events?explain=true',
      { environment_id: 'prod', events },
      { key: KEYS.acme },
    );
    const { message, tool } = json.results;
    assert.deepEqual(
      [message.a, message.b, tool.c].map(({ flagged, event: { status } }) => [flagged, status]),
      [true, false, true].map((flagged) => [flagged, 'completed']),
    );
    assert.deepEqual(
      model.asked.map(({ content }) => content).sort(),
      [events[0]!.content, `say\nask (${count})\nadvice`].sort(),
    );
    const paths = (tool.c.policies[ADVICE].evidence as PolicyEvidence[]).filter(({ detector }) => detector === 'llm');
    assert.ok(
      paths.some(({ path }) => path === '/say/0'),
      JSON.stringify(paths),
    );
  });

  it('is answered from the cache for the same text, which has no content', async () => {
    const text = fresh('ask: advice twice');
    for (let i = 0; i < 2; i++) assert.equal((await event(text)).json.flagged, true);
    assert.equal(model.asked.length, 1);
    const keys = await system.redis.keys('answers:*');
    for (const key of keys) {
      assert.match(key, /^answers:[0-9a-f]{64}$/);
      assert.match((await system.redis.get(key))!, /^\[(\[(true|false),[\d.]+\],?)+\]$/);
      assert.ok((await system.redis.ttl(key)) <= 300);
    }
  });

  it('has its key in the environment of the workers alone', async () => {
    const stored = JSON.stringify(await system.redis.hgetall('config:{weir}:versions'));
    assert.ok(stored.includes('GUARD_KEY') && !stored.includes('sk-guard-key'));
  });
});

describe('a policy by a model of texts', () => {
  it('is judged window by window, in events and sessions', async () => {
    const text = `scored: ${'good '.repeat(20)}${'bad '.repeat(12)}`;
    const { json } = await event(text, KEYS.acme, '?explain=true');
    assert.deepEqual(flags({ json } as Answer), { ...ALL_CLEAN, [SCORED]: true });
    const evidence = (json.policies[SCORED].evidence as PolicyEvidence[]).filter(({ view }) => view === 'raw');
    assert.ok(evidence.length > 0 && evidence.length < 4, JSON.stringify(evidence));
    for (const { detector, start, end, score } of evidence) {
      assert.equal(detector, 'onnx:words:bad');
      assert.ok(score! >= 0.3 && text.slice(start, end).includes('bad'), JSON.stringify(evidence));
    }
    assert.deepEqual(flags(await session('scored: all good')), ALL_CLEAN);
    assert.deepEqual(flags(await session('good and bad, and nobody asks')), ALL_CLEAN);
  });

  it('has no verdict on a text that needs too many windows, or that the model hangs on', async () => {
    const { [SCORED]: _, ...rest } = ALL_CLEAN;
    const long = await event(`scored: ${'good '.repeat(400)}`);
    assert.deepEqual([long.json.event.status, long.json.note], ['failed', '1 policy could not be evaluated']);
    assert.deepEqual(flags(long), rest);
    const never = await session(`scored: ${'good '.repeat(400)}`);
    assert.deepEqual([never.status, never.json.error.code], [422, 'not_evaluable']);
    assert.equal(never.headers.get('retry-after'), null);
    const hung = await system.post(
      '/api/session/check',
      { deployment_id: 'chat', messages: [{ role: 'user', content: 'scored: hang' }] },
      { key: KEYS.acme },
    );
    assert.deepEqual([hung.status, hung.json.error.code], [503, 'unavailable']);
    const all = { ...ALL_CLEAN, [WORDS]: true };
    await until('it is there again', async () => isDeepStrictEqual(flags(await event('scored: hush')), all));
  });
});

describe('a backend that behaves badly', () => {
  WAYS.forEach(([name, { respond }], n) => {
    it(`by that it ${name} leaves its policies without a verdict, and no others [failure.partial]`, async () => {
      model.respond = respond;
      const [open, other, said, closed] = await Promise.all([
        event(fresh(`bad${n}`)),
        event(fresh(`bad${n}, hush`)),
        session(fresh(`bad${n}`)),
        event(fresh('any text'), KEYS.closed),
      ]);
      const { [bad(n)]: _, ...rest } = ALL_CLEAN;
      assert.deepEqual([open.json.event.status, open.json.flagged], ['failed', false]);
      assert.match(open.json.note, /^1 policy could not be evaluated$/);
      assert.deepEqual(flags(open), rest);
      assert.deepEqual([other.json.event.status, other.json.flagged], ['completed', true]);
      assert.deepEqual(flags(other), { ...rest, [WORDS]: true });
      assert.deepEqual([said.status, said.json.error.code], [503, 'unavailable']);
      assert.deepEqual([closed.json.event.status, flags(closed)], ['completed', { [CLOSED]: true }]);
    });
  });

  it('keeps no text waiting that needs none', async () => {
    const hung: (() => void)[] = [];
    model.respond = (...call) => void hung.push(() => judge(...call));
    // As many as there are slots and more: the thread and the fast lane are free all the same.
    const waiting = Array.from({ length: 40 }, () => event(fresh('slow')));
    let answered = 0;
    for (const each of waiting) void each.then(() => answered++);
    await until('calls are under way', () => hung.length === 8);
    for (let i = 0; i < 20; i++) assert.equal((await event(fresh('hush'))).json.flagged, true);
    assert.equal(answered, 0);
    model.respond = judge;
    for (const end of hung) end();
    for (const each of waiting) assert.equal((await each).json.event.status, 'completed');
  });
});

describe('a backend whose budget is spent', () => {
  it('leaves its policies without a verdict, and the note says so', async () => {
    const first = await event(fresh('thrifty advice'));
    assert.deepEqual(flags(first), { ...ALL_CLEAN, [THRIFTY]: true });
    const note = '1 policy could not be evaluated; the budget of backend thrifty is spent';
    const [open, other, said] = [
      await event(fresh('thrifty')),
      await event(fresh('thrifty, hush')),
      await session(fresh('thrifty')),
    ];
    assert.deepEqual([open.json.event.status, open.json.note], ['failed', note]);
    assert.deepEqual([other.json.event.status, other.json.flagged, other.json.note], ['completed', true, note]);
    const { code, message } = said.json.error;
    assert.deepEqual([said.status, code, message], [503, 'unavailable', note]);
    assert.equal(model.asked.length, 1);
  });
});

describe('a webhook', () => {
  it('is told of flagged checks, and where their results are', async () => {
    const flagged = [await event(fresh('hush secret words')), await session(fresh('hush secret words'))];
    const ids = flagged.map(({ json }) => json.event?.internal_event_id ?? json.internal_session_id);
    const clean = await event(fresh('nothing'));
    const of = (id: string): string | undefined => told.find((body) => body.includes(id));
    await until('it is told', () => ids.every((id) => of(id) !== undefined));
    for (const id of ids) {
      const { type, data } = JSON.parse(of(id)!);
      assert.equal(type, 'check.flagged');
      assert.deepEqual(data.policies, [{ id: WORDS, name: 'Words', severity: 'medium' }]);
      const { status, json } = await system.get(data.result_url, { key: KEYS.acme });
      assert.deepEqual([status, json.flagged ?? json.session.flagged], [200, true]);
    }
    assert.equal(of(clean.json.event.internal_event_id), undefined);
    assert.doesNotMatch(told.join(), /secret words/);
  });
});
