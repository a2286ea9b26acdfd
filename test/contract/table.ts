/**
 * The contract, statement by statement: every sentence, bullet and row of the interface, and what the decisions that
 * complete it promise. An id is the section (or the topic) and a short name that does not change.
 */
import type { Row, Table } from './coverage.ts';
import { DECISIONS } from './table/decisions.ts';
import { INTERFACE } from './table/interface.ts';
import { INTERFACE_OPERATIONS } from './table/operations.ts';
import type { Part } from './table/pending.ts';

/** One table of several parts. Throws where two rows have one id. */
export function tableOf(parts: readonly Part[]): Table {
  const table = new Map<string, Row>();
  for (const [id, row] of parts.flatMap((part) => Object.entries(part))) {
    if (table.has(id)) throw new Error(`The contract has two rows with the id ${id}: give one of them another name.`);
    table.set(id, typeof row === 'string' ? { says: row } : row);
  }
  return table;
}

export const TABLE: Table = tableOf([...INTERFACE, ...INTERFACE_OPERATIONS, ...DECISIONS]);
