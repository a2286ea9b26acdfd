/** Judges a page of stored items by edited policies, as many of them as there is time for. */
import { contextOf } from '../../../shared/policy/detect-expression.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { BacktestedPage, BacktestedPolicy, StoredAgain, StoredPage } from '../../../shared/streams/tries.js';
import type { TriedPolicies } from '../kinds/tried.js';
import type { PolicyTally } from './compare.js';
import { type Comparison, compareItem } from './compare-item.js';
import { addLabelled, type LabelledTallies } from './labelled.js';
import { createPairs } from './pairs.js';

/** Policies that are named of an item, each way. */
const MOST_NAMED = 10;

/** Where the items are. */
interface PageScope {
  team: string;
  scope: string;
}

interface PageComparison extends Comparison {
  /** policies of the deployment */
  there: ReadonlySet<string>;
}

/** `isOver`: there is no time for one more item. The first is judged all the same. */
export function backtested(
  { plan, policies }: Pick<TriedPolicies, 'plan' | 'policies'>,
  { team, scope }: PageScope,
  { items, maps }: StoredPage,
  isOver: () => boolean,
): BacktestedPage {
  const contextual = new Set([...policies.values()].filter(({ detect }) => contextOf(detect) > 0).map(({ id }) => id));
  const deployment = plan.teams.get(team)?.deployments.get(scope);
  const there = new Set(deployment?.policies.map(({ id }) => id));
  const compared: PageComparison = { plan: openPlan(plan, team), pairs: createPairs(), contextual, there };
  for (const [number, json] of maps.entries()) compared.pairs.learn(String(number), json);
  const usual = usualPolicies(items, compared);
  const page: BacktestedPage = { ...NOTHING, policies: [], differing: [] };
  const gone = new Map<string, BacktestedPolicy>();
  const labelled: LabelledTallies = [];
  for (const item of items) {
    if (page.done > 0 && isOver()) break;
    page.done++;
    const then = compared.pairs.mapOf(String(item.map));
    const reason = notJudged(item, then.size);
    if (reason !== undefined) {
      page[reason]++;
      if (reason === 'not_stored') for (const [id, { name }] of then) policyIn(gone, id, name).not_stored++;
      continue;
    }
    const { kind, type, field, role, name, metadata, notEvaluated } = item;
    const stored = { kind, type, field, role, name, team, scope, content: item.content!, metadata };
    // Earlier messages of a chat are not stored, and those of a run are not read.
    const earlier = { context: [], known: false, restrict: namedBy(item, usual, compared) };
    const { pair, twoReadings } = compareItem(compared, { stored, map: String(item.map), notEvaluated }, earlier);
    page.evaluated++;
    if (twoReadings) page.two_readings++;
    addLabelled(
      labelled,
      item.truths.map((truth) => ({ id: item.id, ...truth })),
      pair.outcomes,
    );
    if (pair.changes.length > 0) page.differing.push({ id: item.id, ...namedIn(pair.changes) });
  }
  for (const [id, tally] of compared.pairs.take()) addTally(policyIn(gone, id, tally.name), tally);
  for (const [id, { name, ...tally }] of labelled) policyIn(gone, id, name).labelled = tally;
  return { ...page, policies: [...gone.values()] };
}

const NOTHING = { done: 0, evaluated: 0, not_stored: 0, images: 0, failed: 0, two_readings: 0 };

/** Policies that cannot be evaluated are told apart, and not flagged. */
function openPlan(plan: Plan, team: string): Plan {
  const own = plan.teams.get(team)!;
  return { ...plan, teams: new Map([...plan.teams, [team, { ...own, failClosed: false }]]) };
}

function notJudged(
  { image, failed, content }: StoredAgain,
  policiesThen: number,
): 'images' | 'failed' | 'not_stored' | undefined {
  if (image) return 'images';
  if (failed && policiesThen === 0) return 'failed';
  // Content that is not kept is stored as an empty one.
  return content === null || content === '' ? 'not_stored' : undefined;
}

/** By version and direction: all policies that have judged chats of the page. */
type UsualPolicies = ReadonlyMap<string, ReadonlySet<string>>;

const wayOf = ({ config, role }: StoredAgain): string => `${config} ${role === 'assistant' ? 'output' : 'input'}`;

function usualPolicies(items: readonly StoredAgain[], { pairs }: Comparison): UsualPolicies {
  const usual = new Map<string, Set<string>>();
  for (const item of items) {
    if (item.kind !== 'session' || item.image) continue;
    const known = usual.get(wayOf(item)) ?? new Set();
    usual.set(wayOf(item), known);
    for (const id of pairs.mapOf(String(item.map)).keys()) known.add(id);
  }
  return usual;
}

/** The policies that a chat was judged by where others of its version were judged by more: its caller named some. */
function namedBy(item: StoredAgain, usual: UsualPolicies, { pairs, there }: PageComparison): string[] | undefined {
  if (item.kind !== 'session' || item.notEvaluated > 0) return undefined;
  const then = pairs.mapOf(String(item.map));
  const all = usual.get(wayOf(item))!;
  if ([...all].every((id) => then.has(id))) return undefined;
  return [...then.keys()].filter((id) => there.has(id));
}

function namedIn(
  changes: readonly (readonly [string, string])[],
): Pick<BacktestedPage['differing'][number], 'newly_flagged' | 'newly_cleared'> {
  const of = (change: string): string[] =>
    changes.flatMap(([policy, what]) => (what === change ? [policy] : [])).slice(0, MOST_NAMED);
  return { newly_flagged: of('newly_flagged'), newly_cleared: of('newly_cleared') };
}

function policyIn(all: Map<string, BacktestedPolicy>, id: string, name: string): BacktestedPolicy {
  const known = all.get(id) ?? { id, name, ...NO_ITEMS };
  all.set(id, known);
  return known;
}

const NO_ITEMS = {
  still_flagged: 0,
  newly_flagged: 0,
  newly_cleared: 0,
  still_clean: 0,
  not_evaluated: 0,
  not_stored: 0,
};

function addTally(into: BacktestedPolicy, { name, without_context, ...tally }: PolicyTally): void {
  into.name = name;
  into.still_flagged += tally.still_flagged;
  into.newly_flagged += tally.newly_flagged;
  into.newly_cleared += tally.newly_cleared;
  into.still_clean += tally.still_clean;
  into.not_evaluated += tally.not_evaluated + without_context;
}
