/** Credentials in tables: below the name of their column, in Markdown, tabs, aligned columns or values with commas; and in the cell behind a name. */

/** A value in a table, and the cell that names it. */
export interface TableCell {
  start: number;
  end: number;
}

/** The last is of columns that spaces align. */
const SEPARATORS = ['|', '\t', ',', ';', '  '];
/** Units of a row, rows of a table that are read, units of the name of a column. */
const [MAX_ROW, MAX_ROWS, MAX_NAME] = [1000, 20, 40] as const;
/** Units of a cell with a name, with what pads it. */
const MAX_CELL = MAX_NAME + 23;
const HEAD_END = /[`*"' ]{0,4}(?:(?:[|;,\t]| {2})(?!\s*[)\]}])[^\n(){}=]{0,200}\n|\r?\n)/y;
const NAMES = /^[ \p{L}_-]+\r?$/u;
const RULE = /^[|\s:=+-]+$/;

export interface TableColumn {
  head: TableCell;
  /** those below it */
  cells: TableCell[];
}

/** The column whose head has the name from `start` to `end`; undefined where that is none. */
export function columnBelow(text: string, { start, end }: TableCell): TableColumn | undefined {
  // Most names stand in sentences and code: that is told by what is behind them.
  HEAD_END.lastIndex = end;
  if (!HEAD_END.test(text)) return undefined;
  const from = behindLast(text, '\n', start, MAX_ROW);
  const to = endOfLine(text, end);
  if (to - from > MAX_ROW || to === text.length) return undefined;
  const separator = SEPARATORS.find((each) => text.slice(from, to).includes(each));
  if (separator === undefined) return undefined;
  const heads = cellsOf(text, from, to, separator);
  if (heads.filter((cell) => cell.end > cell.start).length < 2) return undefined;
  // Spaces align much: then all heads are names.
  if (separator === '  ' && !NAMES.test(text.slice(from, to))) return undefined;
  const column = heads.findIndex((cell) => cell.start <= start && cell.end >= end);
  const head = heads[column];
  if (!head || head.end - head.start > MAX_NAME) return undefined;
  const below: TableCell[] = [];
  for (let row = to + 1, n = 0; row < text.length && n < MAX_ROWS; n++) {
    const rowEnd = endOfLine(text, row);
    if (rowEnd - row > MAX_ROW) break;
    const isRule = RULE.test(text.slice(row, rowEnd));
    const cells = isRule ? [] : cellsOf(text, row, rowEnd, separator);
    if (!isRule && cells.length !== heads.length) break;
    const cell = cells[column];
    // What has spaces is a sentence.
    if (cell && cell.end > cell.start && !/\s/.test(text.slice(cell.start, cell.end))) below.push(cell);
    row = rowEnd + 1;
  }
  return { head, cells: below };
}

const CELL = /<t[hd]\b[^<>]{0,160}>\s{0,24}(?:<\w{1,8}>\s{0,8})?([^<>]{0,200})/gi;

/** The same in a table of HTML. */
export function elementColumnBelow(text: string, name: TableCell): TableColumn | undefined {
  if (!/^\s{0,8}<\/(?:\w{1,8}>\s{0,8}<\/)?t[hd]>/i.test(text.slice(name.end, name.end + 40))) return undefined;
  const row = behindLast(text, '<tr', name.start, MAX_ROW);
  const column = text.slice(row, name.start).match(/<\/t[hd]>/gi)?.length ?? 0;
  const below: TableCell[] = [];
  let at = text.indexOf('</tr', name.end);
  for (let n = 0; n < MAX_ROWS && at >= 0; n++) {
    const start = at + 1;
    const end = text.indexOf('</tr', start);
    if (end < 0 || end - start > MAX_ROW) break;
    const cell = [...text.slice(start, end).matchAll(CELL)][column];
    const value = cell?.[1]?.trim() ?? '';
    if (cell && value !== '' && !/\s/.test(value)) {
      const from = start + cell.index + cell[0].lastIndexOf(value);
      below.push({ start: from, end: from + value.length });
    }
    at = end;
  }
  return below.length > 0 ? { head: name, cells: below } : undefined;
}

/** Behind the last `sign` before `at`, `most` units before it at most: a text may be one line of MiBs. */
function behindLast(text: string, sign: string, at: number, most: number): number {
  const from = Math.max(0, at - most);
  return from + text.slice(from, at).lastIndexOf(sign) + 1;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

const SPACE = 32;

/** Without the white space, quotes and marks around them. */
function cellsOf(text: string, from: number, to: number, separator: string): TableCell[] {
  const cells: TableCell[] = [];
  for (let start = from; start <= to; ) {
    const next = text.indexOf(separator, start);
    const end = next < 0 || next > to ? to : next;
    cells.push(trimmed(text, start, end));
    start = end + 1;
    if (separator === '  ') while (start < to && text.charCodeAt(start) === SPACE) start++;
  }
  return cells;
}

const isMark = (unit: number): boolean => unit <= 32 || unit === 34 || unit === 39 || unit === 42 || unit === 96;

function trimmed(text: string, from: number, to: number): TableCell {
  let [start, end] = [from, to];
  while (start < end && isMark(text.charCodeAt(start))) start++;
  while (end > start && isMark(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

const VALUE = /\|[ \t]{0,24}[`*"]{0,2}([\w+/.~-]{20,200}={0,2})[`*"]{0,2}[ \t]{0,24}(?:\||\r?\n|$)/y;

/** The value in the cell behind the bar at `at`, and the name in the cell before. */
export function cellBehind(text: string, at: number): { value: TableCell; name: TableCell } | undefined {
  // Most bars are of code, or of tables of words.
  if (text.charCodeAt(at + 1) === 124 || text.charCodeAt(at + 16) <= 32) return undefined;
  VALUE.lastIndex = at;
  const match = VALUE.exec(text);
  if (!match) return undefined;
  const start = at + match[0].indexOf(match[1]!);
  const line = behindLast(text, '\n', at, MAX_CELL);
  const name = trimmed(text, Math.max(line, behindLast(text, '|', at, MAX_CELL)), at);
  const size = name.end - name.start;
  return size > 2 && size <= MAX_NAME ? { value: { start, end: start + match[1]!.length }, name } : undefined;
}
