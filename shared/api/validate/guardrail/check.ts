/**
 * Makes a session check of a gateway's call, of which several messages may be checked (`checked-messages.ts`). They are written in this order: what is
 * context, what is checked of the conversation, and a message with all that is checked beside it.
 */
import { eachElement, memberAt, skipValue, sourceAt, valueStart } from '../../../json.js';
import { addToRuns, CONVERSATION, type MessageRun } from '../../checked-messages.js';
import { sessionConversationOf } from '../../conversation.js';
import { LIMITS } from '../../limits.js';
import type { ArtifactContent, GuardrailRequest } from '../../types.js';
import { bareInput, type CheckInput, type Issues } from '../issues.js';
import { type About, aboutCall } from './about.js';
import { checkedImages } from './images.js';
import { madeMessage } from './messages.js';
import { filesIn } from './parts.js';
import {
  answeredTurn,
  type GuardrailConversation,
  type GuardrailInputType,
  type GuardrailRole,
  type Message,
  newestTurn,
  roleOf,
} from './roles.js';
import { callKey, callsIn, type MessageTextPlace, type Standing, standingIn } from './standing.js';

const TEXTS = 'texts';

/** What is made of the messages: a check of the newest turn, with its context where that is used, or of all of them. */
export type Checks = 'newest' | 'newest-in-context' | 'all';

/** A validated call. */
export interface GuardrailCall {
  body: GuardrailRequest;
  /** as it was sent */
  json: string;
  checks: Checks;
  /** an answer at the end is checked with the turn that it answers */
  turns?: boolean;
  /** absent: the body says it */
  about?: About;
  issues: Issues;
  /** most bytes that are checked */
  messageBytes: number;
}

export function checkOf(call: GuardrailCall): CheckInput {
  const conversation = conversationIn(call);
  const { list, all } = checkedImages(call.body.images ?? [], conversation, call.issues);
  const making = begin(call, conversation);
  if (call.checks === 'newest-in-context') {
    addMessages(making, false);
    addParts(making);
  }
  const from = making.messages.length;
  addMessages(making, true);
  addBeside(
    making,
    list.map(({ content }) => content),
  );
  limit(making);
  const { session, metadata } = call.about ?? aboutCall(call.body);
  const named = session === '' ? '' : `"external_session_id":${JSON.stringify(session)},`;
  const { messages, runs, places } = making;
  return {
    ...bareInput(),
    affinity: session,
    conversations: session === '' ? [] : [sessionConversationOf(session)],
    eventIds: messages.length > from ? [''] : [],
    images: list.length,
    ...(call.messageBytes === LIMITS.messageTextBytes ? {} : { messageBytes: call.messageBytes }),
    session: `{${named}"messages":[${messages.join(',')}],"metadata":${JSON.stringify(metadata)}}`,
    ...(session === '' && conversation.messages.length === 0 ? {} : { checked: { from, runs } }),
    listed: {
      ...(call.checks === 'newest' ? {} : { texts: places }),
      images: list.map(({ place }) => place),
      allImages: all,
    },
  };
}

/** Whether a message may hold texts that the gateway asks about: those of a response stand in no message before it. */
const isAsked = ({ input, checked }: GuardrailConversation, message: number): boolean =>
  input === 'request' || checked[message]!;

function conversationIn({ body, checks, turns = false, issues }: GuardrailCall): GuardrailConversation {
  const input: GuardrailInputType = body.input_type === 'response' ? 'response' : 'request';
  const messages = (body.structured_messages ?? []) as Message[];
  const roles = messages.map(roleOf);
  const checked =
    checks === 'all'
      ? roles.map(() => true)
      : turns && input === 'request'
        ? answeredTurn(roles)
        : newestTurn(roles, input);
  for (const [i, message] of messages.entries()) {
    if (!checked[i]) continue;
    // `NONE` would say that they were looked at.
    for (const way of filesIn(message)) {
      issues.add(
        `${CONVERSATION}[${i}]${way}`,
        'unsupported_content_part',
        'a recording or a document cannot be checked',
      );
    }
  }
  return { input, messages, roles, checked };
}

/** A check that is being made. */
interface Making {
  call: GuardrailCall;
  conversation: GuardrailConversation;
  /** by number of the text: where it stands in the conversation */
  standing: readonly (Standing | undefined)[];
  /** JSON of the messages of the check */
  messages: string[];
  runs: MessageRun[];
  /** by number of a message of the conversation: where it is in the check */
  at: Map<number, MessageTextPlace>;
  /** by number of the text: where it is in the check */
  places: MessageTextPlace[];
  /** of what is checked */
  bytes: number;
}

