/** What edited policies would have changed in what was checked, page by page. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { BacktestedItem, BacktestLabels, BacktestPage, BacktestPolicy } from '../../../shared/api/try.js';
import type { Api } from '../api.js';
import { type EditedDraft, editedIn } from '../parts/edits.js';
import { Choice } from '../parts/filter.js';
import { type AddedPage, Progress, usePages } from '../parts/pages.js';
import { Columns, Facts, itemLink, numberOf, Problem, Scroll } from '../parts/words.js';

const SPANS = [
  ['24', 'last 24 hours'],
  ['168', 'last 7 days'],
  ['720', 'last 30 days'],
  ['2160', 'last 90 days'],
] as const;
const HOUR_MS = 3_600_000;
/** Items that are listed; all are counted. */
const MOST_LISTED = 200;

type ItemCounts = Pick<BacktestPage, 'items' | 'evaluated' | 'not_stored' | 'images' | 'failed'>;

/** All pages so far. */
interface Sum extends ItemCounts {
  total: number;
  policies: ReadonlyMap<string, BacktestPolicy>;
  differing: number;
  listed: readonly BacktestedItem[];
  /** where the items are */
  place: Record<string, unknown>;
}

export function Backtest({ api, draft }: { api: Api; draft: EditedDraft }): VNode {
  const [hours, setHours] = useState('24');
  const [problem, setProblem] = useState('');
  const pages = usePages<Sum, string>();
  const begin = (): void => {
    try {
      const edited = editedIn(draft);
      setProblem('');
      const now = Date.now();
      const times = { from: new Date(now - Number(hours) * HOUR_MS).toISOString(), to: new Date(now).toISOString() };
      pages.begin(async (sum, before) => {
        const page = await api.post<BacktestPage>('/api/try/backtest', {
          ...edited,
          ...times,
          ...(before ? { before } : {}),
        });
        return added(sum, page, edited);
      });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const { sum } = pages;
  return (
    <section aria-label="Backtest">
      <h2>What it would have changed</h2>
      <p>
        Evaluates what was checked there again, by the policies as they are edited, and compares the verdicts. Nothing
        is stored, and nothing changed.
      </p>
      <div class="row">
        <Choice label="Time" value={hours} options={SPANS} onChange={setHours} />
      </div>
      <Progress name="Backtest" pages={pages} done={sum?.items ?? 0} total={sum?.total ?? 0} begin={begin} />
      <Problem text={problem || pages.problem} />
      {sum && <Summed sum={sum} />}
    </section>
  );
}

function added(sum: Sum | undefined, page: BacktestPage, place: Record<string, unknown>): AddedPage<Sum, string> {
  const policies = new Map(sum?.policies);
  for (const policy of page.policies) policies.set(policy.policy_id, sumOf(policies.get(policy.policy_id), policy));
  const before: ItemCounts = sum ?? { items: 0, evaluated: 0, not_stored: 0, images: 0, failed: 0 };
  return {
    sum: {
      total: sum?.total ?? page.total ?? 0,
      items: before.items + page.items,
      evaluated: before.evaluated + page.evaluated,
      not_stored: before.not_stored + page.not_stored,
      images: before.images + page.images,
      failed: before.failed + page.failed,
      policies,
      differing: (sum?.differing ?? 0) + page.differing.length,
      listed: [...(sum?.listed ?? []), ...page.differing].slice(0, MOST_LISTED),
      place,
    },
    next: page.next,
  };
}

const COUNTS = [
  'still_flagged',
  'newly_flagged',
  'newly_cleared',
  'still_clean',
  'not_evaluated',
  'not_stored',
] as const satisfies readonly (keyof BacktestPolicy)[];

function sumOf(known: BacktestPolicy | undefined, more: BacktestPolicy): BacktestPolicy {
  if (!known) return more;
  const sum = { ...known };
  for (const count of COUNTS) sum[count] += more[count];
  if (more.labelled) sum.labelled = sumOfLabels(known.labelled, more.labelled);
  return sum;
}

function sumOfLabels(known: BacktestLabels | undefined, more: BacktestLabels): BacktestLabels {
  if (!known) return more;
  const names = Object.keys(more) as (keyof BacktestLabels)[];
  return Object.fromEntries(names.map((name) => [name, known[name] + more[name]])) as unknown as BacktestLabels;
}

function Summed({ sum }: { sum: Sum }): VNode {
  const { evaluated, differing, not_stored, images, failed } = sum;
  const policies = [...sum.policies.values()].sort(
    (a, b) => b.newly_flagged + b.newly_cleared - (a.newly_flagged + a.newly_cleared),
  );
  const facts: [string, string][] = [
    ['Evaluated', numberOf(evaluated)],
    ['With another verdict', numberOf(differing)],
    ['Content not stored', numberOf(not_stored)],
    ['Images, not looked at', numberOf(images)],
    ['Without a verdict then', numberOf(failed)],
  ];
  const nameOf = (id: string): string => sum.policies.get(id)?.policy_name ?? id;
  return (
    <>
      <Facts of={facts} />
      {policies.length > 0 && (
        <Scroll label="Policies then and now">
          <table>
            <Columns
              names={[
                'Policy',
                'Newly flagged',
                'No longer',
                'As before',
                'Clean',
                'Could not say',
                'Not stored',
                'Labelled',
              ]}
            />
            <tbody>
              {policies.map((policy) => (
                <Row key={policy.policy_id} of={policy} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {sum.listed.length > 0 && (
        <>
          <h3>Items with another verdict{differing > sum.listed.length ? `, the newest ${sum.listed.length}` : ''}</h3>
          <ul>
            {sum.listed.map((item) => {
              const id = item.internal_event_id ?? item.internal_session_id;
              return (
                <li key={id}>
                  <a href={itemLink({ ...sum.place, ...item })}>{id}</a>
                  {item.newly_flagged.length > 0 && <> newly flagged: {item.newly_flagged.map(nameOf).join(', ')}</>}
                  {item.newly_cleared.length > 0 && <> no longer: {item.newly_cleared.map(nameOf).join(', ')}</>}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </>
  );
}

function Row({ of: policy }: { of: BacktestPolicy }): VNode {
  const { policy_name, newly_flagged, newly_cleared, still_flagged, still_clean, not_evaluated, not_stored } = policy;
  return (
    <tr>
      <th scope="row">{policy_name}</th>
      {[newly_flagged, newly_cleared, still_flagged, still_clean, not_evaluated, not_stored].map((count, i) => (
        <td key={i}>{numberOf(count)}</td>
      ))}
      <td>{policy.labelled && labelWords(policy.labelled)}</td>
    </tr>
  );
}

/** What is right and what is wrong about the change, as people have said. */
function labelWords({
  true_lost,
  false_removed,
  missed_found,
  true_kept,
  false_kept,
  missed_still,
}: BacktestLabels): string {
  const parts: [number, string][] = [
    [missed_found, 'missed, found now'],
    [false_removed, 'false alarms gone'],
    [true_lost, 'true alarms lost'],
    [true_kept, 'true alarms kept'],
    [false_kept, 'false alarms kept'],
    [missed_still, 'missed still'],
  ];
  return parts.flatMap(([count, words]) => (count > 0 ? [`${numberOf(count)} ${words}`] : [])).join(', ');
}
