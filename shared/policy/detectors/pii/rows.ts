/** Rows whose names stand elsewhere: tuples of SQL, and arrays in JSON. */

/** Names, and the rows from `from` to `to` that have a cell for each. */
export interface NamedRows {
  names: readonly string[];
  from: number;
  to: number;
  delimiter: number;
}

/** In place of a delimiter: commas part cells, and parentheses or brackets rows. */
export const ROWS = -3;
const TAB = 9;

const NAMES = '[^()\\[\\];]{1,2000}';
/** `insert into people (name, phone) values (`. */
const INSERT = new RegExp(
  `\\binsert\\s{1,40}(?:ignore\\s{1,40})?into\\s{1,40}[^\\s(]{1,128}\\s{0,100}\\((${NAMES})\\)\\s{0,100}values\\s{0,100}(?=\\()`,
  'gi',
);
/** `copy people (name, phone) from stdin;`, and rows with tabs up to `\.`. */
const COPY = new RegExp(
  `\\bcopy\\s{1,40}[^\\s(]{1,128}\\s{0,100}\\((${NAMES})\\)\\s{1,40}from\\s{1,40}stdin[^\\n]{0,128}\\n`,
  'gi',
);
/** `"columns": ["name", "phone"], "rows": [[`, in either order of such keys as tools have. */
const COLUMNS = new RegExp(
  `"(?:columns|column_names|columnNames|fields|headers?|header_row)"\\s{0,100}:\\s{0,100}\\[(${NAMES})\\]\\s{0,100},(?:\\s{0,100}"index"\\s{0,100}:\\s{0,100}\\[[^\\]]{0,2000}\\]\\s{0,100},)?\\s{0,100}"(?:data|rows|values|records|results)"\\s{0,100}:\\s{0,100}\\[\\s{0,100}(?=\\[)`,
  'gi',
);
/** `[["name", "phone"], [`: the first row has the names, which have no digits. */
const FIRST_ROW =
  /\[\s{0,100}\[((?:\s{0,100}"[^"\d\n]{1,40}"\s{0,9},){1,63}\s{0,100}"[^"\d\n]{1,40}"\s{0,100})\]\s{0,100},\s{0,100}(?=\[)/g;

/** What all of them have. */
const SOME = /\b(?:insert|copy)\s|\[\s{0,100}\[/i;
const NONE: readonly NamedRows[] = [];

/** The rows of `text` that have names. */
export function rowsIn(text: string): readonly NamedRows[] {
  // Most texts are told by one character.
  if (!(text.includes('(') || text.includes('[')) || !SOME.test(text)) return NONE;
  const found: NamedRows[] = [];
  const add = (pattern: RegExp, end: string, delimiter = ROWS): void => {
    for (const { 0: whole, 1: names = '', index } of text.matchAll(pattern)) {
      const from = index + whole.length;
      const at = text.indexOf(end, from);
      found.push({ names: names.split(','), from, to: at < 0 ? text.length : at, delimiter });
    }
  };
  if (/\binsert\s/i.test(text)) add(INSERT, ';');
  if (/\bcopy\s/i.test(text)) add(COPY, '\n\\.', TAB);
  if (/\]\s{0,100},\s{0,100}"\w{4,7}"\s{0,100}:\s{0,100}\[\s{0,100}\[/.test(text)) add(COLUMNS, ']]');
  else if (/\[\s{0,100}\[\s{0,100}"/.test(text)) add(FIRST_ROW, ']]');
  found.sort((a, b) => a.from - b.from);
  return found.filter(({ from }, i) => i === 0 || from >= found[i - 1]!.to);
}

/** So far before a cell its row begins, at most. */
const MOST_ROW = 1000;

/** Where the row begins that `at` is in, of rows from `from` on, and the number of its column. In quotes, nothing parts cells. */
export function columnOfRow(text: string, from: number, at: number): { begins: number; column: number } {
  let begins = Math.max(from, at - MOST_ROW);
  let column = 0;
  let quote = '';
  for (let i = begins; i < at; i++) {
    const character = text[i]!;
    if (quote !== '') {
      if (character === quote && text[i - 1] !== '\\') quote = '';
    } else if (character === "'" || character === '"') quote = character;
    else if (character === '(' || character === '[') [begins, column] = [i + 1, 0];
    else if (character === ',') column++;
  }
  return { begins, column };
}
