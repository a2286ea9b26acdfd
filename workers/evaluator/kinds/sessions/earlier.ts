/**
 * The earlier messages of a session check. They are context, which refuses nothing: a message that cannot be used is skipped, and one of
 * which only a part can be used is cut. The note says how many.
 */

import type { MessageInput } from '../../../../shared/api/types.js';
import { baseRole } from '../../../../shared/api/validate/session.js';
import { type MessageReading, readMessage } from '../../../../shared/policy/content/message.js';
import { endOf } from '../../gather/context.js';

/** A message as it is compared with others, and looked back on. */
export interface EarlierMessage {
  /** without its postfix: `assistant-2` is `assistant` (2.3) */
  role: string;
  /** `metadata.message.id`, or empty */
  id: string;
  text: string;
}

export interface EarlierMessages {
  said: EarlierMessage[];
  /** messages that could not be used */
  skipped: number;
  /** messages that could be used in part */
  cut: number;
}

/** `starts`: where each message begins in `json`. `mostBytes`: of the text of one; a longer one loses its beginning. */
export function readEarlier(
  messages: readonly unknown[],
  { json, starts, mostBytes }: { json: string; starts: readonly number[]; mostBytes: number },
): EarlierMessages {
  const earlier: EarlierMessages = { said: [], skipped: 0, cut: 0 };
  for (const [i, message] of messages.entries()) {
    const reading = isUsable(message) ? readMessage(message, json.slice(starts[i]!, starts[i + 1])) : undefined;
    if (!reading || saysNothing(message as MessageInput, reading)) {
      earlier.skipped++;
      continue;
    }
    const said = saidOf(message as MessageInput, reading);
    const text = endOf(said.text, mostBytes);
    if (reading.unknown > 0 || text.length < said.text.length) earlier.cut++;
    earlier.said.push({ ...said, text });
  }
  return earlier;
}

const isUsable = (message: unknown): message is MessageInput => {
  if (typeof message !== 'object' || message === null) return false;
  const { role } = message as { role?: unknown };
  return typeof role === 'string' && baseRole(role) !== '';
};

/** It is no text, and has no images that an earlier check may have looked at. */
function saysNothing({ content }: MessageInput, { reading, unknown }: MessageReading): boolean {
  if (reading?.text) return false;
  if (typeof content === 'string') return false;
  return !Array.isArray(content) || unknown === content.length;
}

export function saidOf(message: MessageInput, { reading }: MessageReading): EarlierMessage {
  const about = (message.metadata as { message?: { id?: unknown } | null } | null | undefined)?.message;
  const id = typeof about?.id === 'string' || typeof about?.id === 'number' ? String(about.id) : '';
  return { role: baseRole(message.role), id, text: reading?.text ?? '' };
}

/** The note about messages that were not used as they are; '' if there are none. */
export function earlierNote({ skipped, cut }: EarlierMessages): string {
  const counted = [skipped > 0 ? `${skipped} skipped` : '', cut > 0 ? `${cut} cut` : ''].filter((each) => each !== '');
  return counted.length === 0 ? '' : `earlier messages that could not be used as context: ${counted.join(', ')}`;
}
