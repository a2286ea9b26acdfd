/** Tables whose cells are parted by spaces and stand below their names. */

/** A name, or a cell, and where it stands in its line. */
export interface AlignedCell {
  text: string;
  from: number;
  to: number;
}

/** Single spaces stand within a cell. */
const CELL = /\S+(?: \S+)*/g;
const [MOST_CELLS, MOST_NAME] = [64, 30] as const;

const cellsIn = (line: string): AlignedCell[] =>
  [...line.matchAll(CELL)].map(({ 0: text, index }) => ({ text, from: index, to: index + text.length }));

/** The names of a line that may be the first of a table; undefined: it has one cell, long ones, or numbers. */
export function namesIn(line: string): readonly AlignedCell[] | undefined {
  if (!mayBeRow(line) || /\d\d/.test(line)) return undefined;
  const names = cellsIn(line);
  return names.length <= MOST_CELLS && names.every(({ text }) => text.length <= MOST_NAME) ? names : undefined;
}

/** Whether two spaces stand between words, as in a row below names. */
export function mayBeRow(line: string): boolean {
  let begins = 0;
  while (begins < line.length && line.charCodeAt(begins) <= 32) begins++;
  const gap = line.indexOf('  ', begins);
  return gap >= 0 && /\S/.test(line.slice(gap));
}

/** The number of the name above the cell that `place` is in; -1: none. A cell is aligned at its left or its right. */
export function columnAbove(names: readonly AlignedCell[], line: string, place: number): number {
  const cell = cellsIn(line).find(({ from, to }) => from <= place && place < to);
  return cell ? names.findIndex(({ from, to }) => from < cell.to && cell.from < to) : -1;
}
