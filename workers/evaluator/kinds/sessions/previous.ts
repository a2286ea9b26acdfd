/**
 * Previous messages of a session (4.1 of the contract, rule 4 there). Messages of earlier checks of the same external session are put before those of the
 * request, so a caller may send only new messages, or all of them again.
 *
 * A kept message is its text, NUL, role, NUL, message id. A long one loses its beginning.
 */
import { CONTEXT_BYTES, endOf } from '../../gather/context.js';
import type { EarlierMessage } from './earlier.js';

const NUL = '\u0000';
const LONGEST_ID = 256;
/** Bytes of a text that are kept and compared. They leave space for role and id. */
const LONGEST_TEXT = CONTEXT_BYTES.session - 4 * LONGEST_ID;

export interface MergedMessages {
  /** texts of earlier checks that the request does not repeat, oldest first */
  before: string[];
  /** messages of the request that are new to the session, as they are kept */
  added: string[];
}

/**
 * Merges `kept`, oldest first, with the messages of a request. Where the end of what is kept comes again in the
 * request, the longest such overlap counts once.
 */
export function mergePrevious(kept: readonly string[], messages: readonly EarlierMessage[]): MergedMessages {
  const previous = kept.map(parse);
  const sent = messages.map(keptOf);
  const repeated = overlap(previous, sent);
  return {
    before: previous.slice(0, previous.length - Math.min(repeated, previous.length)).map(({ text }) => text),
    added: sent.slice(repeated).map(written),
  };
}

/** A message as it is kept. */
export const keptMessage = (message: EarlierMessage): string => written(keptOf(message));

const written = ({ role, id, text }: EarlierMessage): string => `${text}${NUL}${role}${NUL}${id}`;

/** How many messages at the start of `sent` are known already: the longest start of `sent` that `previous` ends with. */
function overlap(previous: readonly EarlierMessage[], sent: readonly EarlierMessage[]): number {
  if (previous.length === 0) return 0;
  for (let length = sent.length; length > 0; length--) {
    const compared = Math.min(length, previous.length);
    let same = 0;
    while (same < compared && isSame(previous[previous.length - 1 - same]!, sent[length - 1 - same]!)) same++;
    if (same === compared) return length;
  }
  return 0;
}

function isSame(one: EarlierMessage, other: EarlierMessage): boolean {
  if (one.id !== '' && other.id !== '') return one.id === other.id;
  return one.role === other.role && one.text === other.text;
}

const keptOf = ({ role, id, text }: EarlierMessage): EarlierMessage => ({
  role,
  id: id.replaceAll(NUL, '').slice(0, LONGEST_ID),
  text: endOf(text, LONGEST_TEXT),
});

function parse(kept: string): EarlierMessage {
  const end = kept.lastIndexOf(NUL);
  const start = kept.lastIndexOf(NUL, end - 1);
  return { text: kept.slice(0, start), role: kept.slice(start + 1, end), id: kept.slice(end + 1) };
}
