/** A version with policies and conditions of a team edited, as they are tried. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EditedConfiguration, type Edits, editedConfiguration } from '#weir/shared/configuration/edited';

const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`;
const [CARDS, OWN, HASH, OTHER] = [1, 2, 3, 4].map(id) as [string, string, string, string];
const SHA256 = 'a'.repeat(64);

const TEXT = JSON.stringify({
  version: 1,
  teams: [{ id: 'acme', fail_closed: true }, { id: 'globex' }],
  backends: [{ id: 'guard', team: 'acme', url: 'http://guard/', model: 'm', api_key_env: 'KEY' }],
  policies: [
    { id: CARDS, team: 'acme', name: 'Cards', severity: 'high', detect: { pii: { entities: ['CREDIT_CARD'] } } },
    {
      id: OWN,
      team: 'acme',
      name: 'Tickets',
      detect: { any: [{ classifier: { file: 'tickets.json', sha256: SHA256, label: 'late' } }] },
    },
    {
      id: HASH,
      team: 'acme',
      name: 'Known',
      sources: ['image'],
      detect: { any: [{ image_hash: { list: 'known' } }, { onnx: { model: 'nsfw', label: 'bad' } }] },
    },
    { id: OTHER, team: 'globex', name: 'Theirs', detect: { image_hash: { list: 'theirs' } } },
  ],
  deployments: [{ id: 'chat', team: 'acme', name: 'Chat', policies: [CARDS, OWN, HASH] }],
  environments: [
    { id: 'prod', team: 'acme', conditions: [{ id: 'all', name: 'All', when: 'true', policies: [CARDS] }] },
    { id: 'prod', team: 'globex', conditions: [{ id: 'all', name: 'All', when: 'true', policies: [OTHER] }] },
  ],
  keys: [],
});

const CHAT = { team: 'acme', kind: 'deployment', id: 'chat' } as const;
const PROD = { team: 'acme', kind: 'environment', id: 'prod' } as const;

function edited(edits: Edits, scope: typeof CHAT | typeof PROD = CHAT) {
  const made = editedConfiguration(TEXT, scope, edits, () => ['late', 'lost']);
  assert.ok(made.ok, JSON.stringify(made));
  return made.configuration;
}

function problems(edits: Edits, scope: typeof CHAT | typeof PROD = CHAT): [path: string, message: string][] {
  const made: EditedConfiguration = editedConfiguration(TEXT, scope, edits, () => ['late', 'lost']);
  assert.ok(!made.ok);
  return made.problems.map(({ path, message }) => [path, message]);
}

const NEW = { name: 'New', detect: { terms: { list: ['x'] } } };

describe('a version that is edited', () => {
  it('is what the team has in it, and nothing of others', () => {
    const { teams, policies, environments, keys, notify } = edited({});
    assert.deepEqual(teams, [{ id: 'acme', fail_closed: true }]);
    assert.deepEqual(
      policies.map((one) => one.id),
      [CARDS, OWN, HASH],
    );
    assert.deepEqual([environments.length, keys, notify], [1, [], []]);
  });

  it('has a policy in the place of that with its id or its name, with the fields that it leaves out', () => {
    const byId = edited({ policies: [{ id: CARDS.toUpperCase(), name: 'Cards, renamed' }] }).policies[0]!;
    assert.deepEqual([byId.id, byId.name, byId.severity], [CARDS, 'Cards, renamed', 'high']);
    const byName = edited({ policies: [{ name: 'Cards', severity: 'low' }] }).policies;
    assert.deepEqual([byName.length, byName[0]!.id, byName[0]!.severity], [3, CARDS, 'low']);
    assert.deepEqual(byName[0]!.detect, edited({}).policies[0]!.detect);
  });

  it('has new policies where it is tried, unless a condition lists them', () => {
    const inChat = edited({ policies: [NEW] });
    const made = inChat.policies[3]!.id;
    assert.deepEqual(inChat.deployments[0]!.policies, [CARDS, OWN, HASH, made]);
    const inProd = edited({ policies: [NEW] }, PROD);
    const [, always] = inProd.environments[0]!.conditions;
    assert.deepEqual([always!.when, always!.policies], ['true', [made]]);
    const conditions = [{ id: 'some', name: 'Some', when: 'metadata.a == 1', policies: ['New'] }];
    const listed = edited({ policies: [NEW], conditions }, PROD).environments[0]!.conditions;
    assert.deepEqual(
      listed.map((one) => [one.id, one.policies]),
      [['some', [made]]],
    );
  });

  it('names what its policies name: models with their labels, lists, backends', () => {
    const classifier = { file: 'tickets.json', label: 'lost' };
    const llm = { backend: 'guard', flagged_content: 'a', allowed_content: 'b' };
    const detect = {
      any: [
        { classifier },
        { not: { onnx: { model: 'nsfw', label: 'worse' } } },
        { image_hash: { list: 'known' } },
        { llm },
      ],
    };
    const { detect: read } = edited({ policies: [{ ...NEW, detect }] }).policies[3]!;
    const [own] = (read as { any: { classifier: { sha256: string } }[] }).any;
    assert.equal(own!.classifier.sha256, SHA256);
    const [label] = problems({ policies: [{ ...NEW, detect: { classifier: { ...classifier, label: 'lst' } } }] });
    assert.deepEqual(label, [
      'policies[0].detect.classifier.label',
      'tickets.json has late, lost; did you mean "lost"?',
    ]);
    const inText = { image_text: { detect: { image_hash: { list: 'theirs' } } } };
    assert.deepEqual(problems({ policies: [{ ...NEW, detect: inText }] })[0], [
      'policies[0].detect.image_text.detect.image_hash.list',
      'no policy of the team names the list "theirs" in the active version',
    ]);
    const escalate = {
      from: { injection: {} },
      below: 0.9,
      above: 0.1,
      to: { onnx: { model: 'x', source: 'text', label: 'a' } },
    };
    assert.equal(
      problems({ policies: [{ ...NEW, detect: { escalate } }] })[0]![0],
      'policies[0].detect.escalate.to.onnx.model',
    );
  });

  it('says of each mistake where it is in what was edited', () => {
    const llm = { backend: 'nobody', flagged_content: 'a', allowed_content: 'b' };
    const policies = [NEW, { id: CARDS, detect: { llm } }];
    assert.deepEqual(problems({ policies })[0]![0], 'policies[1].detect');
    const conditions = [{ id: 'a', name: 'A', when: 'true', policies: [CARDS, OTHER] }];
    assert.deepEqual(problems({ conditions }, PROD), [
      ['conditions[0].policies[1]', `there is no policy ${OTHER}; did you mean "${CARDS}"?`],
    ]);
    assert.deepEqual(
      problems({ policies: [null, 3] }).map(([path]) => path),
      ['policies[0]', 'policies[1]'],
    );
    assert.deepEqual(problems({ policies: [{ ...NEW, url: 'http://x' }] })[0]![0], 'policies[0].url');
    assert.match(problems({ policies: { a: 1 } })[0]![1], /expected a list/);
    assert.match(problems({ policies: Array.from({ length: 1001 }, () => NEW) })[0]![1], /at most 1000 items/);
    assert.match(problems({ policies: [NEW, NEW] })[0]![1], /named "New"/);
  });
});
