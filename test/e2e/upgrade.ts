/**
 * Rows as each earlier state of the schema stored them, put into a folder before an installation of this release starts there. State 1 is
 * that of release 0.1.0.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createHistoryClient } from '#weir/shared/history/client';
import { migrate } from '#weir/shared/history/migrate';
import { itemId } from '#weir/shared/ids';
import { packageRoot } from '#weir/shared/paths';
import { keys } from '#weir/shared/streams/keys';
import { COLUMNS_OF, insertOf } from '#weir/workers/rows/columns';
import { encodeRows, rowFormatOf } from '#weir/workers/rows/pack-rows';
import type { RowItem, RowRequest } from '#weir/workers/rows/row-types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { pluck } from '../support/pluck.ts';
import { startTestClickHouse } from '../support/stores/clickhouse.ts';
import { rowImage, rowItem, rowRequest, violating } from '../support/stores/history.ts';
import { insertQuery } from '../support/stores/insert.ts';
import { POLICY } from './configuration.ts';
import type { System } from './system.ts';

const MIGRATIONS = join(packageRoot, 'shared/history/migrations');

/** Numbers of migrations after which rows are stored as the release of that time did, and what it could store. */
const STATES = [
  { state: 1, images: false, explained: false, shadow: false },
  { state: 4, images: true, explained: false, shadow: false },
  { state: 9, images: true, explained: true, shadow: true },
] as const;
type State = (typeof STATES)[number];

/** What the release before has left: its requests, by state. */
export interface Earlier {
  state: State;
  events: RowRequest;
  session: RowRequest;
  artifact: RowRequest;
}

const verdict: RowItem['verdict'] = {
  ...violating,
  policies: `{"${POLICY.card}":{"flagged":true,"name":"Cards"}}`,
  evaluated: [POLICY.card],
  violations: violating.violations.map((one) => ({ ...one, id: POLICY.card })),
};
const EXPLAINED = `["h",{"${POLICY.card}":[{"detector":"pii:CREDIT_CARD","view":"raw","source":"text","start":3,"end":19}]}]`;

const bytesOf = (request: RowRequest, items: readonly RowItem[]): Buffer =>
  Buffer.from(unpackRows(rowFormatOf(items), encodeRows(request, items)).bytes);

/** Rows without the column of explanations, which is empty here: as earlier releases wrote them. */
function withoutExplanations(request: RowRequest, items: readonly RowItem[]): Buffer {
  const texts = bytesOf(
    request,
    items.map((item) => ({ ...item, image: undefined })),
  );
  return Buffer.concat([texts.subarray(0, -(items.length + 1)), bytesOf(request, items).subarray(texts.length)]);
}

/** The INSERT of that state: before the fifth migration, images arrived where texts do. */
function insertBefore({ explained }: State, items: readonly RowItem[]): string {
  const format = rowFormatOf(items);
  if (explained) return insertOf(format);
  const without = format === '4' ? '2' : '1';
  return `INSERT INTO checked (${pluck(COLUMNS_OF[without], 'name').join(', ')}) FORMAT RowBinary`;
}

const runOf = ({ state }: State): string => `run-of-${state}`;
const sessionOf = ({ state }: State): string => `chat-of-${state}`;

function itemsOf(state: State): Record<'events' | 'session' | 'artifact', RowItem[]> {
  const session = { ...verdict, policies: verdict.policies.replace('}}', ',"flagged_source":["text"]}}') };
  const says = { verdict, flagged: true, explained: state.explained ? EXPLAINED : '' };
  const shadow = {
    evaluated: [POLICY.unused],
    violations: [{ ...verdict.violations[0]!, id: POLICY.unused }],
    notEvaluated: 0,
  };
  const inShadow = state.shadow ? { verdict: { ...verdict, shadow } } : {};
  const chat = { type: 'message', runId: '', eventId: '', externalSessionId: sessionOf(state) };
  return {
    events: [rowItem(1, { ...says, ...inShadow, runId: runOf(state) }), rowItem(2, { ...says, runId: runOf(state) })],
    session: [rowItem(1, { ...chat, ...says, verdict: session, userId: `user-of-${state.state}` })],
    artifact: [
      rowItem(1, {
        ...chat,
        ...says,
        verdict: session,
        type: 'artifact',
        externalArtifactId: `pic-of-${state.state}`,
        image: rowImage(),
      }),
    ],
  };
}

/** Stores rows in each state, one after the other. */
export async function fillEarlier(dataDir: string): Promise<Earlier[]> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-migrations-'));
  const engine = await startTestClickHouse({ dataDir });
  const client = createHistoryClient({ url: engine.url, database: 'weir' });
  const all: Earlier[] = [];
  try {
    for (const state of STATES) {
      for (const file of readdirSync(MIGRATIONS)) {
        if (Number(file.slice(0, 3)) <= state.state) cpSync(join(MIGRATIONS, file), join(folder, file));
      }
      await migrate({ url: engine.url, database: 'weir', folder });
      const requests = {
        events: rowRequest(),
        session: rowRequest({ kind: 'session', scope: 'chat' }),
        artifact: rowRequest({ kind: 'artifact', scope: 'chat' }),
      };
      const items = itemsOf(state);
      for (const kind of ['events', 'session', ...(state.images ? (['artifact'] as const) : [])] as const) {
        const rows = (state.explained ? bytesOf : withoutExplanations)(requests[kind], items[kind]);
        await insertQuery(client, insertBefore(state, items[kind]), [rows]);
      }
      all.push({ state, ...requests });
    }
  } finally {
    await client.close();
    // The folder stays.
    await engine.kill('SIGTERM');
    rmSync(folder, { recursive: true });
  }
  return all;
}

