/** Text and models' scores of images through the whole system, over HTTP and in SQL; and what is when they cannot be had. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { itemId, partsOf } from '#weir/shared/ids';
import { lettering } from '../../support/images/lettering.ts';
import { needTesseract } from '../../support/images/tesseract.ts';
import { redness } from '../../support/models/onnx.ts';
import { until } from '../../support/wait.ts';
import { type Answer, newFolder, newRun, type System, startSystem } from '../system.ts';
import { type LateOrigin, lateImage, startLateOrigin } from './late-image.ts';

const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
const POLICY = { text: id(1), read: id(2), both: id(3), red: id(4), missing: id(5), cards: id(6) };
const key = createKey();
const options = { key };
const words = '{terms: {list: [secret plan]}}';
const policy = (of: string, name: string, rest: string): string => `- {id: ${of}, team: acme, name: ${name}, ${rest}}`;
const COMMON = [POLICY.text, POLICY.read, POLICY.both, POLICY.red];
const CONFIGURATION = `version: 1
teams: [{id: acme}]
keys:
- {id: acme, team: acme, sha256: ${hashKey(key)}, deployments: [chat, bare, cards], default_deployment: chat, environments: [prod, bare, cards], scopes: [check, read, risk]}
policies:
${policy(POLICY.text, 'Text', `sources: [text], detect: ${words}`)}
${policy(POLICY.read, 'Read', `severity: high, sources: [image], detect: {image_text: {detect: ${words}}}`)}
${policy(POLICY.both, 'Both', `detect: {any: [${words}, {image_text: {detect: ${words}}}]}`)}
${policy(POLICY.red, 'Red', 'sources: [image], detect: {onnx: {model: colour, label: red, threshold: 0.9}}')}
${policy(POLICY.missing, 'Missing', 'sources: [image], detect: {onnx: {model: none, label: red}}')}
${policy(POLICY.cards, 'Payment data', 'detect: {pii: {entities: [CREDIT_CARD]}}')}
deployments:
- {id: cards, team: acme, name: Cards, policies: [${POLICY.cards}]}
- {id: chat, team: acme, name: Chat, policies: [${COMMON}]}
- {id: bare, team: acme, name: Bare, policies: [${POLICY.read}, ${POLICY.missing}]}
environments:
- {id: cards, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${POLICY.cards}]}]}
- {id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${COMMON}]}]}
- {id: bare, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${POLICY.missing}]}]}
`;

const NO_TEXT = 'The text of the image could not be read: no text recognition is installed.';
const NO_MODEL = 'The image could not be scored by a model: it is not there, or does not work.';

let folder: string;
let written: Buffer;
let red: Buffer;
let plain: Buffer;

const plane = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 200, channels: 3, background } })
    .png()
    .toBuffer();
const inline = (bytes: Buffer): object => ({ kind: 'image', data: bytes.toString('base64') });
const session = (text: string, image: Buffer, more: object = {}): object => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'artifact', content: inline(image) },
      ],
    },
  ],
  ...more,
});
const batch = (environment_id: string, events: object[]): object => ({ environment_id, run_id: newRun(), events });
const flaggedIn = ({ json }: Answer): [string, string[]][] =>
  Object.entries(json.policies as Record<string, { flagged: boolean; flagged_source: string[] }>)
    .filter(([, { flagged }]) => flagged)
    .map(([of, { flagged_source }]) => [of, flagged_source]);
const stack = (dataDir: string, env: Record<string, string>): Promise<System> =>
  startSystem({
    dataDir: join(folder, dataDir),
    configuration: { text: CONFIGURATION, file: 'reading.yaml' },
    env: { WEIR_DECODERS: '1', WEIR_MODELS: join(folder, 'models'), ...env },
  });

before(async () => {
  folder = newFolder();
  written = await lettering(['SEND THE SECRET PLAN', 'BEFORE NOON'], 40).png().toBuffer();
  [red, plain] = await Promise.all([plane('#ff0000'), plane('#808080')]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('images that are read and scored', { timeout: 900_000 }, () => {
  let system: System;
  const post = (path: string, body: unknown): Promise<Answer> => system.post(path, body, options);
  const artifact = (image: Buffer, more: object = {}) => post('/api/artifact', { content: inline(image), ...more });

  before(async () => {
    needTesseract();
    mkdirSync(join(folder, 'models'));
    // 1 for red, 0.5 for every grey.
    const onnx = redness({ weights: [0.5, 0, -0.25, 0, -0.25, 0], bias: [0.5, 0] });
    writeFileSync(join(folder, 'models/colour.onnx'), onnx);
    const description = 'input: {width: 8, height: 8}\noutput: {labels: [red, other]}\n';
    writeFileSync(join(folder, 'models/colour.yaml'), description);
    system = await stack('whole', {});
  });
  after(() => system?.close());

  it('are flagged by what is written in them and by what a model says of them, by themselves', async () => {
    const answers = await Promise.all([written, red, plain].map((image) => artifact(image)));
    const shapes = answers.map((answer) => [answer.json.status, answer.json.flagged, flaggedIn(answer)]);
    assert.deepEqual(shapes, [
      ['completed', true, [POLICY.read, POLICY.both].map((of) => [of, ['image']])],
      ['completed', true, [[POLICY.red, ['image']]]],
      ['completed', false, []],
    ]);
    const looking = COMMON.filter((of) => of !== POLICY.text);
    for (const { json } of answers) assert.deepEqual([Object.keys(json.policies), json.note], [looking, null]);
  });

  it('name their source in a session, beside that of the text [2.1.image]', async () => {
    const image = await post('/api/session/check', session('look', written));
    assert.equal(image.status, 200, image.text);
    assert.deepEqual(
      flaggedIn(image),
      [POLICY.read, POLICY.both].map((of) => [of, ['image']]),
    );
    const user = randomUUID();
    const more = { metadata: { user: { id: user } } };
    const both = await post('/api/session/check', session('the secret plan', written, more));
    assert.deepEqual(flaggedIn(both), [
      [POLICY.text, ['text']],
      [POLICY.read, ['image']],
      [POLICY.both, ['text', 'image']],
    ]);
    const { internal_session_id: internal } = both.json;
    const path = `/api/protect/get_by_id?deployment_id=chat&internal_id=${internal}`;
    const shown = (await system.get(path, options)).json.list[0].violations;
    const sources = [POLICY.text, POLICY.read, POLICY.both].map((of) => shown[of].violation_source);
    assert.deepEqual(sources, [['text'], ['image'], ['text', 'image']]);
    assert.equal((await system.get(`/api/radar/risk?id=${user}`, options)).json.risk_level, 'elevated');
    const clean = await post('/api/session/check', session('look', plain));
    assert.deepEqual([clean.json.flagged, Object.keys(clean.json.policies)], [false, COMMON]);
  });

  it('have verdicts of their own as events', async () => {
    const events = [written, red, plain].map((image, i) => {
      return { type: 'artifact', event_id: `e${i}`, content: inline(image) };
    });
    const { status, json } = await post('/api/events', batch('prod', events));
    assert.equal(status, 200, JSON.stringify(json));
    const { e0, e1, e2 } = json.results.artifact;
    const flags = [e0, e1, e2].map(({ flagged, event }) => [flagged, event.status]);
    assert.deepEqual(flags, [
      [true, 'completed'],
      [true, 'completed'],
      [false, 'completed'],
    ]);
    assert.equal(e0.policies[POLICY.read].flagged, true);
    assert.equal(e1.policies[POLICY.red].flagged, true);
  });

  it('are stored with the detectors that fired, and without a word of what was read', async () => {
    const { json } = await post('/api/session/check', session('look', written));
    const scored = await artifact(red);
    const image = itemId(partsOf(json.internal_session_id)!.requestId, 2);
    await system.archived();
    let rows: Record<string, unknown>[] = [];
    await until('the rows are there', async () => {
      const ids = [image, scored.json.internal_artifact_id].map((one) => `'${one}'`).join();
      rows = await system.sql(
        `SELECT violation.id AS violated, violation.sources AS sources, evidence.detector AS detectors, evidence.source AS found
         FROM results WHERE id IN (${ids}) ORDER BY kind = 'artifact'`,
      );
      return rows.length === 2;
    });
    const [first, second] = rows as { violated: string[]; sources: string[][]; detectors: string[]; found: string[] }[];
    const seen = [first!.violated, first!.sources];
    assert.deepEqual(seen, [
      [POLICY.read, POLICY.both],
      [['image'], ['image']],
    ]);
    assert.deepEqual([...new Set(first!.detectors)], ['image_text:terms']);
    const read = [second!.violated, second!.detectors, second!.found];
    assert.deepEqual(read, [[POLICY.red], ['onnx:colour:red'], ['image']]);
    const [{ stored }] = (await system.sql(
      `SELECT countIf(content ILIKE '%secret plan%') AS stored FROM contents WHERE id = '${image}'`,
    )) as [{ stored: unknown }];
    assert.equal(Number(stored), 0);
  });

  it('are never clean where a model that a policy names is missing [failure.clean] [failure.partial]', async () => {
    const bare = { deployment_id: 'bare' };
    const alone = (await artifact(plain, bare)).json;
    assert.deepEqual([alone.status, alone.flagged, Object.keys(alone.policies)], ['failed', null, [POLICY.read]]);
    assert.equal(alone.note, `1 policy could not be evaluated; ${NO_MODEL}`);
    const flagged = (await artifact(written, bare)).json;
    assert.deepEqual([flagged.status, flagged.flagged], ['completed', true]);
    assert.equal(flagged.note, `1 policy could not be evaluated; ${NO_MODEL}`);
    const chat = await post('/api/session/check', session('look', plain, bare));
    assert.deepEqual([chat.status, chat.json.error.code], [503, 'unavailable']);
    const { json } = await post(
      '/api/events',
      batch('bare', [{ type: 'artifact', event_id: 'a', content: inline(plain) }]),
    );
    const { a } = json.results.artifact;
    assert.deepEqual([a.event.status, a.flagged, a.policies], ['failed', false, {}]);
    assert.equal(a.note, `1 policy could not be evaluated; ${NO_MODEL}`);
  });

  it('are scored by a model that is put into the folder, without a restart', async () => {
    const files = ['onnx', 'yaml'].map((type) => [join(folder, 'models', `none.${type}`), type] as const);
    const yaml = 'input: {width: 8, height: 8}\noutput: {labels: [red, other]}\n';
    for (const [file, type] of files) writeFileSync(file, type === 'onnx' ? redness() : yaml);
    const { missing } = POLICY;
    await until('it is scored', async () => {
      const { json } = await artifact(red, { deployment_id: 'bare' });
      return json.status === 'completed' && json.policies[missing].flagged === true;
    });
    for (const [file] of files) rmSync(file);
  });
});

describe('images that nothing can read', () => {
  let system: System;
  const post = (path: string, body: unknown): Promise<Answer> => system.post(path, body, options);

  before(async () => {
    mkdirSync(join(folder, 'empty'));
    // Neither tesseract nor models.
    system = await stack('without', { PATH: join(folder, 'empty'), WEIR_MODELS: join(folder, 'empty') });
  });
  after(() => system?.close());

  it('are never clean: what asks for their text is not evaluated, and a note says so [failure.clean] [failure.artifact]', async () => {
    const { json } = await post('/api/artifact', { content: inline(plain) });
    assert.deepEqual([json.status, json.flagged, Object.keys(json.policies)], ['failed', null, []]);
    assert.equal(json.note, `3 policies could not be evaluated; ${NO_TEXT}; ${NO_MODEL}`);
    const chat = await post('/api/session/check', session('look', plain));
    assert.deepEqual([chat.status, chat.json.error.code], [503, 'unavailable']);
    assert.match(chat.json.error.message, /3 policies could not be evaluated/);
  });

  it('are in no map of a policy whose detectors look at texts alone, and a note says so [artifact.looks] [artifact.looks-none]', async () => {
    const cards = { deployment_id: 'cards' };
    const none = 'no policy for input looks at images';
    const alone = (await post('/api/artifact', { content: inline(plain), ...cards })).json;
    assert.deepEqual([alone.status, alone.flagged, alone.policies, alone.note], ['completed', false, {}, none]);
    const chat = (await post('/api/session', session('look', plain, cards))).json;
    const clean = { [POLICY.cards]: { name: 'Payment data', flagged: false, flagged_source: [] } };
    assert.deepEqual([chat.session.policies, chat.session.note], [clean, none]);
    assert.deepEqual([chat.artifacts[0].policies, chat.artifacts[0].note], [{}, none]);
    const event = { type: 'artifact', event_id: 'a', content: inline(plain) };
    const { policies, note } = (await post('/api/events', batch('cards', [event]))).json.results.artifact.a;
    assert.deepEqual([policies, note], [{}, 'no policy was selected that looks at images']);
  });

  it('leave what else is known of their session and their batch as it is [failure.partial]', async () => {
    const chat = await post('/api/session/check', session('the secret plan', plain));
    assert.deepEqual([chat.status, chat.json.flagged], [200, true]);
    assert.deepEqual(Object.keys(chat.json.policies), [POLICY.text, POLICY.both]);
    assert.equal(chat.json.note, `2 policies could not be evaluated; ${NO_TEXT}; ${NO_MODEL}`);
    const events = [
      { type: 'artifact', event_id: 'a', content: inline(written) },
      { type: 'reasoning', event_id: 'b', content: 'the secret plan' },
    ];
    const { json } = await post('/api/events', batch('prod', events));
    assert.deepEqual([json.results.artifact.a.event.status, json.results.artifact.a.flagged], ['failed', false]);
    assert.deepEqual([json.results.reasoning.b.event.status, json.results.reasoning.b.flagged], ['completed', true]);
  });
});

describe('while reading an image takes its time', () => {
  // The default. A quarter of it is what answers have left once they no longer wait for the reading, on a busy machine too.
  const DEADLINE_MS = 8000;
  let system: System;
  let late: LateOrigin;
  let long: Promise<Answer>;
  const external = newRun('artifact');
  const file = (name: string): string => join(folder, name);
  const post = (path: string, body: unknown): Promise<Answer> => system.post(path, body, options);

  before(async () => {
    mkdirSync(file('slow'));
    // Reads only once the gate is open.
    const program = `#!/bin/sh
case "$1" in
  --version) echo 'tesseract 5.0.0' ;;
  --list-langs) printf 'List of languages\\neng\\n' ;;
  *) cat > /dev/null; : > '${file('reading')}'; until [ -e '${file('gate')}' ]; do sleep 0.1; done; echo 'THE SECRET PLAN' ;;
esac
`;
    writeFileSync(file('slow/tesseract'), program);
    chmodSync(file('slow/tesseract'), 0o755);
    late = await startLateOrigin();
    const env = {
      WEIR_FETCH_ALLOW: `127.0.0.1:${late.origin.port}`,
      PATH: `${file('slow')}:${process.env.PATH}`,
      WEIR_DEADLINE_MS: String(DEADLINE_MS),
      WEIR_MAX_SLOW_AGE_MS: '20000',
      // It says by a file that it reads, which no confined process may write.
      WEIR_CONFINE: 'off',
    };
    const models = file('models');
    mkdirSync(models, { recursive: true });
    system = await stack('slowly', env);
    const content = inline(plain);
    long = post('/api/artifact', { content, external_artifact_id: external, policies: [POLICY.read] });
    await until('it is read', () => existsSync(file('reading')));
  });
  after(() => system?.close());

  it('text is answered as ever', async () => {
    for (let i = 0; i < 20; i++) {
      const content = i % 2 === 0 ? 'the secret plan' : 'nothing';
      const { status, json } = await post(
        '/api/events',
        batch('prod', [{ type: 'reasoning', event_id: 'e', content }]),
      );
      assert.deepEqual([status, json.flagged], [200, i % 2 === 0]);
    }
    const { json } = await system.get(`/api/artifact/get_by_id?external_artifact_id=${external}`, options);
    assert.equal(json.status, 'processing');
  });

  it('sessions and events with images are answered before the deadline: not evaluated, and never clean [failure.clean]', async () => {
    const read = { policies: [POLICY.read] };
    const events = [
      { type: 'artifact', event_id: 'a', content: inline(plain) },
      { type: 'reasoning', event_id: 'b', content: 'the secret plan' },
    ];
    const [chat, mixed] = await Promise.all([
      post('/api/session/check', session('look', plain, read)),
      post('/api/events', batch('prod', events)),
    ]);
    assert.deepEqual([chat.status, chat.json.error.code], [503, 'unavailable']);
    assert.match(chat.json.error.message, /1 policy could not be evaluated; .* could not be read in time/);
    assert.equal(mixed.status, 200, mixed.text);
    const { a } = mixed.json.results.artifact;
    assert.deepEqual([a.event.status, a.flagged], ['failed', false]);
    assert.match(a.note, /could not be evaluated/);
    assert.deepEqual([mixed.json.flagged, mixed.json.results.reasoning.b.flagged], [true, true]);
  });

  it('an artifact is processing at the deadline, and has its verdict when it was read [deadline.artifact]', async () => {
    const { status, json } = await long;
    assert.deepEqual([status, json.status, json.flagged], [200, 'processing', null]);
    writeFileSync(file('gate'), '');
    let found = json;
    await until('it is read', async () => {
      found = (await system.get(`/api/artifact/get_by_id?external_artifact_id=${external}`, options)).json;
      return found.status !== 'processing';
    });
    assert.deepEqual([found.status, found.flagged], ['completed', true]);
    assert.deepEqual(found.policies[POLICY.read].flagged_source, ['image']);
  });

  lateImage(
    () => late,
    () => system,
    DEADLINE_MS,
    options,
    { policies: [POLICY.read] },
  );
});
