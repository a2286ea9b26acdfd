/**
 * What is asked of a model: a chat completion, a response or a completion of OpenAI, a message of Anthropic, a generation of Gemini.
 * Anything else is checked whole. What is left out here has no content: everything that is not known is read.
 */
import { eachElement, eachMember, nameOf, skipValue } from '../../../json.js';
import type { CallWriter, SentValue } from './call.js';

/** Members that name or choose something, where they are texts. */
const NAMES: ReadonlySet<string> = new Set([
  'model',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'previous_response_id',
  'conversation',
  'service_tier',
]);

/** Members with messages, oldest first. */
const MESSAGES: ReadonlySet<string> = new Set(['messages', 'contents', 'input', 'prompt']);
/** Members with what the operator tells the model. */
const SYSTEM: ReadonlySet<string> = new Set(['system', 'instructions', 'systemInstruction', 'system_instruction']);
const TOOLS: ReadonlySet<string> = new Set(['tools', 'functions']);

export const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a model is given in place of words. */
const TOKENS: ReadonlySet<string> = new Set(['prompt_token_ids', 'prompt_embeds', 'inputs_embeds']);
const NO_TOKENS = 'numbers in place of words cannot be checked; send the text';

/** Whether a value is a number, or has one in lists. */
const hasNumbers = (value: unknown): boolean =>
  typeof value === 'number' || (Array.isArray(value) && value.some(hasNumbers));

/** A setting, or nothing. */
export const hasNoText = (value: unknown): boolean =>
  value === null || typeof value === 'number' || typeof value === 'boolean';

const NONE: ReadonlySet<string> = new Set();

/** Adds what is asked. `but`: members that are no part of it. */
export function addRequest(call: CallWriter, sent: SentValue, but: ReadonlySet<string> = NONE): void {
  if (typeof sent.value === 'string') {
    call.said(sent, 'user');
    return;
  }
  if (!isMembers(sent.value) || !Object.keys(sent.value).some((name) => MESSAGES.has(name))) {
    call.beside(sent, isMembers(sent.value) ? undefined : 'body');
    return;
  }
  const members = membersOf(call.json, sent).filter(([name]) => !but.has(name));
  // Which of several the model is told depends on who reads it: none of them is only what was said before.
  if (members.filter(([name]) => MESSAGES.has(name)).length > 1) call.whole = true;
  // The operator's words come first, wherever they stand: roles depend on the order.
  for (const [name, one] of members) if (SYSTEM.has(name)) addSystem(call, one, name);
  for (const [name, one] of members) if (!SYSTEM.has(name)) addMember(call, one, name);
}

function addMember(call: CallWriter, sent: SentValue, name: string): void {
  const { value } = sent;
  if ((MESSAGES.has(name) && hasNumbers(value)) || (TOKENS.has(name) && value !== null)) {
    call.refuse(sent, NO_TOKENS);
    return;
  }
  if (name === 'metadata' || hasNoText(value) || (NAMES.has(name) && typeof value === 'string')) return;
  if (MESSAGES.has(name) && typeof value === 'string') call.said(sent, 'user');
  else if (MESSAGES.has(name) && Array.isArray(value)) {
    eachSent(call.json, sent, (one) => {
      if (isMembers(one.value)) call.message(one);
      else if (typeof one.value === 'string') call.said(one, 'user');
      else call.beside(one, name);
    });
  } else if (TOOLS.has(name) && Array.isArray(value)) eachSent(call.json, sent, (one) => call.beside(one, 'tools'));
  else call.beside(sent, name);
}

function addSystem(call: CallWriter, sent: SentValue, name: string): void {
  const { value } = sent;
  if (hasNoText(value)) return;
  if (isMembers(value)) call.message(sent, 'system');
  else if (typeof value === 'string' || Array.isArray(value)) call.said(sent, 'system');
  else call.beside(sent, name);
}

/** The members of an object, with their names. */
export function membersOf(json: string, { value, at, way }: SentValue): [name: string, sent: SentValue][] {
  const found: [string, SentValue][] = [];
  eachMember(json, at, (start, nameAt) => {
    const name = nameOf(json, nameAt);
    found.push([name, { value: (value as Record<string, unknown>)[name], at: start, way: [...way, name] }]);
    return skipValue(json, start);
  });
  return found;
}

/** Calls `visit` for each element of a list. */
export function eachSent(json: string, { value, at, way }: SentValue, visit: (sent: SentValue) => void): void {
  eachElement(json, at, (i, start) => {
    visit({ value: (value as unknown[])[i], at: start, way: [...way, i] });
    return skipValue(json, start);
  });
}