/** Appends to the log as workers of the first and second state did. Resolves with the ids of an event and an image. */
export async function leaveInLog({ redis }: System): Promise<string[]> {
  const [event, image] = [rowRequest(), rowRequest({ kind: 'artifact', scope: 'chat' })];
  const says = { verdict, flagged: true, explained: '' };
  const picture = { type: 'artifact', runId: '', eventId: '', externalArtifactId: 'pic-in-log', image: rowImage() };
  for (const [format, request, item] of [
    ['1', event, rowItem(1, { ...says, runId: 'run-in-log' })],
    ['2', image, rowItem(1, { ...says, ...picture })],
  ] as const) {
    const packed = Buffer.concat([Buffer.alloc(8), withoutExplanations(request, [item])]);
    packed.writeUInt32LE(1, 4);
    packed.writeUInt32LE(crc32(packed.subarray(4)), 0);
    await redis.xadd(keys.results(0), '*', 'id', request.id, 'format', format, 'rows', packed, 'index', '[]');
  }
  return [itemId(event.id, 1), itemId(image.id, 1)];
}

/** Asks for what is left of each state in every way there is. */
export async function earlierIsFound(system: System, all: readonly Earlier[]): Promise<void> {
  const get = async (path: string) => {
    const { status, text, json } = await system.get(path);
    assert.equal(status, 200, `${path}: ${text}`);
    return json;
  };
  for (const { state, events, session, artifact } of all) {
    const [run, chat] = [runOf(state), sessionOf(state)];
    const [first, second] = [itemId(events.id, 1), itemId(events.id, 2)];
    for (const path of [`/${first}?environment_id=prod`, `?environment_id=prod&run_id=${run}&event_id=event-1`]) {
      const { flagged, event } = await get(`/api/event${path}`);
      assert.deepEqual([flagged, event.internal_event_id], [true, first], path);
    }
    const { nodes } = await get(`/api/run/graph?environment_id=prod&run_id=${run}`);
    assert.deepEqual(pluck(nodes, 'internal_event_id'), [first, second]);
    const id = itemId(session.id, 1);
    const artifactId = itemId(artifact.id, 1);
    for (const path of [`/${id}`, `?external_session_id=${chat}`]) {
      const found = await get(`/api/session${path}`);
      assert.deepEqual([found.session.flagged, found.session.internal_session_id], [true, id], path);
      assert.deepEqual(pluck(found.artifacts, 'internal_artifact_id'), state.images ? [artifactId] : [], path);
    }
    const { list } = await get(`/api/protect/get_by_id?deployment_id=chat&external_id=${chat}`);
    assert.deepEqual(pluck(list, 'internal_id'), [id]);
    assert.equal((await get(`/api/radar/risk?id=user-of-${state.state}`)).risk_level, 'elevated');
    if (state.images) {
      for (const path of [`internal_artifact_id=${artifactId}`, `external_artifact_id=pic-of-${state.state}`]) {
        assert.equal((await get(`/api/artifact/get_by_id?${path}`)).internal_artifact_id, artifactId);
      }
    }
    // What comes in now refers to it, and names it as its cause.
    const { json } = await system.events(
      [
        { type: 'message', event_id: 'event-1', run_id: run },
        { type: 'reasoning', event_id: 'after', content: 'x', parent: { run_id: run, event_id: 'event-2' } },
      ],
      { run_id: `after-${run}` },
    );
    assert.deepEqual([json.order[0].status, json.order[0].flagged], ['referenced', true]);
    const { edges } = await get(`/api/run/graph?environment_id=prod&run_id=after-${run}`);
    assert.deepEqual([edges[0].source, edges[0].resolved], [second, true]);
  }
}

/** Counts what is left of each state in every table and view, once what was left in the log is archived. */
export async function earlierIsCounted(system: System, all: readonly Earlier[]): Promise<void> {
  for (const { state, events, session, artifact } of all) {
    const ids = [itemId(events.id, 1), itemId(events.id, 2), itemId(session.id, 1), itemId(artifact.id, 1)];
    const named = `id IN (${ids.map((id) => `'${id}'`).join(', ')})`;
    const items = state.images ? 4 : 3;
    const matches = state.explained ? items : 0;
    const images = state.images ? 1 : 0;
    for (const [from, expected] of Object.entries({
      results: items,
      violations: items,
      matches,
      'contents FINAL': items,
      'run_events FINAL': 2,
      // Of the artifact by its own id and that of its session.
      "names FINAL WHERE kind != 'run' AND": 1 + 2 * images,
      'user_checks FINAL': 1,
      'images FINAL': images,
      shadow_violations: state.shadow ? 1 : 0,
    })) {
      const where = from.endsWith('AND') ? named : `WHERE ${named}`;
      const [row] = await system.sql(`SELECT count() AS n FROM ${from} ${where}`);
      assert.equal(Number(row!.n), expected, `${from} of state ${state.state}`);
    }
    const [user] = await system.sql(
      `SELECT sum(checks) AS n, sum(high) AS high FROM user_activity WHERE user_id = 'user-of-${state.state}'`,
    );
    assert.deepEqual([Number(user!.n), Number(user!.high)], [1, 1]);
  }
  const [hourly] = await system.sql(
    `SELECT sum(items) AS n, sum(flagged) AS flagged FROM policy_hourly WHERE config = ${all[0]!.events.config} AND policy_id = '${POLICY.card}'`,
  );
  // With those of the log.
  const expected = all.reduce((sum, { state }) => sum + (state.images ? 4 : 3), 2);
  assert.deepEqual([Number(hourly!.n), Number(hourly!.flagged)], [expected, expected]);
}
