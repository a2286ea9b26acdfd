/** Validates a call of OpenAI's moderations (decisions, Adapters) and has session checks made of it: one of each text, or one of all parts. */
import { createIs, createValidate } from 'typia';
import type { ModerationsPart, ModerationsRequest } from '../../dialects/moderations.js';
import { LIMITS } from '../../limits.js';
import type { ArtifactContent } from '../../types.js';
import { checkArtifactContent } from '../image.js';
import { bareInput, type CheckInput, createIssues, type Issues, type Validation } from '../issues.js';
import { charactersExceed, textExceeds } from '../measure.js';
import { hasShape } from '../shape.js';
import { DEFAULT_LIMITS, type TextLimits } from '../validate.js';

const MODERATIONS = { is: createIs<ModerationsRequest>(), explain: createValidate<ModerationsRequest>() };

/** Validates the body of `POST /v1/moderations`. */
export function validateModerations(
  body: unknown,
  _bytes?: number,
  _json?: string,
  { messageBytes }: TextLimits = DEFAULT_LIMITS,
): Validation {
  const issues = createIssues();
  checkInput(issues, body);
  if (issues.list.length > 0) return { ok: false, issues: issues.list };
  if (hasShape(issues, body, MODERATIONS)) {
    const made = messagesOf(body, messageBytes, issues);
    if (issues.list.length === 0) return { ok: true, value: checkOf(body, made, messageBytes) };
  }
  return { ok: false, issues: issues.list };
}

/** Runs before anything reads the list, whose length and kinds are up to the caller. */
function checkInput(issues: Issues, body: unknown): void {
  const { input } = (body ?? {}) as { input?: unknown };
  if (input === undefined || input === null)
    issues.add('input', 'required', 'is required, expected a string or a list');
  else if (Array.isArray(input)) {
    const most = LIMITS.moderationsInputs;
    if (input.length === 0 || input.length > most) {
      issues.add('input', input.length === 0 ? 'too_few' : 'too_many', `expected 1 to ${most} elements`);
      return;
    }
    const kinds = input.map(kindOf);
    const other = kinds.findIndex((kind) => kind === undefined || kind !== kinds[0]);
    if (other >= 0) issues.add(`input[${other}]`, 'type', `expected ${kinds[0] ?? 'a string or a part'}`);
  }
}

/** What an element of a list may be, in words; undefined: it is something else. */
function kindOf(element: unknown): string | undefined {
  if (typeof element === 'string') return 'a string';
  return typeof element === 'object' && element !== null && !Array.isArray(element) ? 'a part' : undefined;
}

/** The content of the messages that are checked, one a check. */
type MadeContent = string | object[];

function messagesOf({ input }: ModerationsRequest, messageBytes: number, issues: Issues): MadeContent[] {
  const checkText = (text: string, path: string): void => {
    if (!textExceeds(text, messageBytes)) return;
    issues.add(path, 'content_too_large', `expected at most ${messageBytes} bytes`);
  };
  if (typeof input === 'string') {
    checkText(input, 'input');
    return [input];
  }
  if (areTexts(input)) {
    for (const [i, text] of input.entries()) checkText(text, `input[${i}]`);
    return input;
  }
  const parts = input.flatMap((part, i) => partOf(part, `input[${i}]`, issues));
  const text = parts.flatMap((part) => ('text' in part ? [part.text as string] : [])).join('\n');
  checkText(text, 'input');
  if (imagesIn(parts) > LIMITS.artifactParts) {
    issues.add('input', 'too_many', `expected at most ${LIMITS.artifactParts} images`);
  }
  return [parts];
}

const areTexts = (input: string[] | ModerationsPart[]): input is string[] => typeof input[0] === 'string';

const imagesIn = (parts: readonly object[]): number => parts.filter((part) => 'content' in part).length;

/** A part of the message; none where there is an issue. */
function partOf({ type, text, image_url: image }: ModerationsPart, path: string, issues: Issues): object[] {
  if (type === 'text') {
    if (typeof text === 'string') return [{ type: 'text', text }];
    issues.add(`${path}.text`, 'required', 'is required, expected string');
    return [];
  }
  if (type !== 'image_url') {
    issues.add(`${path}.type`, 'unsupported_content_part', 'expected text or image_url');
    return [];
  }
  if (!image) {
    issues.add(`${path}.image_url`, 'required', 'is required, expected an object with url');
    return [];
  }
  const { url } = image;
  const content: ArtifactContent = /^data:/i.test(url) ? { kind: 'image', data: url } : { kind: 'image', url };
  const first = issues.list.length;
  checkArtifactContent(issues, content, `${path}.image_url`, 'elsewhere');
  // It is sent as an address, whichever it is.
  for (const issue of issues.list.slice(first)) issue.path = issue.path.replace(/\.data$/, '.url');
  return [{ type: 'artifact', content }];
}

function checkOf(
  { user, role, model }: ModerationsRequest,
  made: readonly MadeContent[],
  messageBytes: number,
): CheckInput {
  const known = typeof user === 'string' && user !== '' && !charactersExceed(user, LIMITS.nameCharacters);
  const metadata = known ? { user: { id: user } } : {};
  const as = role === 'assistant' ? 'assistant' : 'user';
  return {
    ...bareInput(),
    images: made.reduce((sum, content) => sum + (typeof content === 'string' ? 0 : imagesIn(content)), 0),
    ...(messageBytes === LIMITS.messageTextBytes ? {} : { messageBytes }),
    asked: {
      of: 'moderations',
      model: typeof model === 'string' && !charactersExceed(model, LIMITS.nameCharacters) ? model : '',
      texts: made.some((content) => typeof content === 'string' || content.length > imagesIn(content)),
    },
    batch: made.map((content) => JSON.stringify({ messages: [{ role: as, content }], metadata })),
  };
}
