/** What types alone do not say about a session check (2.3 and the decisions on sessions). */
import { sessionConversationOf } from '../conversation.js';
import { LIMITS } from '../limits.js';
import type { ContentPart, MessageInput, SessionRequest } from '../types.js';
import { checkArtifactContent } from './image.js';
import type { CheckInput, Issues } from './issues.js';
import { charactersExceed, valueExceeds } from './measure.js';
import { isImagePart } from './media-within.js';
import {
  BESIDE_MESSAGES,
  checkMisplaced,
  IN_ARTIFACT_PART,
  IN_CONTENT,
  IN_MESSAGE,
  IN_TEXT_PART,
} from './misplaced.js';
import { memberSource, type Sources, sourcesOf } from './sources.js';

export const ROLES = ['system', 'user', 'assistant', 'tool', 'developer'];

/** The base role of `role` (`assistant-2` → `assistant`), or '' if there is no such role. */
export function baseRole(role: string): string {
  const dash = role.indexOf('-');
  const base = dash < 0 ? role : role.slice(0, dash);
  return ROLES.includes(base) ? base : '';
}

/** Checks a body with valid types, and returns what dispatch needs. */
export function checkSession(body: SessionRequest, sent: Sent, issues: Issues): CheckInput {
  const input: CheckInput = {
    scope: body.deployment_id ?? '',
    affinity: '',
    conversations: [],
    references: [],
    referred: [],
    eventIds: [''],
    images: countImages(issues, body.messages),
    policies: body.policies ?? body.policy_ids ?? [],
    policiesField: body.policies ? 'policies' : 'policy_ids',
  };
  if (body.deployment_id === '') issues.add('deployment_id', 'too_short', 'expected at least 1 character');
  const session = body.external_session_id ?? '';
  if (charactersExceed(session, LIMITS.nameCharacters)) {
    issues.add('external_session_id', 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  if (session !== '') {
    input.affinity = session;
    // Also without `include_context`: later checks of the session may read this one as context.
    input.conversations.push(sessionConversationOf(session));
  }
  checkMetadata(issues, body.metadata, 'metadata', topSource(sent));
  checkPolicies(issues, body);
  checkMisplaced(issues, body, '', BESIDE_MESSAGES);
  const { messages } = body;
  const { bodyBytes, json } = sent;
  const sources = isLong(sent) && json !== undefined ? sourcesOf(json, 'messages', () => true) : [];
  for (let i = 0; i < messages.length && !issues.full(); i++) {
    const last = i === messages.length - 1;
    checkMessage({ issues, bodyBytes, path: `messages[${i}]`, last, source: sources[i] }, messages[i]!);
  }
  return input;
}

/** Checks the list of policies that limits a session or an artifact. */
export function checkPolicies(issues: Issues, body: Pick<SessionRequest, 'policies' | 'policy_ids'>): void {
  const { policies, policy_ids: alias } = body;
  if (policies && alias) {
    issues.add('policy_ids', 'conflict', 'is another name of policies, expected only one of them');
  }
  const field = policies ? 'policies' : 'policy_ids';
  const list = policies ?? alias;
  if (!list) return;
  if (list.length === 0)
    issues.add(field, 'too_few', 'expected at least 1 policy id; leave the field out for all policies');
  else if (list.length > LIMITS.policyIds)
    issues.add(field, 'too_many', `expected at most ${LIMITS.policyIds} policy ids`);
}

/** A body as sent: its length, and its JSON to measure values in. */
export interface Sent {
  bodyBytes: number;
  json: string | undefined;
}

/** Whether the body is long enough to have a value over its limit. */
const isLong = ({ bodyBytes }: Sent): boolean => bodyBytes > LIMITS.metadataBytes;

/** How to measure the metadata beside the messages or the image. */
export function topSource(sent: Sent): Measured {
  return {
    isLong: isLong(sent),
    of: () => (sent.json === undefined ? undefined : memberSource(sent.json, 'metadata')),
  };
}

interface Measured {
  isLong: boolean;
  /** its JSON, if known */
  of(): string | undefined;
}

export function checkMetadata(
  issues: Issues,
  metadata: Record<string, unknown> | null | undefined,
  path: string,
  source: Measured,
): void {
  if (metadata && source.isLong && valueExceeds(metadata, LIMITS.metadataBytes, source.of())) {
    issues.add(path, 'too_large', `expected at most ${LIMITS.metadataBytes} bytes of compact JSON`);
  }
}

/** State of the check of one message. */
interface MessagePass {
  issues: Issues;
  bodyBytes: number;
  path: string;
  /** the message to check; the others are context */
  last: boolean;
  source: Sources | undefined;
}

function checkMessage(pass: MessagePass, message: MessageInput): void {
  const { issues, bodyBytes, path } = pass;
  if (baseRole(message.role) === '') {
    const expected = `expected one of: ${ROLES.join(', ')}, if need be with a postfix after a hyphen`;
    issues.add(`${path}.role`, 'role', expected);
  }
  checkMisplaced(issues, message, path, IN_MESSAGE);
  if (message.metadata) {
    const measured = { isLong: bodyBytes > LIMITS.metadataBytes, of: () => pass.source?.get('metadata') };
    checkMetadata(issues, message.metadata, `${path}.metadata`, measured);
  }
  if (message.content == null) checkNoContent(pass, message);
  for (let i = 0; Array.isArray(message.content) && i < message.content.length && !issues.full(); i++) {
    checkPart(pass, message.content[i]!, `${path}.content[${i}]`);
  }
  if (bodyBytes > LIMITS.messageTextBytes && textBytes(message, pass.source) > LIMITS.messageTextBytes) {
    const expected = `expected at most ${LIMITS.messageTextBytes} bytes of text in a message`;
    issues.add(`${path}.content`, 'content_too_large', expected);
  }
}

/** An assistant that calls a tool may send no content. Any other message without content is a mistake. */
function checkNoContent({ issues, path, last }: MessagePass, message: MessageInput): void {
  // Audio without a transcript may be context, but cannot be checked.
  const speaks = SPOKEN.some((name) => !isNothing(last ? saidAs(message, name) : message[name]));
  if (speaks && baseRole(message.role) === 'assistant') return;
  const expected = 'expected string or array; only an assistant may leave it out, beside tool_calls';
  if (message.content === null) issues.add(`${path}.content`, 'type', expected);
  else issues.add(`${path}.content`, 'required', `is required, ${expected}`);
}

const isNothing = (value: unknown): boolean => value == null || (Array.isArray(value) && value.length === 0);

/** Fields of a message that are text, or hold text, beside its content. */
export const SPOKEN = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
  'refusal',
  'audio',
  'tool_calls',
  'function_call',
  'parts',
] as const;

/** The value of one of these fields. The text of `audio` is its transcript. */
export const saidAs = (message: MessageInput, name: (typeof SPOKEN)[number]): unknown =>
  name === 'audio' ? (message.audio as { transcript?: unknown } | null | undefined)?.transcript : message[name];

/** UTF-8 bytes of all text in a message. */
function textBytes(message: MessageInput, source: Sources | undefined): number {
  const { content } = message;
  let bytes = 0;
  if (typeof content === 'string') bytes += Buffer.byteLength(content);
  for (const part of Array.isArray(content) ? content : []) {
    if (TEXT_PARTS.has(part.type)) bytes += Buffer.byteLength(textOfPart(part) ?? '');
    else if (CALL_PARTS.has(part.type)) bytes += Buffer.byteLength(JSON.stringify(part));
  }
  for (const name of SPOKEN) {
    const said = saidAs(message, name);
    if (typeof said === 'string') bytes += Buffer.byteLength(said);
    else if (said != null) bytes += Buffer.byteLength((name !== 'audio' && source?.get(name)) || JSON.stringify(said));
  }
  return bytes;
}

/** Counts the images of the last message. Only these are checked; images of earlier messages are context. */
function countImages(issues: Issues, messages: readonly MessageInput[]): number {
  const last = messages.length - 1;
  const { content } = messages[last]!;
  if (!Array.isArray(content)) return 0;
  let images = 0;
  for (const part of content) if (part.type === 'artifact') images++;
  if (images > LIMITS.artifactParts) {
    const message = `expected at most ${LIMITS.artifactParts} artifact parts in the last message`;
    issues.add(`messages[${last}].content`, 'too_many', message);
  }
  return images;
}

function checkArtifactId(issues: Issues, id: string, path: string): void {
  if (charactersExceed(id, LIMITS.nameCharacters)) {
    issues.add(path, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
}

/** Types of parts that are text. */
export const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text', 'refusal']);
/** Types of parts that hold a tool call, the result of one, or reasoning. */
export const CALL_PARTS: ReadonlySet<string> = new Set([
  'tool_use',
  'tool_result',
  'tool_call',
  'function_call',
  'function_call_output',
  'tool-call',
  'tool-result',
  'server_tool_use',
  'web_search_tool_result',
  'code_execution_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'thinking',
  'redacted_thinking',
  'reasoning',
]);

/** Text of a text part. A refusal part has it in `refusal`. */
export function textOfPart(part: ContentPart): string | undefined {
  return part[textMember(part)] ?? undefined;
}

/** The member of a part that has its text. */
export function textMember({ type, refusal }: ContentPart): 'text' | 'refusal' {
  return type === 'refusal' && refusal != null ? 'refusal' : 'text';
}

function checkPart({ issues, last }: MessagePass, part: ContentPart, path: string): void {
  const { type } = part;
  if (TEXT_PARTS.has(type)) {
    if (textOfPart(part) === undefined) {
      issues.add(`${path}.text`, 'required', 'is required on a text part, expected string');
    }
    checkMisplaced(issues, part, path, IN_TEXT_PART);
  } else if (type === 'artifact') {
    checkArtifactContent(issues, part.content, `${path}.content`, 'elsewhere');
    checkMisplaced(issues, part.content, `${path}.content`, IN_CONTENT);
    checkMisplaced(issues, part, path, IN_ARTIFACT_PART);
    if (typeof part.external_artifact_id === 'string') {
      checkArtifactId(issues, part.external_artifact_id, `${path}.external_artifact_id`);
    }
  } else if (last && isImagePart(part)) {
    // 2.3: images come in artifact parts only.
    const message = `parts of type image_url and input_image are not supported; an image goes in a part of type artifact`;
    issues.add(path, 'unsupported_content_part', message);
  } else if (last && !CALL_PARTS.has(type)) {
    // A part that cannot be checked must not pass as clean.
    const known = `expected one of: ${[...TEXT_PARTS].join(', ')}, artifact (an image)`;
    issues.add(`${path}.type`, 'unsupported_content_part', known);
  }
}
