import { generatedId, itemId } from '../ids.js';

/**
 * The conversation of an event: its external session if it names one, else its run (section 6, 5). The prefix keeps a
 * run and a session with the same id apart.
 */
export function conversationOf(externalSessionId: string, runId: string): string {
  return externalSessionId !== '' ? `s:${externalSessionId}` : `r:${runId}`;
}

/** The conversation of a generated run. Validation does not know the id of that run yet. */
export const GENERATED_RUN = conversationOf('', '');

/**
 * The conversation of a session check with an external session id (4.1 of the contract, rule 4 there). A deployment and an environment may
 * have the same id. The prefix keeps the messages of one apart from the events of the other.
 */
export function sessionConversationOf(externalSessionId: string): string {
  return `c:${externalSessionId}`;
}

/**
 * The conversation of a session check without an id of the caller. Its internal id, which validation does not know yet, stands for one:
 * later checks may join it by that.
 */
export const NAMELESS_SESSION = sessionConversationOf('');

/** The conversation that begins with a request, by what stands for it in validation; undefined: it is one that others have begun. */
export function ownConversation(conversation: string, requestId: string): string | undefined {
  if (conversation === GENERATED_RUN) return conversationOf('', generatedId('run', requestId));
  return conversation === NAMELESS_SESSION ? sessionConversationOf(itemId(requestId, SESSION)) : undefined;
}

/** Conversations that begin with a request. */
export const ownConversations = (requestId: string): string[] =>
  [GENERATED_RUN, NAMELESS_SESSION].map((one) => ownConversation(one, requestId)!);

/** Item number of a session check. */
const SESSION = 1;
