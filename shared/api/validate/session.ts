/**
 * What types alone do not say about a session check (2.3 and the decisions on sessions). Only the last message can be refused: the
 * others are context, and what cannot be used of them is left out when they are read.
 */

import { isUuid } from '../../ids.js';
import { eachElement, memberAt, skipValue, sourceAt, valueStart } from '../../json.js';
import type { ContentPath, ContentReader } from '../../policy/content/content.js';
import { readMessage } from '../../policy/content/message.js';
import { CALL_PARTS, imageMember, imageOfPart, TEXT_PARTS, textOfPart } from '../../policy/content/parts.js';
import { NAMELESS_SESSION, sessionConversationOf } from '../conversation.js';
import { LIMITS } from '../limits.js';
import type { ContentPart, MessageInput, SessionRequest } from '../types.js';
import { checkArtifactContent } from './image.js';
import type { CheckInput, Issues } from './issues.js';
import { charactersExceed, valueExceeds } from './measure.js';
import { isImagePart, isMedia } from './media-within.js';
import {
  BESIDE_MESSAGES,
  checkMisplaced,
  IN_ARTIFACT_PART,
  IN_CONTENT,
  IN_MESSAGE,
  IN_TEXT_PART,
} from './misplaced.js';
import { memberSource } from './sources.js';

export const ROLES: readonly string[] = ['system', 'user', 'assistant', 'tool', 'developer'];

/** The base role of `role` (`assistant-2` → `assistant`), or '' if there is no such role. */
export function baseRole(role: string): string {
  const dash = role.indexOf('-');
  const base = dash < 0 ? role : role.slice(0, dash);
  return ROLES.includes(base) ? base : '';
}

