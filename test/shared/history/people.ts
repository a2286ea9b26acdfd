/** Rows of a team, and what each question of docs/history/questions.md answers over them. */

import { writeExplanation } from '#weir/shared/api/results/explanation';
import type { HistoryClient } from '#weir/shared/history/client';
import { itemId } from '#weir/shared/ids';
import type { Verdict } from '#weir/shared/policy/types';
import type { RowFormat } from '#weir/workers/rows/columns';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import type { RowItem, RowRequest } from '#weir/workers/rows/row-types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowImage, rowItem, rowRequest } from '../../support/stores/history.ts';
import { insertAs } from '../../support/stores/insert.ts';

const HOUR = 3_600_000;
const [CARDS, NAMES, QUIET] = ['1', '2', '3'].map((n) => `7a000000-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];
const NAME = { [CARDS]: 'Cards', [NAMES]: 'Names', [QUIET]: 'Quiet' };
const SEVERITY = { [CARDS]: 'high', [NAMES]: 'low', [QUIET]: 'medium' } as const;

/** A find: what fired, and where in the content. */
type Find = [detector: string, start: number, end: number, source?: 'text' | 'image'];

/** What a policies map says of the conditions that selected the policy `id`; they are named by policy. */
const enabledBy = (id: string, conditions: Record<string, string[]>): string => {
  const all = (conditions[id] ?? []).map((condition) => ({ id: condition, name: `The ${condition}` }));
  return all.length === 0 ? '' : `,"enabled_by_conditions":${JSON.stringify(all)}`;
};

/** What the live policies `of` say, by what was found for each of them. */
function verdict(
  of: readonly string[],
  found: Record<string, Find[]> = {},
  conditions: Record<string, string[]> = {},
): Pick<RowItem, 'verdict' | 'flagged' | 'explained'> {
  const map = of.map((id) => `"${id}":{"flagged":${id in found},"name":"${NAME[id]}"${enabledBy(id, conditions)}}`);
  const severities = of.map((id) => SEVERITY[id]![0]).join('');
  const violations = Object.entries(found).map(([id, finds]) => {
    const evidence = finds.map(([detector, start, end, source = 'text']) => ({
      detector,
      view: 'raw',
      source,
      start,
      end,
    }));
    return { id, name: NAME[id]!, severity: SEVERITY[id]!, sources: [evidence[0]!.source], evidence };
  });
  const flagged = violations.length > 0;
  const said: Verdict = {
    flagged, policies: `{${map}}`, evaluated: of, severities, violations, notEvaluated: 0, unknown: 0, note: '',
  }; // biome-ignore format: a verdict
  return { verdict: said, flagged, explained: writeExplanation(severities, violations) };
}

const BOTH = [CARDS, NAMES];
const clean = verdict(BOTH);
const CARD = 'my 😀 card 4111 1111 1111 1111';
const card = verdict(BOTH, { [CARDS]: [['pii:CREDIT_CARD', 11, 30]] });

/** What is stored of a team: requests with their items, and rows of metrics. */
interface People {
  hours: [number, number];
  sent: [RowRequest, RowItem[]][];
  metrics: Record<string, unknown>[];
  traces: Record<string, unknown>[];
}

/** The rows of `team`, in the two `hours` before this one. */
function peopleOf(team: string, now: number): People {
  const hours = [3, 2].map((ago) => now - (now % HOUR) - ago * HOUR) as [number, number];
  const sent: [RowRequest, RowItem[]][] = [];
  const at = (time: number, ms: number, fields: Partial<RowRequest>, ...items: RowItem[]): RowRequest => {
    const request = rowRequest({ team, config: 902, ...fields }, time);
    request.completed = time + ms;
    sent.push([request, items]);
    return request;
  };
  const [first, second] = hours;
  const before = verdict(BOTH, { [NAMES]: [['terms', 0, 2]] });
  at(now - 30 * HOUR, 5, { config: 901 }, rowItem(1, { ...before, content: 'of yesterday' }));
  const one = at(first, 10, { config: 901 }, rowItem(1, { ...card, content: CARD }), rowItem(2, clean));
  const tool = { type: 'tool', name: 'pay', field: 'arguments', runId: 'run-2' };
  const two = verdict(BOTH, {
    [CARDS]: [
      ['pii:CREDIT_CARD', 11, 30],
      ['terms', 6, 10],
    ],
    [NAMES]: [['terms', 0, 2]],
  }, { [CARDS]: ['free', 'all'], [NAMES]: ['all'] }); // biome-ignore format: a verdict
  const freely = verdict(BOTH, {}, { [CARDS]: ['free'], [NAMES]: ['all'] });
  const caller = { userId: 'u7', userEmail: 'u7@example.org' };
  at(second, 100, {}, rowItem(1, { ...tool, ...two, ...caller, content: CARD }), rowItem(2, { ...tool, ...freely }));
  const again = verdict(BOTH, { [NAMES]: [['terms', 0, 2]] }, { [NAMES]: ['all'] });
  const named = ['Ann', 'Bob', 'Cem'].map((name, n) =>
    rowItem(3 + n, { ...tool, ...again, userId: ['u7', 'u8', ''][n]!, content: name }),
  );
  at(second + 1000, 20, {}, ...named);
  const lost = { ...clean, flagged: null, status: 'failed' as const, note: 'the backend gave no answer' };
  const unknown = { ...lost.verdict, policies: '{}', evaluated: [], notEvaluated: 2 };
  at(second + 2000, 30, {}, rowItem(1, { ...lost, verdict: unknown, runId: 'run-3', explained: '' }));
  const dead = rowItem(1, {
    ...lost,
    verdict: { ...unknown, notEvaluated: 0 },
    runId: '',
    note: 'given up',
    explained: '',
  });
  at(second + 3000, 40, { kind: 'event' }, dead);
  const given = at(second + 4000, 40, { kind: 'event' }, dead);
  sent.push([{ ...given, version: 2, completed: given.received + 50 }, [rowItem(1, { ...clean, runId: '' })]]);
  const chat = { type: 'message', runId: '', eventId: '', userEmail: 'u@example.org' };
  const session = { kind: 'session', scope: 'chat' } as const;
  const onlyCards = verdict([CARDS], { [CARDS]: [['pii:CREDIT_CARD', 0, 4]] });
  at(second, 7, session, rowItem(1, { ...chat, ...onlyCards, userId: 'u1', externalSessionId: 's1', content: '4111' }));
  at(second + 500, 7, session, rowItem(1, { ...chat, ...verdict([CARDS]), userId: 'u1', externalSessionId: 's2' }));
  at(second + 600, 7, session, rowItem(1, { ...chat, ...verdict([CARDS]), userId: 'u2', externalSessionId: 's3' }));
  const seen = verdict([CARDS], { [CARDS]: [['image_hash:known.txt', 0, 0, 'image']] });
  const image = {
    ...chat,
    ...seen,
    type: 'artifact',
    image: rowImage(),
    content: '',
    externalSessionId: 's1',
    externalArtifactId: 'a1',
  };
  at(second + 700, 7, { kind: 'artifact', scope: 'chat' }, rowItem(1, { ...image, userEmail: '' }));
  const shadow = (flags: boolean) => ({
    evaluated: [QUIET],
    violations: flags
      ? [{ id: QUIET, name: 'Quiet', severity: 'medium' as const, sources: ['text' as const], evidence: [] }]
      : [],
    notEvaluated: 0,
  });
  at(
    second + 900, 20, {},
    rowItem(1, { ...clean, verdict: { ...clean.verdict, shadow: shadow(true) }, runId: 'run-4' }),
    rowItem(2, { ...card, verdict: { ...card.verdict, shadow: shadow(true) }, runId: 'run-4', content: CARD }),
    rowItem(3, { ...clean, verdict: { ...clean.verdict, shadow: shadow(false) }, runId: 'run-4' }),
  ); // biome-ignore format: a request
  const metrics = [1, 2].flatMap((item) => [
    { metric_id: CARDS, metric_name: 'Language', kind: 'language', value: 0.9, label: 'en', note: null, item },
    { metric_id: NAMES, metric_name: 'Tokens', kind: 'tokens', value: item * 10, label: null, note: null, item },
    {
      metric_id: QUIET,
      metric_name: 'Price',
      kind: 'expression',
      value: null,
      label: null,
      note: 'it is absent',
      item,
    },
  ]);
  const ts = new Date(one.received).toISOString().replace('Z', '');
  const own = { ts, team, scope: 'prod', run_id: 'run-1', version: 1 };
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traces = [{ ts, team, scope: 'prod', kind: 'events', request_id: one.id, trace_id }];
  return {
    hours,
    sent,
    traces,
    metrics: metrics.map(({ item, ...row }) => ({ ...own, ...row, id: itemId(one.id, item) })),
  };
}

/** Puts the rows of `teams` into history, each of them twice, as a crash may. Returns the hours that answers name. */
export async function storePeople(
  client: HistoryClient,
  teams: readonly string[],
  now: number,
): Promise<[number, number]> {
  const all = teams.map((team) => peopleOf(team, now));
  const packed = new Map<RowFormat, Buffer[]>();
  for (const [request, items] of all.flatMap(({ sent }) => sent)) {
    const format = rowFormatOf(items);
    const { bytes } = unpackRows(format, encodeRows(request, items));
    packed.set(format, [...(packed.get(format) ?? []), Buffer.from(bytes)]);
  }
  const values = all.flatMap(({ metrics }) => metrics);
  const traces = all.flatMap((one) => one.traces);
  for (let time = 0; time < 2; time++) {
    for (const [format, rows] of packed) await insertAs(format, client, rows);
    await client.insert({ table: 'metrics', values, format: 'JSONEachRow' });
    await client.insert({ table: 'traces', values: traces, format: 'JSONEachRow' });
  }
  return all[0]!.hours;
}

/** Two versions of the configuration, each stored twice. */
export async function storeConfigurations(client: HistoryClient, team: string): Promise<void> {
  const policies = [CARDS, NAMES, QUIET].map((id) => ({
    id,
    team,
    name: NAME[id],
    severity: SEVERITY[id],
    detect: {},
  }));
  const configuration = JSON.stringify({ policies });
  const values = [901, 902, 901, 902].map((number) => {
    const applied = `2026-01-0${number - 900} 00:00:00.000`;
    return { number, id: `${number}-x`, applied, user: 'ann', host: 'h', message: `change ${number}`, configuration };
  });
  await client.insert({ table: 'configurations', values, format: 'JSONEachRow' });
}

const time = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, -1);

/** Answers by the question, in its order; of columns that are named, the values. */
export function answersOf([first, second]: readonly [number, number]): Record<string, Record<string, unknown>[]> {
  const [earlier, later] = [time(first).slice(0, -4), time(second).slice(0, -4)];
  return {
    'What is violated most?': [
      { policy_name: 'Cards', severity: 'high', items: 5, runs: 3 },
      { policy_name: 'Names', severity: 'low', items: 4, runs: 1 },
    ],
    'How often does each policy fire, by hour?': [
      { hour: earlier, policy_name: 'Cards', checked: 2, fired: 1, percent: 50 },
      { hour: earlier, policy_name: 'Names', checked: 2, fired: 0, percent: 0 },
      { hour: later, policy_name: 'Cards', checked: 13, fired: 4, percent: 30.8 },
      { hour: later, policy_name: 'Names', checked: 9, fired: 4, percent: 44.4 },
    ],
    'What did a configuration change?': [
      {
        policy_name: 'Cards',
        config: 901,
        applied: '2026-01-01 00:00:00.000',
        by: 'ann',
        message: 'change 901',
        checked: 3,
        fired: 1,
        percent: 33.3,
      },
      { policy_name: 'Cards', config: 902, by: 'ann', message: 'change 902', checked: 13, fired: 4, percent: 30.8 },
      { policy_name: 'Names', config: 901, checked: 3, fired: 1, percent: 33.3 },
      { policy_name: 'Names', config: 902, checked: 9, fired: 4, percent: 44.4 },
    ],
    'Which policies never fire?': [{ name: 'Quiet', severity: 'medium' }],
    'What has risen since the day before?': [
      { policy_name: 'Cards', today: 5, day_before: 0, times: 5 },
      { policy_name: 'Names', today: 4, day_before: 1, times: 4 },
    ],
    'What would a policy in the shadow flag?': [
      { policy_name: 'Quiet', severity: 'medium', items: 2, newly: 1, runs: 1 },
    ],
    'Which conditions match, and how much of that is flagged?': [
      { scope: 'prod', condition: 'all', name: 'The all', matched: 5, percent: 38.5, fired: 4, percent_fired: 80 },
      { scope: 'prod', condition: 'free', name: 'The free', matched: 2, percent: 15.4, fired: 1, percent_fired: 50 },
    ],
    'Which users violate most?': [
      { user_id: 'u1', email: 'u@example.org', checked: 2, fired: 1, high_severity: 1, last_seen: time(second + 500) },
      { user_id: 'u2', checked: 1, fired: 0, high_severity: 0, last_seen: time(second + 600) },
    ],
    'Which users of events violate most?': [
      {
        user_id: 'u7',
        email: 'u7@example.org',
        runs: 1,
        violations: 3,
        high_severity: 1,
        most_often: 'Names',
        latest: time(second + 1000),
      },
      { user_id: 'u8', email: null, runs: 1, violations: 1, high_severity: 0, most_often: 'Names' },
    ],
    'Which runs need attention?': [
      { run_id: 'run-2', events: 5, fired: 4, failed: 0, latest: time(second + 1000) },
      { run_id: 'run-1', events: 2, fired: 1, failed: 0 },
      { run_id: 'run-4', events: 3, fired: 1, failed: 0 },
      { run_id: 'run-3', events: 1, fired: 0, failed: 1 },
    ],
    'Which tools bring in what is flagged?': [
      { type: 'tool', name: 'pay', field: 'arguments', items: 5, fired: 4, percent: 80 },
    ],
    'Which images were on the list known.txt, and who sent them?': [
      { ts: time(second + 700), external_session_id: 's1', external_artifact_id: 'a1', width: 640, height: 480 },
    ],
    'What exactly was found?': [
      {
        ts: time(first),
        event_id: 'event-1',
        policy_name: 'Cards',
        detector: 'pii:CREDIT_CARD',
        matched: '4111 1111 1111 1111',
      },
      { ts: time(second), event_id: 'event-1', policy_name: 'Names', detector: 'terms', matched: 'my' },
      { ts: time(second), event_id: 'event-1', policy_name: 'Cards', detector: 'terms', matched: 'card' },
      {
        ts: time(second),
        event_id: 'event-1',
        policy_name: 'Cards',
        detector: 'pii:CREDIT_CARD',
        matched: '4111 1111 1111 1111',
      },
      { ts: time(second + 900), event_id: 'event-2', policy_name: 'Cards', matched: '4111 1111 1111 1111' },
      { ts: time(second + 1000), event_id: 'event-3', policy_name: 'Names', matched: 'An' },
      { ts: time(second + 1000), event_id: 'event-4', policy_name: 'Names', matched: 'Bo' },
      { ts: time(second + 1000), event_id: 'event-5', policy_name: 'Names', matched: 'Ce' },
    ],
    'Which were false alarms?': ['Cards', 'Cards', 'Cards', 'Names', 'Names', 'Names'].map((policy_name) => ({
      policy_name,
    })),
    'Which detectors flag alone?': [
      { policy_name: 'Names', detector: 'terms', items: 4 },
      { policy_name: 'Cards', detector: 'pii:CREDIT_CARD', items: 3 },
      { policy_name: 'Cards', detector: 'image_hash:known.txt', items: 1 },
    ],
    'Which texts are flagged again and again?': [{ content: CARD, times: 3, runs: 3 }],
    'How is the service doing?': [
      { hour: earlier, scope: 'prod', checked: 2, fired: 1, failed: 0, p99_ms: 10 },
      { hour: later, scope: 'chat', checked: 4, fired: 2, failed: 0, p99_ms: 7 },
      { hour: later, scope: 'prod', checked: 11, fired: 5, failed: 2, p99_ms: 100 },
    ],
    'Which policies are in slow checks?': [
      { policy_name: 'Cards', items: 15, p50_ms: 20, p99_ms: 100 },
      { policy_name: 'Names', items: 11, p50_ms: 20, p99_ms: 100 },
    ],
    'What could not be evaluated, and why?': [
      { scope: 'prod', type: 'message', note: 'given up', items: 1, policies: 0 },
      { scope: 'prod', type: 'message', note: 'the backend gave no answer', items: 1, policies: 2 },
    ],
    'Which checks belong to a trace?': [
      { type: 'message', run_id: 'run-1', flagged: true, status: 'completed', scope: 'prod' },
      { type: 'message', run_id: 'run-1', flagged: false, status: 'completed', scope: 'prod' },
    ],
    'What came of dead letters?': [
      { scope: 'prod', kind: 'events', failed: 1, failed_again: 0, answered: 0 },
      { scope: 'prod', kind: 'event', failed: 1, failed_again: 0, answered: 1, latest: time(second + 4050) },
    ],
    'Which languages are flagged?': [{ language: 'en', items: 2, fired: 1, percent: 50 }],
    'What does it cost?': [{ metric_name: 'Tokens', items: 2, total: 30, of_flagged: 10, p99: 20 }],
  };
}
