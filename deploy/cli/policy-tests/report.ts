/** Says how cases went: a line each, and below one that failed what was expected (-) and what was found (+). */

import type { Configuration } from '../../../shared/configuration/configuration.js';
import type { Case } from '../../../workers/evaluator/cases/cases.js';
import { explained, type JudgedCase } from '../../../workers/evaluator/cases/explain.js';

export interface CaseResult extends JudgedCase {
  of: Case;
  /** how long its evaluation took */
  ms: number;
}

export interface FileResult {
  file: string;
  results: readonly CaseResult[];
}

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

/** `3 passed, 1 failed, 42 ms`. */
export function summaryOf(files: readonly FileResult[]): string {
  const results = files.flatMap(({ results }) => results);
  const failed = results.filter(({ differences }) => differences.length > 0).length;
  const ms = results.reduce((sum, result) => sum + result.ms, 0);
  return `${results.length - failed} passed, ${failed} failed, ${Math.round(ms)} ms`;
}
