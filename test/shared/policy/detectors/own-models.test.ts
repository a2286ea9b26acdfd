/** `classifier` with a model of the operator: how it is named, what it finds, and what is said where it is not there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LoadedConfiguration, loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import type { Files } from '#weir/shared/configuration/read/fields';
import { modelsOf } from '#weir/shared/configuration/text-models';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateSession, evaluateText } from '#weir/shared/policy/evaluate';
import { MAX_MODELS, type OwnModels, prepareModel } from '#weir/shared/policy/models/own';
import type { Plan } from '#weir/shared/policy/plan';
import type { Evidence } from '#weir/shared/policy/types';
import { type TextModel, textModel } from '../../../support/models/text-model.ts';
import { id, SCOPE } from '../support.ts';

const SPAM = textModel({ spam: 'lottery', offer: 'voucher' });
const OTHER = textModel({ spam: 'jackpot' });
const LOTTERY = 'a lottery';

/** Files by name. */
const filesOf = (models: Record<string, TextModel>): Files => ({
  terms: () => {
    throw new Error('there are none');
  },
  model(name) {
    const model = models[name];
    if (!model) throw new Error('there is no such file');
    return { sha256: model.sha256, labels: prepareModel(model.bytes).model.labels.map((label) => label.name) };
  },
});
const FILES = filesOf({ 'spam.bin': SPAM, 'other.bin': OTHER });

function load(detects: unknown[], files: Files | undefined = FILES, failClosed = false): LoadedConfiguration {
  const policies = detects.map((detect, n) => ({ id: id(n), team: 't', name: `P${n}`, detect }));
  const deployments = [{ id: 'd', team: 't', name: 'D', policies: policies.map((policy) => policy.id) }];
  const teams = [{ id: 't', fail_closed: failClosed }];
  return loadConfiguration(JSON.stringify({ version: 1, teams, policies, deployments }), 'weir.yaml', files);
}

function configurationOf(detects: unknown[], failClosed = false) {
  const loaded = load(detects, FILES, failClosed);
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.configuration;
}

const problemsOf = (detect: unknown, files?: Files): string[] => {
  const loaded = load([detect], files);
  return loaded.ok ? [] : loaded.problems.map(problemText);
};

const modelsAt = (...models: TextModel[]): OwnModels =>
  new Map(models.map(({ sha256, bytes }) => [sha256, prepareModel(bytes)]));

const planOf = (detects: unknown[], models: OwnModels, failClosed = false): Plan =>
  compilePlan(configurationOf(detects, failClosed), 1, { models });

const own = (more: object = {}) => ({ classifier: { file: 'spam.bin', label: 'spam', ...more } });

describe('a classifier with a file', () => {
  it('fires from the threshold of the model, or that of the policy', () => {
    const plan = planOf([own(), own({ threshold: 0 }), own({ threshold: 1 })], modelsAt(SPAM));
    const fired = (text: string): string[] => evaluateText(plan, SCOPE, text).violations.map(({ name }) => name);
    assert.deepEqual(fired(LOTTERY), ['P0', 'P1']);
    assert.deepEqual(fired('good day'), ['P1']);
    const [{ score, ...found }] = evaluateText(plan, SCOPE, LOTTERY).violations[0]!.evidence as [Evidence];
    assert.deepEqual(found, {
      detector: 'classifier:spam.bin:spam',
      view: 'raw',
      source: 'text',
      start: 0,
      end: LOTTERY.length,
    });
    assert.ok(score! > 0.8 && score! < 1, String(score));
  });

  it('keeps models, labels and the shipped model apart on the same text', () => {
    const other = { classifier: { file: 'other.bin', label: 'spam' } };
    const detects = [own(), own({ label: 'offer' }), other, { classifier: { label: 'toxicity' } }];
    const plan = planOf(detects, modelsAt(SPAM, OTHER));
    const fired = (text: string): string[] => evaluateText(plan, SCOPE, text).violations.map(({ name }) => name);
    assert.deepEqual(fired(LOTTERY), ['P0']);
    assert.deepEqual(fired('a voucher'), ['P1']);
    assert.deepEqual(fired('a jackpot'), ['P2']);
    assert.deepEqual(fired('You are a stupid pathetic idiot and everybody hates you.'), ['P3']);
  });

  it('fires with context where the texts fire together and the earlier ones alone do not', () => {
    const plan = planOf([own({ context: 2 })], modelsAt(SPAM));
    const flagged = (text: string, context: string[]): boolean =>
      evaluateSession(plan, SCOPE, { direction: 'input', text }, context).flagged;
    assert.equal(flagged('lottery', ['good']), true);
    assert.equal(flagged('good', ['lottery']), false);
  });

  it('could not run without its model: it is absent and noted, and never clean', () => {
    for (const detect of [own(), { not: own() }, { all: [own(), { terms: { list: ['lottery'] } }] }]) {
      const verdict = evaluateText(planOf([detect], modelsAt(OTHER)), SCOPE, LOTTERY);
      assert.deepEqual([verdict.flagged, verdict.policies, verdict.notEvaluated], [false, '{}', 1]);
      assert.match(verdict.note, /could not be evaluated/);
      assert.deepEqual(verdict.evaluated, []);
    }
    assert.equal(evaluateText(planOf([own()], modelsAt(), true), SCOPE, LOTTERY).flagged, true, 'it fails closed');
    const decided = planOf([{ any: [own(), { terms: { list: ['lottery'] } }] }], modelsAt());
    assert.equal(evaluateText(decided, SCOPE, LOTTERY).flagged, true, 'another detector decides');
  });

  it('is stored with the SHA-256 of its file, and what is stored loads again without the file', () => {
    const configuration = configurationOf([own(), { image_text: { detect: { any: [own({ label: 'offer' })] } } }]);
    assert.deepEqual([...modelsOf(configuration)], [[SPAM.sha256, 'spam.bin']]);
    const again = loadConfiguration(JSON.stringify(configuration));
    assert.ok(again.ok);
    assert.equal(JSON.stringify(again.configuration), JSON.stringify(configuration));
    assert.deepEqual(problemsOf(own({ sha256: SPAM.sha256 })), []);
  });
});

