/** Whose each message of a gateway's call is, and which of them are its newest turn (decisions, Adapters). */
import { baseRole } from '../session.js';

export type Message = Record<string, unknown>;
export type GuardrailRole = 'system' | 'user' | 'assistant' | 'tool' | 'developer';
export type GuardrailInputType = 'request' | 'response';

/** The messages of a call, and which of them are checked. */
export interface GuardrailConversation {
  input: GuardrailInputType;
  messages: readonly Message[];
  roles: readonly GuardrailRole[];
  checked: readonly boolean[];
}

/** Names that libraries have for roles of ours. */
const SYNONYMS: ReadonlyMap<string, GuardrailRole> = new Map([
  ['function', 'tool'],
  ['model', 'assistant'],
  ['ai', 'assistant'],
  ['human', 'user'],
]);

/** The role of a message or of an item of the Responses API, which may have none. Whoever is unknown is taken for a user. */
export function roleOf({ role, type }: Message): GuardrailRole {
  if (typeof role === 'string' && role !== '') {
    const named = role.toLowerCase();
    return SYNONYMS.get(named) ?? ((baseRole(named) || 'user') as GuardrailRole);
  }
  if (typeof type !== 'string') return 'user';
  if (type === 'reasoning' || type.endsWith('_call')) return 'assistant';
  return type.endsWith('_output') ? 'tool' : 'user';
}

/**
 * Which messages are checked: of a request those behind the last assistant message, and where none follows, the last one; of a response
 * those of the assistant at the end. `system` and `developer` are the operator's before the first `user` message.
 */
export function newestTurn(roles: readonly GuardrailRole[], input: GuardrailInputType): boolean[] {
  const last = roles.length - 1;
  const answered = roles.lastIndexOf('assistant');
  if (input === 'response') {
    const asked = roles.findLastIndex((role) => role !== 'assistant');
    return roles.map((_, i) => i > asked);
  }
  if (answered === last) return roles.map((_, i) => i === last);
  const user = roles.indexOf('user');
  const isOperators = (role: GuardrailRole, i: number): boolean =>
    i < user && (role === 'system' || role === 'developer');
  return roles.map((role, i) => i > answered && !isOperators(role, i));
}

/** The newest turn of a request, and the answer to it that stands at the end. */
export function answeredTurn(roles: readonly GuardrailRole[]): boolean[] {
  const asked = roles.findLastIndex((role) => role !== 'assistant') + 1;
  return [...newestTurn(roles.slice(0, asked), 'request'), ...roles.slice(asked).map(() => true)];
}
