/** How right each policy is, by its labels. */
import { createHistoryClient, type HistoryAddress, type HistoryClient } from '../../../shared/history/client.js';
import { withLabels } from '../../../shared/history/read/appeals.js';
import { type LabelVerdict, verdictsOf } from '../../../shared/history/read/label-verdicts.js';
import { ask } from '../backtest/read/ask.js';
import {
  agreementOf,
  type BetterThreshold,
  type LabelShare,
  type ReviewerAgreement,
  shareOf,
  thresholdOf,
} from './figures.js';
import { LABELLED, type LabelQuestion, OF_QUESTION, parametersOf, type ReadLabel, readLabels } from './read.js';

export interface LabelReport {
  /** RFC 3339 */
  since: string;
  labels: number;
  /** those with most labels first */
  policies: LabelledPolicy[];
}

export interface LabelledPolicy {
  id: string;
  name: string;
  team: string;
  labels: number;
  /** items by what most reviewers say of them */
  true_alarms: number;
  false_alarms: number;
  missed: number;
  /** items of which as many reviewers say one thing as the other; they count nowhere else */
  disputed: number;
  /** share of true alarms among labelled items that were flagged; null: there are none */
  precision: LabelShare | null;
  /** the same by the week of the items, Mondays in UTC */
  weeks: { week: string; items: number; precision: LabelShare | null }[];
  /** pairs of reviewers with items in common, those with most of them first */
  agreement: ReviewerAgreement[];
  threshold: BetterThreshold | null;
  /** what users have against its verdicts */
  appeals: AppealCounts;
}

export interface AppealCounts {
  made: number;
  open: number;
  /** the verdict was right */
  stands: number;
  overturned: number;
}

const QUERY_MS = 120_000;
const DAY_MS = 86_400_000;
/** Pairs of reviewers that are told, and the items that they must have in common. */
const MOST_PAIRS = 5;
const LEAST_COMMON = 5;
/** Reviewers that are compared: those with most labels. */
const MOST_REVIEWERS = 20;

/** The labels of an item that has a score, as the evidence of its policy has it. The highest counts. */
const SCORES = `SELECT toString(id) AS id, explanation.1 AS policy,
    arrayMax(arrayMap(find -> JSONExtractFloat(find, 'score'), arrayFilter(find -> JSONHas(find, 'score') = 1, JSONExtractArrayRaw(explanation.2)))) AS score
  FROM (
    SELECT id, arrayJoin(JSONExtractKeysAndValuesRaw(assumeNotNull(explained), 2)) AS explanation FROM items FINAL
    WHERE ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND ({team:String} = '' OR team = {team:String})
      AND position(ifNull(explained, ''), '"score"') > 0
      AND id IN (SELECT id FROM labels FINAL WHERE ${LABELLED} AND flagged)
  ) WHERE position(explanation.2, '"score"') > 0`;

/** Rejects with a sentence where ClickHouse cannot be asked. */
export async function readLabelReport(address: HistoryAddress, question: LabelQuestion): Promise<LabelReport> {
  const client = createHistoryClient({ ...address, timeoutMs: QUERY_MS });
  try {
    const labels = await readLabels(client, question);
    const scores = labels.length === 0 ? new Map<string, number>() : await scoresOf(client, question);
    const groups = groupBy(labels, ({ policy }) => policy);
    const appeals = await appealsOf(client, question);
    const names = new Map(
      [...appeals.values(), ...labels].map(({ policy, name, team }) => [policy, { id: policy, name, team }]),
    );
    const policies = [...names.values()].map((policy) => ({
      ...policyOf(policy, groups.get(policy.id) ?? [], scores),
      appeals: appeals.get(policy.id)?.counts ?? { made: 0, open: 0, stands: 0, overturned: 0 },
    }));
    policies.sort((a, b) => b.labels - a.labels || (a.name < b.name ? -1 : 1));
    return { since: new Date(question.since).toISOString(), labels: labels.length, policies };
  } finally {
    await client.close();
  }
}

/** By item and policy. */
async function scoresOf(client: HistoryClient, question: LabelQuestion): Promise<Map<string, number>> {
  const rows = await ask<{ id: string; policy: string; score: number }>(client, SCORES, parametersOf(question));
  return new Map(rows.map(({ id, policy, score }) => [`${id} ${policy}`, score]));
}

