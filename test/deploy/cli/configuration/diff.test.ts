import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outputTo } from '#weir/deploy/cli/command';
import { sayDiff } from '#weir/deploy/cli/configuration/diff';
import { loadConfiguration } from '#weir/shared/configuration/configuration';

const CARDS = '11111111-1111-4111-8111-111111111111';
const WORDS = '22222222-2222-4222-8222-222222222222';

const BEFORE = `
version: 1
teams: [{id: acme}]
policies:
- {id: ${CARDS}, team: acme, name: Cards, detect: {pii: {entities: [CREDIT_CARD]}}}
- {id: ${WORDS}, team: acme, name: Words, severity: low, detect: {any: [{terms: {list: [one, two]}}, {terms: {list: [x]}}]}}
deployments: [{id: chat, team: acme, name: chat, policies: [${CARDS}]}]
environments:
- id: prod
  team: acme
  conditions:
  - {id: all, name: All, when: "true", policies: [${CARDS}]}
  - {id: free, name: Free, when: "true", policies: [${WORDS}]}
`;

function diff(before: string, after: string): string[] {
  const [old, now] = [before, after].map((text) => {
    const loaded = loadConfiguration(text, 'weir.yaml');
    assert.ok(loaded.ok, JSON.stringify(loaded));
    return loaded.configuration;
  });
  const lines: string[] = [];
  sayDiff(old!, now!, outputTo({ out: (line) => lines.push(line), err: (line) => assert.fail(line) }));
  return lines;
}

describe('what changes between configurations', () => {
  it('says that a policy goes into the shadow, and out of it', () => {
    const hidden = BEFORE.replace('name: Words,', 'name: Words, mode: shadow,');
    const fields = (lines: string[]): string[] => lines.slice(3).map((line) => line.trim());
    assert.deepEqual(fields(diff(BEFORE, hidden)), ['mode: "live" → "shadow"']);
    assert.deepEqual(fields(diff(hidden, BEFORE)), ['mode: "shadow" → "live"']);
    assert.deepEqual(diff(BEFORE, BEFORE.replace('name: Words,', 'name: Words, mode: live,')), ['Nothing changes.']);
  });

  it('is nothing where only order, defaults and the form of the file differ', () => {
    const [head, tail] = BEFORE.split('deployments:') as [string, string];
    const policies = head.split('\n- ');
    const reordered = `${[policies[0], policies[2]!.trim(), policies[1]!.trim()].join('\n- ')}\ndeployments:${tail}`;
    assert.deepEqual(diff(BEFORE, reordered.replace('name: Cards', 'severity: medium, name: Cards')), [
      'Nothing changes.',
    ]);
  });

  it('is told by field, with the value before and after', () => {
    const after = BEFORE.replace('severity: low', 'severity: high')
      .replace('[one, two]', '[two, three]')
      .replace('{id: free, name: Free, when: "true"', '{id: free, name: Free, when: "false"');
    assert.deepEqual(diff(BEFORE, after), [
      'policies: 1 changed; environments: 1 changed',
      'policies',
      `  changed "Words" (${WORDS})`,
      '    severity: "low" → "high"',
      '    detect.any[0].terms.list: added "three"; removed "one"',
      'environments',
      '  changed prod',
      '    conditions: changed "Free" (free)',
      '    conditions:   when: "true" → "false"',
    ]);
  });

  it('names what is added and removed, and sections that have no entries', () => {
    const after = `${BEFORE.replace(`policies: [${CARDS}]}]`, 'policies: []}, {id: new, team: acme, name: New one}]')}risk: {severe: 20}\n`;
    assert.deepEqual(diff(BEFORE, after), [
      'deployments: 1 added, 1 changed; risk changed',
      'deployments',
      '  changed chat',
      `    policies: removed "${CARDS}"`,
      '  added "New one" (new)',
      'risk',
      '  severe: 10 → 20',
    ]);
    assert.deepEqual(diff(after, BEFORE).slice(-2), ['risk', '  severe: 20 → 10']);
    assert.ok(diff(after, BEFORE).includes('  removed "New one" (new)'));
  });

  it('is clipped where it is long', () => {
    const many = Array.from({ length: 30 }, (_, i) => `word${i}`).join(', ');
    const [, , , line] = diff(BEFORE, BEFORE.replace('list: [x]', `list: [x, ${many}]`));
    assert.match(line!, /added "word0", .*"word7" and 22 more$/);
    const text = 'y'.repeat(500);
    const long = diff(BEFORE, BEFORE.replace('{terms: {list: [x]}}', `{regex: {patterns: ["${text}"]}}`));
    assert.match(long.at(-1)!, /^ {4}detect\.any\[1\]\.regex: absent → .{150,200}…$/);
  });
});
