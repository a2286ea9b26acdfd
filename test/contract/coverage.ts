/**
 * Which statements of the contract the tests hold. A test names the rows of the table that it proves in brackets, such
 * as `is answered flat [2.4.flagged] [4.1.body]`; a row is covered once such a test has passed.
 */

export interface Row {
  /** what the contract demands, in our own words */
  says: string;
  /** why nothing can prove it yet */
  pending?: string;
}

export type Table = ReadonlyMap<string, Row>;

export interface TestOutcome {
  name: string;
  passed: boolean;
}

export interface Coverage {
  /** rows that are not pending */
  due: number;
  covered: number;
  /** number of rows that wait, by what they wait for */
  pending: ReadonlyMap<string, number>;
  /** sentences; empty when the contract is held */
  problems: readonly string[];
}

const TAG = /\[([a-z0-9]+(?:\.[a-z0-9_-]+)+)\]/g;

/** Ids of the rows that a test with this name says it proves. */
export function tagsOf(name: string): string[] {
  return [...name.matchAll(TAG)].map((match) => match[1]!);
}

/** Compares a table with the tests of a whole run. */
export function judge(table: Table, tests: Iterable<TestOutcome>): Coverage {
  const proven = new Set<string>();
  const problems = new Set<string>();
  for (const { name, passed } of tests) {
    for (const id of tagsOf(name)) {
      const row = table.get(id);
      if (row === undefined) problems.add(`[${id}] is no row of the table, in the test "${name}"`);
      else if (row.pending !== undefined) problems.add(`[${id}] waits for ${row.pending}, but is proven by "${name}"`);
      else if (passed) proven.add(id);
    }
  }
  const pending = new Map<string, number>();
  for (const [id, row] of table) {
    if (row.pending !== undefined) pending.set(row.pending, (pending.get(row.pending) ?? 0) + 1);
    else if (!proven.has(id)) problems.add(`[${id}] no test that names it has passed: ${row.says}`);
  }
  const due = [...table.values()].filter((row) => row.pending === undefined).length;
  return { due, covered: proven.size, pending, problems: [...problems] };
}

/** One line that sums it up. */
export function summaryOf({ due, covered, pending }: Coverage): string {
  const waiting = [...pending].map(([reason, rows]) => `${reason} ${rows}`).join(', ');
  const rest = [...pending.values()].reduce((sum, rows) => sum + rows, 0);
  return `contract: ${covered} of ${due} covered, ${rest} pending${waiting === '' ? '' : ` (${waiting})`}`;
}
