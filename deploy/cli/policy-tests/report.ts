/** Says how cases went: a line each, and below one that failed what was expected (-) and what was found (+). */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import type { Case } from './cases.js';
import type { Found } from './evaluate.js';
import type { Difference } from './judge.js';

export interface Result {
  of: Case;
  found: Found;
  /** none: the case passed */
  differences: readonly Difference[];
  /** how long its evaluation took */
  ms: number;
}

export interface FileResult {
  file: string;
  results: readonly Result[];
}

/** Evidence of a policy that is shown. */
const MOST_EVIDENCE = 3;

/** The lines for a file. */
export function linesOf({ file, results }: FileResult, configuration: Configuration): string[] {
  const lines = [file];
  for (const result of results) {
    const { of, differences } = result;
    if (differences.length === 0) {
      lines.push(`  ok      ${of.name}`);
      continue;
    }
    lines.push(`  failed  ${of.name}  (${placeOf(file, of)})`);
    lines.push(...explained(result, configuration).map((line) => `            ${line}`));
  }
  return lines;
}

/** `FILE:LINE:COLUMN` of a case. */
export const placeOf = (file: string, { position }: Case): string => `${file}:${position.line}:${position.column}`;

/** What differs, in lines. */
export function explained({ found, differences }: Result, configuration: Configuration): string[] {
  const names = new Map(configuration.policies.map(({ id, name }) => [id, name]));
  return differences.flatMap((difference) => linesOfDifference(difference, found, (id) => names.get(id) ?? id));
}

function linesOfDifference(difference: Difference, found: Found, nameOf: (id: string) => string): string[] {
  switch (difference.kind) {
    case 'missing': {
      const why = difference.looked ? 'it looked, and found nothing' : 'it did not look at this item';
      return [`- ${nameOf(difference.policy)}: expected, and not flagged; ${why}`];
    }
    case 'unexpected': {
      const { severity, evidence = [] } = found.violations.get(difference.policy) ?? {};
      const shown = evidence.slice(0, MOST_EVIDENCE).map(({ detector, view, source, start, end }) => {
        const where = source === 'image' ? 'image' : `view ${view}  offsets ${start} to ${end}`;
        return `    ${detector}  ${where}`;
      });
      const rest = evidence.length - shown.length;
      const more = rest > 0 ? [`    and ${rest} more`] : [];
      return [
        `+ ${nameOf(difference.policy)}: flagged${severity ? ` (${severity})` : ''}, and not expected`,
        ...shown,
        ...more,
      ];
    }
    case 'clean':
      return ['- flagged: expected, and no policy is flagged'];
    case 'flagged':
      return ['+ flagged: not expected, and the team fails closed', ...noted(found)];
    case 'not_evaluated': {
      const count = found.notEvaluated;
      const what = count === 0 ? 'the item' : `${count} ${count === 1 ? 'policy' : 'policies'}`;
      return [`! ${what} could not be evaluated`, ...noted(found)];
    }
  }
}

const noted = ({ note }: Found): string[] => (note === '' ? [] : [`    ${note}`]);

/** `3 passed, 1 failed, 42 ms`. */
export function summaryOf(files: readonly FileResult[]): string {
  const results = files.flatMap(({ results }) => results);
  const failed = results.filter(({ differences }) => differences.length > 0).length;
  const ms = results.reduce((sum, result) => sum + result.ms, 0);
  return `${results.length - failed} passed, ${failed} failed, ${Math.round(ms)} ms`;
}
