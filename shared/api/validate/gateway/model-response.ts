/** What a model has answered, in the interfaces of `model-request.ts`. All of it is of the assistant. Anything else is checked whole. */
import type { CallWriter, SentValue } from './call.js';
import { eachSent, hasNoText, isMembers, membersOf } from './model-request.js';

/** Members that name, count or say when. */
const NO_CONTENT: ReadonlySet<string> = new Set([
  'id',
  'object',
  'type',
  'role',
  'model',
  'modelVersion',
  'responseId',
  'system_fingerprint',
  'service_tier',
  'status',
  'stop_reason',
  'usage',
  'usageMetadata',
]);
/** What a response of OpenAI repeats of its request. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  'instructions',
  'metadata',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'text',
  'tool_choice',
  'tools',
  'truncation',
  'user',
]);
const OF_CHOICE: ReadonlySet<string> = new Set(['index', 'finish_reason', 'finishReason', 'logprobs', 'token_ids']);

/** Adds what is answered. */
export function addResponse(call: CallWriter, sent: SentValue): void {
  const { value } = sent;
  if (typeof value === 'string') {
    call.said(sent, 'assistant');
    return;
  }
  const isKnown = isMembers(value) && LISTS.some((name) => Array.isArray(value[name]));
  if (!isKnown) {
    call.beside(sent, isMembers(value) ? undefined : 'body');
    return;
  }
  const repeats = value.object === 'response';
  for (const [name, one] of membersOf(call.json, sent)) {
    const { value: member } = one;
    if (NO_CONTENT.has(name) || (repeats && OF_REQUEST.has(name)) || hasNoText(member)) continue;
    if (!(LISTS as readonly string[]).includes(name) || !Array.isArray(member)) call.beside(one, name);
    else if (name === 'content') call.said(one, 'assistant');
    else eachSent(call.json, one, (element) => (name === 'output' ? addItem : addChoice)(call, element, name));
  }
}

/** Members with what the model says: of a chat completion, a response, a message, a generation. */
const LISTS = ['choices', 'output', 'content', 'candidates'] as const;

function addItem(call: CallWriter, sent: SentValue, name: string): void {
  if (isMembers(sent.value)) call.message(sent, 'assistant');
  else call.beside(sent, name);
}

function addChoice(call: CallWriter, sent: SentValue, name: string): void {
  if (!isMembers(sent.value)) {
    call.beside(sent, name);
    return;
  }
  for (const [member, one] of membersOf(call.json, sent)) {
    const { value } = one;
    if (OF_CHOICE.has(member) || hasNoText(value)) continue;
    if ((member === 'message' || member === 'content') && isMembers(value)) call.message(one, 'assistant');
    else if (member === 'text' && typeof value === 'string') call.said(one, 'assistant');
    else call.beside(one, member);
  }
}
