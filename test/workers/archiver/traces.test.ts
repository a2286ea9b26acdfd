/** Traces of what was archived. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHistoryClient } from '#weir/shared/history/client';
import { newRequestId, partsOf } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { Registry } from '#weir/shared/telemetry';
import type { BlockEntry } from '#weir/workers/archiver/block';
import { createArchivedTraces } from '#weir/workers/archiver/traces';
import { readTraceNote, traceNote } from '#weir/workers/log/trace-note';
import { sharedHistory } from '../../support/stores/clickhouse.ts';

const { client } = await sharedHistory();
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = (flags: string): string => `00-${TRACE}-00f067aa0ba902b7-${flags}`;
const note = (team: string): string =>
  traceNote({ traceparent: caller('01'), traced: true, team, scope: 'prod', kind: 'events' });

/** What a block says of an entry; only this is read of it. */
const entry = (trace: string, request = newRequestId(0)): BlockEntry =>
  ({ partition: 0, source: { trace, request, ms: Date.now() } }) as unknown as BlockEntry;

function archiving(history = client) {
  const registry = new Registry();
  const lines: string[] = [];
  const logger = createLogger('test', 'warn', { write: (line) => void lines.push(line) });
  const traces = createArchivedTraces(history, { logger, registry });
  const lost = async (): Promise<number> =>
    Number(/^weir_trace_rows_lost_total (\d+)$/m.exec(await registry.metrics())![1]);
  return { traces, lines, lost };
}

const rowsOf = async (team: string): Promise<unknown[]> => {
  const query = `SELECT toString(ts) AS ts, scope, toString(kind) AS kind, toString(request_id) AS id, trace_id FROM traces
    WHERE team = {team:String} ORDER BY id`;
  return (await client.query({ query, query_params: { team }, format: 'JSONEachRow' })).json();
};

describe('the trace of an archived request', () => {
  it('is a row with those that wait, once', async () => {
    const { traces, lost } = archiving();
    const requests = [newRequestId(0), newRequestId(0)];
    traces.archived(requests.map((request) => entry(note('stored'), request)));
    traces.archived([entry(''), entry('{'), entry('["00",1,2,3]')]);
    assert.deepEqual(await rowsOf('stored'), []);
    await traces.store();
    await traces.store();
    const expected = requests.toSorted().map((id) => {
      const ts = new Date(partsOf(id)!.time).toISOString().replace('T', ' ').slice(0, -1);
      return { ts, scope: 'prod', kind: 'events', id, trace_id: TRACE };
    });
    assert.deepEqual(await rowsOf('stored'), expected);
    assert.equal(await lost(), 0);
  });

  it('is lost where ClickHouse is away, or too many wait, which is counted and said without its team', async () => {
    const away = createHistoryClient({ url: 'http://127.0.0.1:1', database: 'weir' });
    const { traces, lines, lost } = archiving(away);
    traces.archived([entry(note('secret-team'))]);
    await traces.store();
    assert.equal(await lost(), 1);
    assert.equal(lines.length, 1);
    assert.doesNotMatch(lines[0]!, /secret-team/);
    const many = Array.from({ length: 20_001 }, () => entry(note('many')));
    traces.archived(many);
    assert.equal(await lost(), 2);
    await away.close();
  });
});

describe('what the log says of a trace', () => {
  it('is nothing where it is not recorded, and is read as it was written', () => {
    // Whatever its caller does.
    assert.equal(traceNote({ traceparent: caller('01'), team: 'a', scope: 'b', kind: 'event' }), '');
    const [team, scope] = ['a"\n', 'Ü'];
    const written = traceNote({ traceparent: caller('01'), traced: true, team, scope, kind: 'session' });
    assert.deepEqual(readTraceNote(written), { traceparent: caller('01'), team, scope, kind: 'session' });
    assert.equal(readTraceNote(JSON.stringify([caller('01'), 'a', 'b', 'other'])), undefined);
    assert.equal(readTraceNote(JSON.stringify(['x', 'a', 'b', 'event'])), undefined);
  });
});