interface AppealedPolicy {
  policy: string;
  name: string;
  team: string;
  counts: AppealCounts;
}

const APPEALS = `SELECT policy_id AS policy, argMax(policy_name, ms) AS name, any(team) AS team, count() AS made, countIf(decided_ms < ms) AS open,
    countIf(decided_ms >= ms AND said = 'false_alarm') AS overturned
  FROM (${withLabels(`WHERE ${OF_QUESTION}`)}) GROUP BY policy_id`;

/** By policy. */
async function appealsOf(client: HistoryClient, question: LabelQuestion): Promise<Map<string, AppealedPolicy>> {
  type Row = Omit<AppealedPolicy, 'counts'> & Record<'made' | 'open' | 'overturned', string | number>;
  const rows = await ask<Row>(client, APPEALS, parametersOf(question));
  return new Map(
    rows.map(({ policy, name, team, ...counted }) => {
      const [made, open, overturned] = [Number(counted.made), Number(counted.open), Number(counted.overturned)];
      return [policy, { policy, name, team, counts: { made, open, stands: made - open - overturned, overturned } }];
    }),
  );
}

function policyOf(
  { id, name, team }: { id: string; name: string; team: string },
  labels: readonly ReadLabel[],
  scores: ReadonlyMap<string, number>,
): Omit<LabelledPolicy, 'appeals'> {
  const verdicts = verdictsOf(labels);
  const decided = verdicts.filter(({ truth }) => truth !== undefined);
  const alarms = decided.filter(({ flagged }) => flagged);
  const trues = alarms.filter(({ truth }) => truth === true);
  const scored = alarms.flatMap(({ id: item, truth }) => {
    const score = scores.get(`${item} ${id}`);
    return score === undefined ? [] : [{ score, isTrue: truth === true }];
  });
  return {
    id,
    name,
    team,
    labels: labels.length,
    true_alarms: trues.length,
    false_alarms: alarms.length - trues.length,
    missed: decided.length - alarms.length,
    disputed: verdicts.length - decided.length,
    precision: shareOf(trues.length, alarms.length),
    weeks: weeksOf(alarms),
    agreement: agreementsOf(labels),
    threshold: thresholdOf(scored),
  };
}

/** By what `keyOf` says, in the order of the first of each. */
function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const own = groups.get(key);
    if (own) own.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

function weeksOf(alarms: readonly (LabelVerdict & Pick<ReadLabel, 'time'>)[]): LabelledPolicy['weeks'] {
  const weeks = groupBy(alarms, ({ time }) => mondayOf(time));
  return [...weeks]
    .map(([week, own]) => {
      const trues = own.filter(({ truth }) => truth === true).length;
      return { week, items: own.length, precision: shareOf(trues, own.length) };
    })
    .sort((a, b) => (a.week < b.week ? -1 : 1));
}

/** 1970 began on a Thursday. */
function mondayOf(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  return new Date((day - ((day + 3) % 7)) * DAY_MS).toISOString().slice(0, 10);
}

/** Of items that were flagged: of others nobody can say that they are right. */
function agreementsOf(labels: readonly ReadLabel[]): ReviewerAgreement[] {
  const by = groupBy(
    labels.filter(({ flagged }) => flagged),
    ({ reviewer }) => reviewer,
  );
  const most = [...by].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_REVIEWERS);
  const said = most.map(([reviewer, own]) => ({
    reviewer,
    items: new Map(own.map(({ id, label }) => [id, label === 'true_alarm'])),
  }));
  const found: ReviewerAgreement[] = [];
  for (const [i, one] of said.entries()) {
    for (const other of said.slice(i + 1)) {
      const pairs = [...one.items].flatMap(([id, first]): [boolean, boolean][] => {
        const second = other.items.get(id);
        return second === undefined ? [] : [[first, second]];
      });
      if (pairs.length >= LEAST_COMMON) found.push(agreementOf([one.reviewer, other.reviewer], pairs));
    }
  }
  return found.sort((a, b) => b.items - a.items).slice(0, MOST_PAIRS);
}
