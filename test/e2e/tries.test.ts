/** What is tried, through the whole system: what it is answered, what it may name, and that nothing of it stays. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { TryResult, TryScore } from '#weir/shared/api/try';
import type { Issue, PolicyEvidence } from '#weir/shared/api/types';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { startLanguageModel } from '../support/models/language-model.ts';
import { until } from '../support/wait.ts';
import { type Answer, type CallOptions, newRun, type System, startSystem } from './system.ts';
import { manyTries } from './tries/many.ts';

const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
const [CARD, WORDS, HATE, SMALL, HIDDEN, ADVICE, LATER] = [1, 2, 3, 4, 5, 6, 7].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000001';
const NEW = 'cccccccc-0000-4000-8000-000000000001';
const KEYS = { acme: createKey(), judge: createKey(), checker: createKey(), narrow: createKey(), globex: createKey() };
const NUMBER = '4111 1111 1111 1111';

const every = { id: 'all', name: 'Everything', when: 'true' };
const grants = { deployments: ['chat', 'support'], default_deployment: 'chat', environments: ['prod', 'staging'] };
const usual = ['check', 'read', 'risk'];

const configurationFor = (url: string): string =>
  JSON.stringify({
    version: 1,
    teams: [{ id: 'acme' }, { id: 'globex' }],
    keys: [
      { id: 'acme', team: 'acme', sha256: hashKey(KEYS.acme), ...grants, scopes: [...usual, 'try'] },
      { id: 'judge', team: 'acme', sha256: hashKey(KEYS.judge), ...grants, scopes: ['try', 'content', 'review'] },
      { id: 'checker', team: 'acme', sha256: hashKey(KEYS.checker), ...grants, scopes: usual },
      {
        id: 'narrow',
        team: 'acme',
        sha256: hashKey(KEYS.narrow),
        deployments: ['support'],
        environments: ['staging'],
        scopes: ['try'],
      },
      {
        id: 'globex',
        team: 'globex',
        sha256: hashKey(KEYS.globex),
        deployments: ['chat'],
        environments: ['prod'],
        scopes: ['try', 'content'],
      },
    ],
    backends: [
      { id: 'guard', team: 'acme', url, model: 'm', timeout_ms: 60_000, api_key_env: 'GUARD_KEY', cache_seconds: 60 },
      { id: 'theirs', team: 'globex', url, model: 'm', timeout_ms: 60_000, api_key_env: 'GUARD_KEY' },
    ],
    policies: [
      {
        id: CARD,
        team: 'acme',
        name: 'Cards',
        severity: 'high',
        detect: { pii: { entities: ['CREDIT_CARD', 'US_SSN'], thresholds: { US_SSN: 0.9 } } },
      },
      { id: WORDS, team: 'acme', name: 'Words', severity: 'low', detect: { terms: { list: ['open sesame'] } } },
      { id: HATE, team: 'acme', name: 'Hate', detect: { classifier: { label: 'hate', threshold: 0.99 } } },
      { id: SMALL, team: 'acme', name: 'Small', sources: ['image'], detect: { image_properties: { max_width: 8 } } },
      { id: HIDDEN, team: 'acme', name: 'Hidden', mode: 'shadow', detect: { terms: { list: ['sesame'] } } },
      {
        id: ADVICE,
        team: 'acme',
        name: 'Advice',
        detect: { llm: { backend: 'guard', flagged_content: 'advice', allowed_content: 'the rest' } },
      },
      { id: LATER, team: 'acme', name: 'Later', detect: { terms: { list: ['purple elephants dance'], context: 2 } } },
      { id: OTHER, team: 'globex', name: 'Theirs', detect: { terms: { list: ['open sesame'] } } },
    ],
    deployments: [
      { id: 'chat', team: 'acme', name: 'Chat', policies: [CARD, WORDS, HATE, SMALL, HIDDEN, LATER] },
      { id: 'support', team: 'acme', name: 'Support', policies: [WORDS] },
      { id: 'chat', team: 'globex', name: 'Chat', policies: [OTHER] },
    ],
    environments: [
      {
        id: 'prod',
        team: 'acme',
        conditions: [
          { ...every, policies: [CARD, WORDS, HATE, SMALL] },
          { id: 'free', name: 'Free tier', when: 'metadata.user.tier == "free"', policies: [HATE] },
        ],
      },
      { id: 'staging', team: 'acme', conditions: [{ ...every, policies: [WORDS] }] },
      { id: 'prod', team: 'globex', conditions: [{ ...every, policies: [OTHER] }] },
    ],
  });

let system: System;
let model: Awaited<ReturnType<typeof startLanguageModel>>;
before(async () => {
  model = await startLanguageModel();
  const configuration = { text: configurationFor(model.url), file: 'try.json' };
  system = await startSystem({
    configuration,
    env: { GUARD_KEY: 'sk-guard-key', WEIR_FETCH_ALLOW: new URL(model.url).host },
  });
});
after(async () => {
  await system?.close();
  await model?.close();
});

const send = (body: unknown, options: CallOptions = {}): Promise<Answer> =>
  system.post('/api/try', body, { key: KEYS.acme, ...options });

/** A try has two seconds, which a machine that does much else may need for the first one. */
async function answerTo(body: unknown, options: CallOptions = {}): Promise<Answer> {
  let answer: Answer | undefined;
  await until('a try is in time', async () => {
    answer = await send(body, options);
    return answer.status !== 504;
  });
  return answer!;
}

