/**
 * Tables in a text: a line of names, and the lines below that have as many cells; a row of `<th>` and the rows of `<td>` below it; or names
 * and rows in parentheses or brackets (rows.ts). What a name says holds for its column.
 */
import { isAsciiLetter, isDigit, unitAt } from '../../engine/probes/characters.js';
import { fold } from '../../engine/views/normalise.js';
import { isAscii } from '../../engine/views/views.js';
import { type AlignedCell, columnAbove, mayBeRow, namesIn } from './aligned.js';
import { columnOfRow, type NamedRows, ROWS, rowsIn } from './rows.js';
import { type EntityWords, wordsIn } from './words.js';

export interface TextTable {
  /** where the lines below the names begin, and where they end */
  from: number;
  to: number;
  /** what parts cells; {@link HTML}: tags do; {@link ROWS}: commas in parentheses or brackets do; {@link ALIGNED}: spaces do */
  delimiter: number;
  /** where the names stand in their line, if cells stand below them */
  names?: readonly AlignedCell[];
  /** by column: what its name says */
  columns: readonly (readonly EntityWords[])[];
}

const [TAB, QUOTE, COMMA, SEMICOLON, BAR] = [9, 34, 44, 59, 124] as const;
/** What parts cells; of a line, the first of these that it has does. */
const DELIMITERS = [TAB, BAR, SEMICOLON, COMMA] as const;
/** Longer lines are no rows, and longer names no names. */
const [MOST_LINE, MOST_NAME] = [1000, 40] as const;

interface Line {
  start: number;
  end: number;
}

/** In place of a delimiter. */
export const HTML = -2;
const ALIGNED = -4;

/** The tables of `text` that have a name which speaks for an entity. Each line is read once or twice. */
export function tablesIn(text: string): readonly TextTable[] {
  const tables: TextTable[] = text.includes('<') && /<th[ >]/i.test(text) ? htmlTablesIn(text) : [];
  if (tables.length > 0) return tables;
  const rows = rowsIn(text).flatMap(asTable);
  if (rows.length > 0 || !text.includes('\n')) return rows;
  for (let line: Line | undefined = lineAt(text, 0); line; ) {
    const table = tableBelow(text, line);
    if (table) tables.push(table);
    line = lineAt(text, table ? table.to : line.end + 1);
  }
  return tables;
}

function asTable({ from, to, delimiter, names }: NamedRows): TextTable[] {
  const columns = names.map(wordsOfName);
  return columns.some((words) => words.length > 0) ? [{ from, to, delimiter, columns }] : [];
}

/** A row of names, which has no other cells; a name is short. */
const NAMES_OF_HTML = /<tr\b[^>]{0,200}>\s{0,100}((?:<th\b[^>]{0,200}>[^<>]{0,40}<\/th>\s{0,100}){1,64})<\/tr>/gi;
const NAME_OF_HTML = /<th\b[^>]*>([^<]*)<\/th>/gi;

/** They end where the table does, or the next names begin. */
function htmlTablesIn(text: string): TextTable[] {
  const tables: TextTable[] = [];
  for (const match of text.matchAll(NAMES_OF_HTML)) {
    const columns = [...match[1]!.matchAll(NAME_OF_HTML)].map(([, name = '']) => wordsOfName(name));
    const last = tables.at(-1);
    if (last) last.to = Math.min(last.to, match.index);
    const from = match.index + match[0].length;
    const end = text.indexOf('</table', from);
    tables.push({ from, to: end < 0 ? text.length : end, delimiter: HTML, columns });
  }
  return tables.some(({ columns }) => columns.some((words) => words.length > 0)) ? tables : [];
}

/** So far before a cell its row begins, at most. */
const MOST_ROW = 1000;

/** The number of the column of HTML that `at` is in; -1: none. */
function columnOfHtml(text: string, at: number): number {
  const row = text.slice(Math.max(0, at - MOST_ROW), at).toLowerCase();
  const begins = row.lastIndexOf('<tr');
  return begins < 0 ? -1 : (row.slice(begins).match(/<t[dh][ >]/g)?.length ?? 0) - 1;
}

function lineAt(text: string, start: number): Line | undefined {
  if (start >= text.length) return undefined;
  const end = text.indexOf('\n', start);
  return { start, end: end < 0 ? text.length : end };
}

/** What stands between the names and the rows, and between rows: as `---+---`. */
const RULE = /[ \t]{0,40}[-+=|][-+=| \t:]{2,}\r?$/my;

function isRule(text: string, { start }: Line): boolean {
  const unit = unitAt(text, start);
  if (isDigit(unit) || isAsciiLetter(unit)) return false;
  RULE.lastIndex = start;
  return RULE.test(text);
}

