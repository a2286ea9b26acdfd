/** Files of terms: one on a line, `#` begins a comment, a severity may stand behind a tab. */
import { SEVERITIES, type Severity } from '../../../api/types.js';

export const MAX_TERMS = 100_000;

/** Whether a text can be a term. */
export type ReadTerm = (term: string) => boolean;

export interface FileTerm {
  term: string;
  /** high, where the line has none */
  severity: Severity;
}

/** Throws an error that names the first line that is wrong. */
export function readTermFile(text: string, isTerm: ReadTerm): FileTerm[] {
  const terms: FileTerm[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const [n, line] of lines.entries()) {
    const [term = '', severity = 'high', ...rest] = line.split('\t').map((part) => part.trim());
    if (term === '' || term.startsWith('#')) continue;
    if (!isTerm(term)) throw new Error(`line ${n + 1}: expected a word or phrase of 1 to 256 characters`);
    const known = SEVERITIES.find((each) => each === severity);
    if (!known || rest.length > 0) {
      throw new Error(`line ${n + 1}: expected nothing behind the term, or a tab and one of ${SEVERITIES.join(', ')}`);
    }
    if (terms.length === MAX_TERMS) throw new Error(`line ${n + 1}: expected at most ${MAX_TERMS} terms`);
    terms.push({ term, severity: known });
  }
  if (terms.length === 0) throw new Error('expected a file of at least one term');
  return terms;
}
