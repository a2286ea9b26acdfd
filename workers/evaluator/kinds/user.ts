/** The user that metadata name (`metadata.user.id`, `metadata.user.email`). */
import { LIMITS } from '../../../shared/api/limits.js';
import { charactersExceed } from '../../../shared/api/validate/measure.js';
import { memberAt, sourceAt } from '../../../shared/json.js';

/** Absent identifiers are ''. */
export interface User {
  id: string;
  email: string;
}

export const NOBODY: User = Object.freeze({ id: '', email: '' });

type Named = { user?: { id?: unknown; email?: unknown } | null } | null | undefined;

/** `metadata` may be of any shape. `at`: where they stand in `json`. */
export function userIn(metadata: unknown, json: string, at: () => number): User {
  const user = (metadata as Named)?.user;
  if (typeof user !== 'object' || user === null) return NOBODY;
  const id = typeof user.id === 'number' ? numberAt(json, at()) : typeof user.id === 'string' ? user.id : '';
  const email = typeof user.email === 'string' ? user.email.trim().toLowerCase() : '';
  return id === '' && email === '' ? NOBODY : { id: identifier(id), email: identifier(email) };
}

/** `user.id` of the object at `at`, as it was written: a large number would lose digits and be the id of another user. */
const numberAt = (json: string, at: number): string => sourceAt(json, memberAt(json, memberAt(json, at, 'user'), 'id'));

/** Drops an identifier that is longer than a look-up can ask for: it would make keys of any size. The metadata still has it. */
const identifier = (text: string): string => (charactersExceed(text, LIMITS.nameCharacters) ? '' : text);
