/**
 * What each table and column of history means (`dictionary.yaml`). `weir migrate` stores it as comments, so that SQL tools show it, and
 * docs/history/dictionary.md is made of it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../paths.js';

export interface TableWords {
  about: string;
  /** columns whose meaning is not the shared one */
  columns?: Readonly<Record<string, string>>;
}

type Tables = Readonly<Record<string, TableWords>>;

const FILE = join(packageRoot, 'shared/history/dictionary.yaml');
const { shared, people, others }: { shared: Readonly<Record<string, string>>; people: Tables; others: Tables } = parse(
  readFileSync(FILE, 'utf8'),
);

/** What people read. */
export const PEOPLE_READ = people;
/** What serves Weir alone, but for what takes inserts and passes them on. */
export const WEIR_READS = others;
/** How the comment begins of what is not for people, so that tools which show tables tell it apart. */
export const INTERNAL = 'Internal: ';
export const DICTIONARY: Tables = { ...people, ...others };

/** Engines of what stores nothing. Their columns are those of the tables behind them. */
const PASSED_THROUGH: Readonly<Record<string, string>> = {
  Null: 'Takes inserts and stores nothing: its views write the rows of other tables',
  MaterializedView: 'Writes what is inserted into one table as rows of another',
};

/** The words of a table; those of one that a shard stores are the same. */
function wordsOf(table: string): TableWords | undefined {
  const name = table.replace(/_local$/, '');
  return Object.hasOwn(DICTIONARY, name) ? DICTIONARY[name] : undefined;
}

/** What a table is, or undefined when nobody has said. One that a shard stores is not for people, also where the table that leads to it is. */
export function aboutTable(table: string, engine: string): string | undefined {
  const about = PASSED_THROUGH[engine] ?? wordsOf(table)?.about;
  return about === undefined || Object.hasOwn(PEOPLE_READ, table) ? about : INTERNAL + about;
}

/** What a column is. Undefined when nobody has said, and in tables that store nothing. */
export function aboutColumn(table: string, engine: string, column: string): string | undefined {
  const words = wordsOf(table);
  if (PASSED_THROUGH[engine] !== undefined || words === undefined) return undefined;
  const own = words.columns ?? {};
  return Object.hasOwn(own, column) ? own[column] : Object.hasOwn(shared, column) ? shared[column] : undefined;
}
