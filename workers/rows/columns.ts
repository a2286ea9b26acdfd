/**
 * Columns of the tables `checked`, `checked_with_images` and `checked_with_shadow`, in the order of a packed entry. An INSERT names them, so that a
 * later migration can add columns while entries of this format are still in the log.
 */

import type { StoredTexts } from '../../shared/api/types.js';

export interface Column {
  name: string;
  /** type in ClickHouse */
  type: string;
}

const column = (name: string, type: string): Column => ({ name, type });
const list = (name: string, type: string): Column => ({ name, type: `Array(${type})` });

/** One of few short texts. Tables store them as LowCardinality; to read such values one by one costs the engine much more. */
const WORD = 'String';
const TIME = "DateTime64(3, 'UTC')";
const SEVERITY = "Enum8('low' = 1, 'medium' = 2, 'high' = 3)";
const SOURCE = "Enum8('text' = 1, 'image' = 2)";

/** Once per row of `checked`: the request, and the policies map that its items share. */
const REQUEST_COLUMNS: readonly Column[] = [
  column('team', WORD),
  column('scope', WORD),
  column('kind', "Enum8('events' = 1, 'event' = 2, 'session' = 3, 'artifact' = 4)"),
  column('ts', TIME),
  column('request_id', 'UUID'),
  column('version', 'UInt16'),
  column('sequence', 'UInt64'),
  column('config', 'UInt32'),
  column('key', WORD),
  column('received', TIME),
  column('completed', TIME),
  column('error', WORD),
  column('policies', 'LowCardinality(String)'),
];

/** Each of the texts that are only stored. */
const STORED_COLUMNS: Readonly<Record<keyof StoredTexts, true>> = { call_id: true, format: true };
/** The same in the order of their columns. */
export const STORED = Object.keys(STORED_COLUMNS) as readonly (keyof StoredTexts)[];
/** Those of an item that has none. */
export const NOTHING_STORED: readonly string[] = STORED.map(() => '');

/** Once per item: arrays of equal length, which the views of `checked` turn into rows. */
const ITEM_COLUMNS: readonly Column[] = [
  list('id', 'UUID'),
  list('type', WORD),
  list('field', WORD),
  list('role', WORD),
  list('name', 'String'),
  ...STORED.map((name) => list(name, 'String')),
  list('event_id', 'String'),
  list('run_id', 'String'),
  list('external_session_id', 'String'),
  list('external_artifact_id', 'String'),
  list('user_id', 'String'),
  list('user_email', 'String'),
  list('status', "Enum8('completed' = 1, 'failed' = 2)"),
  list('flagged', 'Nullable(Bool)'),
  list('not_evaluated', 'UInt16'),
  list('note', WORD),
  list('link_kind', "Array(Enum8('parent' = 1, 'link' = 2))"),
  list('link_relation', `Array(${WORD})`),
  list('link_run_id', 'Array(String)'),
  list('link_event_id', 'Array(String)'),
  list('link_internal_id', 'Array(UUID)'),
  list('violation_id', 'Array(UUID)'),
  list('violation_name', `Array(${WORD})`),
  list('violation_severity', `Array(${SEVERITY})`),
  list('violation_sources', `Array(Array(${SOURCE}))`),
  list('evidence_policy', 'Array(UUID)'),
  list('evidence_detector', `Array(${WORD})`),
  list('evidence_view', `Array(${WORD})`),
  list('evidence_source', `Array(${SOURCE})`),
  // In UTF-16 units of what was checked.
  list('evidence_start', 'Array(UInt32)'),
  list('evidence_end', 'Array(UInt32)'),
  list('content', 'String'),
  list('metadata', 'String'),
  list('explained', WORD),
  list('tags', 'Map(String, String)'),
];

const COLUMNS: readonly Column[] = [...REQUEST_COLUMNS, ...ITEM_COLUMNS];

/** Once per item of a request with images, after the other columns: arrays of the same length. */
const IMAGE_COLUMNS: readonly Column[] = [
  list('image_kind', WORD),
  list('image_width', 'UInt32'),
  list('image_height', 'UInt32'),
  list('image_bytes', 'UInt32'),
  list('image_hash', 'String'),
  list('image_quality', 'UInt8'),
  list('image_fetch_ms', 'UInt32'),
  list('image_decode_ms', 'UInt32'),
  list('image_session_id', 'UUID'),
];

/** Once per item of a request with a verdict of policies in the shadow, after the other columns: arrays of the same length. */
const SHADOW_COLUMNS: readonly Column[] = [
  list('shadow_evaluated', 'Array(UUID)'),
  list('shadow_not_evaluated', 'UInt16'),
  list('shadow_violation_id', 'Array(UUID)'),
  list('shadow_violation_name', `Array(${WORD})`),
  list('shadow_violation_severity', `Array(${SEVERITY})`),
  list('shadow_violation_sources', `Array(Array(${SOURCE}))`),
  list('shadow_violation_detectors', `Array(Array(${WORD}))`),
];

/**
 * Columns by format of the packed rows: 1 has neither images nor shadow verdicts, 2 images, 3 shadow verdicts, 4 both. Nearly all requests are
 * of format 1 and do not pay for the others' columns. Those go to a table of their own, which hands them on.
 */
export const COLUMNS_OF = {
  '1': COLUMNS,
  '2': [...COLUMNS, ...IMAGE_COLUMNS],
  '3': [...COLUMNS, ...SHADOW_COLUMNS],
  '4': [...COLUMNS, ...IMAGE_COLUMNS, ...SHADOW_COLUMNS],
} as const;
export type RowFormat = keyof typeof COLUMNS_OF;

const TABLE_OF: Record<RowFormat, string> = {
  '1': 'checked',
  '2': 'checked_with_images',
  '3': 'checked_with_shadow',
  '4': 'checked_with_shadow',
};

/** The INSERT statement for rows of `format`. */
export function insertOf(format: RowFormat): string {
  const columns = COLUMNS_OF[format].map(({ name }) => name).join(', ');
  return `INSERT INTO ${TABLE_OF[format]} (${columns}) FORMAT RowBinary`;
}
