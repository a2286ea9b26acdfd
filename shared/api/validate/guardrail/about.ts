/** What a gateway says of a call: whose it is, and which conversation it belongs to. */
import { LIMITS } from '../../limits.js';
import type { GuardrailRequest } from '../../types.js';
import { charactersExceed } from '../measure.js';
import type { Message } from './roles.js';

export interface About {
  /** the caller's id of the conversation; '' if there is none */
  session: string;
  metadata: Record<string, unknown>;
}

/** What `request_data` says of the key of a call that is kept in the metadata of its check. */
const OF_KEY = [
  'user_api_key_alias',
  'user_api_key_hash',
  'user_api_key_user_id',
  'user_api_key_end_user_id',
  'user_api_key_team_id',
  'user_api_key_team_alias',
  'user_api_key_org_id',
] as const;

/** An id; '' for what is none, or is too long to be looked up. */
export const named = (value: unknown): string =>
  typeof value === 'string' && !charactersExceed(value, LIMITS.nameCharacters) ? value : '';

const told = (of: Message, name: string): string => named(of[name]);

const membersOf = (value: unknown): Message => (typeof value === 'object' && value !== null ? (value as Message) : {});

export function aboutCall(body: GuardrailRequest): About {
  const call = body as Message;
  const data = membersOf(body.request_data);
  const metadata: Record<string, unknown> = {};
  const keep = (of: Message, name: string): void => {
    const value = told(of, name);
    if (value !== '') metadata[name] = value;
  };
  for (const name of ['litellm_call_id', 'litellm_trace_id', 'model']) keep(call, name);
  for (const name of OF_KEY) keep(data, name);
  const id = told(data, 'user_api_key_end_user_id') || told(data, 'user_api_key_user_id');
  const email = told(data, 'user_api_key_user_email');
  if (id !== '' || email !== '') {
    metadata.user = { ...(id === '' ? {} : { id }), ...(email === '' ? {} : { email }) };
  }
  return { session: sessionOf(call, data), metadata };
}

/**
 * The id that the caller of the gateway gave the conversation, where the gateway hands it on; else its own, which may be of this call
 * alone.
 */
function sessionOf(call: Message, data: Message): string {
  const named = [data, membersOf(data.metadata), membersOf(data.litellm_metadata)];
  for (const holder of [...named, call]) {
    const id = told(holder, 'litellm_session_id') || told(holder, 'session_id');
    if (id !== '') return id;
  }
  return (
    told(membersOf(call.request_headers), 'x-litellm-session-id') ||
    told(call, 'litellm_trace_id') ||
    told(data, 'litellm_trace_id')
  );
}
