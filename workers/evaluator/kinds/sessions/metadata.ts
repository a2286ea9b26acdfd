/** The metadata of a session check, and the user that it names. */
import type { SessionRequest } from '../../../../shared/api/types.js';
import { memberAt, sourceAt, valueStart } from '../../../../shared/json.js';
import { NOBODY, type User, userIn } from '../user.js';

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
    const holder = (): number => (i === 0 ? starts[last]! : i === 1 ? valueStart(json) : starts[last + 1 - i]!);
    const user = userIn(one?.metadata, json, () => memberAt(json, holder(), 'metadata'));
    if (user !== NOBODY) return user;
  }
  return NOBODY;
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
