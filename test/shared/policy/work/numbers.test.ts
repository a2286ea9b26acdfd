// Text of digits, in whatever arrangement, takes at most some times the work of English.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { startCounting } from '../../../support/work-counter.ts';
import { again, NUMBERS, prose } from './numbers.ts';

const counter = startCounting(['/dist/', 'libphonenumber']);
const { shippedPacks } = await import('#weir/deploy/packs');
const { loadConfiguration, problemText } = await import('#weir/shared/configuration/configuration');
const { compilePlan } = await import('#weir/shared/policy/compile');
const { ENTITY_NAMES } = await import('#weir/shared/policy/detectors/pii/catalogue');
const { evaluateText } = await import('#weir/shared/policy/evaluate');
const { SCOPE, sketch } = await import('../support.ts');

type Plan = ReturnType<typeof compilePlan>;

/** The sample configuration with all packs. */
function samplePlan(): Plan {
  const text = readFileSync('deploy/local/weir.yaml', 'utf8');
  const packs = shippedPacks.names().join(', ');
  const loaded = loadConfiguration(
    text.replace(/^packs: .*$/m, `packs: [${packs}]`),
    'weir.yaml',
    undefined,
    shippedPacks,
  );
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'));
  return compilePlan(loaded.configuration, 1);
}

const SAMPLE = { team: 'acme' };
const sample = samplePlan();
const numbers = compilePlan(
  sketch({ policies: ENTITY_NAMES.map((entity) => ({ detect: { pii: { entities: [entity] } } })) }),
  1,
);

/** Length of what is counted, in UTF-16 units. */
const UNITS = 6000;
/** Blocks of code for each one of English. Those of numbers are short: they take half of the time of the others. */
const TIMES = 14;

const workOf = (plan: Plan, scope: { team: string }, text: string): number => {
  // What is made once is no work of this text. What is remembered is that of the last texts.
  for (const mark of '.,') evaluateText(plan, scope, `${mark} ${text}`);
  const [work] = counter.of(() => void evaluateText(plan, scope, text));
  return work!;
};

after(() => counter.stop());

describe('text of digits', () => {
  it('takes a bounded number of times the work of English, with a policy for each entity', () => {
    const english = workOf(sample, SAMPLE, prose(UNITS));
    const most = { name: '', times: 0 };
    for (const [name, make] of Object.entries(NUMBERS)) {
      const times = workOf(numbers, SCOPE, make(UNITS)) / english;
      if (times > most.times) Object.assign(most, { name, times });
    }
    assert.ok(most.times > 1 && most.times < TIMES, `${most.name}: ${most.times.toFixed(1)} times English`);
  });

  it('takes less where few entities are asked for', () => {
    const cards = compilePlan(sketch({ policies: [{ detect: { pii: { entities: ['CREDIT_CARD'] } } }] }), 1);
    const text = NUMBERS['trunk prefixes']!(UNITS);
    assert.ok(workOf(cards, SCOPE, text) * 3 < workOf(numbers, SCOPE, text));
  });
});

describe('one policy for all entities', () => {
  const anything = compilePlan(sketch({ policies: [{ detect: { pii: { entities: 'all', threshold: 0.01 } } }] }), 1);
  const grows = (name: string, make: (times: number) => string): void => {
    const [short, long] = [workOf(anything, SCOPE, make(1)), workOf(anything, SCOPE, make(8))];
    assert.ok(short > 0 && long < 10 * short, `${name}: ${short}, and ${long} for 8 times the text`);
  };

  it('takes work that grows with the text and no faster, whatever numbers repeat in it', () => {
    for (const piece of [
      '1 ',
      '12345678 ',
      '+1 415 555 2671 ',
      'a1',
      '1-',
      '(1',
      '9.',
      'AB12 ',
      '1:',
      'DE89 ',
      '1a2b-',
    ])
      grows(piece, (times) => again(piece)(2000 * times));
  });

  it('takes such work for cells below many names', () => {
    const row = `${'310555,'.repeat(140)}${','.repeat(10)}\n`;
    grows('a table', (times) => `${'phone,'.repeat(150)}\n${row.repeat(2 * times)}`);
  });
});

describe('text of the names of keys and manifests', () => {
  it('takes a bounded number of times the work of English, with all secrets', () => {
    const english = workOf(sample, SAMPLE, prose(UNITS));
    const secrets = compilePlan(sketch({ policies: [{ detect: { secrets: { threshold: 0 } } }] }), 1);
    for (const unit of [
      'kind: Secret\ndata:\n',
      '"kind":"Secret",',
      '"kty"',
      '\\"kty\\"',
      '{"kty":"RSA",',
      '"d":"a","kty":',
    ]) {
      const times = workOf(secrets, SCOPE, again(unit)(UNITS)) / english;
      assert.ok(times < 8, `${unit}: ${times.toFixed(1)} times English`);
    }
  });
});
