/** Commands that ask backends and models. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { answer, judge, type LanguageModel, startLanguageModel } from '../../support/models/language-model.ts';
import { modelFolder } from '../../support/models/model-folder.ts';
import { words } from '../../support/models/onnx.ts';
import { weir } from './support.ts';

const POLICY = 'aaaaaaaa-0000-4000-8000-000000000001';
const folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
const [file, cases] = [join(folder, 'weir.yaml'), join(folder, 'tests.yaml')];
let model: LanguageModel;
before(async () => {
  model = await startLanguageModel();
  writeFileSync(
    file,
    `version: 1
teams: [{id: t}]
backends: [{id: guard, team: t, url: "${model.url}", model: m}]
policies:
- {id: ${POLICY}, team: t, name: Advice, detect: {llm: {backend: guard, flagged_content: advice, allowed_content: the rest}}}
deployments: [{id: chat, team: t, name: Chat, policies: [${POLICY}]}]
environments: [{id: prod, team: t, conditions: [{id: all, name: All, when: "true", policies: [${POLICY}]}]}]
`,
  );
  writeFileSync(
    cases,
    `cases:
- {name: an event, text: good advice, expect: {policies: [Advice]}}
- {name: a clean event, text: the weather, expect: {flagged: false}}
- {name: a session, session: {messages: [{role: user, content: some advice}]}, deployment: chat, expect: {policies: [Advice]}}
`,
  );
});
after(async () => {
  await model?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  model.respond = judge;
});

const check = (text: string, ...more: string[]) => weir('check', text, '--config', file, ...more);

describe('weir check', () => {
  it('asks backends, wherever a text is checked', async () => {
    for (const scope of [[], ['--environment', 'prod'], ['--deployment', 'chat']]) {
      const { out, err } = await check('good advice', ...scope);
      const found = [
        'flagged',
        `  ${POLICY}  Advice: flagged (medium)`,
        '    llm  view raw  offsets 0 to 11  "good advice"',
      ];
      assert.deepEqual([out.split('\n'), err], [found, '']);
      assert.equal((await check('the weather', ...scope)).out, `clean\n  ${POLICY}  Advice: clean`);
    }
  });

  it('says why a backend has not answered', async () => {
    model.respond = answer(401);
    const { code, out, err } = await check('good advice');
    assert.deepEqual(
      [code, out, err],
      [0, 'could not be evaluated\nnote: 1 policy could not be evaluated', 'backend guard: refused'],
    );
  });
});

describe('weir test', () => {
  it('asks backends', async () => {
    const { code, out, err } = await weir('test', file, cases);
    assert.equal(code, 0, out + err);
  });

  it('fails where a backend has not answered, and says why', async () => {
    model.respond = answer(401);
    const { code, out, err } = await weir('test', file, cases);
    assert.equal(code, 1);
    assert.match(out + err, /backend guard: refused/);
  });
});

describe('a model of texts', () => {
  const models = modelFolder();
  const scored = join(folder, 'scored.yaml');
  const policy = (name: string, label: string): string =>
    `{id: ${POLICY}, team: t, name: Scored, detect: {onnx: {model: ${name}, source: text, label: ${label}, threshold: 0.3}}}`;
  const write = (name: string, label = 'bad'): void =>
    writeFileSync(
      scored,
      `version: 1\nteams: [{id: t}]\npolicies: [${policy(name, label)}]\ndeployments: [{id: c, team: t, name: C, policies: [${POLICY}]}]\n`,
    );
  before(() => {
    process.env.WEIR_MODELS = models.path;
    models.put('narrow', words({ shape: ['texts', 8] }));
  });
  after(() => {
    delete process.env.WEIR_MODELS;
    models.remove();
  });

  it('is asked by weir check', async () => {
    write('words');
    const { out, err } = await weir('check', 'bad bad bad', '--config', scored);
    const found = [
      'flagged',
      `  ${POLICY}  Scored: flagged (medium)`,
      '    onnx:words:bad  view raw  offsets 0 to 11  score 0.60, at least 0.30  "bad bad bad"',
    ];
    assert.deepEqual([out.split('\n'), err], [found, '']);
  });

  it('is tried by check-config', async () => {
    write('words');
    assert.equal((await weir('check-config', scored)).code, 0);
    write('words', 'worse');
    const { code, err } = await weir('check-config', scored);
    assert.deepEqual([code, err], [1, `${scored}: model words: it has no label "worse": expected one of bad, rest`]);
    write('narrow');
    assert.match(
      (await weir('check-config', scored)).err,
      /model narrow: it takes 8 tokens, and the description has max_tokens: 16$/,
    );
    write('absent');
    const absent = await weir('check-config', scored);
    assert.equal(absent.code, 0);
    assert.match(
      absent.err,
      /^warning: model absent: absent\.onnx is not in .* of this machine, so it was not tried$/m,
    );
  });
});
