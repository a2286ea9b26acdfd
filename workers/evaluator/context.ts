/**
 * Earlier texts of a conversation, kept only where some policy of the plan looks back (`context: n`). A conversation
 * is an external session, else a run, within one environment or deployment.
 */
import type { CheckKind } from '../../shared/api/types.js';
import type { Redis } from '../../shared/streams/client.js';

/** Most bytes of a conversation that are kept: of events, and of messages of a session (decisions, Session check). */
export const CONTEXT_BYTES: Readonly<Record<CheckKind, number>> = {
  events: 64 * 1024,
  event: 64 * 1024,
  session: 256 * 1024,
  // An image alone is no text of any conversation.
  artifact: 0,
};
export const CONTEXT_SECONDS = 3600;

/** Bytes before the text in a member: request id, two digits of the item, a colon. */
const PREFIX = 39;

/** Member for the text of item `item`, or its end where it is too long; of one request, members sort in item order. */
export function contextMember(kind: CheckKind, requestId: string, item: number, text: string): string {
  return `${requestId}${String(item).padStart(2, '0')}:${endOf(text, CONTEXT_BYTES[kind] - PREFIX)}`;
}

/** The end of `text`, of at most `bytes` bytes in UTF-8; whole characters. */
export function endOf(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  // No character is shorter than a byte, so what stands before that many of them is not even encoded.
  const encoded = Buffer.from(text.slice(-bytes));
  let start = Math.max(0, encoded.length - bytes);
  while (start < encoded.length && (encoded[start]! & 0xc0) === 0x80) start++;
  return encoded.toString('utf8', start);
}

/** Which texts of a conversation are wanted: the last `depth` with a sequence below `before`. */
export interface Wanted {
  key: string;
  before: number;
  depth: number;
}

/** The texts of each conversation, oldest first, in the order of `wanted`, in one round trip. */
export async function readContext(redis: Redis, wanted: readonly Wanted[]): Promise<string[][]> {
  const pipeline = redis.pipeline();
  for (const { key, before, depth } of wanted) {
    pipeline.zrevrangebyscore(key, `(${before}`, '-inf', 'LIMIT', 0, depth);
  }
  const replies = (await pipeline.exec()) ?? [];
  return wanted.map((_, i) => {
    const [error, members] = replies[i]!;
    if (error) throw error;
    return (members as string[]).map((member) => member.slice(PREFIX)).reverse();
  });
}