/** Checks a body with valid types, and returns what dispatch needs. */
export function checkSession(body: SessionRequest, sent: SentSession, issues: Issues): CheckInput {
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
  if (sent.messageBytes !== LIMITS.messageTextBytes) input.messageBytes = sent.messageBytes;
  if (body.deployment_id === '') issues.add('deployment_id', 'too_short', 'expected at least 1 character');
  const session = body.external_session_id ?? '';
  if (charactersExceed(session, LIMITS.nameCharacters)) {
    issues.add('external_session_id', 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  const joined = body.internal_session_id ?? '';
  if (joined !== '') {
    if (isUuid(joined)) {
      input.joins = { internal: joined.toLowerCase(), external: session, field: 'external_session_id' };
    } else issues.add('internal_session_id', 'uuid', 'expected a UUID');
  }
  input.affinity = session;
  // Also without `include_context`: later checks of the session may read this one as context.
  input.conversations.push(session === '' ? NAMELESS_SESSION : sessionConversationOf(session));
  checkMetadata(issues, body.metadata, 'metadata', topSource(sent));
  checkPolicies(issues, body);
  checkMisplaced(issues, body, '', BESIDE_MESSAGES);
  const last = body.messages.length - 1;
  checkMessage({ issues, sent, path: `messages[${last}]` }, body.messages[last]!);
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

/** A body as sent: its length, its JSON to measure values in, and how much text a message of it may have. */
export interface SentSession {
  bodyBytes: number;
  json: string | undefined;
  messageBytes: number;
}

/** Whether the body is long enough to have a value over its limit. */
const isLong = ({ bodyBytes }: Pick<SentSession, 'bodyBytes'>): boolean => bodyBytes > LIMITS.metadataBytes;

/** How to measure the metadata beside the messages or the image. */
export function topSource(sent: Pick<SentSession, 'bodyBytes' | 'json'>): MeasuredJson {
  return {
    isLong: isLong(sent),
    of: () => (sent.json === undefined ? undefined : memberSource(sent.json, 'metadata')),
  };
}

interface MeasuredJson {
  isLong: boolean;
  /** its JSON, if known */
  of(): string | undefined;
}

export function checkMetadata(
  issues: Issues,
  metadata: Record<string, unknown> | null | undefined,
  path: string,
  source: MeasuredJson,
): void {
  if (metadata && source.isLong && valueExceeds(metadata, LIMITS.metadataBytes, source.of())) {
    issues.add(path, 'too_large', `expected at most ${LIMITS.metadataBytes} bytes of compact JSON`);
  }
}

/** State of the check of the last message. */
interface MessagePass {
  issues: Issues;
  sent: SentSession;
  path: string;
}

function checkMessage(pass: MessagePass, message: MessageInput): void {
  const { issues, sent, path } = pass;
  if (baseRole(message.role) === '') {
    const expected = `expected one of: ${ROLES.join(', ')}, if need be with a postfix after a hyphen`;
    issues.add(`${path}.role`, 'role', expected);
  }
  checkMisplaced(issues, message, path, IN_MESSAGE);
  if (message.metadata) {
    const of = (): string | undefined => sent.json && memberOf(lastMessage(sent.json), 'metadata');
    checkMetadata(issues, message.metadata, `${path}.metadata`, { isLong: isLong(sent), of });
  }
  if (message.content == null) checkNoContent(pass, message);
  for (let i = 0; Array.isArray(message.content) && i < message.content.length && !issues.full(); i++) {
    checkPart(pass, message.content[i]!, `${path}.content[${i}]`);
  }
  if (issues.list.length === 0 && sent.bodyBytes > sent.messageBytes && textBytes(sent, message) > sent.messageBytes) {
    const expected = `expected at most ${sent.messageBytes} bytes of text in a message`;
    issues.add(`${path}.content`, 'content_too_large', expected);
  }
}

/** An assistant that calls a tool may send no content. Any other message without content is a mistake. */
function checkNoContent({ issues, sent, path }: MessagePass, message: MessageInput): void {
  if (baseRole(message.role) === 'assistant' && (calls(message) || says(sent, message))) return;
  const expected = 'expected string or array; only an assistant may leave it out, beside tool_calls';
  if (message.content === null) issues.add(`${path}.content`, 'type', expected);
  else issues.add(`${path}.content`, 'required', `is required, ${expected}`);
}

/** A call may have no name and no arguments, as one that is being written has. */
const calls = ({ tool_calls, function_call }: MessageInput): boolean =>
  (Array.isArray(tool_calls) && tool_calls.length > 0) || (typeof function_call === 'object' && function_call !== null);

/** Whether a message has text beside its content: more than a name. A recording without a transcript cannot be checked. */
function says(sent: SentSession, message: MessageInput): boolean {
  let said = false;
  eachText(sent, message, (_, path) => {
    said ||= path !== '/name';
  });
  return said;
}

/** UTF-8 bytes of all text in a message. */
function textBytes(sent: SentSession, message: MessageInput): number {
  let bytes = 0;
  eachText(sent, message, (text) => {
    bytes += Buffer.byteLength(text);
  });
  return bytes;
}

function eachText(
  { json }: SentSession,
  message: MessageInput,
  visit: (text: string, path: ContentPath) => void,
): void {
  const { content } = message;
  const reader: ContentReader = { placing: true, string: visit, json: visit, done: () => ({ text: '' }) };
  const { reading } = readMessage(message, json === undefined ? JSON.stringify(message) : lastMessage(json), reader);
  if (typeof content === 'string' && reading?.text) visit(reading.text, '/content');
}

const memberOf = (json: string, name: string): string | undefined => {
  const at = memberAt(json, 0, name);
  return at < 0 ? undefined : sourceAt(json, at);
};

/** JSON of the last message of a body. */
function lastMessage(json: string): string {
  let at = -1;
  eachElement(json, memberAt(json, valueStart(json), 'messages'), (_, start) => {
    at = start;
    return skipValue(json, start);
  });
  return json.slice(at, skipValue(json, at));
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

function checkPart({ issues }: MessagePass, part: ContentPart, path: string): void {
  const { type } = part;
  if (TEXT_PARTS.has(type)) {
    if (textOfPart(part) === undefined) {
      issues.add(`${path}.text`, 'required', 'is required on a text part, expected string');
    }
    checkMisplaced(issues, part, path, IN_TEXT_PART);
  } else if (type === 'artifact') checkArtifactPart(issues, part, path);
  else if (isImagePart(part)) {
    // 2.3: images come in artifact parts only.
    const message = `parts of type image_url and input_image are not supported; an image goes in a part of type artifact`;
    issues.add(path, 'unsupported_content_part', message);
  } else if (!CALL_PARTS.has(type) || (type === 'document' && isMedia(part))) {
    // A part that cannot be checked must not pass as clean.
    const known = `expected one of: ${[...TEXT_PARTS].join(', ')}, artifact (an image)`;
    issues.add(`${path}.type`, 'unsupported_content_part', known);
  }
}

/** The image is in `content` or in `artifact`, or its fields are those of the part. */
function checkArtifactPart(issues: Issues, part: ContentPart, path: string): void {
  const member = imageMember(part);
  const inPart = member === undefined && part.kind != null;
  const at = inPart ? path : `${path}.${member ?? 'content'}`;
  if (part.content != null && part.artifact != null) {
    issues.add(`${path}.artifact`, 'conflict', 'is another name of content, expected only one of them');
  }
  const image = inPart ? imageOfPart(part) : member && part[member];
  checkArtifactContent(issues, image, at, 'elsewhere');
  if (!inPart) {
    checkMisplaced(issues, image, at, IN_CONTENT);
    checkMisplaced(issues, part, path, IN_ARTIFACT_PART);
  } else if (part.text != null) issues.add(`${path}.text`, 'misplaced', IN_ARTIFACT_PART.get('text')!.hint);
  if (typeof part.external_artifact_id === 'string') {
    checkArtifactId(issues, part.external_artifact_id, `${path}.external_artifact_id`);
  }
}
