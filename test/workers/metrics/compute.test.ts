import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { UNKEPT_NOTE } from '#weir/shared/streams/work';
import { METRIC_COLUMNS, rowsOf } from '#weir/workers/metrics/compute';
import { compileMetrics } from '#weir/workers/metrics/plan';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { readRows } from '#weir/workers/rows/read-rows';
import type { RowItem, RowRequest } from '#weir/workers/rows/row-types';
import { DamagedRows } from '#weir/workers/rows/unpack-rows';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowImage, rowItem, rowRequest, violating } from '../../support/stores/history.ts';

const id = (n: number): string => `cccccccc-0000-4000-8000-00000000000${n}`;

function configured(more = ''): Promise<Awaited<ReturnType<typeof compileMetrics>>> {
  const loaded = loadConfiguration(`version: 1
teams: [{id: acme}, {id: globex}]
metrics:
- {id: ${id(1)}, team: acme, name: Length, kind: characters}
- {id: ${id(2)}, team: acme, name: Took, kind: latency}
- {id: ${id(3)}, team: acme, name: Size, kind: image_size}
- {id: ${id(4)}, team: acme, name: Plan, kind: expression, value: metadata.user.tier}
deployments:
- {id: prod, team: acme, name: D, metrics: [${id(1)}, ${id(2)}, ${id(3)}]}
environments:
- id: prod
  team: acme
  conditions:
  - {id: a, name: A, when: 'metadata.user.tier == "free"', metrics: [${id(1)}, ${id(4)}]}
  - {id: b, name: B, when: 'event.role == "assistant"', metrics: [${id(2)}, ${id(1)}]}
  - {id: c, name: C, when: 'event.type == "artifact"', metrics: [${id(1)}, ${id(3)}]}
  - {id: d, name: D, active: false, when: 'true', metrics: [${id(2)}]}
${more}`);
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return compileMetrics(loaded.configuration);
}

const NULLABLE: ReadonlySet<string> = new Set(['run_id', 'external_session_id', 'label', 'note']);

/** What is written, read back by the types that a table has. */
function told(bytes: Buffer): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = [];
  let at = 0;
  const text = (): string => {
    const length = bytes[at++]!;
    assert.ok(length < 128);
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const pass = (size: number): number => {
    at += size;
    return at - size;
  };
  /** Null where the byte before says so. */
  const nullable = <T>(read: () => T): T | null => (bytes[pass(1)] === 1 ? null : read());
  while (at < bytes.length) {
    const row: Record<string, unknown> = {};
    for (const column of METRIC_COLUMNS) {
      if (column === 'ts') row[column] = Number(bytes.readBigUInt64LE(pass(8)));
      else if (column === 'value') row[column] = nullable(() => bytes.readDoubleLE(pass(8)));
      else if (column === 'version') row[column] = bytes.readUInt16LE(pass(2));
      else if (column === 'id' || column === 'metric_id') pass(16);
      else if (NULLABLE.has(column)) row[column] = nullable(text);
      else row[column] = text();
    }
    rows.push(row);
  }
  return rows;
}

const request = (fields: Partial<RowRequest> = {}): RowRequest => rowRequest({ kind: 'events', ...fields });

async function rows(items: RowItem[], of: Partial<RowRequest> = {}, more = '') {
  const made = rowsOf(await configured(more), rowFormatOf(items), encodeRows(request(of), items));
  const list = told(made.bytes);
  assert.equal(made.rows, list.length);
  assert.equal(made.notes, list.filter(({ note }) => note !== null).length);
  return list.map(({ metric_name, value, label, note }) => [
    metric_name,
    value,
    ...(label ? [label] : []),
    ...(note ? [note] : []),
  ]);
}

