/** A caller's session as a conversation: its items in their order, with what was checked for who may see that. */
import type { Conversation, ConversationMessage } from '../../shared/api/history.js';
import { LIMITS } from '../../shared/api/limits.js';
import { charactersExceed } from '../../shared/api/validate/measure.js';
import { partsOf } from '../../shared/ids.js';
import { actorOf } from '../audit/actor.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readNumber, readQuery, timesIn } from '../http/query.js';
import { sendJson } from '../http/response.js';
import { known } from './found.js';
import { historyItem, seenBy } from './history.js';

const NAMES = ['environment_id', 'deployment_id', 'external_session_id', 'after', 'limit'] as const;

async function getConversation(edge: Edge, exchange: Exchange): Promise<void> {
  const { key, received, query } = exchange;
  const asked = readQuery(query, NAMES);
  const { environment_id: environment, deployment_id: deployment, external_session_id: session, after } = asked;
  if ((environment === '') === (deployment === ''))
    throw queryError('environment_id', 'required', 'expected exactly one of environment_id and deployment_id');
  if (session === '') throw queryError('external_session_id', 'required', 'is required as a query parameter');
  for (const name of NAMES) {
    if (charactersExceed(asked[name], LIMITS.nameCharacters))
      throw queryError(name, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  if (after !== '' && !partsOf(after)?.item)
    throw queryError('after', 'id', 'expected the id of an item, as `next` of an earlier answer has it');
  const { from, to } = timesIn(query, received);
  const { messages, next } = known(
    await edge.lookup.conversation({
      team: key.team,
      seen: seenBy(key, asked),
      from,
      to,
      session,
      ...ANY,
      after: after.toLowerCase(),
      limit: readNumber('limit', asked.limit, { most: LIMITS.conversationMessages, otherwise: 50 }),
      contents: key.scopes.has('content'),
    }),
  );
  const shown = messages.filter(({ content }) => content !== undefined);
  const actor = actorOf(exchange);
  if (shown.length > 0)
    await edge.audit.tell(
      shown.map(({ item, id, scope }) => {
        return { team: key.team, action: 'content.read', actor, scope, subject: { kind: item, id } };
      }),
    );
  const answer: Conversation = {
    messages: messages.map(({ content, ...item }): ConversationMessage => {
      return { ...historyItem(item), ...(content === undefined ? {} : { content }) };
    }),
    ...(next === undefined ? {} : { next }),
  };
  sendJson(edge, exchange, JSON.stringify(answer));
}

const ANY = { policy: '', source: '', condition: '', user: '', run: '' };

export const conversationRoutes = { getConversation } satisfies RouteHandlers;
