/** Tables by UTF-16 unit. One pass of a pattern over all units takes a tenth of what it takes to ask it of each. */

const UNIT_COUNT = 0x10000;

const PIECE = 4096;

/** All units in order. Those of surrogates stand so that one pair is a character, which is of private use. */
function allUnits(): string {
  const pieces: string[] = [];
  for (let from = 0; from < UNIT_COUNT; from += PIECE) {
    pieces.push(String.fromCharCode(...Array.from({ length: PIECE }, (_, i) => from + i)));
  }
  return pieces.join('');
}

/** A table with `rest`, and at each unit of a run that a pattern finds its value; where several do, that of the last. Patterns are global. */
export function unitTable(rest: number, values: readonly (readonly [runs: RegExp, value: number])[]): Uint8Array {
  const table = new Uint8Array(UNIT_COUNT).fill(rest);
  const units = allUnits();
  for (const [runs, value] of values) {
    for (const { 0: run, index } of units.matchAll(runs)) table.fill(value, index, index + run.length);
  }
  return table;
}
