/**
 * What of a migration takes something from the release before, whose processes go on while it runs and after it: columns and tables that they
 * read or write, under their names and with their types.
 */

/** Statements that contract, with what they do to whom. */
const CONTRACTS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\bDROP\s+COLUMN\s+(?:IF\s+EXISTS\s+)?`?(\w+)/gi, 'drops column'],
  [/\bRENAME\s+COLUMN\s+(?:IF\s+EXISTS\s+)?`?(\w+)/gi, 'renames column'],
  [/\bCLEAR\s+COLUMN\s+(?:IF\s+EXISTS\s+)?`?(\w+)/gi, 'clears column'],
  [/\b(?:MODIFY|ALTER)\s+COLUMN\s+(?:IF\s+EXISTS\s+)?`?(\w+)/gi, 'changes column'],
  [/\bADD\s+CONSTRAINT\s+(?:IF\s+NOT\s+EXISTS\s+)?`?(\w+)/gi, 'refuses rows by constraint'],
  [/\bMODIFY\s+(ORDER\s+BY|SAMPLE\s+BY)/gi, 'changes'],
  [/\b(?:DROP|DETACH|TRUNCATE)\s+(?:TABLE|VIEW|DICTIONARY)\s+(?:IF\s+EXISTS\s+)?(?:[^\s.]+\.)?`?(\w+)/gi, 'drops'],
  [/\b(?:RENAME|EXCHANGE)\s+TABLES?\s+(?:[^\s.]+\.)?`?(\w+)/gi, 'renames'],
  [/\bDELETE\s+(?:FROM\s+(?:[^\s.]+\.)?`?(\w+)|WHERE)/gi, 'deletes rows of'],
];

/** A line for each, such as `drops column name`. */
export function contractions(sql: string): string[] {
  // What stands in a comment or a text is no statement.
  const bare = sql.replaceAll(/--.*$/gm, '').replaceAll(/'(?:[^'\\\\]|\\\\.)*'/g, "''");
  return CONTRACTS.flatMap(([pattern, what]) =>
    [...bare.matchAll(pattern)].map(([, name = '']) => `${what} ${name.replaceAll(/\s+/g, ' ')}`.trim()),
  );
}
