/** The figures of a plan for people: what was planned beside what was measured. */
import { table, whole } from '../report/table.js';
import { type FigureCheck, MOST_MISSED, missed } from './session.js';

export function renderChecks(checks: readonly FigureCheck[]): string {
  const rows = checks.map((check) => [
    check.load,
    check.quantity,
    whole(check.planned),
    whole(check.measured),
    `${(check.planned / check.measured).toFixed(2)}${missed(check) ? ' (missed)' : ''}`,
  ]);
  const count = checks.filter(missed).length;
  const sum =
    count === 0
      ? `All within ${MOST_MISSED * 100} %.`
      : `${count} of ${checks.length} are more than ${MOST_MISSED * 100} % away.`;
  return `${table(['Load', 'A second', 'Planned', 'Measured', 'Ratio'], rows)}\n${sum}\n`;
}