async function tried(body: unknown, options: CallOptions = {}): Promise<TryResult> {
  const { status, json, text } = await answerTo(body, options);
  assert.equal(status, 200, text);
  return json;
}

async function issues(body: unknown): Promise<[path: string, message: string][]> {
  const { status, json, text } = await answerTo(body);
  assert.equal(status, 400, text);
  return (json.error.issues as Issue[]).map(({ path, message }) => [path, message]);
}

const chat = (content: unknown, more: object = {}): object => ({
  deployment_id: 'chat',
  messages: [{ role: 'user', content }],
  ...more,
});
const message = (content: string, more: object = {}): object => ({ type: 'message', role: 'user', content, ...more });
const event = (content: string, more: object = {}): object => ({
  environment_id: 'prod',
  event: message(content),
  ...more,
});
const scoreOf = ({ scores }: TryResult, detector: string): TryScore | undefined =>
  scores.find((score) => score.detector === detector);

describe('a try', () => {
  it('is answered as the check would be, with its evidence [try.verdict]', async () => {
    const said = `open sesame, my card is ${NUMBER}`;
    const [checkedChat, checkedEvent] = [
      await system.post('/api/session/check?explain=true', chat(said), { key: KEYS.acme }),
      await system.post('/api/event?explain=true', event(said), { key: KEYS.acme }),
    ];
    const [triedChat, triedEvent] = [await tried(chat(said)), await tried(event(said))];
    assert.deepEqual(triedChat.policies, checkedChat.json.policies);
    assert.deepEqual(triedEvent.policies, checkedEvent.json.policies);
    assert.equal(triedChat.flagged, true);
    const [evidence] = triedEvent.policies[WORDS]!.evidence as [PolicyEvidence];
    assert.deepEqual([evidence.start, evidence.end, evidence.detector], [0, 11, 'terms']);
    assert.deepEqual(triedChat.shadow, [{ policy_id: HIDDEN, policy_name: 'Hidden', flagged: true }]);
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: said },
    ];
    const inParts = await tried(chat(parts));
    assert.deepEqual(
      inParts.policies,
      (await system.post('/api/session/check?explain=true', chat(parts), { key: KEYS.acme })).json.policies,
    );
    const clean = await tried({ environment_id: 'prod', event: { type: 'tool', output: { a: ['fine'] } } });
    assert.equal(clean.flagged, false);
  });

  it('of an image is answered as its check would be [try.verdict]', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const content = { kind: 'image', data: png.toString('base64') };
    const checked = await system.post(
      '/api/artifact?explain=true',
      { deployment_id: 'chat', content },
      { key: KEYS.acme },
    );
    const alone = await tried({ deployment_id: 'chat', content });
    assert.deepEqual(alone.policies, checked.json.policies);
    assert.equal(alone.policies[SMALL]!.flagged, true);
    assert.ok(alone.cost.images_us > 0);
    const shown = await tried(
      chat([
        { type: 'text', text: 'see' },
        { type: 'artifact', content },
      ]),
    );
    assert.equal(shown.policies[SMALL]!.flagged, true);
    const step = await tried({ environment_id: 'prod', event: { type: 'artifact', content } });
    assert.equal(step.policies[SMALL]!.flagged, true);
    const broken = await tried({ deployment_id: 'chat', content: { kind: 'image', data: 'AAAA' } });
    assert.equal(broken.flagged, null);
    assert.match(broken.note!, /image/);
  });

  it('says what detectors scored beside their thresholds, also of those that do not fire [try.scores]', async () => {
    const said = await tried(event('I hate those people, they are vermin. 536-22-8726'));
    const { score, threshold, policy_id } = scoreOf(said, 'classifier:hate')!;
    assert.equal(policy_id, HATE);
    assert.equal(threshold, 0.99);
    assert.ok(score! > 0.3 && score! < 0.99, String(score));
    assert.equal(said.policies[HATE]!.flagged, false);
    const ssn = scoreOf(said, 'pii:US_SSN')!;
    assert.ok(ssn.score! < ssn.threshold!, JSON.stringify(ssn));
    const card = scoreOf(await tried(event(`card ${NUMBER}`)), 'pii:CREDIT_CARD')!;
    assert.ok(card.score! >= card.threshold!);
    const bands = await tried(
      event('I hate those people, they are vermin.', {
        policies: [
          {
            id: HATE,
            detect: {
              escalate: {
                from: { classifier: { label: 'hate' } },
                below: 0.98,
                above: 0.01,
                to: { terms: { list: ['vermin'] } },
              },
            },
          },
        ],
      }),
    );
    const { threshold: below, asks_from } = scoreOf(bands, 'classifier:hate')!;
    assert.deepEqual([below, asks_from], [0.98, 0.01]);
    assert.equal(bands.policies[HATE]!.flagged, true);
  });

  it('says which conditions matched, and what it cost [try.conditions] [try.cost]', async () => {
    const tier = { metadata: { user: { tier: 'free' } } };
    const said = await tried({ environment_id: 'prod', event: message('fine', tier) });
    const names = said.conditions.map(({ id, matched }) => [id, matched]);
    assert.deepEqual(names, [
      ['all', true],
      ['free', true],
    ]);
    const { conditions, cost } = await tried(event('fine'));
    assert.deepEqual(
      conditions.map(({ matched }) => matched),
      [true, false],
    );
    assert.ok(cost.evaluation_us > 0);
    assert.equal(cost.most_condition_steps, 200_000);
    const most = {
      id: 'many',
      name: 'Many',
      when: 'metadata.a.exists(x, x in metadata.b)',
      policies: [WORDS],
    };
    const list = (from: number): number[] => Array.from({ length: 1000 }, (_, i) => from + i);
    const many = { metadata: { a: list(0), b: list(1000) } };
    const stopped = await tried({ environment_id: 'prod', event: message('fine', many), conditions: [most] });
    assert.deepEqual(stopped.conditions, [{ id: 'many', name: 'Many', matched: null }]);
    assert.equal(stopped.cost.condition_steps, 200_000);
  });
});

