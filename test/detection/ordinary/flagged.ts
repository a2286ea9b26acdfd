/** How many ordinary texts each detector and each policy of a pack flags: excerpts of the files of packages that nothing was learned from. */
import { shippedPacks } from '#weir/deploy/packs';
import type { LengthClass } from '#weir/deploy/train/ordinary/lengths';
import { packageTexts } from '#weir/deploy/train/ordinary/ordinary';
import { loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import { compilePlan } from '#weir/shared/policy/compile';
import { CLASSIFIER_LABELS } from '#weir/shared/policy/detectors/classifier';
import { BUNDLE_NAMES } from '#weir/shared/policy/detectors/terms/bundles';
import { evaluateText } from '#weir/shared/policy/evaluate';
import { id } from '../../shared/policy/support.ts';
import { interval } from '../interval.ts';

const SEED = 5;
/** Excerpts of a kind and class of length. */
const EACH = 300;

const ADDRESSES = ['EMAIL_ADDRESS', 'IP_ADDRESS'];

/** What finds addresses: of people, of examples and of the machine. They stand in such files, so these finds are right. */
export const RIGHTLY: ReadonlySet<string> = new Set([
  '`pii`',
  '`addresses`',
  '`pii-gate`: Contact data in answers',
  '`agent-guard`: Calls to internal addresses',
]);

/** Detectors at their defaults. */
const DETECTORS: Readonly<Record<string, unknown>> = {
  '`pii`': { pii: { entities: 'all' } },
  '`pii` but for addresses': { all: [{ pii: { entities: 'all' } }, { not: { pii: { entities: ADDRESSES } } }] },
  '`secrets`': { secrets: {} },
  '`commands`': { commands: {} },
  '`addresses`': { addresses: {} },
  '`invisible_text`': { invisible_text: {} },
  '`injection`': { injection: {} },
  ...Object.fromEntries(CLASSIFIER_LABELS.map((label) => [`\`classifier\`: ${label}`, { classifier: { label } }])),
  ...Object.fromEntries(BUNDLE_NAMES.map((bundle) => [`\`terms\`: ${bundle}`, { terms: { bundle } }])),
};

export interface OrdinaryCount {
  name: string;
  kind: string;
  length: LengthClass;
  texts: number;
  flagged: string[];
}

let known: OrdinaryCount[] | undefined;

/** A count for each detector and policy, kind and class of length. */
export function ordinaryCounts(): OrdinaryCount[] {
  known ??= count();
  return known;
}

function count(): OrdinaryCount[] {
  const names = Object.keys(DETECTORS);
  const value = {
    version: 1,
    teams: [{ id: 't' }],
    policies: names.map((name, n) => ({ id: id(n), team: 't', name, detect: DETECTORS[name] })),
    packs: shippedPacks.names(),
    environments: [{ id: 'e', team: 't' }],
  };
  const loaded = loadConfiguration(JSON.stringify(value), 'ordinary.json', undefined, shippedPacks);
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'));
  const plan = compilePlan(loaded.configuration, 1);
  const packed = loaded.packs.flatMap(({ name, policies }) =>
    policies.map((policy): [string, string] => [policy.id, `\`${name}\`: ${policy.name}`]),
  );
  const nameOf = new Map<string, string>([...names.map((name, n): [string, string] => [id(n), name]), ...packed]);
  const counts = new Map<string, OrdinaryCount>();
  for (const { text, kind, length } of packageTexts('kept', SEED, EACH)) {
    const found = new Set(evaluateText(plan, { team: 't' }, text).violations.map((violation) => violation.id));
    for (const [policy, name] of nameOf) {
      const key = `${name} ${kind} ${length}`;
      const of = counts.get(key) ?? { name, kind, length, texts: 0, flagged: [] };
      counts.set(key, of);
      of.texts++;
      if (found.has(policy)) of.flagged.push(text);
    }
  }
  return [...counts.values()];
}

/** The counts of a name summed over what `of` says. */
export function sums(
  of: (each: OrdinaryCount) => string,
): Map<string, Map<string, { texts: number; flagged: string[] }>> {
  const all = new Map<string, Map<string, { texts: number; flagged: string[] }>>();
  for (const each of ordinaryCounts()) {
    const columns = all.get(each.name) ?? new Map();
    all.set(each.name, columns);
    const cell = columns.get(of(each)) ?? { texts: 0, flagged: [] };
    columns.set(of(each), cell);
    cell.texts += each.texts;
    cell.flagged.push(...each.flagged);
  }
  return all;
}

/** As `deploy/packs/figures.json` has them: all texts, and how many each policy of a pack flags. */
export function packFigures(): { texts: number; flagged: Record<string, Record<string, number>> } {
  const all = new Map([...sums(() => 'all')].map(([name, columns]) => [name, columns.get('all')!]));
  const flagged: Record<string, Record<string, number>> = Object.fromEntries(
    shippedPacks.names().map((pack): [string, Record<string, number>] => [pack, {}]),
  );
  for (const [name, { flagged: found }] of all) {
    const [, pack, policy] = /^`([\w-]+)`: (.*)$/.exec(name) ?? [];
    if (pack !== undefined && flagged[pack]) flagged[pack][policy!] = found.length;
  }
  return { texts: [...all.values()][0]!.texts, flagged };
}

/** A row for each detector and policy: how many texts of each kind it flags. */
export function ordinaryTable(): string {
  const byKind = sums(({ kind }) => kind);
  const kinds = [...[...byKind.values()][0]!].map(([kind, { texts }]) => `${kind} (${texts})`);
  const rows = [...byKind].map(([name, columns]) => {
    const cells = [...columns.values()];
    const flagged = cells.reduce((sum, cell) => sum + cell.flagged.length, 0);
    const texts = cells.reduce((sum, cell) => sum + cell.texts, 0);
    const [, high] = interval(flagged, texts);
    return `| ${name} | ${cells.map((cell) => cell.flagged.length).join(' | ')} | ${flagged} (to ${(100 * high).toFixed(1)} %) |`;
  });
  return [
    `| Detector, or policy of a pack | ${kinds.join(' | ')} | all |`,
    `|---|${kinds.map(() => '---|').join('')}---|`,
    ...rows,
  ].join('\n');
}
