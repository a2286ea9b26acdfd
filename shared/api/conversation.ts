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
