/** Validates a call of the Perspective API (decisions, Adapters) and has a session check made of it. */
import { createIs, createValidate } from 'typia';
import { sessionConversationOf } from '../../conversation.js';
import type { PerspectiveRequest } from '../../dialects/perspective.js';
import { LIMITS } from '../../limits.js';
import { bareInput, type CheckInput, createIssues, type Issues, type Validation } from '../issues.js';
import { charactersExceed, textExceeds } from '../measure.js';
import { hasShape } from '../shape.js';
import { DEFAULT_LIMITS, type TextLimits } from '../validate.js';

const PERSPECTIVE = { is: createIs<PerspectiveRequest>(), explain: createValidate<PerspectiveRequest>() };

/** How an attribute is asked for. */
interface AttributeOptions {
  scoreType?: string | null;
  /** a lower score is left out of the answer */
  scoreThreshold?: number | null;
}
const isOptions = createIs<AttributeOptions | null>();

/** Where an attribute stands. What is no name of one is not told again. */
export const attributePath = (name: string): string =>
  /^[A-Z0-9_]{1,64}$/.test(name) ? `requestedAttributes.${name}` : 'requestedAttributes';

/** Validates the body of `POST /v1alpha1/comments:analyze`. Which attributes there are depends on the deployment. */
export function validatePerspective(
  body: unknown,
  _bytes?: number,
  _json?: string,
  { messageBytes }: TextLimits = DEFAULT_LIMITS,
): Validation {
  const issues = createIssues();
  const { requestedAttributes: asked } = (body ?? {}) as { requestedAttributes?: unknown };
  if (typeof asked === 'object' && asked !== null && Object.keys(asked).length > LIMITS.perspectiveAttributes) {
    issues.add('requestedAttributes', 'too_many', `expected at most ${LIMITS.perspectiveAttributes} attributes`);
  } else if (hasShape(issues, body, PERSPECTIVE)) {
    check(issues, body, messageBytes);
    if (issues.list.length === 0) return { ok: true, value: checkOf(body, messageBytes) };
  }
  return { ok: false, issues: issues.list };
}

/** Messages of the codes that the Perspective API has names for are as it writes them. */
function check(issues: Issues, body: PerspectiveRequest, messageBytes: number): void {
  const { comment, requestedAttributes: asked, languages } = body;
  if (comment.text === '') issues.add('comment.text', 'comment_empty', 'Comment must be non-empty.');
  if (textExceeds(comment.text, messageBytes)) issues.add('comment.text', 'comment_too_long', 'Comment text too long.');
  if (comment.type != null && comment.type !== 'PLAIN_TEXT' && comment.type !== 'TEXT_TYPE_UNSPECIFIED') {
    issues.add('comment.type', 'type', 'expected PLAIN_TEXT');
  }
  if (Object.keys(asked).length === 0) {
    issues.add('requestedAttributes', 'no_requested_attributes', 'Missing requested_attributes');
  }
  for (const [name, how] of Object.entries(asked)) {
    const path = attributePath(name);
    if (!isOptions(how)) issues.add(path, 'type', 'expected an object with scoreType and scoreThreshold');
    else if (how?.scoreType != null && how.scoreType !== 'PROBABILITY' && how.scoreType !== 'SCORE_TYPE_UNSPECIFIED') {
      issues.add(path, 'type', 'expected PROBABILITY as scoreType');
    }
    if (charactersExceed(name, LIMITS.nameCharacters)) {
      issues.add('requestedAttributes', 'too_long', `expected names of at most ${LIMITS.nameCharacters} characters`);
      return;
    }
  }
  if ((languages?.length ?? 0) > LIMITS.perspectiveAttributes) {
    issues.add('languages', 'too_many', `expected at most ${LIMITS.perspectiveAttributes} elements`);
  }
  for (const name of ['clientToken', 'sessionId', 'communityId'] as const) {
    if (!charactersExceed(body[name] ?? '', LIMITS.nameCharacters)) continue;
    issues.add(name, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
}

function checkOf(body: PerspectiveRequest, messageBytes: number): CheckInput {
  const { comment, requestedAttributes, spanAnnotations, languages, doNotStore, clientToken } = body;
  const session = body.sessionId ?? '';
  const community = body.communityId ?? '';
  const named = session === '' ? {} : { external_session_id: session };
  const metadata = community === '' ? {} : { communityId: community };
  return {
    ...bareInput(),
    affinity: session,
    conversations: session === '' ? [] : [sessionConversationOf(session)],
    ...(messageBytes === LIMITS.messageTextBytes ? {} : { messageBytes }),
    ...(doNotStore ? { unkept: 'asked' as const } : {}),
    asked: {
      of: 'perspective',
      text: comment.text,
      attributes: Object.entries(requestedAttributes as Record<string, AttributeOptions | null>).map(([name, how]) => [
        name,
        how?.scoreThreshold ?? undefined,
      ]),
      spans: spanAnnotations === true,
      languages: languages ?? null,
      token: clientToken ?? '',
    },
    batch: [JSON.stringify({ ...named, messages: [{ role: 'user', content: comment.text }], metadata })],
  };
}
