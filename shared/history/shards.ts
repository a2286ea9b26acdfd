/**
 * The tables of a cluster with several shards, from the statements of plain ones. A table that stores rows is `<table>_local` on each
 * shard, and its own name is a Distributed table over those. So inserts, views and look-ups use it as before.
 *
 * Rows are dealt out by id: a row that is stored again comes to the same shard, and replaces itself there.
 */

const KEYS: Readonly<Record<string, string>> = { schema_migrations: 'version', traces: 'request_id' };
/** Where inserts arrive. These tables store nothing, and their views write into Distributed tables. */
const PASSED_THROUGH = /^checked/;

export const localTable = (table: string): string => `${table}_local`;

const ON_TABLE =
  /^(CREATE TABLE IF NOT EXISTS|ALTER TABLE|TRUNCATE TABLE|DROP TABLE IF EXISTS|SYSTEM SYNC REPLICA) (\w+)\.(\w+)/;
/** What a Distributed table has, too: columns and comments. The rest is of the tables that store. */
const SHARED_CHANGE =
  /^ALTER TABLE \S+(?: ON CLUSTER \S+)?\s+(?:(?:ADD|MODIFY|DROP|RENAME|COMMENT) COLUMN|MODIFY COMMENT)\b/;

/** What a statement of plain tables is on shards, in this order. */
export function onShards(statement: string, cluster: string): string[] {
  const [head, verb, database, table] = ON_TABLE.exec(statement) ?? [];
  if (head === undefined || PASSED_THROUGH.test(table!)) return [statement];
  const local = statement.replace(head, `${verb} ${database}.${localTable(table!)}`);
  if (verb === 'CREATE TABLE IF NOT EXISTS') {
    const key = `cityHash64(${KEYS[table!] ?? 'id'})`;
    const over = `Distributed('${cluster}', '${database}', '${localTable(table!)}', ${key})`;
    return [local, `${head} ON CLUSTER ${cluster} AS ${database}.${localTable(table!)} ENGINE = ${over}`];
  }
  const both = verb === 'DROP TABLE IF EXISTS' || SHARED_CHANGE.test(statement);
  return both ? [local, statement] : [local];
}
