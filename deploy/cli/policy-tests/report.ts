/** Says how cases went: a line each, and below one that failed what was expected (-) and what was found (+). */

import type { Configuration } from '../../../shared/configuration/configuration.js';
import { evidenceLine, exampleLines, policyIn } from '../evidence.js';
import type { Case } from './cases.js';
import type { CaseAnswer } from './evaluate.js';
import type { Difference } from './judge.js';

export interface CaseResult {
  of: Case;
  found: CaseAnswer;
  /** none: the case passed */
  differences: readonly Difference[];
  /** how long its evaluation took */
  ms: number;
}

export interface FileResult {
  file: string;
  results: readonly CaseResult[];
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
export function explained({ found, differences }: CaseResult, configuration: Configuration): string[] {
  const names = new Map(configuration.policies.map(({ id, name }) => [id, name]));
  const about = { configuration, nameOf: (id: string) => names.get(id) ?? id };
  return differences.flatMap((difference) => linesOfDifference(difference, found, about));
}

function linesOfDifference(
  difference: Difference,
  found: CaseAnswer,
  { configuration, nameOf }: { configuration: Configuration; nameOf(id: string): string },
): string[] {
  switch (difference.kind) {
    case 'missing': {
      const policy = difference.looked ? policyIn(configuration, difference.policy) : undefined;
      return [
        `- ${nameOf(difference.policy)}: expected, and not flagged; ${reasonOf(difference, found)}`,
        ...(policy && found.text !== undefined ? exampleLines(policy, found.text).map((line) => `    ${line}`) : []),
      ];
    }
    case 'unexpected': {
      const { severity, evidence = [] } = found.violations.get(difference.policy) ?? {};
      const where = found.shadow.policies.has(difference.policy) ? ' in the shadow' : '';
      const policy = policyIn(configuration, difference.policy);
      const shown = evidence.slice(0, MOST_EVIDENCE).map((each) => `    ${evidenceLine(each, policy, found.text)}`);
      const rest = evidence.length - shown.length;
      const more = rest > 0 ? [`    and ${rest} more`] : [];
      return [
        `+ ${nameOf(difference.policy)}: flagged${severity ? ` (${severity})` : ''}${where}, and not expected`,
        ...shown,
        ...more,
      ];
    }
    case 'clean':
      return ['- flagged: expected, and no policy is flagged'];
    case 'flagged':
      return ['+ flagged: not expected, and the team fails closed', ...noted(found)];
    case 'not_evaluated': {
      const count = difference.policies;
      const what = count === 0 ? 'the item' : `${count} ${count === 1 ? 'policy' : 'policies'}`;
      return [`! ${what} could not be evaluated`, ...noted(found)];
    }
  }
}

function reasonOf({ policy, looked, elsewhere }: Extract<Difference, { kind: 'missing' }>, found: CaseAnswer): string {
  if (looked) return 'it looked, and found nothing';
  if (!elsewhere) return 'it did not look at this item';
  const hidden = found.shadow.policies.has(policy);
  return hidden ? 'it is in the shadow, so name it in "shadow"' : 'it is live, so name it in "policies"';
}

const noted = ({ note }: CaseAnswer): string[] => (note === '' ? [] : [`    ${note}`]);

/** `3 passed, 1 failed, 42 ms`. */
export function summaryOf(files: readonly FileResult[]): string {
  const results = files.flatMap(({ results }) => results);
  const failed = results.filter(({ differences }) => differences.length > 0).length;
  const ms = results.reduce((sum, result) => sum + result.ms, 0);
  return `${results.length - failed} passed, ${failed} failed, ${Math.round(ms)} ms`;
}
