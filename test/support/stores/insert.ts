/** Puts packed rows into history without an archiver. */
import { Readable } from 'node:stream';
import type { HistoryClient } from '#weir/shared/history/client';
import { insertOf, type RowFormat } from '#weir/workers/rows/columns';

export const insertRows = (client: HistoryClient, ...rows: Buffer[]): Promise<void> => insertAs('1', client, rows);

export const insertAs = (format: RowFormat, client: HistoryClient, rows: readonly Buffer[]): Promise<void> =>
  insertQuery(client, insertOf(format), rows);

export async function insertQuery(client: HistoryClient, query: string, rows: readonly Buffer[]): Promise<void> {
  const { stream } = await client.exec({
    query,
    values: Readable.from([Buffer.concat(rows)], { objectMode: false }),
  });
  for await (const _ of stream) {
    // an INSERT answers with nothing
  }
}