function begin(call: GuardrailCall, conversation: GuardrailConversation): Making {
  const texts = call.body.texts ?? [];
  const standing = standingIn(texts, conversation.messages, (i) => isAsked(conversation, i));
  return { call, conversation, standing, messages: [], runs: [], at: new Map(), places: [], bytes: 0 };
}

/** Adds a message that was made of an element of the call. Returns its number. */
function add(
  { messages, runs }: Making,
  message: string,
  [name, index]: readonly [name: string, index: number],
): number {
  addToRuns(runs, name, index);
  return messages.push(message) - 1;
}

/** Adds the messages of the conversation that are checked, or the others. */
function addMessages(making: Making, checked: boolean): void {
  const { call, conversation } = making;
  eachOf(call.json, CONVERSATION, conversation.messages, (i, at) => {
    const message = conversation.messages[i]!;
    if (conversation.checked[i] !== checked) return;
    const made = madeMessage(call.json, at, { message, role: conversation.roles[i]! });
    const { content } = message;
    if (checked) making.bytes += Buffer.byteLength(typeof content === 'string' ? content : made.json);
    making.at.set(i, { message: add(making, made.json, [CONVERSATION, i]), path: made.path });
  });
  for (const [i, stands] of making.standing.entries()) {
    const of = stands?.whole ? making.at.get(stands.message) : undefined;
    if (of) making.places[i] = { message: of.message, path: [...of.path, ...stands!.path] };
  }
}

/** Adds the texts that are a part of a string which is not checked: they are redacted by themselves. */
function addParts(making: Making): void {
  const { call, conversation, standing, places } = making;
  for (const [i, text] of (call.body.texts ?? []).entries()) {
    if (places[i] || !isContext(making, i)) continue;
    const message = `{"role":"${conversation.roles[standing[i]!.message]!}","content":${JSON.stringify(text)}}`;
    places[i] = { message: add(making, message, [TEXTS, i]), path: ['content'] };
  }
}

/** Whether a text stands in a message that is not checked. */
const isContext = ({ conversation, standing }: Making, text: number): boolean =>
  standing[text] !== undefined && !conversation.checked[standing[text].message];

/** Adds a message with what is checked beside the others: images, texts, tools, and calls of tools. */
function addBeside(making: Making, images: readonly ArtifactContent[]): void {
  const { call, conversation, standing, places, messages } = making;
  const parts: object[] = images.map((content) => ({ type: 'artifact', content }));
  let beside = 0;
  for (const [i, text] of (call.body.texts ?? []).entries()) {
    if (places[i] || isContext(making, i)) continue;
    // What stands in a message that is checked was counted there.
    if (!standing[i]) {
      making.bytes += Buffer.byteLength(text);
      beside++;
    }
    places[i] = { message: messages.length, path: ['content', parts.length, 'text'] };
    parts.push({ type: 'text', text });
  }
  if (beside > LIMITS.guardrailTexts) {
    call.issues.add(TEXTS, 'too_many', `expected at most ${LIMITS.guardrailTexts} texts that stand in no message`);
  }
  const known = new Set(
    conversation.messages.flatMap((message, i) => (isAsked(conversation, i) ? callsIn(message) : [])),
  );
  const calls: string[] = [];
  const addCalls = (field: 'tools' | 'tool_calls', isKnown: (call: unknown) => boolean): void => {
    const list = call.body[field] ?? [];
    eachOf(call.json, field, list, (i, at) => {
      if (!isKnown(list[i])) calls.push(sourceAt(call.json, at));
    });
  };
  addCalls('tools', () => false);
  addCalls('tool_calls', (one) => known.has(callKey(one)));
  if (parts.length + calls.length === 0) return;
  const called = calls.length === 0 ? '' : `,"tool_calls":[${calls.join(',')}]`;
  making.bytes += Buffer.byteLength(called);
  const role: GuardrailRole = conversation.input === 'response' ? 'assistant' : 'user';
  add(making, `{"role":"${role}","content":${JSON.stringify(parts)}${called}}`, ['', 0]);
}

/** Adds an issue where more is checked than may be. */
function limit({ call, conversation, bytes }: Making): void {
  if (bytes <= call.messageBytes) return;
  const expected = `expected at most ${call.messageBytes} bytes of what is checked: texts, tools and tool calls in all`;
  call.issues.add(conversation.messages.length > 0 ? CONVERSATION : TEXTS, 'content_too_large', expected);
}

/** Calls `visit` for each element of a list of the call, with where it begins in the call's JSON. */
function eachOf(
  json: string,
  field: string,
  list: readonly unknown[],
  visit: (index: number, at: number) => void,
): void {
  if (list.length === 0) return;
  eachElement(json, memberAt(json, valueStart(json), field), (i, at) => {
    visit(i, at);
    return skipValue(json, at);
  });
}
