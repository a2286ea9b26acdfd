/** The metadata of a session check, and the user that it names. */
import type { SessionRequest } from '../../../../shared/api/types.js';
import { memberAt, sourceAt, valueStart } from '../../../../shared/json.js';
import type { TagPath } from '../../../../shared/policy/plan.js';
import type { Tag } from '../../../rows/row-types.js';
import { tagsIn } from '../tags.js';
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

/** The tags of a check: of the last message's metadata, else of the session's. `at`: where that message stands in `json`. */
export const tagsOf = (
  paths: readonly TagPath[],
  request: SessionRequest,
  { json, at }: { json: string; at: number },
): readonly Tag[] =>
  tagsIn(paths, [
    { value: request.messages.at(-1)!.metadata, json, at: () => memberAt(json, at, 'metadata') },
    { value: request.metadata, json, at: () => memberAt(json, valueStart(json), 'metadata') },
  ]);

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
