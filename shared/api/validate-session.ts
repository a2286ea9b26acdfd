/** What types alone do not say of a session check (2.3 and the decisions on sessions). */

import { sessionConversationOf } from './conversation.js';
import type { CheckInput, Issues } from './issues.js';
import { LIMITS } from './limits.js';
import { charactersExceed, textExceeds, valueExceeds } from './measure.js';
import type { ContentPart, MessageInput, SessionRequest } from './types.js';
import { checkArtifactContent } from './validate-image.js';

export const ROLES = ['system', 'user', 'assistant', 'tool', 'developer'];

/** The base role of `role` (`assistant-2` → `assistant`), or '' when there is no such role. */
export function baseRole(role: string): string {
  const dash = role.indexOf('-');
  const base = dash < 0 ? role : role.slice(0, dash);
  return ROLES.includes(base) ? base : '';
}

/** Checks a body whose types are right, and returns what dispatch needs of it. */
export function checkSession(body: SessionRequest, bodyBytes: number, issues: Issues): CheckInput {
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
    // Without `include_context` nothing is merged in, but later checks of the session may look back on this one.
    input.conversations.push(sessionConversationOf(session));
  }
  checkMetadata(issues, body.metadata, 'metadata', bodyBytes);
  checkPolicies(issues, body);
  for (let i = 0; i < body.messages.length && !issues.full(); i++)
    checkMessage(issues, body.messages[i]!, i, bodyBytes);
  return input;
}

/** Checks the policies that a session or an artifact is restricted to. */
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

export function checkMetadata(
  issues: Issues,
  metadata: Record<string, unknown> | null | undefined,
  path: string,
  bodyBytes: number,
): void {
  if (metadata && valueExceeds(metadata, LIMITS.metadataBytes, bodyBytes)) {
    issues.add(path, 'too_large', `expected at most ${LIMITS.metadataBytes} bytes of compact JSON`);
  }
}

function checkMessage(issues: Issues, message: MessageInput, index: number, bodyBytes: number): void {
  if (baseRole(message.role) === '') {
    const message = `expected one of: ${ROLES.join(', ')}, if need be with a postfix after a hyphen`;
    issues.add(`messages[${index}].role`, 'role', message);
  }
  if (message.metadata) checkMetadata(issues, message.metadata, `messages[${index}].metadata`, bodyBytes);
  if (typeof message.content === 'string') {
    if (textExceeds(message.content, LIMITS.messageTextBytes)) addTooLarge(issues, index);
    return;
  }
  let bytes = 0;
  for (let i = 0; i < message.content.length && !issues.full(); i++) {
    const part = message.content[i]!;
    checkPart(issues, part, `messages[${index}].content[${i}]`);
    if (typeof part.text === 'string') bytes += Buffer.byteLength(part.text);
  }
  if (bytes > LIMITS.messageTextBytes) addTooLarge(issues, index);
}

function addTooLarge(issues: Issues, index: number): void {
  const message = `expected at most ${LIMITS.messageTextBytes} bytes of text in a message`;
  issues.add(`messages[${index}].content`, 'content_too_large', message);
}

/** Images of the last message, which are checked; those of earlier ones are context. */
function countImages(issues: Issues, messages: readonly MessageInput[]): number {
  const last = messages.length - 1;
  const { content } = messages[last]!;
  if (typeof content === 'string') return 0;
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

function checkPart(issues: Issues, part: ContentPart, path: string): void {
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      if (typeof part.text !== 'string') {
        issues.add(`${path}.text`, 'required', 'is required on a text part, expected string');
      }
      return;
    case 'artifact':
      checkArtifactContent(issues, part.content, `${path}.content`, 'elsewhere');
      if (typeof part.external_artifact_id === 'string') {
        checkArtifactId(issues, part.external_artifact_id, `${path}.external_artifact_id`);
      }
      return;
    case 'image_url':
    case 'input_image':
      // 2.3: images come in artifact parts only.
      issues.add(
        path,
        'unsupported_content_part',
        'parts of type image_url and input_image are not supported; an image goes in a part of type artifact',
      );
      return;
    default:
      issues.add(
        `${path}.type`,
        'unsupported_content_part',
        'expected one of: text, input_text, output_text, artifact',
      );
  }
}
