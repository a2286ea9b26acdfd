/** A session as a conversation: its messages in their order, with the verdict of each. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ConversationMessage, Conversation as ConversationPage } from '../../../shared/api/history.js';
import { linkTo, type ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { itemLink, kindOf, Severity, Time, Verdict } from '../parts/words.js';

const DAY_MS = 86_400_000;
/** A session is looked for so long before and after the item that leads to it. */
const AROUND_MS = 30 * DAY_MS;

/** The place of the conversation of an item. `at`: when that arrived. */
export const conversationLink = (
  session: string,
  where: { environment_id?: string; deployment_id?: string },
  at?: string,
): string => linkTo('conversation', { session, ...where, at });

export function Conversation({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const { session = '', environment_id, deployment_id, at = '', after } = place.query;
  const middle = Number.isNaN(Date.parse(at)) ? Date.now() : Date.parse(at);
  const asked = useAsked(JSON.stringify(place.query), 0, () =>
    api.get<ConversationPage>('/api/history/conversation', {
      environment_id,
      deployment_id,
      external_session_id: session,
      from: new Date(middle - AROUND_MS).toISOString(),
      to: new Date(middle + AROUND_MS).toISOString(),
      after,
      limit: '50',
    }),
  );
  const mayRead = (api.key.scopes as string[]).includes('content');
  return (
    <>
      <h1>Conversation {session}</h1>
      {!mayRead && (
        <p>
          What was said is shown with the scope <code>content</code>.
        </p>
      )}
      <Answer of={asked}>{(page) => <Messages page={page} query={place.query} mayRead={mayRead} />}</Answer>
    </>
  );
}

interface MessagesProps {
  page: ConversationPage;
  query: ViewPlace['query'];
  mayRead: boolean;
}

function Messages({ page: { messages, next }, query, mayRead }: MessagesProps): VNode {
  return (
    <>
      {messages.length === 0 && <p>Nothing was found.</p>}
      <ol class="conversation">
        {messages.map((message) => (
          <Message
            key={message.internal_event_id ?? message.internal_session_id ?? message.internal_artifact_id}
            of={message}
            mayRead={mayRead}
          />
        ))}
      </ol>
      <p class="row">
        {query.after && <a href={linkTo('conversation', { ...query, after: '' })}>From the beginning</a>}
        {next && <a href={linkTo('conversation', { ...query, after: next })}>Later messages</a>}
      </p>
    </>
  );
}

function Message({ of: message, mayRead }: { of: ConversationMessage; mayRead: boolean }): VNode {
  const { role, flagged, not_evaluated, violations, note, created_at: at } = message;
  return (
    <li class={flagged ? `${role ?? 'step'} flagged` : (role ?? 'step')}>
      <div class="row">
        <strong>{role ?? kindOf(message)}</strong>
        <a href={itemLink(message)}>
          <Time at={at} />
        </a>
        <Verdict flagged={flagged} notEvaluated={not_evaluated} />
        {violations.map(({ policy_id, policy_name, severity }) => (
          <span key={policy_id}>
            <Severity of={severity} /> {policy_name}
          </span>
        ))}
      </div>
      {note && <small>{note}</small>}
      <Said of={message} mayRead={mayRead} />
    </li>
  );
}

/** Longer texts are shown when they are asked for. */
const LONG = 2000;

function Said({
  of: { content, internal_artifact_id: image, event_type: type },
  mayRead,
}: {
  of: ConversationMessage;
  mayRead: boolean;
}): VNode | null {
  const [whole, setWhole] = useState(false);
  if (image !== undefined || type === 'artifact') return <p class="quiet">An image. Its bytes are not stored.</p>;
  if (!mayRead) return null;
  if (content === undefined) return <p class="quiet">Nothing was said, or it is not stored.</p>;
  const text = inLines(content);
  const isCut = !whole && text.length > LONG;
  return (
    <>
      <pre>{isCut ? `${text.slice(0, LONG)}…` : text}</pre>
      {isCut && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all of it
        </button>
      )}
    </>
  );
}

/** JSON is stored without space. It is shown in lines where that leaves all of it: a name that stands twice, or a long number, would be lost. */
function inLines(content: string): string {
  if (!/^[[{]/.test(content)) return content;
  try {
    const value = JSON.parse(content) as unknown;
    return JSON.stringify(value) === content ? JSON.stringify(value, undefined, 2) : content;
  } catch {
    return content;
  }
}
