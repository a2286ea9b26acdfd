/** What must be true of an answer, whatever was sent. Throws where it is not. */
import assert from 'node:assert/strict';
import { ERROR_STATUS, type ErrorCode, errorType } from '#weir/shared/api/errors';
import { ANSWER_ERRORS, type AnswerValidator } from '#weir/shared/api/results/answers';
import { VERSIONS } from '#weir/shared/api/versions';
import type { RawAnswer } from './connection.ts';
import type { Request } from './request.ts';
import { KEPT, UNKNOWN } from './values.ts';

const OF_EVERY_ROUTE: readonly ErrorCode[] = ['not_found', 'method_not_allowed'];
const OF_EVERY_KEY: readonly ErrorCode[] = [
  ...OF_EVERY_ROUTE,
  'validation_failed',
  'version_required',
  'unsupported_version',
  'version_not_supported_for_endpoint',
  'missing_api_key',
  'invalid_api_key',
  'permission_denied',
];
const OF_CHECKS: readonly ErrorCode[] = [
  ...OF_EVERY_KEY,
  'invalid_json',
  'unsupported_content_part',
  'content_too_large',
  'too_many_events',
  'request_too_large',
  'unsupported_media_type',
  'idempotency_mismatch',
  'idempotency_in_progress',
];

/** The shapes of a 200, by endpoint; those of files are not JSON. */
const ANSWERS: Readonly<Record<string, AnswerValidator>> = {
  checkEvents: ANSWER_ERRORS.events,
  checkEvent: ANSWER_ERRORS.event,
  findEvent: ANSWER_ERRORS.event,
  getEvent: ANSWER_ERRORS.event,
  checkSession: ANSWER_ERRORS.session,
  createSession: ANSWER_ERRORS.envelope,
  findSession: ANSWER_ERRORS.envelope,
  getSession: ANSWER_ERRORS.envelope,
  checkArtifact: ANSWER_ERRORS.artifact,
  getArtifact: ANSWER_ERRORS.artifact,
  getRunGraph: ANSWER_ERRORS.graph,
  getProtect: ANSWER_ERRORS.protect,
  getRisk: ANSWER_ERRORS.risk,
  litellmGuardrail: ANSWER_ERRORS.guardrail,
  healthz: ANSWER_ERRORS.probe,
  readyz: ANSWER_ERRORS.probe,
};

/** Statuses of the HTTP library's own answers to what is no HTTP/1.1. */
const OF_THE_LIBRARY = new Set([400, 431, 505]);

/** The parsed body of a 200 with JSON from the endpoint the request was meant for; else undefined. */
export function judge(request: Request, answer: RawAnswer | undefined): unknown {
  if (answer === undefined) {
    assert.ok(request.malformed, 'the connection was ended without an answer');
    return undefined;
  }
  if (request.malformed && OF_THE_LIBRARY.has(answer.status) && answer.headers['content-type'] === undefined)
    return undefined;
  const { status, headers } = answer;
  assert.ok(headers['x-request-id'], 'no X-Request-Id');
  const sent = request.headers.find(([name]) => name === 'service-version')?.[1];
  if (headers['service-version'] !== undefined) {
    assert.ok((VERSIONS as readonly string[]).includes(headers['service-version']), 'an unknown version is echoed');
    assert.ok(sent !== undefined);
  }
  if (status !== 200) return judgeError(request, answer);
  if (request.method === 'HEAD') {
    assert.equal(answer.text, '');
    return undefined;
  }
  if (headers['content-type'] !== 'application/json') {
    assert.ok(['getDocs', 'getDocsFile', 'getOpenapi'].includes(request.draft.endpoint), 'no JSON');
    return undefined;
  }
  const json: unknown = JSON.parse(answer.text);
  const validate = ANSWERS[nameOf(request)];
  if (validate) assert.deepEqual(validate(json), [], answer.text.slice(0, 2000));
  return request.broken.some((name) => name.startsWith('method') || name === 'another path') ? undefined : json;
}

/** Which endpoint a broken request may have reached: a GET may have become the POST of its path, and the reverse. */
function nameOf(request: Request): string {
  return request.broken.some((name) => name.startsWith('method') || name === 'another path')
    ? ''
    : request.draft.endpoint;
}

function judgeError(request: Request, answer: RawAnswer): undefined {
  const { status, headers, text } = answer;
  if (request.method === 'HEAD') {
    assert.ok(status < 500, String(status));
    return undefined;
  }
  assert.equal(headers['content-type'], 'application/json');
  const body = JSON.parse(text) as { error: { code: ErrorCode; type: string; request_id: string; issues?: unknown[] } };
  assert.deepEqual(ANSWER_ERRORS.error(body), [], text);
  const { code, type, request_id: id, issues } = body.error;
  assert.equal(ERROR_STATUS[code], status, text);
  assert.equal(type, errorType(status));
  assert.equal(id, headers['x-request-id']);
  assert.ok(issues === undefined || issues.length <= 50);
  const open = request.endpoint.scope === null;
  const documented = open ? OF_EVERY_ROUTE : [...OF_CHECKS];
  const framing = request.malformed || request.broken.includes('chunked');
  const expected = documented.includes(code) || (framing && code === 'validation_failed') || moved(request, code);
  assert.ok(expected, `${code} is not documented here: ${text}`);
  if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer');
  if (status === 405) assert.match(headers.allow ?? '', /^(GET, HEAD|POST|GET, HEAD, POST)$/);
  for (const marker of [KEPT, UNKNOWN]) {
    assert.ok(!text.includes(marker), `what was sent comes back in an error: ${text}`);
    for (const [name, value] of Object.entries(headers)) {
      if (name !== 'x-request-id') assert.ok(!value.includes(marker), `what was sent comes back in ${name}`);
    }
  }
  return undefined;
}

/** A request that was sent to another path or by another method may meet any documented error. */
function moved(request: Request, code: ErrorCode): boolean {
  return nameOf(request) === '' && OF_CHECKS.includes(code);
}
