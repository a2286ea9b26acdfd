/**
 * Earlier texts of a conversation, kept only where some policy of the plan looks back (`context: n`). A conversation
 * is an external session, else a run, within one environment or deployment.
 */
import type { Redis } from './client.js';

/** Most bytes of a conversation that are kept. */
export const CONTEXT_BYTES = 64 * 1024;
export const CONTEXT_SECONDS = 3600;

/** Bytes before the text in a member: request id, two digits of the item, a colon. */
const PREFIX = 39;

/** Member for the text of item `item`; of one request, members sort in item order. */
export function contextMember(requestId: string, item: number, text: string): string {
  return `${requestId}${String(item).padStart(2, '0')}:${text.slice(-CONTEXT_BYTES)}`;
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
