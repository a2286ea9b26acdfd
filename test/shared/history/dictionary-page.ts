/** The dictionary of the documents, made of the comments of tables and columns. */
import { PEOPLE_READ, WEIR_READS } from '#weir/shared/history/dictionary';

export const DICTIONARY_PAGE = 'docs/history/dictionary.md';
/** The tables that say nothing of verdicts have a page of their own. */
export const SERVICE_PAGE = 'docs/history/dictionary-service.md';
const OF_SERVICE = ['traces', 'erasures', 'exports', 'configurations', 'configuration_policies'];

export interface DictionaryColumn {
  table: string;
  name: string;
  type: string;
  comment: string;
}

/** A type as people need it: values of enumerations are in the meaning, and how words are stored is not of interest. */
const typeOf = (type: string): string =>
  type.replace(/Enum8\([^)]*\)/g, 'Enum').replace(/LowCardinality\((\w+|Nullable\(\w+\))\)/g, '$1');

/** The page of verdicts, and that of the service with what serves Weir. */
export const renderDictionary = (columns: readonly DictionaryColumn[]): Record<string, string> => ({
  [DICTIONARY_PAGE]: sectionsOf(columns, (table) => !OF_SERVICE.includes(table)).join('\n'),
  [SERVICE_PAGE]: `${sectionsOf(columns, (table) => OF_SERVICE.includes(table)).join('\n')}
## Tables that serve Weir

| Table | Meaning |
|---|---|
${Object.entries(WEIR_READS)
  .map(([table, { about }]) => `| \`${table}\` | ${about} |`)
  .join('\n')}
| \`checked\`, \`checked_…\` | Take inserts and store nothing, or write what is inserted as rows of the tables above |
`,
});

/** A section for each table that people read. Columns that are those of `results` share a row. */
function sectionsOf(columns: readonly DictionaryColumn[], wanted: (table: string) => boolean): string[] {
  const of = (table: string) => columns.filter((column) => column.table === table);
  const results = new Map(of('results').map(({ name, comment }) => [name, comment]));
  return Object.entries(PEOPLE_READ).flatMap(([table, { about }]) => {
    if (!wanted(table)) return [];
    const same = table === 'results' ? [] : of(table).filter(({ name, comment }) => results.get(name) === comment);
    const own = of(table).filter((column) => !same.includes(column));
    const rows = own.map(({ name, type, comment }) => `| \`${name}\` | ${typeOf(type)} | ${comment} |`);
    const names = same.map(({ name }) => `\`${name}\``).join(', ');
    if (same.length > 0) rows.push(`| ${names} | | as in \`weir.results\` |`);
    return [`## weir.${table}\n\n${about}.\n\n| Column | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`];
  });
}