describe('what is edited', () => {
  const words = (list: string[], more: object = {}): object => ({ detect: { terms: { list } }, ...more });

  it('takes the place of a policy by id or name, and is new else [try.edited]', async () => {
    const byId = await tried(chat('purple rain', { policies: [{ id: WORDS, ...words(['purple rain']) }] }));
    const { name, severity, flagged } = byId.policies[WORDS]!;
    assert.deepEqual({ name, severity, flagged }, { name: 'Words', severity: 'low', flagged: true });
    const byName = await tried(event('purple rain', { policies: [words(['purple rain'], { name: 'Words' })] }));
    assert.equal(byName.policies[WORDS]!.flagged, true);
    for (const body of [chat('purple rain'), event('purple rain')]) {
      const added = await tried({ ...body, policies: [words(['purple rain'], { id: NEW, name: 'New' })] });
      assert.equal(added.policies[NEW]!.flagged, true);
      assert.equal((await tried(body)).flagged, false);
    }
    const live = await tried(chat('sesame', { policies: [{ id: HIDDEN, mode: 'live' }] }));
    assert.equal(live.policies[HIDDEN]!.flagged, true);
    assert.deepEqual(live.shadow, []);
  });

  it('are conditions of the environment, in place of its own [try.edited]', async () => {
    const when = 'event.role == "user" && metadata.level > 3';
    const conditions = [{ id: 'asks', name: 'Asks', when, policies: ['Words', NEW] }];
    const policies = [words(['purple rain'], { id: NEW, name: 'New' })];
    const levelled = (level: number): object => ({
      environment_id: 'prod',
      event: message('purple rain', { metadata: { level } }),
      conditions,
      policies,
    });
    const chosen = await tried(levelled(4));
    assert.deepEqual(Object.keys(chosen.policies).sort(), [WORDS, NEW].sort());
    assert.equal(chosen.policies[NEW]!.flagged, true);
    const not = await tried(levelled(1));
    assert.deepEqual([not.policies, not.conditions], [{}, [{ id: 'asks', name: 'Asks', matched: false }]]);
    const [conflict] = await issues(chat('fine', { conditions }));
    assert.equal(conflict![0], 'conditions');
  });

  it('is refused in the words of check-config, with the path of what is wrong [try.refused]', async () => {
    const policies = [{ id: WORDS }, { id: NEW, name: 'New', detect: { regex: { patterns: ['fine', '('] } } }];
    const conditions = [{ id: 'a', name: 'A', when: 'metadata.user ==', policies: [] }];
    const [pattern, condition] = await issues(event('fine', { policies, conditions }));
    assert.equal(pattern![0], 'policies[1].detect.regex.patterns[1]');
    assert.equal(condition![0], 'conditions[0].when');
    assert.match(condition![1], /^expected a CEL expression/);
    const unknown = [{ id: 'a', name: 'A', when: 'true', policies: ['Wordz'] }];
    assert.deepEqual(await issues(event('fine', { conditions: unknown })), [
      ['conditions[0].policies[0]', 'there is no policy "Wordz"; did you mean "Words"?'],
    ]);
    const [wrong] = await issues(event('fine', { policies: 'all' }));
    assert.deepEqual(wrong, ['policies', 'expected a list, found a string']);
    const twice = [{ id: WORDS }, { id: WORDS }];
    assert.deepEqual((await issues(event('fine', { policies: twice })))[0]![0], 'policies[1].id');
  });

  it('names no address, no file, no variable, and nothing that the version does not name [try.foreign]', async () => {
    const refused = async (detect: object, path: string, what: RegExp, more: object = {}): Promise<void> => {
      const found = await issues(event('fine', { policies: [{ id: NEW, name: 'New', detect, ...more }] }));
      const [at, text] = found.find(([one]) => one === path) ?? found[0]!;
      assert.equal(at, path, JSON.stringify(found));
      assert.match(text, what);
    };
    const llm = { flagged_content: 'a', allowed_content: 'b' };
    await refused({ llm: { backend: 'theirs', ...llm } }, 'policies[0].detect', /has no backend "theirs"/);
    await refused({ llm: { backend: 'guard', url: 'http://x/', ...llm } }, 'policies[0].detect.llm.url', /unknown key/);
    await refused(
      { llm: { backend: 'guard', api_key_env: 'A', ...llm } },
      'policies[0].detect.llm.api_key_env',
      /unknown key/,
    );
    await refused({ terms: { file: 'words.txt' } }, 'policies[0].detect.terms.file', /no file is read here/);
    await refused(
      { any: [{ classifier: { file: 'own.json', label: 'a' } }] },
      'policies[0].detect.any[0].classifier.file',
      /no file is read here/,
    );
    await refused(
      { not: { image_hash: { list: 'known' } } },
      'policies[0].detect.not.image_hash.list',
      /names the list "known"/,
    );
    await refused(
      { all: [{ onnx: { model: 'words', source: 'text', label: 'a' } }] },
      'policies[0].detect.all[0].onnx.model',
      /names the model "words"/,
    );
    await refused({ terms: { list: ['a'] } }, 'policies[0].team', /there is no team "globex"/, { team: 'globex' });
    await refused({}, 'policies[0].extends', /packs are read by weir apply/, { extends: 'agent-guard/secrets' });
    // Not even the id of a policy of another team leads anywhere: it is one like any other that is new.
    const theirs = await tried(
      chat('open sesame', { policies: [{ id: OTHER, name: 'Mine', detect: { terms: { list: ['x'] } } }] }),
    );
    assert.equal(theirs.policies[OTHER]!.name, 'Mine');
  });

  it('may ask a backend of the team, whose answers are kept for nobody [try.stores]', async () => {
    const conditions = [{ ...every, policies: [ADVICE] }];
    const said = await tried(event('some advice', { conditions }));
    assert.equal(typeof scoreOf(said, 'llm')?.score, 'number', JSON.stringify(said));
    assert.ok(said.cost.asking_us > 0);
    assert.deepEqual(await system.redis.keys('*answers*'), []);
  });
});