/** The line from `start` on that is no rule. */
function rowAt(text: string, start: number): Line | undefined {
  let line = lineAt(text, start);
  while (line && isRule(text, line)) line = lineAt(text, line.end + 1);
  return line;
}

function tableBelow(text: string, names: Line): TextTable | undefined {
  if (names.end - names.start > MOST_LINE) return undefined;
  const delimiter = delimiterOf(text, names);
  if (delimiter === undefined) return alignedBelow(text, names);
  const next = rowAt(text, names.end + 1);
  const cells = cellsOf(text, names, delimiter);
  if (!next || cellsOf(text, next, delimiter) !== cells) return undefined;
  const columns = columnsOf(text, names, delimiter);
  if (!columns?.some((words) => words.length > 0)) return undefined;
  let to = next.start;
  for (let row: Line | undefined = next; row && cellsOf(text, row, delimiter) === cells; row = rowAt(text, to)) {
    to = row.end + 1;
  }
  return { from: next.start, to, delimiter, columns };
}

const textOf = (text: string, { start, end }: Line): string => (end - start > MOST_LINE ? '' : text.slice(start, end));

function alignedBelow(text: string, line: Line): TextTable | undefined {
  const names = namesIn(textOf(text, line));
  const columns = names?.map((name) => wordsOfName(name.text));
  if (!columns?.some((words) => words.length > 0)) return undefined;
  const next = rowAt(text, line.end + 1);
  if (!next) return undefined;
  let to = next.start;
  for (let row: Line | undefined = next; row && mayBeRow(textOf(text, row)); row = rowAt(text, to)) to = row.end + 1;
  return to === next.start ? undefined : { from: next.start, to, delimiter: ALIGNED, columns, names };
}

/** The first of {@link DELIMITERS} that a line has outside quotes. Most lines have none, so this reads each once. */
function delimiterOf(text: string, { start, end }: Line): number | undefined {
  let best: number = DELIMITERS.length;
  let quoted = false;
  for (let i = start; i < end && best > 0; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) quoted = !quoted;
    else if (!quoted && (unit === TAB || unit === COMMA || unit === SEMICOLON || unit === BAR)) {
      best = Math.min(best, DELIMITERS.indexOf(unit));
    }
  }
  return DELIMITERS[best];
}

/** How many cells a line has; 0: it is too long for a row. */
function cellsOf(text: string, { start, end }: Line, delimiter: number): number {
  return end - start > MOST_LINE ? 0 : columnIn(text, start, end, delimiter) + 1;
}

/** The number of the column that `at` is in, of the line that begins at `start`. In quotes, nothing parts cells. */
function columnIn(text: string, start: number, at: number, delimiter: number): number {
  let column = 0;
  let quoted = false;
  for (let i = start; i < at; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) quoted = !quoted;
    else if (unit === delimiter && !quoted) column++;
  }
  return column;
}

/** What the names of a line say; undefined: they are too long for names, or numbers. */
function columnsOf(text: string, { start, end }: Line, delimiter: number): (readonly EntityWords[])[] | undefined {
  const columns: (readonly EntityWords[])[] = [];
  let from = start;
  let quoted = false;
  for (let i = start; i <= end; i++) {
    const unit = unitAt(text, i);
    if (unit === QUOTE) quoted = !quoted;
    if (isDigit(unit) && isDigit(unitAt(text, i + 1))) return undefined;
    if (i < end && (quoted || unit !== delimiter)) continue;
    if (i - from > MOST_NAME) return undefined;
    columns.push(wordsOfName(text.slice(from, i)));
    from = i + 1;
  }
  return columns;
}

const wordsOfName = (name: string): readonly EntityWords[] => {
  const plain = isAscii(name) ? name : fold(name);
  return wordsIn(plain, 0, plain.length);
};

const NONE: readonly EntityWords[] = [];

/** What the name of the column says that `at` is in. */
export function columnAt(text: string, tables: readonly TextTable[], at: number): readonly EntityWords[] {
  const table = tableAt(tables, at);
  if (!table) return NONE;
  if (table.delimiter === ROWS) return table.columns[columnOfRow(text, table.from, at).column] ?? NONE;
  if (table.delimiter === HTML) return table.columns[columnOfHtml(text, at)] ?? NONE;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  if (table.names) {
    const end = text.indexOf('\n', at);
    const line = text.slice(start, end < 0 ? text.length : end);
    return table.columns[columnAbove(table.names, line, at - start)] ?? NONE;
  }
  return table.columns[columnIn(text, start, at, table.delimiter)] ?? NONE;
}

/** The table of which a row is at `at`. They are in order. */
export function tableAt(tables: readonly TextTable[], at: number): TextTable | undefined {
  let [low, high] = [0, tables.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tables[middle]!.to <= at) low = middle + 1;
    else high = middle;
  }
  const table = tables[low];
  return table && table.from <= at ? table : undefined;
}
