/** Writes the messages of a session check (2.3) from those of a gateway's call. */
import { eachElement, eachMember, isNamed, memberAt, skipValue } from '../../../json.js';
import { hasNoContent } from '../../../policy/content/no-content.js';
import { partAsRead } from './read-parts.js';
import type { GuardrailRole, Message } from './roles.js';

/** A message of a check. */
export interface CheckMessage {
  json: string;
  /** the way from it to the message of the gateway, which may be a part of it */
  path: readonly (string | number)[];
}

/**
 * The message at `at` of `json`, as it was sent but for three things. Its role is one of ours. Its parts are written as a session reads
 * them; images are left out, since they are checked as artifacts. It has no metadata: whoever calls the gateway could name another user
 * there.
 */
export function madeMessage(
  json: string,
  at: number,
  { message, role }: { message: Message; role: GuardrailRole },
): CheckMessage {
  if (isItem(message)) {
    const item = json.slice(at, skipValue(json, at));
    return { json: `{"role":"${role}","content":"","tool_calls":[${item}]}`, path: ['tool_calls', 0] };
  }
  let members = '';
  const { content } = message;
  const contentAt = content == null || typeof content === 'string' ? -1 : memberAt(json, at, 'content');
  eachMember(json, at, (start, name) => {
    const end = skipValue(json, start);
    if (LEFT_OUT.some((one) => isNamed(json, name, one))) {
      // Whoever is unknown is taken for a user; what it is called may be said to the model.
      if (isNamed(json, name, 'role') && !hasNoContent('role', json, start)) members += `,"":${json.slice(start, end)}`;
      return end;
    }
    if (content == null && isNamed(json, name, 'content')) return end;
    const value = start === contentAt ? partsAsRead(content, json, start) : json.slice(start, end);
    members += `,${json.slice(name, start)}${value}`;
    return end;
  });
  // Only an assistant may have no content.
  if (content == null) members += ',"content":""';
  return { json: `{"role":"${role}"${members}}`, path: [] };
}

const LEFT_OUT = ['role', 'metadata'];

/** An item of the Responses API that is no message, such as the output of a function. */
const isItem = ({ role, type, content }: Message): boolean =>
  typeof role !== 'string' && typeof type === 'string' && content == null;

/** The parts of a content; each keeps its number. */
function partsAsRead(content: unknown, json: string, at: number): string {
  if (!Array.isArray(content)) return `[${partAsRead(content, json, at) ?? json.slice(at, skipValue(json, at))}]`;
  const parts: string[] = [];
  eachElement(json, at, (i, start) => {
    const end = skipValue(json, start);
    parts.push(partAsRead(content[i], json, start) ?? json.slice(start, end));
    return end;
  });
  return `[${parts.join(',')}]`;
}
