/**
 * Validates LiteLLM's generic guardrail call (decisions, Adapters) and makes a session check of it. The check has one
 * message with a part for each entry and all tool calls, since a session check looks at its last message only.
 */
import { createIs, createValidate } from 'typia';
import { LIMITS } from '../limits.js';
import type { ArtifactContent, GuardrailRequest } from '../types.js';
import { checkArtifactContent } from './image.js';
import { addTypia, createIssues, type Issues, type Validation } from './issues.js';
import { charactersExceed, deeperThan } from './measure.js';
import { BESIDE_TEXTS, checkMisplaced } from './misplaced.js';
import { memberSource } from './sources.js';

const isGuardrail = createIs<GuardrailRequest>();
const explainGuardrail = createValidate<GuardrailRequest>();

/**
 * Validates the body of `POST /beta/litellm_basic_guardrail_api`. If `eventIds` is empty, there is nothing to check.
 * `json`: the body as sent; tool calls are copied from it.
 */
export function validateGuardrail(body: unknown, _bytes?: number, json: string = JSON.stringify(body)): Validation {
  const issues = createIssues();
  checkLists(issues, body);
  if (issues.list.length > 0) return { ok: false, issues: issues.list };
  if (deeperThan(body, LIMITS.jsonDepth)) {
    issues.add('', 'too_deep', `expected at most ${LIMITS.jsonDepth} levels of nesting`);
  } else if (!isGuardrail(body)) {
    addTypia(issues, '', explainGuardrail(body));
    if (issues.list.length === 0) issues.add('', 'type', 'does not have the expected shape');
  } else {
    const texts = body.texts ?? [];
    const images = (body.images ?? []).map(imageOf);
    const calls = callsOf(body, json);
    if (exceeds([...texts, calls], LIMITS.messageTextBytes)) {
      const expected = `expected at most ${LIMITS.messageTextBytes} bytes of texts, tools and tool calls in all`;
      issues.add('texts', 'content_too_large', expected);
    }
    // A request with nothing to check is answered `NONE`. A misspelt field must not get that answer.
    if (texts.length + images.length + calls.length === 0) checkMisplaced(issues, body, '', BESIDE_TEXTS);
    for (const [i, image] of images.entries()) checkArtifactContent(issues, image, `images[${i}]`, 'elsewhere');
    if (issues.list.length === 0) return { ok: true, value: checkOf(body, { texts, images, calls }) };
  }
  return { ok: false, issues: issues.list };
}

/** Runs before anything reads the lists, since their length is up to the caller. */
function checkLists(issues: Issues, body: unknown): void {
  const { texts, images } = (body ?? {}) as { texts?: unknown; images?: unknown };
  if (Array.isArray(texts) && texts.length > LIMITS.guardrailTexts) {
    issues.add('texts', 'too_many', `expected at most ${LIMITS.guardrailTexts} texts`);
  }
  if (Array.isArray(images) && images.length > LIMITS.artifactParts) {
    issues.add('images', 'too_many', `expected at most ${LIMITS.artifactParts} images`);
  }
}

const ADDRESS = /^https?:/i;

/** An image as a gateway sends it: an address, a data URI or base64. */
function imageOf(image: string): ArtifactContent {
  return ADDRESS.test(image) ? { kind: 'image', url: image } : { kind: 'image', data: image };
}

/** Fields with tools that a model may call, and with its calls. */
const CALLS = ['tools', 'tool_calls'] as const;

/** JSON of the elements of these lists as sent, joined by commas; '' if there are none. */
function callsOf(body: GuardrailRequest, json: string): string {
  const isEmpty = (name: keyof GuardrailRequest): boolean => ((body[name] ?? []) as unknown[]).length === 0;
  const lists = CALLS.filter((name) => !isEmpty(name));
  if (lists.length > 0) return lists.map((name) => elementsOf(json, name)).join(',');
  // A gateway takes texts and images from the messages. If it found neither, the messages may hold something else.
  const named = !isEmpty('texts') || !isEmpty('images');
  return named || isEmpty('structured_messages') ? '' : elementsOf(json, 'structured_messages');
}

const elementsOf = (json: string, name: string): string => memberSource(json, name).slice(1, -1);

function exceeds(texts: readonly string[], limit: number): boolean {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes > limit;
}

interface Parts {
  texts: readonly string[];
  images: readonly ArtifactContent[];
  calls: string;
}

function checkOf(body: GuardrailRequest, { texts, images, calls }: Parts): (Validation & { ok: true })['value'] {
  // Images come first, so that part N is image N (see `rewordGuardrail`).
  const parts = [
    ...images.map((content) => ({ type: 'artifact', content })),
    ...texts.map((text) => ({ type: 'text', text })),
  ];
  const metadata: Record<string, string> = {};
  for (const name of ['litellm_call_id', 'litellm_trace_id'] as const) {
    const id = body[name];
    if (typeof id === 'string' && id !== '' && !charactersExceed(id, LIMITS.nameCharacters)) metadata[name] = id;
  }
  const role = body.input_type === 'response' ? 'assistant' : 'user';
  const called = calls === '' ? '' : `,"tool_calls":[${calls}]`;
  const message = `{"role":"${role}","content":${JSON.stringify(parts)}${called}}`;
  return {
    scope: '',
    affinity: '',
    conversations: [],
    references: [],
    referred: [],
    eventIds: parts.length === 0 && calls === '' ? [] : [''],
    images: images.length,
    policies: [],
    policiesField: 'policies',
    // No external session: gateways send the whole conversation each time, so no context is missing.
    session: `{"messages":[${message}],"metadata":${JSON.stringify(metadata)}}`,
  };
}

const PART = /messages\[0\]\.content\[(\d+)\](\.content)?/g;

/** Rewrites paths of the session check in `text` to paths of the guardrail request. */
export function rewordGuardrail(text: string): string {
  return text.replaceAll(PART, 'images[$1]');
}
