import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Configuration, loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import { type PackSource, packPolicyId } from '#weir/shared/configuration/packs';
import { pluck } from '../../support/pluck.ts';

const PACKS: Record<string, string> = {
  birds: `
version: 3
title: Birds
policies:
- {key: herons, name: Herons, severity: low, detect: {terms: {list: [heron]}}}
- key: attacks
  name: Attacks
  direction: input
  detect:
    any:
    - injection: {}
    - all: [{classifier: {label: hate, threshold: 0.9}}, {not: {terms: {list: [bird]}}}]
    - image_text: {detect: {pii: {entities: [CREDIT_CARD]}}}
`,
  fish: 'version: 1\ntitle: Fish\npolicies:\n- {key: eels, name: Eels, detect: {terms: {list: [eel]}}}\n',
};
const source: PackSource = { names: () => Object.keys(PACKS), read: (name) => PACKS[name]! };

const BASE = `version: 1
teams: [{id: acme}]
deployments: [{id: chat, team: acme, name: Chat}, {id: mail, team: acme, name: Mail}]
environments: [{id: prod, team: acme}, {id: dev, team: acme}]
`;
const TWO = BASE.replace('{id: acme}', '{id: acme}, {id: beta}').replace(
  'environments: [',
  'environments: [{id: prod, team: beta}, ',
);

/** `packs`: null where they are not read. */
function load(text: string, packs: PackSource | null = source) {
  const loaded = loadConfiguration(text, 'weir.yaml', undefined, packs ?? undefined);
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.problems.map(problemText).join('\n'));
  return loaded;
}
function problems(text: string, packs: PackSource | null = source): string[] {
  const loaded = loadConfiguration(text, 'f', undefined, packs ?? undefined);
  return loaded.ok ? [] : loaded.problems.map(problemText);
}
const namesOf = ({ policies }: Configuration, ids: readonly string[]): string[] =>
  ids.map((id) => policies.find((policy) => policy.id === id)?.name ?? id);
/** By deployment and by environment: names of the policies that packs have brought. */
function placesOf(configuration: Configuration): Record<string, string[]> {
  const { deployments, environments } = configuration;
  return Object.fromEntries([
    ...deployments.map(({ id, policies }) => [id, namesOf(configuration, policies)] as const),
    ...environments.map(
      ({ id, team, conditions }) =>
        [`${team} ${id}`, conditions.flatMap(({ policies }) => namesOf(configuration, policies))] as const,
    ),
  ]);
}

