/** The packs that ship with Weir: their tests, their page, and that innocent texts pass. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { shippedPacks } from '#weir/deploy/packs';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { packPolicyId, readPack } from '#weir/shared/configuration/packs';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateText } from '#weir/shared/policy/evaluate';
import { HARMLESS } from '../detection/models/cases/harm.ts';
import { ORDINARY } from '../detection/models/cases/ordinary.ts';
import { LOOK_ALIKES } from '../detection/models/cases/prompts.ts';
import { quotedIn, readPage, tablesOf } from '../docs/pages.ts';
import { weir } from './cli/support.ts';

const NAMES = ['agent-guard', 'child-safe-chat', 'pii-gate', 'prompt-attack-shield'];
const withPacks = (names: readonly string[]): string => `version: 1
teams: [{id: acme}]
packs: [${names.join(', ')}]
deployments: [{id: chat, team: acme, name: Chat}]
environments: [{id: prod, team: acme}]
`;

describe('the packs that ship with Weir', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are these', () => {
    assert.deepEqual(shippedPacks.names(), NAMES);
    assert.deepEqual(
      readdirSync('deploy/packs/tests').sort(),
      NAMES.map((name) => `${name}.yaml`),
    );
  });

  for (const name of NAMES) {
    it(`pass their own tests: ${name}`, async () => {
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, withPacks([name]));
      const { code, out, err } = await weir('test', file, `deploy/packs/tests/${name}.yaml`);
      assert.equal(code, 0, out + err);
    });
  }

  it('are listed in their page, with version, policies and ids', () => {
    const rows = tablesOf(readPage('docs/policies/packs.md'), 'Pack, version | Policy | Flags | Severity | Looks at');
    const listed = rows.map(([pack, policy]) => `${quotedIn(pack!)[0]} ${/\d+$/.exec(pack!)} ${quotedIn(policy!)[0]}`);
    const shipped = NAMES.flatMap((name) => {
      const { version, policies } = readPack(shippedPacks, name);
      return policies.map(({ key }) => `${name} ${version} ${key}`);
    });
    assert.deepEqual(listed.sort(), shipped.sort());
  });

  it('have the figures in their page that the console has', () => {
    const { cases } = JSON.parse(readFileSync('deploy/packs/figures.json', 'utf8')) as {
      cases: { packs: string[]; texts: string; flagged: number; of: number }[];
    };
    const rows = tablesOf(readPage('docs/policies/packs.md'), 'Pack | Cases | Found');
    const written = cases.map(({ packs, texts, flagged, of }, i) => [
      packs.length === NAMES.length ? 'all four' : packs.map((name) => `\`${name}\``).join(', '),
      texts === cases[i - 1]?.texts ? 'the same' : texts,
      `${flagged} of ${of.toLocaleString('en')}`,
    ]);
    assert.deepEqual(rows, written);
  });

  it('keep the ids of their policies', () => {
    assert.equal(packPolicyId('acme', 'child-safe-chat', 'violence'), '3f32e2ef-16bb-533e-9f12-0498ff0927f5');
  });

  it('flag few ordinary texts', () => {
    const loaded = loadConfiguration(withPacks(NAMES), 'packs.yaml', undefined, shippedPacks);
    assert.ok(loaded.ok);
    const plan = compilePlan(loaded.configuration, 1);
    const flagged = (texts: readonly string[]): string[] =>
      texts.filter((text) => evaluateText(plan, { team: 'acme' }, text).flagged);
    const harmless = flagged([...HARMLESS, ...LOOK_ALIKES]);
    assert.ok(harmless.length <= 10, harmless.join('\n'));
    const ordinary = flagged(ORDINARY);
    assert.ok(ordinary.length <= 40, ordinary.join('\n'));
  });
});
