/** Prints what a backtest has found: as a table, or as JSON lines. */

import type { PolicyTally } from '../../../workers/evaluator/backtest/compare.js';
import type { LabelledTallies } from '../../../workers/evaluator/backtest/labelled.js';
import { counted } from '../progress.js';
import type { BacktestCounts, BacktestExample } from './result.js';
import type { BacktestState } from './state-file.js';

/** A backtest that is done, with the cost of each policy by itself in µs a text. */
export interface FinishedBacktest extends Pick<BacktestState, 'since' | 'until' | 'result'> {
  costs: ReadonlyMap<string, number>;
}

/** Why items were not compared. */
const LEFT_OUT: Readonly<Partial<Record<keyof BacktestCounts, string>>> = {
  expired: 'content has expired',
  not_kept: 'content was not kept',
  images: 'images, or sessions with images',
  failed: 'had no verdict',
  no_scope: 'of an environment or deployment that the configuration does not have',
};

const COLUMNS: readonly (readonly [title: string, of: keyof PolicyTally])[] = [
  ['newly flagged', 'newly_flagged'],
  ['newly cleared', 'newly_cleared'],
  ['still flagged', 'still_flagged'],
  ['still clean', 'still_clean'],
  ['not evaluated', 'not_evaluated'],
  ['no context', 'without_context'],
];

/** One line a thing: the summary, policies, examples. */
export function jsonLines({ since, until, result, costs }: FinishedBacktest): string[] {
  const { counts, versions } = result;
  const [from, to] = [new Date(since).toISOString(), new Date(until).toISOString()];
  const summary = { kind: 'summary', since: from, until: to, ...counts, versions, microseconds: perItem(result) };
  return [
    summary,
    ...result.tallies.map(([id, tally]) => ({
      kind: 'policy',
      id,
      ...tally,
      microseconds_alone: rounded(costs.get(id)),
    })),
    ...(result.labelled ?? []).map(([id, tally]) => ({ kind: 'labelled', id, ...tally })),
    ...result.examples.map((example) => ({ kind: 'example', ...example })),
  ].map((line) => JSON.stringify(line));
}

export function tableLines({ since, until, result, costs }: FinishedBacktest): string[] {
  const { counts, tallies, examples, versions } = result;
  const [from, to] = [since, until].map((ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' '));
  const names = new Map(tallies.map(([id, { name }]) => [id, name]));
  const by = Object.entries(versions).map(([version, items]) => `${version} (${counted(items)})`);
  return [
    `${counted(counts.items)} items from ${from} to ${to}, judged by configuration ${by.join(', ') || 'none'}`,
    ...Object.entries(LEFT_OUT).flatMap(([name, why]) => {
      const items = counts[name as keyof BacktestCounts];
      return items > 0 ? [`  ${counted(items)} not compared: ${why}`] : [];
    }),
    ...(counts.two_readings > 0
      ? [`  ${counted(counts.two_readings)} may have been JSON or text, which differ here`]
      : []),
    `${counted(counts.evaluated)} evaluated, ${counted(counts.changed)} would be judged otherwise; ${perItem(result)} µs an item`,
    ...(tallies.length > 0 ? ['', ...policyLines(tallies, costs)] : []),
    ...(result.labelled ? ['', ...labelledLines(result.labelled)] : []),
    ...(examples.length > 0 ? ['', ...examples.flatMap((example) => exampleLines(example, names))] : []),
  ];
}

/** What becomes of labelled items. */
function labelledLines(labelled: LabelledTallies): string[] {
  if (labelled.length === 0) return ['no item of the window has a label that most reviewers agree on'];
  const of = (part: number, rest: number): string => `${counted(part)} of ${counted(part + rest)}`;
  return labelled.map(([, tally]) => {
    const { name, true_kept, true_lost, false_removed, false_kept, missed_found, missed_still, unknown } = tally;
    const found = missed_found + missed_still > 0 ? `, ${of(missed_found, missed_still)} missed found` : '';
    const left = unknown > 0 ? `; ${counted(unknown)} not known` : '';
    return `labels of ${name}: ${of(true_kept, true_lost)} true alarms kept, ${of(false_removed, false_kept)} false alarms removed${found}${left}`;
  });
}

/** Policies that change come first. */
function policyLines(tallies: FinishedBacktest['result']['tallies'], costs: FinishedBacktest['costs']): string[] {
  const sorted = [...tallies].sort(([, a], [, b]) => changesOf(b) - changesOf(a) || (a.name < b.name ? -1 : 1));
  const columns = COLUMNS.filter(([, of], i) => i < 4 || tallies.some(([, tally]) => tally[of] !== 0));
  const rows = [
    ['policy', ...columns.map(([title]) => title), 'µs alone'],
    ...sorted.map(([id, tally]) => [
      tally.name,
      ...columns.map(([, of]) => counted(tally[of] as number)),
      costs.get(id)?.toFixed(1) ?? '–',
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  );
}

const changesOf = ({ newly_flagged, newly_cleared }: PolicyTally): number => newly_flagged + newly_cleared;

function exampleLines(
  { policy, change, id, time, type, text, evidence = [] }: BacktestExample,
  names: Map<string, string>,
): string[] {
  const what = change === 'newly_flagged' ? '+ newly flagged' : '- newly cleared';
  const where = evidence.map(
    ({ detector, view, start, end }) => `    ${detector}  view ${view}  offsets ${start} to ${end}`,
  );
  return [
    `${what}  ${names.get(policy) ?? policy}  ${id}  ${time}  ${type}`,
    `    ${text.replace(/\s+/g, ' ')}`,
    ...where,
  ];
}

const perItem = ({ microseconds, counts }: BacktestState['result']): number =>
  rounded(counts.evaluated === 0 ? 0 : microseconds / counts.evaluated) ?? 0;

const rounded = (value: number | undefined): number | undefined => value && Number(value.toFixed(1));