describe('a classifier with a file that cannot be used', () => {
  const wrong: [what: string, detect: unknown, expected: RegExp, files?: Files][] = [
    [
      'a file that is not there',
      { classifier: { file: 'no.bin', label: 'spam' } },
      /file: no\.bin: there is no such file/,
    ],
    ['a path', { classifier: { file: '../spam.bin', label: 'spam' } }, /classifier\.file: expected a name of a-z/],
    [
      'a label that it has not',
      own({ label: 'ofer' }),
      /classifier\.label: spam\.bin has spam, offer; did you mean "offer"\?/,
    ],
    ['no label', { classifier: { file: 'spam.bin' } }, /classifier\.label: is required: expected the name of a label/],
    [
      'another file than the SHA-256 says',
      own({ sha256: OTHER.sha256 }),
      new RegExp(`classifier\\.sha256: the SHA-256 of spam\\.bin is ${SPAM.sha256}`),
    ],
    ['a SHA-256 that is none', own({ sha256: 'abc' }), /classifier\.sha256: expected 64 hexadecimal digits/],
    [
      'a SHA-256 without a file',
      { classifier: { label: 'toxicity', sha256: SPAM.sha256 } },
      /classifier\.sha256: expected a file beside it/,
    ],
  ];
  for (const [what, detect, expected] of wrong) {
    it(`is refused for ${what}`, () => {
      const problems = problemsOf(detect);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0]!, expected);
    });
  }

  it('is refused where there are no files, unless its SHA-256 is there', () => {
    const text = (detect: unknown): string =>
      JSON.stringify({
        version: 1,
        teams: [{ id: 't' }],
        policies: [{ id: id(0), team: 't', name: 'P', detect }],
      });
    const loaded = loadConfiguration(text(own()));
    assert.ok(!loaded.ok);
    assert.match(
      problemText(loaded.problems[0]!),
      /classifier\.file: a file is read by weir apply and weir check-config/,
    );
    assert.ok(loadConfiguration(text(own({ sha256: SPAM.sha256 }))).ok);
  });

  it('is refused for more models than a worker holds', () => {
    const named = Array.from({ length: MAX_MODELS + 1 }, (_, n) => textModel({ spam: `word${n}` }));
    const files = filesOf(Object.fromEntries(named.map((model, n) => [`m${n}.bin`, model])));
    const detects = named.map((_, n) => ({ classifier: { file: `m${n}.bin`, label: 'spam' } }));
    assert.ok(load(detects.slice(1), files).ok);
    const loaded = load(detects, files);
    assert.ok(!loaded.ok);
    assert.deepEqual(
      loaded.problems.map(({ path, message }) => [path, message]),
      [[`policies[${MAX_MODELS}].detect`, 'expected at most 8 files of models in all policies together']],
    );
  });
});
