/** The metadata of a session check, and the user that it names. */
import { LIMITS } from '../../../../shared/api/limits.js';
import type { SessionRequest } from '../../../../shared/api/types.js';
import { charactersExceed } from '../../../../shared/api/validate/measure.js';
import { memberAt, sourceAt, valueStart } from '../../../../shared/json.js';

export interface User {
  id: string;
  email: string;
}

type Identity = { id?: unknown; email?: unknown } | null | undefined;

/** The user of a check (4.1.6): the last message's, else the session's, else the newest earlier message that has one. */
export function userOf(request: SessionRequest, json: string, starts: readonly number[]): User {
  const last = request.messages.length - 1;
  // Earlier messages may be of any shape.
  const holders: readonly ({ metadata?: unknown } | null | undefined)[] = [
    request.messages[last],
    request,
    ...request.messages.slice(0, -1).reverse(),
  ];
  for (const [i, one] of holders.entries()) {
    const user = (one?.metadata as Record<string, unknown> | undefined | null)?.user as typeof one & Identity;
    if (typeof user !== 'object' || user === null) continue;
    const holder = (): number => (i === 0 ? starts[last]! : i === 1 ? valueStart(json) : starts[last + 1 - i]!);
    const id = typeof user.id === 'number' ? numberAt(json, holder()) : typeof user.id === 'string' ? user.id : '';
    const email = typeof user.email === 'string' ? user.email.trim().toLowerCase() : '';
    if (id !== '' || email !== '') return { id: identifier(id), email: identifier(email) };
  }
  return { id: '', email: '' };
}

/** `metadata.user.id` of the object at `at`, as it was written: a large number would lose digits and be the id of another user. */
function numberAt(json: string, at: number): string {
  for (const name of ['metadata', 'user', 'id']) at = memberAt(json, at, name);
  return sourceAt(json, at);
}

/** The metadata of the session and of its last message, as they were sent; '' where there is none. */
export function keptMetadata(request: SessionRequest, json: string, lastAt: number): string {
  const members: string[] = [];
  const keep = (name: string, holder: { metadata?: unknown }, at: number): void => {
    if (holder.metadata != null) members.push(`"${name}":${sourceAt(json, memberAt(json, at, 'metadata'))}`);
  };
  keep('session', request, valueStart(json));
  keep('message', request.messages.at(-1)!, lastAt);
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}

/** Drops an identifier that is longer than a look-up can ask for: it would make keys of any size. The metadata still has it. */
function identifier(text: string): string {
  return charactersExceed(text, LIMITS.nameCharacters) ? '' : text;
}