describe('rows of metrics', () => {
  it('are those of the active conditions that match an event, each metric once', async () => {
    const free = '{"user":{"tier":"free"},"assistant":{"latency":1.5}}';
    const both = rowItem(1, { role: 'assistant', content: 'four', metadata: free });
    assert.deepEqual(await rows([both]), [
      ['Length', 4],
      ['Plan', 1, 'free'],
      ['Took', 1.5],
    ]);
    const one = rowItem(1, { role: 'assistant', content: 'four' });
    assert.deepEqual(await rows([one]), [
      ['Took', null, 'metadata.assistant.latency is absent'],
      ['Length', 4],
    ]);
    assert.deepEqual(await rows([rowItem(1, { role: 'user' })]), []);
    assert.deepEqual(await rows([both], { team: 'globex' }), []);
    assert.deepEqual(await rows([both], { scope: 'staging' }), []);
  });

  it('are those of the deployment for sessions and images, by what an item is', async () => {
    const metadata = '{"message":{"assistant":{"latency":2}}}';
    const session = rowItem(1, { role: 'assistant', content: 'six ch', metadata });
    const image = rowItem(2, { type: 'artifact', content: '{"kind":"image"}', image: rowImage() });
    const { bytes, width, height } = rowImage();
    const absent = ['Took', null, 'metadata.assistant.latency is absent'];
    assert.deepEqual(await rows([session, image], { kind: 'session' }), [
      ['Length', 6],
      ['Took', 2],
      absent,
      ['Size', bytes, `${width}x${height}`],
    ]);
    const lost = { ...image, item: 1, status: 'failed' as const, image: { ...rowImage(), kind: '' } };
    const note = ['Size', null, 'the image could not be looked at'];
    assert.deepEqual(await rows([lost], { kind: 'artifact' }), [absent, note]);
    assert.deepEqual(await rows([rowItem(1, { type: 'artifact', image: rowImage() })]), [
      ['Size', bytes, `${width}x${height}`],
    ]);
  });

  it('count the names, strings and numbers of JSON, as they are checked', async () => {
    const item = rowItem(1, { role: 'assistant', type: 'tool', content: '{"q":"ab\\u0063","n":[1,true]}' });
    assert.deepEqual((await rows([item])).at(-1), ['Length', 'q\nabc\nn\n1'.length]);
  });

  it('say that there is no text where an item failed without one', async () => {
    const item = rowItem(1, { role: 'assistant', content: '', status: 'failed' });
    assert.deepEqual((await rows([item])).at(-1), ['Length', null, 'the item has no text']);
    assert.deepEqual((await rows([{ ...item, status: 'completed' }])).at(-1), ['Length', 0]);
    const dropped = rowItem(1, { role: 'assistant', content: '', note: `one; ${UNKEPT_NOTE}` });
    assert.deepEqual((await rows([dropped])).at(-1), ['Length', null, 'the item has no text']);
  });

  it('have no value without the content, and none are chosen by metadata that is not kept', async () => {
    const more = 'retention: {content_days: 0}';
    const emptied = rowItem(1, { role: 'assistant', content: '', metadata: '' });
    const note = (what: string) => `the ${what} is not kept (retention.content_days is 0)`;
    const expected = [
      ['Took', null, note('metadata')],
      ['Length', null, note('content')],
    ];
    assert.deepEqual(await rows([emptied], {}, more), expected);
    const image = rowItem(1, { type: 'artifact', content: '', image: rowImage() });
    assert.deepEqual((await rows([image], {}, more))[0]![0], 'Size');
  });

  it('carry the version of a replayed dead letter, and the time and ids of the item', async () => {
    const now = Date.now();
    const of = rowRequest({ kind: 'events', version: 3 }, now);
    const item = rowItem(1, { role: 'assistant', runId: 'run-9', externalSessionId: 's-9' });
    const [row] = told(rowsOf(await configured(), '1', encodeRows(of, [item])).bytes);
    assert.deepEqual(
      { ...row, note: '' },
      {
        ts: now,
        team: 'acme',
        scope: 'prod',
        run_id: 'run-9',
        external_session_id: 's-9',
        metric_name: 'Took',
        kind: 'latency',
        value: null,
        label: null,
        note: '',
        version: 3,
      },
    );
  });
});

describe('packed rows are read again', () => {
  const names = [
    'team',
    'ts',
    'request_id',
    'config',
    'id',
    'role',
    'flagged',
    'content',
    'violation_name',
    'image_bytes',
  ];

  it('with the columns that were asked for, whatever lies between them', () => {
    const of = request();
    const long = 'é'.repeat(20_000);
    const items = [
      rowItem(1, { content: long, verdict: violating, flagged: true }),
      rowItem(2, { role: 'assistant', content: '', flagged: null }),
      rowItem(3, { type: 'artifact', image: rowImage() }),
    ];
    const packed = encodeRows(of, items);
    const read = readRows('2', packed, new Set(names));
    assert.deepEqual(new Set(read.flatMap((row) => Object.keys(row))), new Set(names));
    const [flagged, clean] = read;
    assert.equal(read.length, 2);
    assert.deepEqual([flagged!.team, flagged!.request_id, flagged!.config], ['acme', of.id, of.config]);
    assert.deepEqual([flagged!.content, flagged!.flagged], [[long], [1]]);
    assert.deepEqual(flagged!.violation_name, [violating.violations.map(({ name }) => name)]);
    assert.deepEqual(
      [clean!.role, clean!.flagged],
      [
        ['assistant', 'user'],
        [null, 0],
      ],
    );
    assert.deepEqual(clean!.image_bytes, [0, rowImage().bytes]);
    assert.ok((clean!.id as string[]).every((each) => each.startsWith(of.id.slice(0, 18))));
  });

  it('and refused where they are damaged', () => {
    const packed = encodeRows(request(), [rowItem(1)]);
    assert.throws(() => readRows('1', packed.subarray(0, -1), new Set(names)), DamagedRows);
    assert.throws(() => readRows('9', packed, new Set(names)), DamagedRows);
  });
});
