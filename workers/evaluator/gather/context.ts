/**
 * Earlier texts of a conversation. They are kept only if a policy uses earlier texts (`context: n`). A conversation is
 * an external session, else a run, within one environment or deployment.
 */
import type { CheckKind } from '../../../shared/api/types.js';
import type { Redis } from '../../../shared/streams/client.js';
import { sendTogether } from '../../../shared/streams/send.js';

/** Most bytes that are kept of a conversation. */
export const CONTEXT_BYTES: Readonly<Record<CheckKind, number>> = {
  events: 64 * 1024,
  event: 64 * 1024,
  session: 256 * 1024,
  // An image by itself is not part of a conversation.
  artifact: 0,
};
export const CONTEXT_SECONDS = 3600;
/** How long the texts of a session check without an id of the caller are kept for checks that join it. */
export const NAMELESS_SECONDS = 600;

/** Bytes before the text in a member: request id, two digits of the item, colon. */
const PREFIX = 39;

/** Member for the text of an item, or for its end when it is too long. Members of one request sort by item. */
export function contextMember(kind: CheckKind, requestId: string, item: number, text: string): string {
  return `${requestId}${String(item).padStart(2, '0')}:${endOf(text, CONTEXT_BYTES[kind] - PREFIX)}`;
}

/** The longest end of `text` that fits into `bytes` bytes of UTF-8, in whole characters. */
export function endOf(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  // A UTF-16 unit is at least one byte long, so earlier units cannot be part of it and are not encoded.
  const encoded = Buffer.from(text.slice(-bytes));
  let start = Math.max(0, encoded.length - bytes);
  while (start < encoded.length && (encoded[start]! & 0xc0) === 0x80) start++;
  return encoded.toString('utf8', start);
}

/** The wanted texts of a conversation: the last `depth` with a sequence below `before`. */
export interface WantedContext {
  key: string;
  before: number;
  depth: number;
}

/** The texts of each conversation, oldest first, in the order of `wanted`. One round trip. */
export async function readContext(redis: Redis, wanted: readonly WantedContext[]): Promise<string[][]> {
  const answers = await sendTogether(
    redis,
    wanted.map(({ key, before, depth }) => ['ZREVRANGEBYSCORE', key, `(${before}`, '-inf', 'LIMIT', 0, depth]),
  );
  return answers.map((members) => {
    if (members instanceof Error) throw members;
    return (members as Buffer[]).map((member) => member.toString().slice(PREFIX)).reverse();
  });
}
