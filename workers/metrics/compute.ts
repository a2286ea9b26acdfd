/** From entries of the log to rows of `weir.metrics`, in RowBinary. A pure function of the entry and its configuration. */
import { looksLikeJson, readTokens } from '../../shared/json.js';
import { NOT_KEPT } from '../../shared/streams/work.js';
import { type Cell, type ReadRow, readRows } from '../rows/read-rows.js';
import { createRowWriter } from '../rows/row-binary.js';
import type { Computed, MetricItem } from './kinds/kind.js';
import { type CompiledMetric, computed, type MetricPlan, metricsOf } from './plan.js';

/** Columns of `weir.metrics`, in the order in which {@link rowsOf} writes them. */
export const METRIC_COLUMNS = [
  'ts',
  'team',
  'scope',
  'id',
  'run_id',
  'external_session_id',
  'metric_id',
  'metric_name',
  'kind',
  'value',
  'label',
  'note',
  'version',
] as const;

const SHARED = ['team', 'scope', 'kind', 'ts', 'version'] as const;
const OF_ITEMS = [
  'id',
  'type',
  'role',
  'name',
  'run_id',
  'external_session_id',
  'status',
  'content',
  'metadata',
  'note',
  'image_kind',
  'image_width',
  'image_height',
  'image_bytes',
] as const;
const NEEDED = new Set<string>([...SHARED, ...OF_ITEMS]);

/** Numbers of `kind` and `status` in the rows. */
const EVENTS = new Set<Cell>([1, 2]);
const FAILED = 2;

const writer = createRowWriter();

export interface MetricRows {
  /** RowBinary, columns as {@link METRIC_COLUMNS} */
  bytes: Buffer;
  rows: number;
  /** rows without a value */
  notes: number;
}

/** The rows of an entry. Throws `DamagedRows` where its own rows cannot be read. */
export function rowsOf(plan: MetricPlan, format: string, packed: Buffer): MetricRows {
  writer.reset(0);
  let rows = 0;
  let notes = 0;
  for (const row of readRows(format, packed, NEEDED)) {
    const scope = { team: row.team as string, scope: row.scope as string, isEvent: EVENTS.has(row.kind!) };
    for (let i = 0; i < (row.id as Cell[]).length; i++) {
      const of = itemAt(row, i);
      for (const metric of metricsOf(plan, scope, of.item)) {
        const outcome = computed(metric, of.item, of.hasText);
        write(row, of, metric, outcome);
        rows++;
        if ('note' in outcome) notes++;
      }
    }
  }
  return { bytes: writer.take(), rows, notes };
}

interface ItemAt {
  item: MetricItem;
  id: string;
  runId: string;
  externalSessionId: string;
  /** false: nothing of its text is known, since it failed or is not kept */
  hasText: boolean;
}

function itemAt(row: ReadRow, i: number): ItemAt {
  const cell = (name: (typeof OF_ITEMS)[number]): Cell => (row[name] as Cell[] | undefined)?.[i] ?? '';
  const type = cell('type') as string;
  const content = cell('content') as string;
  return {
    id: cell('id') as string,
    runId: cell('run_id') as string,
    externalSessionId: cell('external_session_id') as string,
    hasText: (content !== '' || cell('status') !== FAILED) && !(cell('note') as string).includes(NOT_KEPT),
    item: {
      type,
      role: cell('role') as string,
      name: cell('name') as string,
      text: type === 'artifact' ? '' : textOf(content),
      metadata: metadataOf(cell('metadata') as string),
      image:
        cell('image_kind') === ''
          ? null
          : {
              width: cell('image_width') as number,
              height: cell('image_height') as number,
              bytes: cell('image_bytes') as number,
            },
    },
  };
}

/** Of JSON the names, strings and numbers, joined by newlines, as they are checked. */
function textOf(content: string): string {
  if (!looksLikeJson(content)) return content;
  const parts: string[] = [];
  return readTokens(content, (text) => parts.push(text)) ? parts.join('\n') : content;
}

function metadataOf(json: string): Record<string, unknown> {
  return json === '' ? {} : (JSON.parse(json) as Record<string, unknown>);
}

function write(row: ReadRow, of: ItemAt, metric: CompiledMetric, outcome: Computed): void {
  const none = 'note' in outcome;
  writer.u64(row.ts as number);
  writer.text(row.team as string);
  writer.text(row.scope as string);
  writer.uuid(of.id);
  writeNullable(of.runId);
  writeNullable(of.externalSessionId);
  writer.uuid(metric.id);
  writer.text(metric.name);
  writer.text(metric.kind);
  writer.byte(none ? 1 : 0);
  if (!none) writer.f64(outcome.value);
  writeNullable(none ? '' : (outcome.label ?? ''));
  writeNullable(none ? outcome.note : '');
  writer.u16(row.version as number);
}

/** Absent texts are null in the table. */
function writeNullable(text: string): void {
  writer.byte(text === '' ? 1 : 0);
  if (text !== '') writer.text(text);
}