describe('packs in a configuration', () => {
  it('bring their policies to every deployment and environment of the only team', () => {
    const { configuration, packs } = load(`${BASE}packs: [birds]\n`);
    const both = ['Herons', 'Attacks'];
    assert.deepEqual(placesOf(configuration), { chat: both, mail: both, 'acme prod': both, 'acme dev': both });
    const [condition] = configuration.environments[0]!.conditions;
    assert.deepEqual([condition!.id, condition!.name, condition!.when], ['pack:birds', 'Birds', 'true']);
    const [herons] = configuration.policies;
    assert.deepEqual([herons!.team, herons!.severity], ['acme', 'low']);
    assert.deepEqual(packs, [
      {
        name: 'birds',
        version: 3,
        team: 'acme',
        policies: ['herons', 'attacks'].map((key, i) => {
          return { key, id: packPolicyId('acme', 'birds', key), name: both[i], own: false };
        }),
        deployments: ['chat', 'mail'],
        environments: ['prod', 'dev'],
      },
    ]);
  });

  it('have ids that never change, and other ones in another team', () => {
    // Changing these would orphan every stored result of a pack.
    assert.equal(packPolicyId('acme', 'birds', 'herons'), '1869b5a4-0b73-5c9c-b4cf-b2345de8936f');
    assert.notEqual(packPolicyId('beta', 'birds', 'herons'), packPolicyId('acme', 'birds', 'herons'));
    assert.notEqual(packPolicyId('acme', 'birds', 'attacks'), packPolicyId('acme', 'birds', 'herons'));
    assert.match(packPolicyId('ü', 'a', 'b'), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('are stored in plain, so what is stored is read without packs', () => {
    const { configuration } = load(`${BASE}packs: [birds, fish]\n`);
    const text = JSON.stringify(configuration);
    assert.doesNotMatch(text, /"packs"/);
    assert.equal(JSON.stringify(load(text, null).configuration), text);
    assert.deepEqual(problems(`${BASE}packs: [birds]\n`, null), [
      'f:5:9: packs[0]: packs are read by weir apply and weir check-config; elsewhere write the policies out',
    ]);
  });

  it('hold where the configuration says, and when', () => {
    const { configuration } = load(`${TWO}packs:
- {name: birds, team: acme, deployments: [mail], environments: [], without: [attacks]}
- {name: birds, team: beta, when: 'metadata.tier == "free"', version: 3}
`);
    assert.deepEqual(placesOf(configuration), {
      chat: [],
      mail: ['Herons'],
      'beta prod': ['Herons', 'Attacks'],
      'acme prod': [],
      'acme dev': [],
    });
    assert.equal(configuration.environments[0]!.conditions[0]!.when, 'metadata.tier == "free"');
    assert.equal(configuration.policies.length, 3);
  });

  it('run in the shadow where their entry says so, but for policies that the configuration has in their place', () => {
    const { configuration } = load(`${BASE}packs: [{name: birds, mode: shadow}]
policies: [{team: acme, extends: birds/herons}]
`);
    assert.deepEqual(pluck(configuration.policies, 'name', 'mode'), [
      ['Herons', undefined],
      ['Attacks', 'shadow'],
    ]);
    assert.deepEqual(problems(`${BASE}packs: [{name: birds, mode: off}]\n`), [
      'f:5:29: packs[0].mode: expected one of live, shadow',
    ]);
  });

  it('may stand beside policies and conditions of the configuration', () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const { configuration } = load(`version: 1
teams: [{id: acme}]
policies: [{id: ${id}, team: acme, name: Own, detect: {terms: {list: [own]}}}]
deployments: [{id: chat, team: acme, name: Chat, policies: [${id}]}]
environments: [{id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${id}]}]}]
packs: [fish]
`);
    assert.deepEqual(placesOf(configuration), { chat: ['Own', 'Eels'], 'acme prod': ['Own', 'Eels'] });
  });

  it('are extended by policies, which stand in their place', () => {
    const own = `policies:
- {team: acme, extends: birds/attacks, threshold: 0.97, severity: high}
- {id: 00000000-0000-4000-8000-000000000001, team: acme, extends: birds/herons, name: Big herons}
`;
    const { configuration, packs } = load(`${BASE}${own}packs: [birds]\n`);
    const [attacks, herons] = configuration.policies;
    assert.equal(configuration.policies.length, 2);
    assert.deepEqual(
      [attacks!.id, attacks!.name, attacks!.severity, attacks!.direction],
      [packPolicyId('acme', 'birds', 'attacks'), 'Attacks', 'high', 'input'],
    );
    const said = JSON.stringify(attacks!.detect);
    assert.equal([...said.matchAll(/"threshold":0\.97/g)].length, 3, said);
    assert.deepEqual([herons!.name, herons!.severity], ['Big herons', 'low']);
    const names = ['Big herons', 'Attacks'];
    assert.deepEqual(placesOf(configuration), { chat: names, mail: names, 'acme prod': names, 'acme dev': names });
    assert.deepEqual(
      packs[0]!.policies.map(({ own }) => own),
      [true, true],
    );
    // Without the pack it is a policy as any other.
    assert.deepEqual(placesOf(load(`${BASE}${own}`).configuration).chat, []);
  });

  it('may be extended with another detect', () => {
    const { configuration } = load(
      `${BASE}policies: [{team: acme, extends: fish/eels, detect: {terms: {list: [conger]}}}]\n`,
    );
    assert.match(JSON.stringify(configuration.policies[0]!.detect), /conger/);
  });

  it('that are nowhere are warned of, where they are named', () => {
    const { warnings } = load(`version: 1\nteams: [{id: acme}]\npacks:\n- fish\n`);
    assert.deepEqual(warnings().map(problemText), [
      'weir.yaml:4:3: packs[0]: no deployment or condition lists it, so nothing is checked against this policy',
    ]);
  });

  const wrong: [string, string, string][] = [
    [
      'a pack that there is not',
      'packs: [bird]',
      'f:5:9: packs[0]: there is no pack "bird"; there are birds, fish; did you mean "birds"?',
    ],
    ['no list', 'packs: birds', 'packs: expected a list, found a string'],
    ['an unknown key', 'packs: [{name: birds, on: x}]', 'packs[0].on: unknown key "on"'],
    ['no name', 'packs: [{team: acme}]', 'packs[0].name: is required: expected the name of a pack'],
    [
      'another version',
      'packs: [{name: birds, version: 2}]',
      'packs[0].version: this version of Weir has version 3 of the pack',
    ],
    ['an unknown team', 'packs: [{name: birds, team: acne}]', 'there is no team "acne"; did you mean "acme"?'],
    [
      'an unknown deployment',
      'packs: [{name: birds, deployments: [chad]}]',
      'team "acme" has no deployment "chad"; did you mean "chat"?',
    ],
    ['an unknown environment', 'packs: [{name: birds, environments: [x]}]', 'team "acme" has no environment "x"'],
    ['a wrong condition', 'packs: [{name: birds, when: "true &&"}]', 'packs[0].when: expected a CEL expression'],
    [
      'an unknown policy',
      'packs: [{name: birds, without: [heron]}]',
      'the pack has no policy "heron"; it has birds/herons, birds/attacks; did you mean "herons"?',
    ],
    ['a pack twice', 'packs: [birds, {name: birds}]', 'packs[1]: the pack "birds" is used twice in team "acme"'],
    ['extending nothing', 'policies: [{team: acme, extends: 7}]', 'policies[0].extends: expected PACK/POLICY'],
    ['extending a pack', 'policies: [{team: acme, extends: birds}]', 'the pack has no policy ""; it has birds/herons'],
    ['extending what is not there', 'policies: [{team: acme, extends: bids/herons}]', 'there is no pack "bids"'],
    [
      'a threshold without use',
      'policies: [{team: acme, extends: birds/herons, threshold: 0.5}]',
      'no detector of "herons" has a threshold',
    ],
    [
      'a threshold of nothing',
      'policies: [{team: acme, extends: birds/attacks, threshold: 2}]',
      'policies[0].threshold: expected a number from 0 to 1',
    ],
    [
      'two ways to detect',
      'policies: [{team: acme, extends: birds/attacks, threshold: 0.9, detect: {injection: {}}}]',
      'expected detect or threshold, not both',
    ],
    [
      'a policy with the id of one of the pack',
      `policies: [{id: ${packPolicyId('acme', 'fish', 'eels')}, team: acme, name: X, detect: {injection: {}}}]\npacks: [fish]`,
      'f:6:9: packs[0]: policy id',
    ],
  ];
  for (const [name, text, message] of wrong) {
    it(`name the place of ${name}`, () => {
      const found = problems(`${BASE}${text}\n`);
      assert.ok(
        found.some((problem) => problem.includes(message)),
        found.join('\n'),
      );
    });
  }

  it('need a team where there are several', () => {
    assert.deepEqual(problems(`${TWO}packs: [birds]\n`), [
      'f:5:9: packs[0]: expected {name: birds, team: TEAM}, since the configuration has 2 teams',
    ]);
  });

  it('cannot share the id of a condition', () => {
    const taken = BASE.replace(
      '{id: prod, team: acme}',
      '{id: prod, team: acme, conditions: [{id: "pack:fish", name: X, when: "true"}]}',
    );
    assert.deepEqual(problems(`${taken}packs: [fish]\n`), [
      'f:5:9: packs[0]: environment "prod" has a condition of the id "pack:fish" already',
    ]);
  });

  it('that are broken say so', () => {
    for (const text of ['a: [', 'version: 1', 'version: 1\ntitle: X\npolicies: [{name: x}]']) {
      const broken: PackSource = { names: () => ['x'], read: () => text };
      assert.throws(() => problems(`${BASE}packs: [x]\n`, broken), /the pack "x" is broken/);
    }
  });
});
