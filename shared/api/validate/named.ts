/** What names a user, a run, an environment or a deployment. Look-ups, erasures and the command line have the same rules. */
import { LIMITS } from '../limits.js';
import { charactersExceed, isId } from './measure.js';

/** What is wrong with a value: the code of an issue, and what was expected. */
export interface NameProblem {
  code: 'too_long' | 'id';
  message: string;
}

/** E-mail addresses are stored, and so compared, without surrounding space and in lower case. */
export const emailOf = (text: string): string => text.trim().toLowerCase();

/** Of a value that is there: names, ids of users, e-mail addresses as {@link emailOf} makes them. */
export function lengthProblem(value: string): NameProblem | undefined {
  if (!charactersExceed(value, LIMITS.nameCharacters)) return undefined;
  return { code: 'too_long', message: `expected at most ${LIMITS.nameCharacters} characters` };
}

/** Of a run or event id (2.7) that is there. */
export function idProblem(value: string): NameProblem | undefined {
  if (isId(value)) return undefined;
  const message = `expected 1 to ${LIMITS.idCharacters} characters out of letters, digits, ".", "_", ":" and "-"`;
  return { code: 'id', message };
}
