/** What a CEL expression over metadata and event gives: a number, or a string as label. */
import { parseValue } from '../../../shared/policy/conditions.js';
import type { Compute } from './kind.js';

/** Characters of a label. A longer string is cut: labels are to be grouped by. */
const MOST_LABEL = 256;

/** Throws where `source` is no expression; a configuration that was checked has none such. */
export function expression(source: string): Compute {
  const parsed = parseValue(source);
  if (!parsed.ok) throw new Error(`the expression of a metric cannot be used: ${parsed.message}`);
  return ({ metadata, type, role, name }) => {
    const outcome = parsed.expression.evaluate(metadata, { type, role, name });
    if (!outcome.ok) return { note: outcome.reason };
    if (typeof outcome.value === 'number') return { value: outcome.value };
    return {
      value: 1,
      label: Array.from(outcome.value.slice(0, 2 * MOST_LABEL))
        .slice(0, MOST_LABEL)
        .join(''),
    };
  };
}
