import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shippedPacks } from '#weir/deploy/packs';
import { type Configuration, loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import { packPolicyId } from '#weir/shared/configuration/packs';
import { metricIdOf, policyIdOf } from '#weir/shared/configuration/read/derived-ids';
import { assertBounded } from '../../support/effort.ts';
import { id } from '../policy/support.ts';
import { NO_FILES } from './files.ts';
import { SHA } from './golden.ts';

const load = (text: string) => loadConfiguration(text, 'f.yaml', NO_FILES, shippedPacks);

function loaded(text: string): Configuration {
  const made = load(text);
  assert.ok(made.ok, made.ok ? '' : made.problems.map(problemText).join('\n'));
  return made.configuration;
}

function problems(text: string): string[] {
  const made = load(text);
  return made.ok ? [] : made.problems.map(problemText);
}

const SHORT = `version: 1
policies:
- name: Unreleased products
  detect: {terms: {list: [project heron]}}
`;

const ID = policyIdOf('default', 'Unreleased products');
const LONG = `version: 1
teams: [{id: default}]
policies:
- id: ${ID}
  team: default
  name: Unreleased products
  detect: {terms: {list: [project heron]}}
deployments: [{id: default, team: default, name: default, policies: [${ID}]}]
environments:
- id: default
  team: default
  conditions: [{id: everything, name: Everything, when: "true", policies: [${ID}]}]
`;

describe('a short configuration', () => {
  it('of four lines has a team, an environment and a deployment, with all policies [config.short]', () => {
    assert.deepEqual(loaded(SHORT), loaded(LONG));
  });

  it('has the id of a policy from its team and name: always the same UUID of version 5 [config.short-ids]', () => {
    assert.equal(ID, 'fbc69007-3c29-513c-a05e-62a2346ce84c');
    assert.notEqual(ID, policyIdOf('other', 'Unreleased products'));
    const texts = [
      policyIdOf('a', 'b'),
      policyIdOf('b', 'a'),
      metricIdOf('a', 'b'),
      packPolicyId('a', 'b', ''),
      packPolicyId('a', 'b', 'c'),
    ];
    assert.equal(new Set(texts).size, texts.length);
  });

  it('is stored with everything written out, and what is stored is read as it is', () => {
    const json = JSON.stringify(loaded(SHORT));
    const again = loadConfiguration(json);
    assert.ok(again.ok);
    assert.equal(JSON.stringify(again.configuration), json);
    assert.equal(JSON.stringify(loaded(json)), json, 'applied as a file, it is the same');
  });

  it('has what a stored version leaves out nowhere: that is no short form', () => {
    const stored = (text: string) => loadConfiguration(text, 'version 1');
    const made = stored('{"version":1,"teams":[{"id":"t"}]}');
    assert.deepEqual(made.ok && [made.configuration.environments, made.configuration.deployments], [[], []]);
    assert.equal(stored(SHORT).ok, false);
  });

  it('has one of each in every team, and nothing is added where a file has one of both, or an empty list', () => {
    const teams = 'version: 1\nteams: [{id: t}, {id: u}]\n';
    const own = (team: string) => `{team: ${team}, name: P, detect: {secrets: {}}}`;
    const both = loaded(`${teams}policies: [${own('t')}, ${own('u')}]\n`);
    assert.deepEqual(
      both.deployments.map(({ team, policies }) => [team, policies]),
      ['t', 'u'].map((team) => [team, [policyIdOf(team, 'P')]]),
    );
    assert.deepEqual(
      both.environments.map(({ id: environment, team }) => [environment, team]),
      [
        ['default', 't'],
        ['default', 'u'],
      ],
    );
    const counts = (rest: string) => {
      const { environments, deployments } = loaded(`${teams}${rest}`);
      return [environments.length, deployments.length];
    };
    assert.deepEqual(counts('environments: [{id: e, team: t}]'), [1, 0]);
    assert.deepEqual(counts('deployments: [{id: d, team: t, name: D}]'), [0, 1]);
    assert.deepEqual(counts('environments: []'), [0, 0]);
    assert.deepEqual(counts('environments:\ndeployments: null'), [2, 2], 'nothing is as absent');
  });

  it('has packs in its environment and its deployment, each policy by one condition', () => {
    const when = 'event.role == "user"';
    const extending = '- {name: Mine, extends: pii-gate/contact-data, threshold: 0.7}';
    const made = loaded(`${SHORT}${extending}\npacks: [{name: pii-gate, when: '${when}'}]\n`);
    const [environment] = made.environments;
    const { conditions } = environment!;
    assert.deepEqual(
      conditions.map((condition) => [condition.id, condition.when]),
      [
        ['pack:pii-gate', when],
        ['everything', 'true'],
      ],
    );
    assert.deepEqual(conditions[1]!.policies, [ID], 'the one that extends a policy of the pack is where that would be');
    assert.ok(conditions[0]!.policies.includes(packPolicyId('default', 'pii-gate', 'contact-data')));
    assert.equal(made.deployments[0]!.policies.length, made.policies.length);
    const bare = loaded('version: 1\npacks: [pii-gate]\n');
    assert.deepEqual(
      bare.environments[0]!.conditions.map((condition) => condition.id),
      ['pack:pii-gate'],
    );
  });

  it('computes all metrics, whose ids follow from names as well', () => {
    const made = loaded('version: 1\nmetrics: [{name: Tokens, kind: tokens}]\n');
    const metrics = [metricIdOf('default', 'Tokens')];
    assert.deepEqual(made.metrics[0]!.id, metrics[0]);
    assert.deepEqual(made.deployments[0]!.metrics, metrics);
    assert.deepEqual(made.environments[0]!.conditions[0]!.metrics, metrics);
  });

  it('says whether it has keys', () => {
    const keyless = (text: string): boolean => {
      const made = load(text);
      assert.ok(made.ok);
      return made.keyless;
    };
    assert.equal(keyless(SHORT), true);
    assert.equal(keyless(`${SHORT}keys: []\n`), false);
    const stored = loadConfiguration('{"version":1}');
    assert.equal(stored.ok && stored.keyless, false);
  });

  it('grants nothing to a key that names no environment and no deployment, and warns of it', () => {
    const key = (more: string): string => `${SHORT}keys: [{id: k, sha256: "${SHA}"${more}}]\n`;
    const made = load(key(''));
    assert.ok(made.ok);
    const [granted] = made.configuration.keys;
    assert.deepEqual([granted!.team, granted!.environments, granted!.deployments], ['default', [], []]);
    assert.deepEqual(made.warnings().map(problemText), [
      'f.yaml:5:13: keys[0].id: it names no environments and no deployments, so nothing can be checked with this key',
    ]);
    const using = load(key(', environments: [default]'));
    assert.ok(using.ok);
    assert.deepEqual(using.warnings(), []);
  });
});

describe('names in place of ids', () => {
  const BASE = `version: 1
teams: [{id: t}, {id: u}]
policies:
- {id: "${id(1)}", team: t, name: Cards, detect: {secrets: {}}}
- {team: t, name: Words, detect: {terms: {list: [x]}}}
- {team: u, name: Cards, detect: {secrets: {}}}
metrics: [{team: t, name: Tokens, kind: tokens}]
`;
  const deployments =
    'deployments: [{id: chat, team: t, name: The chat, policies: [Cards, Words], metrics: [Tokens]}]\n';

  it('stand wherever ids of policies, metrics and deployments do [config.short-names]', () => {
    const named = loaded(`${BASE}${deployments}environments:
- {id: e, team: t, conditions: [{id: c, name: C, when: "true", policies: [Words, Cards], metrics: [Tokens]}]}
notify: [{id: h, team: t, url: "https://h/", on: [flagged], policies: [Words], secret_env: S}]
keys: [{id: k, team: t, sha256: "${SHA}", deployments: [The chat], default_deployment: The chat}]
packs: [{name: pii-gate, team: t, deployments: [The chat], environments: []}]
`);
    const words = policyIdOf('t', 'Words');
    const [deployment] = named.deployments;
    assert.deepEqual(deployment!.policies.slice(0, 2), [id(1), words]);
    assert.ok(deployment!.policies.length > 2, 'and those of the pack');
    assert.deepEqual(deployment!.metrics, [metricIdOf('t', 'Tokens')]);
    const [condition] = named.environments[0]!.conditions;
    assert.deepEqual([condition!.policies, condition!.metrics], [[words, id(1)], deployment!.metrics]);
    assert.deepEqual(named.notify[0]!.policies, [words]);
    assert.deepEqual([named.keys[0]!.deployments, named.keys[0]!.default_deployment], [['chat'], 'chat']);
  });

  it('may be those of policies of packs', () => {
    const text = `${BASE}packs: [{name: pii-gate, team: t, deployments: []}]\n`;
    const made = loaded(`${text}deployments: [{id: d, team: t, name: D, policies: [Payment data]}]\n`);
    assert.deepEqual(made.deployments[0]!.policies, [packPolicyId('t', 'pii-gate', 'payment-data')]);
  });

  const listing = (names: string, more = ''): string[] =>
    problems(`${BASE}${more}deployments: [{id: d, team: t, name: D, policies: [${names}]}]\n`);

  it('that are not there are told with what is close', () => {
    assert.deepEqual(listing('Card'), [
      'f.yaml:8:52: deployments[0].policies[0]: there is no policy "Card"; did you mean "Cards"?',
    ]);
    assert.match(listing('Cards, Word')[0]!, /policies\[1\]: there is no policy "Word"; did you mean "Words"\?$/);
    assert.deepEqual(listing('""'), [
      'f.yaml:8:52: deployments[0].policies[0]: expected an id or a name of 1 to 256 characters',
    ]);
  });

  it('that stand twice, or equal the id of another, are errors where they are used [config.short-names]', () => {
    const twice = `version: 1
policies:
- {id: "${id(1)}", name: P, detect: {secrets: {}}}
- {id: "${id(2)}", name: P, detect: {secrets: {}}}
`;
    const at = 'deployments: [{id: d, name: D, policies:';
    assert.deepEqual(problems(twice), [], 'as long as ids are used, as in earlier files');
    assert.deepEqual(problems(`${twice}${at} ["${id(2)}"]}]`), []);
    assert.deepEqual(problems(`${twice}${at} [P]}]`), [
      `f.yaml:5:43: deployments[0].policies[0]: the name "P" stands 2 times: write the id of the policy, of ${id(1)}, ${id(2)}`,
    ]);
    const mixed = twice.replace('name: P', `name: "${id(2)}"`);
    assert.match(problems(`${mixed}${at} ["${id(2)}"]}]`)[0]!, /is the id of one policy and the name of another/);
    assert.deepEqual(problems(`${mixed}${at} [P]}]`), []);
  });

  it('that stand twice without ids are told as such', () => {
    const policy = '- {name: P, detect: {secrets: {}}}\n';
    assert.deepEqual(problems(`version: 1\npolicies:\n${policy}${policy}`), [
      'f.yaml:4:10: policies[1].name: two of the policies are named "P", and the id of one without an id follows from its name: rename one, or give it an id',
    ]);
  });

  it('are of the own team', () => {
    assert.match(
      problems(`${BASE}deployments: [{id: d, team: u, name: D, policies: [Words]}]`)[0]!,
      /there is no policy "Words"$/,
    );
    assert.match(
      problems(`${BASE}environments: [{id: e}]`)[0]!,
      /environments\[0\]\.team: is required: expected the id of a team/,
    );
  });

  it('are found in bounded time, however many are not there', () => {
    const named = (letter: string) => Array.from({ length: 2000 }, (_, n) => `${letter}${n}`);
    const text = JSON.stringify({
      version: 1,
      policies: named('P').map((name) => ({ name, detect: { secrets: {} } })),
      deployments: [{ id: 'd', name: 'D', policies: named('Q') }],
    });
    assertBounded(() => {
      assert.equal(problems(text).length, 200);
    });
  });
});

it('a short file and its long form mean the same, whatever they have', () => {
  const name = fc.stringMatching(/^[A-Z][a-z]{1,8}( [a-z]{1,8})?$/);
  const team = fc.constantFrom('t', 'default');
  const shape = fc.record({
    team,
    policies: fc.uniqueArray(fc.record({ name, shadow: fc.boolean(), own: fc.boolean() }), {
      selector: (policy) => policy.name,
      minLength: 1,
      maxLength: 6,
    }),
    metrics: fc.uniqueArray(name, { maxLength: 3 }),
    listed: fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 4 })),
  });
  fc.assert(
    fc.property(shape, ({ team: owner, policies, metrics, listed }) => {
      const detect = { terms: { list: ['x'] } };
      const ids = policies.map((policy, i) => (policy.own ? id(i) : policyIdOf(owner, policy.name)));
      const chosen = listed?.map((n) => n % policies.length);
      const scopes = (policyRefs: string[], metricRefs: string[], own: object) => ({
        deployments: [{ id: 'default', ...own, name: 'default', policies: policyRefs, metrics: metricRefs }],
        environments: [
          {
            id: 'default',
            ...own,
            conditions: [
              { id: 'everything', name: 'Everything', when: 'true', policies: policyRefs, metrics: metricRefs },
            ],
          },
        ],
      });
      const short = {
        version: 1,
        ...(owner === 'default' ? {} : { teams: [{ id: owner }] }),
        policies: policies.map((policy, i) => ({
          name: policy.name,
          ...(policy.own ? { id: ids[i] } : {}),
          ...(policy.shadow ? { mode: 'shadow' } : {}),
          detect,
        })),
        metrics: metrics.map((each) => ({ name: each, kind: 'words' })),
        ...(chosen
          ? scopes(
              chosen.map((n) => policies[n]!.name),
              metrics,
              {},
            )
          : {}),
      };
      const long = {
        version: 1,
        teams: [{ id: owner }],
        policies: policies.map((policy, i) => ({
          id: ids[i],
          team: owner,
          name: policy.name,
          mode: policy.shadow ? 'shadow' : 'live',
          detect,
        })),
        metrics: metrics.map((each) => ({ id: metricIdOf(owner, each), team: owner, name: each, kind: 'words' })),
        ...scopes(
          chosen ? chosen.map((n) => ids[n]!) : ids,
          metrics.map((each) => metricIdOf(owner, each)),
          { team: owner },
        ),
      };
      assert.equal(JSON.stringify(loaded(JSON.stringify(short))), JSON.stringify(loaded(JSON.stringify(long))));
    }),
    { numRuns: 200 },
  );
});
