/** Whether a body has the shape of its type. */
import type { IValidation } from 'typia';
import { LIMITS } from '../limits.js';
import { addTypia, type Issues } from './issues.js';
import { deeperThan } from './measure.js';

/** The two ways in which typia looks at a type: fast, and with what is wrong. */
export interface ShapeCheck<T> {
  is(value: unknown): value is T;
  explain(value: unknown): IValidation<T>;
  /** a path as it is told, without names that callers chose; absent: there are none */
  told?(path: string): string;
}

/** Adds issues where it has not: it is too deep, or of other types. */
export function hasShape<T>(issues: Issues, body: unknown, { is, explain, told }: ShapeCheck<T>): body is T {
  if (deeperThan(body, LIMITS.jsonDepth)) {
    issues.add('', 'too_deep', `expected at most ${LIMITS.jsonDepth} levels of nesting`);
    return false;
  }
  if (is(body)) return true;
  addTypia(issues, '', explain(body), told);
  if (issues.list.length === 0) issues.add('', 'type', 'does not have the expected shape');
  return false;
}
