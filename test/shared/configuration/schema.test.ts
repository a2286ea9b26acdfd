import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { parse } from 'yaml';
import { shippedPacks } from '#weir/deploy/packs';
import { configurationSchema, loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import type { Files } from '#weir/shared/configuration/read/fields';
import { DETECTOR_NAMES, DETECTORS } from '#weir/shared/policy/detectors/registry';
import { weir } from '../../deploy/cli/support.ts';
import { GOLDEN, SHA } from './golden.ts';

const SCHEMA = configurationSchema();
const validate = new Ajv({ strict: false }).compile(SCHEMA);
const wrongOf = (value: unknown): string => (validate(value) ? '' : JSON.stringify(validate.errors));

/** Files that a text names are there. */
const FILES: Files = { terms: () => 'a term\n', model: () => ({ sha256: 'a'.repeat(64), labels: ['spam'] }) };
const load = (text: string) => loadConfiguration(text, 'f.yaml', FILES, shippedPacks);

const WHOLE = {
  version: 1,
  teams: [{ id: 't', fail_closed: true, tags: ['user.tier'] }],
  keys: [
    {
      id: 'k',
      sha256: SHA,
      deployments: ['The chat'],
      default_deployment: 'chat',
      environments: ['e'],
      scopes: ['check'],
      expires_at: '2027-01-31T00:00:00Z',
      rate: { requests_per_minute: 5 },
      without_key_from: ['10.2.0.0/16', '2001:db8::1'],
      regions: ['eu'],
    },
  ],
  backends: [{ id: 'b', url: 'http://h/v1', model: 'm', api_key_env: 'KEY', budget: { tokens_per_day: 5 } }],
  policies: [
    {
      name: 'P',
      severity: 'high',
      action: 'redact',
      direction: 'input',
      sources: ['text'],
      events: ['tool.output'],
      mode: 'shadow',
      unknown_language: 'fail',
      detect: {
        any: [
          { terms: { list: ['x'], bundle: 'profanity', views: ['folded'], allow: ['y'], context: 1 } },
          { regex: { patterns: ['x'], flags: 'i' } },
          {
            all: [
              { pii: { entities: 'all', threshold: 0.4, thresholds: { US_SSN: 0.3 } } },
              { not: { secrets: null } },
            ],
          },
          { commands: { kinds: 'all' } },
          { invisible_text: {} },
          { addresses: null },
          { classifier: { label: 'toxicity', threshold: 0.9 } },
          { escalate: { from: { injection: {} }, below: 0.8, above: 0.2, to: { terms: { file: 'a.txt' } } } },
        ],
      },
    },
    {
      name: 'Q',
      detect: {
        llm: { backend: 'b', flagged_content: 'a', allowed_content: 'b', examples: [{ content: 'c', flagged: true }] },
      },
    },
    { extends: 'pii-gate/contact-data', threshold: 0.7 },
    { name: 'I', detect: { image_text: { detect: { terms: { list: ['x'] } } } } },
    {
      name: 'J',
      detect: {
        any: [
          { image_hash: { list: 'known' } },
          { image_properties: { kinds: ['png'], has_gps: true } },
          { onnx: { model: 'm', label: 'l' } },
        ],
      },
    },
  ],
  metrics: [
    { name: 'M', kind: 'classifier', label: 'toxicity' },
    { name: 'N', kind: 'expression', value: 'metadata.cost' },
  ],
  deployments: [
    {
      id: 'chat',
      name: 'The chat',
      policies: ['P', 'Q'],
      metrics: ['M'],
      litellm: { check: 'all' },
      moderations: { hate: 'P', sexual: ['Q'] },
    },
  ],
  environments: [
    { id: 'e', conditions: [{ id: 'c', name: 'C', active: false, when: 'true', policies: ['P'], metrics: null }] },
  ],
  packs: [
    { name: 'pii-gate', without: ['payment-data'], deployments: ['chat'], when: 'true', mode: 'shadow', version: 1 },
  ],
  notify: [{ id: 'h', url: 'https://h/', on: ['flagged'], policies: ['P'], secret_env: 'S' }],
  risk: { window_days: 3, weights: { low: 1 } },
  retention: { content_days: 0, content: 'masked' },
  regions: { 1: 'eu', 15: 'us' },
  logins: [
    { group: 'viewers', team: 't', role: 'viewer', environments: ['e'], deployments: ['chat'] },
    { group: 'editors', role: 'editor', environments: ['e'] },
    { group: 'operators', role: 'operator' },
  ],
};

describe('the schema for editors', () => {
  it('accepts the sample, that of measurements, packs, and a file that has everything', () => {
    for (const file of ['deploy/local/weir.yaml', 'bench/policies.yaml']) {
      assert.equal(wrongOf(parse(readFileSync(file, 'utf8'))), '', file);
    }
    for (const name of shippedPacks.names()) {
      const { policies } = parse(shippedPacks.read(name)) as { policies: Record<string, unknown>[] };
      const written = policies.map(({ key: _, ...policy }) => policy);
      assert.equal(wrongOf({ version: 1, packs: [name], policies: written }), '', name);
    }
    const loaded = load(JSON.stringify(WHOLE));
    assert.deepEqual(loaded.ok ? [] : loaded.problems.map(problemText), []);
    assert.equal(wrongOf(WHOLE), '');
    if (!loaded.ok) return;
    const stored = JSON.stringify(loaded.configuration);
    assert.equal(wrongOf(JSON.parse(stored)), '', 'and what is stored');
    const again = load(stored);
    assert.deepEqual(again.ok ? again.configuration : again.problems.map(problemText), loaded.configuration);
  });

  it('has the words of every detector, as its help says them', () => {
    const { definitions } = SCHEMA;
    for (const name of DETECTOR_NAMES) {
      const parameters: Record<string, string> = DETECTORS[name].parameters;
      const shapes = definitions![name]!.properties!;
      assert.deepEqual(Object.keys(shapes), Object.keys(parameters), name);
      for (const [key, help] of Object.entries(parameters))
        assert.equal(shapes[key]!.description, help, `${name}.${key}`);
    }
  });

  it('refuses what the readers refuse in a file, where one value by itself is wrong', () => {
    const unseen = GOLDEN.flatMap(([name, text]) => {
      let value: unknown;
      try {
        value = parse(text);
      } catch {
        return [];
      }
      return !load(text).ok && validate(value) ? [name] : [];
    });
    assert.deepEqual(unseen, [
      'a team twice',
      'a team that is not there',
      'an image detector in the text of an image',
      'context in the text of an image',
      'an invisible term',
      'an empty list of terms',
      'a bundle in views that it is not looked for in',
      'a pattern that does not parse',
      'a look-ahead',
      'a pattern that matches nothing at all',
      'a threshold of an entity that is not asked for',
      'a condition that does not parse',
      'a condition over something else',
      'addresses of two keys',
      'a key of a region that is not there',
      'a default deployment that the key has not',
      'a deployment that is not there',
      'thresholds of risk the wrong way round',
      'expressions of metrics that are no CEL, or that give neither a number nor a string',
      'an address of a backend with a password',
      'webhooks with the same id, of no team, of a policy of others, and too many',
      'a backend that is not there',
      'a backend of another team',
      'an llm for the text of an image',
    ]);
  });

  it('refuses nothing that the readers accept, whatever is changed', () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        '',
        'x',
        'P',
        'chat',
        'all',
        'text',
        'high',
        0,
        1,
        -1,
        0.5,
        true,
        [],
        {},
        ['x'],
        ['all'],
        { x: 1 },
        id(7),
      ),
      fc.jsonValue({ maxDepth: 2 }),
    );
    let [refused, accepted] = [0, 0];
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 8 }), junk, fc.boolean(), (steps, value, dropped) => {
        const changed = structuredClone(WHOLE) as unknown;
        change(changed, steps, dropped ? undefined : value);
        const loaded = load(JSON.stringify(changed));
        if (!loaded.ok) refused++;
        else accepted++;
        if (loaded.ok) assert.equal(wrongOf(JSON.parse(JSON.stringify(changed))), '', JSON.stringify(changed));
      }),
      { numRuns: 120 },
    );
    assert.ok(refused > 15 && accepted > 5, `${refused} ${accepted}`);
  });

  it('is what weir schema prints', async () => {
    const { code, out } = await weir('schema');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), SCHEMA);
    assert.equal((await weir('schema', 'x')).code, 2);
  });
});

function id(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Puts `value` where the steps lead to; undefined: takes away what is there. */
function change(root: unknown, steps: readonly number[], value: unknown): void {
  let at = root as Record<string, unknown>;
  for (const [i, step] of steps.entries()) {
    const keys = Object.keys(at);
    if (keys.length === 0) return;
    const key = keys[step % keys.length]!;
    const inner = at[key];
    if (i < steps.length - 1 && typeof inner === 'object' && inner !== null) {
      at = inner as Record<string, unknown>;
      continue;
    }
    if (value !== undefined) at[key] = value;
    else if (Array.isArray(at)) at.splice(Number(key), 1);
    else delete at[key];
    return;
  }
}
