/** Violations over time, and what they are split by. Every figure leads to its items. */
import type { VNode } from 'preact';
import type { FigureGroup, FigureSplit, HistoryFigures } from '../../../shared/api/history.js';
import { goTo, linkTo, type ViewPlace } from '../address.js';
import type { Api, ApiQuery } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { AskAgain, useRepeat } from '../parts/again.js';
import { Chart } from '../parts/chart.js';
import { askedOf, Choice, Filter } from '../parts/filter.js';
import { Columns, numberOf, percentOf, Scroll } from '../parts/words.js';

const SPLITS: readonly (readonly [FigureSplit, string])[] = [
  ['policy', 'policy'],
  ['source', 'source'],
  ['condition', 'condition'],
  ['user', 'user'],
  ['shadow', 'policies in the shadow'],
];

export function History({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const { query } = place;
  const by = SPLITS.find(([split]) => split === query.by)?.[0] ?? 'policy';
  const repeat = useRepeat();
  const asked = useAsked(JSON.stringify(query), repeat.again, () => {
    const { verdict: _, ...filter } = askedOf(place, Date.now());
    return api.get<HistoryFigures>('/api/history/figures', { ...filter, by });
  });
  return (
    <>
      <h1>What was checked</h1>
      <Filter api={api} place={place} />
      <div class="row">
        <Choice
          label="Split by"
          value={by}
          options={SPLITS}
          onChange={(split) => goTo('history', { ...query, by: split })}
        />
        <AskAgain by={repeat} />
      </div>
      <Answer of={asked}>{(figures) => <Figures figures={figures} by={by} query={query} />}</Answer>
    </>
  );
}

function Figures({
  figures,
  by,
  query,
}: {
  figures: HistoryFigures;
  by: FigureSplit;
  query: ViewPlace['query'];
}): VNode {
  const { total, steps, groups, step_seconds: seconds } = figures;
  const { by: _, ...filter } = query;
  const found = (change: ApiQuery): string => linkTo('find', { ...filter, ...change });
  return (
    <>
      <dl class="tiles">
        <Tile name="Checks" value={numberOf(total.checks)} link={found({})} />
        <Tile
          name="Flagged"
          value={numberOf(total.flagged)}
          more={percentOf(total.flagged, total.checks)}
          link={found({ verdict: 'flagged' })}
        />
        <Tile
          name="Could not be evaluated"
          value={numberOf(total.not_evaluated)}
          more={percentOf(total.not_evaluated, total.checks)}
          link={found({ verdict: 'not_evaluated' })}
        />
        <Tile name="Half take at most" value={total.p50_ms === null ? '–' : `${numberOf(total.p50_ms)} ms`} />
        <Tile name="99 of 100 take at most" value={total.p99_ms === null ? '–' : `${numberOf(total.p99_ms)} ms`} />
      </dl>
      <Chart
        steps={steps}
        linkOf={({ at }) =>
          found({ span: '', from: at, to: new Date(Date.parse(at) + seconds * 1000).toISOString(), verdict: 'flagged' })
        }
      />
      <Groups groups={groups} by={by} checks={total.checks} linkOf={(group) => linkOfGroup(by, group, found)} />
    </>
  );
}

function Tile({ name, value, more, link }: { name: string; value: string; more?: string; link?: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {link ? <a href={link}>{value}</a> : value} {more && <small>{more}</small>}
      </dd>
    </div>
  );
}

/** Violations of the shadow are in no verdict, so no list has them. */
function linkOfGroup(by: FigureSplit, { id }: FigureGroup, found: (change: ApiQuery) => string): string | undefined {
  return by === 'shadow' ? undefined : found({ verdict: 'flagged', [by]: id });
}

interface GroupsProps {
  groups: readonly FigureGroup[];
  by: FigureSplit;
  checks: number;
  linkOf(group: FigureGroup): string | undefined;
}

function Groups({ groups, by, checks, linkOf }: GroupsProps): VNode {
  if (groups.length === 0) return <p>No violations.</p>;
  const most = Math.max(...groups.map(({ flagged }) => flagged));
  return (
    <Scroll label="Violations">
      <table>
        <caption>
          {by === 'shadow' ? 'What policies in the shadow would have flagged' : `Flagged items by ${by}`}, at most 20
        </caption>
        <Columns names={[SPLITS.find(([split]) => split === by)![1], 'Items', 'Of all checks', 'Over time']} />
        <tbody>
          {groups.map((group) => {
            const link = linkOf(group);
            return (
              <tr key={group.id}>
                <th scope="row">{link ? <a href={link}>{group.name}</a> : group.name}</th>
                <td>
                  <Bar part={group.flagged / most} /> {numberOf(group.flagged)}
                </td>
                <td>{percentOf(group.flagged, checks)}</td>
                <td>
                  <Spark points={group.points} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

function Spark({ points }: { points: readonly number[] }): VNode {
  const most = Math.max(1, ...points);
  const at = points.map((value, i) => `${(100 * i) / Math.max(1, points.length - 1)},${20 - (18 * value) / most}`);
  return (
    <svg class="spark" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={at.join(' ')} />
    </svg>
  );
}

function Bar({ part }: { part: number }): VNode {
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="all" width="100" height="10" />
      <rect class="flagged" width={100 * part} height="10" />
    </svg>
  );
}
