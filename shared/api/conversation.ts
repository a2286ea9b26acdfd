/**
 * Which conversation an event or a session belongs to: its external session when it names one, else its run
 * (section 6, 5). The prefix keeps a run and a session of the same name apart.
 */
export function conversationOf(externalSessionId: string, runId: string): string {
  return externalSessionId !== '' ? `s:${externalSessionId}` : `r:${runId}`;
}

/** Stands for the conversation of the run that is generated for a request, whose id is not known while it is validated. */
export const GENERATED_RUN = conversationOf('', '');

/**
 * The conversation of a session check with an external session id (4.1, rule 4). A deployment and an environment may
 * have the same id: the prefix keeps the messages of the one apart from the events of the other.
 */
export function sessionConversationOf(externalSessionId: string): string {
  return `c:${externalSessionId}`;
}