describe('what is tried', () => {
  it('leaves nothing behind [try.stores]', async () => {
    await system.archived();
    const rows = async (): Promise<unknown> => {
      const tables = ['items', 'shadow_checks', 'user_checks', 'metrics', 'labels'];
      const counts = await Promise.all(tables.map((table) => system.sql(`SELECT count() AS c FROM weir.${table}`)));
      return counts.map(([row]) => row!.c);
    };
    const keysOf = async (): Promise<string[]> =>
      (await system.redis.keys('*')).filter((key) => /result|run|ext|user|context|session|results/.test(key)).sort();
    /** What has entered the log, of which rows, metrics and deliveries are made. */
    const logged = async (): Promise<number> => {
      const logs = await system.redis.keys('results:*');
      const infos = await Promise.all(logs.map((log) => system.redis.xinfo('STREAM', log) as Promise<unknown[]>));
      return infos.reduce<number>((sum, info) => sum + Number(info[info.indexOf('entries-added') + 1]), 0);
    };
    const before = [await rows(), await keysOf(), await logged()];
    const user = { user: { id: 'tried', email: 'tried@example.org' } };
    const run = newRun();
    await tried({
      environment_id: 'prod',
      run_id: run,
      event: message(`card ${NUMBER}`, { metadata: user, external_session_id: 'tried' }),
    });
    await tried({ ...chat('open sesame', { external_session_id: 'tried', metadata: user }) });
    // A check behind it would be archived after it.
    await system.post('/api/event', event('fine'), { key: KEYS.acme });
    await system.archived();
    const risk = await system.get('/api/radar/risk?id=tried', { key: KEYS.acme });
    assert.equal(risk.status, 404);
    const graph = await system.get(`/api/run/graph?environment_id=prod&run_id=${run}`, { key: KEYS.acme });
    assert.equal(graph.status, 404);
    const after = [await rows(), await keysOf(), await logged()];
    // That one check, and nothing else.
    assert.equal(Number(after[2]), Number(before[2]) + 1);
    const [[items]] = [after[0] as string[]];
    assert.equal(Number(items), Number((before[0] as string[])[0]) + 1);
    assert.ok(!(after[1] as string[]).some((key) => key.includes('tried') || key.includes(run)));
  });

  it('looks at no earlier text but those that are sent [try.context]', async () => {
    const external_session_id = newRun('chat');
    const sent = await system.post('/api/session/check', chat('purple elephants', { external_session_id }), {
      key: KEYS.acme,
    });
    assert.equal(sent.status, 200);
    const alone = await tried(chat('dance', { external_session_id }));
    assert.equal(alone.flagged, false);
    const earlier = { role: 'user', content: 'purple elephants' };
    const both = await tried({ deployment_id: 'chat', messages: [earlier, { role: 'user', content: 'dance' }] });
    assert.equal(both.policies[LATER]!.flagged, true);
  });

  it('needs the scope try, and the scope of the check [try.scope]', async () => {
    const denied = await send(chat('fine'), { key: KEYS.checker });
    assert.deepEqual([denied.status, denied.json.error.code], [403, 'permission_denied']);
    const narrow = { key: KEYS.narrow };
    assert.equal((await send(chat('fine'), narrow)).status, 403);
    assert.equal((await send(event('fine'), narrow)).status, 403);
    assert.equal((await send({ ...event('fine'), environment_id: 'nowhere' }, narrow)).status, 404);
    assert.equal((await send({ messages: [message('fine')] }, narrow)).status, 400);
    assert.equal((await answerTo({ ...chat('fine'), deployment_id: 'support' }, narrow)).status, 200);
    const theirs = await tried({ environment_id: 'prod', event: message('open sesame') }, { key: KEYS.globex });
    assert.deepEqual(Object.keys(theirs.policies), [OTHER]);
    assert.equal((await send({ ...chat('fine'), deployment_id: 'support' }, { key: KEYS.globex })).status, 404);
  });

  it('is one event, chat or image, of at most 256 KiB [try.limits]', async () => {
    const paths = async (body: unknown): Promise<string[]> => (await issues(body)).map(([path]) => path);
    assert.deepEqual(await paths({}), ['']);
    assert.deepEqual(await paths({ ...chat('fine'), ...event('fine') }), ['']);
    assert.deepEqual(await paths({ environment_id: 'prod', event: { type: 'message', content: 'fine' } }), [
      'event.role',
    ]);
    assert.deepEqual(await paths({ environment_id: 'prod', run_id: 'r', event: { type: 'tool', event_id: 't' } }), [
      'event',
    ]);
    assert.deepEqual(await paths(chat('fine', { policy_ids: [OTHER] })), ['policy_ids[0]']);
    const [only] = Object.keys((await tried(chat('fine', { policy_ids: [WORDS] }))).policies);
    assert.equal(only, WORDS);
    const large = await send(chat('x'.repeat(256 * 1024)));
    assert.deepEqual([large.status, large.json.error.code], [413, 'request_too_large']);
    assert.match(large.json.error.message, /262144 bytes/);
    const most = 256 * 1024 - JSON.stringify(chat('')).length;
    assert.equal((await answerTo(chat('y'.repeat(most)))).status, 200);
  });

  it('waits for the turn of its team, and ends after two seconds, while checks go on [try.turns] [try.hostile]', async () => {
    // Patterns that take long to compile and to look for, as many as there is room for.
    const patterns = Array.from({ length: 200 }, (_, i) => `(?:[a-y]{1,60}[b-z]{1,60}){1,9}${i}x`);
    const detect = {
      any: Array.from({ length: 20 }, (_, i) => ({ regex: { patterns: patterns.map((one) => one + i) } })),
    };
    const hostile = (): Promise<Answer> =>
      send(event('ab'.repeat(20_000), { policies: [{ id: NEW, name: 'Slow', detect }] }));
    const started = performance.now();
    const slow = [hostile(), hostile(), hostile()];
    const checks = await Promise.all(
      Array.from({ length: 20 }, () => system.post('/api/event', event('open sesame'), { key: KEYS.acme })),
    );
    assert.ok(checks.every(({ status, json }) => status === 200 && json.flagged === true));
    const answers = await Promise.all(slow);
    const took = performance.now() - started;
    const codes = answers.map(({ status, json }) => json.error?.code ?? status);
    assert.ok(codes.includes('evaluation_timeout'), JSON.stringify(codes));
    assert.ok(
      answers.every(({ status }) => [200, 400, 503, 504].includes(status)),
      JSON.stringify(codes),
    );
    // The thread was ended; the next try has another one, and the worker is the same.
    assert.equal((await tried(event('open sesame'))).flagged, true);
    assert.ok(took > 0);
  });
});

manyTries({ system: () => system, keys: KEYS, policies: { words: WORDS, later: LATER, advice: ADVICE } });
