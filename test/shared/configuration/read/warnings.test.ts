import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { pluck } from '../../../support/pluck.ts';
import { BACKEND, id, type Sketch, sketch } from '../../policy/support.ts';

/** Warnings of a configuration, each as `path: message`. */
function warnings(all: Sketch & { deployments?: unknown[] }): string[] {
  const value = { ...sketch(all), ...(all.deployments ? { deployments: all.deployments } : {}) };
  const loaded = loadConfiguration(JSON.stringify(value));
  assert.ok(loaded.ok);
  return loaded.warnings().map(({ path, message }) => `${path}: ${message}`);
}

const term = { terms: { list: ['bad'] } };
const png = { image_properties: { kinds: ['png'] } };
const condition = (more: object) => [{ id: 'c', name: 'C', when: 'true', policies: [id(0)], ...more }];

describe('a configuration warns', () => {
  it('of nothing where everything has an effect [config.warnings]', () => {
    const policies = [
      { detect: term },
      { detect: png },
      { detect: { any: [term, png] }, events: ['message'] },
      { detect: { any: [term, png] }, events: ['artifact.image', 'tool.output'] },
      { detect: png, sources: ['image'], events: ['artifact'] },
      { detect: { all: [png, { not: term }] } },
      { detect: { image_text: { detect: term } } },
    ];
    assert.deepEqual(warnings({ policies }), []);
    const when = 'event.type == "tool" && event["name"] == "x" && event.role == "" && has(metadata.event.kind)';
    assert.deepEqual(warnings({ policies: [{ detect: term }], conditions: condition({ when }) }), []);
  });

  it('of backends that no policy of their team asks [config.warnings]', () => {
    const llm = { llm: { backend: 'guard', flagged_content: 'a', allowed_content: 'b' } };
    const idle = { ...BACKEND, id: 'idle' };
    assert.deepEqual(warnings({ policies: [{ detect: { any: [term, { not: llm }] } }] }), []);
    assert.deepEqual(warnings({ policies: [{ detect: llm }], backends: [BACKEND, idle] }), [
      'backends[1].id: no live policy asks this backend',
    ]);
    assert.deepEqual(warnings({ policies: [{ detect: llm, mode: 'shadow' }], backends: [BACKEND] }), [
      'backends[0].id: no live policy asks this backend',
      'policies[0].mode: a policy in the shadow asks no backend, so what llm would decide counts as not evaluated',
    ]);
  });

  it('of public addresses that need no key, and of a key with a range and without a deployment', () => {
    const key = (n: number, more: object) => ({
      id: `k${n}`,
      team: 't',
      sha256: `${n}`.repeat(64),
      environments: ['e'],
      ...more,
    });
    const deployments = [{ id: 'd', team: 't', name: 'D', policies: [id(0)] }];
    const loaded = loadConfiguration(
      JSON.stringify({
        ...sketch({ policies: [{ detect: term }], conditions: condition({}) }),
        deployments,
        environments: [{ id: 'e', team: 't', conditions: condition({}) }],
        keys: [
          key(1, {
            without_key_from: ['10.0.0.0/8', '127.0.0.1', 'fd00::/8', '172.16.0.0/12'],
            deployments: ['d'],
            default_deployment: 'd',
          }),
          key(2, {
            without_key_from: ['8.8.8.8', '192.168.0.0/13', '::/1', '2001:4860::/32'],
            deployments: ['d'],
            default_deployment: 'd',
          }),
          key(3, { without_key_from: ['169.254.0.0/16'] }),
        ],
      }),
    );
    assert.ok(loaded.ok, JSON.stringify(loaded));
    const open = 'public addresses are among these: whoever is there needs no key';
    assert.deepEqual(
      loaded.warnings().map(({ path, message }) => `${path}: ${message}`),
      [
        ...[0, 1, 2, 3].map((i) => `keys[1].without_key_from[${i}]: ${open}`),
        'keys[2].without_key_from: requests without a key name no deployment, and this key has no default_deployment',
      ],
    );
  });

  it('of webhooks over http, of policies in the shadow, and without a secret where they are to be sent', () => {
    const hook = { id: 'h', team: 't', url: 'https://h/', on: ['flagged'], secret_env: 'A' };
    const notify = [
      { ...hook, policies: [id(0)] },
      { ...hook, id: 'i', url: 'http://h/', secret_env: 'B' },
    ];
    const loaded = loadConfiguration(
      JSON.stringify({
        ...sketch({ policies: [{ detect: term, mode: 'shadow' }], conditions: condition({}) }),
        notify,
      }),
    );
    assert.ok(loaded.ok);
    const said = (environment?: Record<string, string>): string[] =>
      loaded.warnings(environment && ((name) => environment[name])).map(({ path, message }) => `${path}: ${message}`);
    const always = [
      `notify[0].policies[0]: policy ${id(0)} is in the shadow, which no webhook is told of`,
      'notify[1].url: what is sent over http can be read on its way',
    ];
    assert.deepEqual(said().sort(), always);
    const secret = `whsec_${'A'.repeat(32)}`;
    assert.deepEqual(said({ A: secret, B: secret }).sort(), always);
    const [, first, second] = said({ A: 'plain' }).sort();
    assert.match(
      first!,
      /^notify\[0\]\.secret_env: A is no secret here; workers with the role hooks need it: whsec_ and 24 /,
    );
    assert.match(second!, /^notify\[1\]\.secret_env: B is not set here; /);
  });

  it('of policies that nothing lists, and that only inactive conditions list [config.warnings]', () => {
    const policies = [{ detect: term }, { detect: term }];
    const nothing = 'so nothing is checked against this policy';
    const of = (more: object): string[] => warnings({ policies, deployments: [], conditions: condition(more) });
    assert.deepEqual(of({}), [`policies[1].id: no deployment or condition lists it, ${nothing}`]);
    assert.deepEqual(of({ active: false }), [
      `policies[0].id: only conditions that are not active list it, ${nothing}`,
      `policies[1].id: no deployment or condition lists it, ${nothing}`,
    ]);
    const deployments = [{ id: 'd', team: 't', name: 'D', policies: [id(1)] }];
    assert.deepEqual(warnings({ policies, deployments, conditions: condition({}) }), []);
  });

  const blind: [string, object, string][] = [
    ['texts alone', { detect: png, sources: ['text'] }, 'detect: no detector of it can look at texts'],
    ['images alone', { detect: { not: term }, sources: ['image'] }, 'detect: no detector of it can look at images'],
    ['both in one item', { detect: { all: [term, png] } }, 'detect: it asks for a text and an image in one item'],
    ['events without images', { detect: png, events: ['message', 'tool.output'] }, 'events: it looks at images alone'],
    ['events without texts', { detect: term, events: ['artifact.image'] }, 'events: it looks at texts alone'],
  ];
  it('of a policy that is to redact and cannot', () => {
    const blocked = 'so nothing can be redacted, and content that violates it is blocked';
    const redacting = (policy: object): string[] => warnings({ policies: [{ action: 'redact', ...policy }] });
    const patterns = { regex: { patterns: ['x'] } };
    assert.deepEqual(redacting({ detect: patterns }), [
      `policies[0].action: it has none of terms, pii, secrets, ${blocked}`,
    ]);
    assert.deepEqual(redacting({ detect: { any: [term, png] }, sources: ['image'] }), [
      `policies[0].action: it does not look at texts, ${blocked}`,
    ]);
    assert.deepEqual(redacting({ detect: { any: [patterns, term] } }), []);
    assert.deepEqual(warnings({ policies: [{ detect: patterns }] }), []);
  });

  for (const [name, policy, message] of blind) {
    it(`of a policy that looks at nothing: ${name} [config.warnings]`, () => {
      const [warning, ...rest] = warnings({ policies: [policy as Sketch['policies'][0]] });
      assert.deepEqual(rest, []);
      assert.ok(warning!.startsWith(`policies[0].${message}`), warning);
    });
  }

  it('of fields of events that none has [config.warnings]', () => {
    const of = (when: string): string[] => warnings({ policies: [{ detect: term }], conditions: condition({ when }) });
    const path = 'environments[0].conditions[0].when';
    const known = 'there are event.type, event.role and event.name';
    for (const when of ['event.kind == "x"', 'has(event.kind)', 'true && !(event["kind"] in ["x"])']) {
      assert.deepEqual(of(when), [`${path}: no event has event.kind; ${known}`], when);
    }
    assert.equal(of('event.a == event.b && event.a != event.type').length, 2);
  });

  it('of arithmetic with numbers in metadata that CEL does not have [config.warnings]', () => {
    const of = (when: string): string[] => warnings({ policies: [{ detect: term }], conditions: condition({ when }) });
    const path = 'environments[0].conditions[0].when';
    const instead = 'write 1.0 instead of 1, or put int(…) around it';
    for (const when of ['metadata.n + 1 > 2', '1 + metadata["n"] > 2', 'true || metadata.a.b[0] + 1 + 1 > 2']) {
      const message = `a number in metadata is a double, and CEL has no double + int: ${instead}`;
      assert.deepEqual(of(when), [`${path}: ${message}`], when);
    }
    assert.deepEqual(of('metadata.n % 2 == 0'), [
      `${path}: a number in metadata is a double, and CEL has no double % int: put int(…) around it`,
    ]);
    for (const when of [
      'metadata.n + 1.0 > 2.0',
      'metadata.n > 1 && metadata.n == 2 && metadata.n in [1]',
      'int(metadata.n) % 2 + 1 == 1',
      'size(metadata.l) + 1 > 1',
      'metadata.a + metadata.b > 1',
    ]) {
      assert.deepEqual(of(when), [], when);
    }
  });

  it('of tags, which stay where no content is kept', () => {
    const of = (days: number): string[] => {
      const loaded = loadConfiguration(
        `version: 1\nteams: [{id: t}, {id: u, tags: [a.b, c, a.b]}]\nretention: {content_days: ${days}}`,
      );
      assert.ok(loaded.ok, JSON.stringify(loaded));
      assert.deepEqual(pluck(loaded.configuration.teams, 'tags'), [undefined, ['a.b', 'c']]);
      return loaded.warnings().map(({ path, message }) => `${path}: ${message}`);
    };
    assert.deepEqual(of(1), []);
    assert.deepEqual(of(0), [
      'teams[1].tags: retention.content_days is 0, but the values of these are kept as long as results',
    ]);
  });

  it('of metrics that nothing lists, that read what no event has, and that have nothing to be computed from [config.warnings]', () => {
    const metric = (n: number, rest: string) => `- {id: "${id(n)}", team: t, name: M, ${rest}}`;
    const listed = `[${[1, 2, 3].map((n) => `"${id(n)}"`).join()}]`;
    const of = (days: number): string[] => {
      const loaded = loadConfiguration(`version: 1
teams: [{id: t}]
retention: {content_days: ${days}}
deployments: [{id: d, team: t, name: D, metrics: ${listed}}]
environments: [{id: e, team: t, conditions: [{id: c, name: C, active: false, when: "true", metrics: ["${id(4)}"]}]}]
metrics:
${metric(1, 'kind: words')}
${metric(2, 'kind: image_size')}
${metric(3, 'kind: expression, value: event.kind')}
${metric(4, 'kind: words')}`);
      assert.ok(loaded.ok, JSON.stringify(loaded));
      return loaded.warnings().map(({ path, message }) => `${path}: ${message}`);
    };
    const always = [
      'metrics[2].value: no event has event.kind; there are event.type, event.role and event.name',
      'metrics[3].id: no deployment or active condition lists it, so this metric is not computed',
    ];
    assert.deepEqual(of(30), always);
    const lost = (i: number, what: string): string =>
      `metrics[${i}].kind: retention.content_days is 0: no ${what} is kept, so this metric has rows without a value`;
    assert.deepEqual(of(0), [lost(0, 'content'), lost(2, 'metadata'), ...always]);
  });
});
