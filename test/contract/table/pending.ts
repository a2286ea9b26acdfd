import type { Row } from '../coverage.ts';

/** Rows of one part of the contract, by id. */
export type Part = Readonly<Record<string, string | Row>>;
