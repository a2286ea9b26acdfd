/** Stores what the dictionary says of tables and columns as their comments in ClickHouse. */
import type { HistoryClient } from './client.js';
import { aboutColumn, aboutTable } from './dictionary.js';

interface TableComments {
  name: string;
  engine: string;
  comment: string;
  columns: [name: string, comment: string][];
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** The statements that are still to be run, none where all is said. */
export async function commentStatements(
  client: HistoryClient,
  { database, cluster }: { database: string; cluster?: string },
): Promise<string[]> {
  const result = await client.query({
    query: `SELECT t.name AS name, t.engine AS engine, t.comment AS comment, groupArray((c.name, c.comment)) AS columns
      FROM system.tables AS t INNER JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
      WHERE t.database = {d:String} GROUP BY name, engine, comment ORDER BY name`,
    query_params: { d: database },
    format: 'JSONEachRow',
  });
  return (await result.json<TableComments>()).flatMap(({ name, engine, comment, columns }) => {
    const table = `ALTER TABLE ${database}.${name}${cluster === undefined ? '' : ` ON CLUSTER ${cluster}`}`;
    const about = aboutTable(name, engine);
    const changed = columns.flatMap(([column, now]) => {
      const words = aboutColumn(name, engine, column);
      return words === undefined || words === now ? [] : [`COMMENT COLUMN \`${column}\` ${quoted(words)}`];
    });
    return [
      ...(about === undefined || about === comment ? [] : [`${table} MODIFY COMMENT ${quoted(about)}`]),
      ...(changed.length === 0 ? [] : [`${table} ${changed.join(', ')}`]),
    ];
  });
}
