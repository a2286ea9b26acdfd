/** Results and rows as workers write them, in bytes of their own. */
import type { ResultRecord } from '#weir/shared/api/results/record';
import { writeRecord } from '#weir/shared/api/results/write-record';
import { rowFormatOf, writeRows } from '#weir/workers/rows/pack-rows';
import type { RowItem, RowRequest } from '#weir/workers/rows/row-types';

export const encodeRecord = (record: ResultRecord): Buffer => Buffer.from(writeRecord(record));

export const encodeRows = (request: RowRequest, items: readonly RowItem[], format = rowFormatOf(items)): Buffer =>
  Buffer.from(writeRows(request, items, format));
