/** Puts packed rows into history without an archiver. */
import { Readable } from 'node:stream';
import type { HistoryClient } from '#weir/shared/history/client';
import { COLUMNS } from '#weir/shared/history/columns';

export async function insertRows(client: HistoryClient, ...rows: Buffer[]): Promise<void> {
  const { stream } = await client.exec({
    query: `INSERT INTO checked (${COLUMNS.map((column) => column.name).join(', ')}) FORMAT RowBinary`,
    values: Readable.from([Buffer.concat(rows)], { objectMode: false }),
  });
  for await (const _ of stream) {
    // an INSERT answers with nothing
  }
}
