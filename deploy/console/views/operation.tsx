/** The state of an installation, and what it could not finish. */
import type { VNode } from 'preact';
import type { OperationStatus, PartitionState, RedisState } from '../../../shared/api/operation.js';
import type { ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { AskAgain, useRepeat } from '../parts/again.js';
import { Columns, Facts, numberOf, percentOf, Scroll, secondsOf } from '../parts/words.js';
import { GivenUp } from './given-up.js';

export function Operation({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const repeat = useRepeat();
  const asked = useAsked('status', repeat.again, () => api.get<OperationStatus>('/api/operation/status'));
  return (
    <>
      <h1>Operation</h1>
      <div class="row">
        <AskAgain by={repeat} />
      </div>
      <Answer of={asked}>{(status) => <State status={status} />}</Answer>
      <GivenUp api={api} place={place} again={repeat.again} askAgain={repeat.askAgain} />
    </>
  );
}

function State({ status }: { status: OperationStatus }): VNode {
  const { refusing, unable, behind, unread, clickhouse, partitions, partitions_away: away } = status;
  const notes = [
    ...(clickhouse === null ? [] : [`ClickHouse: ${clickhouse}`]),
    ...unable.map(({ name, reason }) => `${name} cannot use the active configuration: ${reason}`),
    ...(behind.length > 0 ? [`Without the active configuration yet: ${behind.join(', ')}.`] : []),
    ...(away.length > 0 ? [`Nothing is known of partitions whose Redis does not answer: ${away.join(', ')}.`] : []),
    ...(unread === null ? [] : [`The rest of the state could not be read: ${unread}`]),
  ];
  return (
    <>
      <p>
        {refusing.length === 0 ? (
          <span class="verdict clean">checks are taken</span>
        ) : (
          <span class="verdict flagged">checks are refused</span>
        )}
      </p>
      {[...refusing, ...notes].map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <Totals partitions={partitions} />
      <Facts of={factsOf(status)} />
      <Partitions partitions={partitions} />
    </>
  );
}

function factsOf(status: OperationStatus): [string, string][] {
  const { region, configuration, processes, formats, redis, metrics_in_use: metrics, webhooks } = status;
  const live = (names: readonly string[]): string =>
    names.length === 0 ? 'none' : `${numberOf(names.length)}: ${names.join(', ')}`;
  const { in_use: hooks, waiting, given_up: gone, dropped } = webhooks;
  return [
    ...(region === undefined ? [] : [['Region', region] as [string, string]]),
    ['Configuration', configuration === 0 ? 'none' : `version ${configuration}`],
    ['Ingress', live(processes.ingress)],
    ['Evaluators', live(processes.evaluators)],
    ['Archivers', live(processes.archivers)],
    ['Metrics', metrics === 0 ? 'none in use' : `${metrics} in use; workers: ${live(processes.metrics)}`],
    [
      'Webhooks',
      hooks === 0
        ? 'none in use'
        : `${hooks} in use; workers: ${live(processes.hooks)}; deliveries waiting: ${numberOf(waiting)}, given up: ${numberOf(gone)}, dropped: ${numberOf(dropped)}`,
    ],
    ['ClickHouse', status.clickhouse === null ? 'answers' : 'cannot be used'],
    ...redis.map((node): [string, string] => [`Redis ${node.address ?? ''}`.trim(), redisIn(node)]),
    // One alone is no news.
    ...(formats.length < 2
      ? []
      : [
          [
            'Formats',
            `an upgrade is under way: ${formats.map(({ newest, processes }) => `${processes} processes read up to ${newest}`).join(', ')}`,
          ] as [string, string],
        ]),
  ];
}

function redisIn({ role, replicas, refuses, memory_share: share }: RedisState): string {
  if (role === 'unknown') return refuses ?? 'does not answer';
  const count = role === 'primary' ? `, replicas: ${replicas}` : '';
  return `${role}${count}; memory in use: ${percentOf(share, 1)}; ${refuses ?? 'takes writes'}`;
}

type PartitionFigure = readonly [name: string, of: (partition: PartitionState) => number, most?: 'oldest'];

const TOTALS: readonly PartitionFigure[] = [
  ['Not finished', ({ entries }) => entries],
  ['The oldest unread waits', ({ oldest_unread_ms: ms }) => ms, 'oldest'],
  ['Not archived', ({ unarchived }) => unarchived],
  ['Archiving is behind', ({ archive_lag_ms: ms }) => ms, 'oldest'],
  ['Dead letters', ({ dead_letters: letters }) => letters],
  ['Refused by ClickHouse', ({ refused }) => refused],
];

const Totals = ({ partitions }: { partitions: readonly PartitionState[] }): VNode => (
  <dl class="tiles">
    {TOTALS.map(([name, of, oldest]) => {
      const values = partitions.map(of);
      return (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {oldest ? secondsOf(Math.max(0, ...values)) : numberOf(values.reduce((sum, value) => sum + value, 0))}
          </dd>
        </div>
      );
    })}
  </dl>
);

const CELLS: readonly (readonly [name: string, of: (partition: PartitionState) => string])[] = [
  ['Not finished', ({ entries }) => numberOf(entries)],
  ['Under way', ({ pending }) => numberOf(pending)],
  ['Oldest unread', ({ oldest_unread_ms: ms }) => secondsOf(ms)],
  ['Workers', ({ consumers }) => numberOf(consumers)],
  ['Not archived', ({ unarchived }) => numberOf(unarchived)],
  ['Archive lag', ({ archive_lag_ms: ms }) => secondsOf(ms)],
  ['Dead letters', ({ dead_letters: letters }) => numberOf(letters)],
  ['Refused', ({ refused, refused_full: full }) => `${numberOf(refused)}${full ? ', no room for more' : ''}`],
  ['Metrics wait', ({ unmeasured, metrics_dropped: lost }) => withLost(unmeasured, lost)],
  ['Webhooks wait', ({ unnotified, hooks_dropped: lost }) => withLost(unnotified, lost)],
];

const withLost = (waiting: number, lost: number): string =>
  `${numberOf(waiting)}${lost === 0 ? '' : `, ${numberOf(lost)} dropped`}`;

function Partitions({ partitions }: { partitions: readonly PartitionState[] }): VNode {
  return (
    <details>
      <summary>Partitions</summary>
      <Scroll label="Partitions">
        <table>
          <Columns names={['Partition', ...CELLS.map(([name]) => name)]} />
          <tbody>
            {partitions.map((one) => (
              <tr key={one.partition}>
                <th scope="row">{one.partition}</th>
                {CELLS.map(([name, of]) => (
                  <td key={name}>{of(one)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
