/** What must be true of an answer, whatever was sent. Throws where it is not. */
import assert from 'node:assert/strict';
import type { ErrorCode } from '#weir/shared/api/errors';
import { SCHEMA_NAMES } from '#weir/shared/api/openapi/errors';
import { VERSIONS } from '#weir/shared/api/versions';
import { errorIn } from '../support/api/errors.ts';
import { assertValid, validatorOf, verb } from '../support/api/openapi.ts';
import type { RawAnswer } from './connection.ts';
import type { Request } from './request.ts';
import { KEPT, UNKNOWN } from './values.ts';

const OF_EVERY_ROUTE: readonly ErrorCode[] = ['not_found', 'method_not_allowed'];
const OF_STREAMS: readonly ErrorCode[] = ['stream_conflict', 'stream_busy', 'not_evaluable'];
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

/** Statuses of the HTTP library's own answers to what is no HTTP/1.1. */
const OF_THE_LIBRARY = new Set([400, 431, 505]);

/** The parsed body of a good answer with JSON from the endpoint the request was meant for; else undefined. */
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
  if (status !== 200 && status !== 202) return judgeError(request, answer);
  if (request.method === 'HEAD') {
    assert.equal(answer.text, '');
    return undefined;
  }
  if (headers['content-type'] !== 'application/json') {
    assert.ok(
      ['getDocs', 'getDocsFile', 'getConsole', 'getConsoleFile', 'getOpenapi'].includes(request.draft.endpoint),
      'no JSON',
    );
    return undefined;
  }
  const json: unknown = JSON.parse(answer.text);
  const changed = request.edits.length > 1 || request.method !== 'POST';
  assert.ok(!request.repeats || changed || isRefused(json), 'a body with a name that stands twice was taken');
  if (isRefused(json)) return judgeError(request, answer);
  if (isElsewhere(request)) return undefined;
  const { path } = request.endpoint;
  const keys = [path, verb(request.endpoint), 'responses', String(status), 'content', 'application/json'];
  assertValid(validatorOf('paths', ...keys, 'schema'), json, answer.text.slice(0, 2000));
  return json;
}

/** Which endpoint a broken request may have reached: a GET may have become the POST of its path, and the reverse. */
function isElsewhere(request: Request): boolean {
  return request.broken.some((name) => name.startsWith('method') || name === 'another path');
}

/** Whether a check of another connection, which is under way, may bear the name that is asked for. */
export function asksForName(request: Request): boolean {
  return request.draft.endpoint === 'findSession';
}

/** Whether the text of a valid request may be in a language that a classifier does not know. */
export function mayBeForeign({ draft }: Request): boolean {
  if (draft.endpoint !== 'analyzeComment') return false;
  const { comment } = draft.body as { comment: { text: string } };
  return /[^ -~\s]/.test(comment.text);
}

/** Some interfaces have no other status, so their errors are good answers. */
const isRefused = (json: unknown): json is { verdict: false; error: object } =>
  typeof json === 'object' && json !== null && 'verdict' in json && 'error' in json;

/** What is tried takes turns, and has two seconds. */
export const TRIES: ReadonlySet<string> = new Set(['tryPolicies', 'backtestPolicies', 'testPolicies']);

function judgeError(request: Request, answer: RawAnswer): undefined {
  const { status, headers, text } = answer;
  if (request.method === 'HEAD') {
    assert.ok(status < 500, String(status));
    return undefined;
  }
  assert.equal(headers['content-type'], 'application/json');
  const body: unknown = JSON.parse(text);
  const form = formOf(body) ?? SCHEMA_NAMES[status]!;
  assertValid(validatorOf('components', 'schemas', form), body, text);
  const { code, request_id: id } = errorIn(body) as { code: ErrorCode; request_id: string };
  assert.equal(id, headers['x-request-id']);
  const open = request.endpoint.scope === null;
  const documented = [...(open ? OF_EVERY_ROUTE : OF_CHECKS)];
  if (request.draft.endpoint === 'checkStream') documented.push(...OF_STREAMS);
  if (['label', 'appeal', 'getAppeals'].includes(request.draft.endpoint))
    documented.push('result_not_ready', 'not_evaluable', 'internal_error');
  if (TRIES.has(request.draft.endpoint))
    documented.push('not_evaluable', 'evaluation_timeout', 'overloaded', 'unavailable');
  if (request.draft.endpoint === 'checkEnvoy') documented.push('content_refused');
  if (asksForName(request)) documented.push('result_not_ready');
  const framing = request.malformed || request.broken.includes('chunked');
  const expected = documented.includes(code) || (framing && code === 'validation_failed') || moved(request, code);
  assert.ok(expected, `${code} is not documented here: ${text}`);
  if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer');
  if (status === 405) assert.match(headers.allow ?? '', /^(?!$)(?:GET, HEAD)?(?:(?:, |^)POST)?(?:(?:, |^)DELETE)?$/);
  const told = code === 'validation_failed' ? withoutNames(text) : text;
  for (const marker of [KEPT, UNKNOWN]) {
    assert.ok(!told.includes(marker), `what was sent comes back in an error: ${text}`);
    for (const [name, value] of Object.entries(headers)) {
      if (name !== 'x-request-id') assert.ok(!value.includes(marker), `what was sent comes back in ${name}`);
    }
  }
  return undefined;
}

/** The schema of an error in the form of another service. */
function formOf(body: unknown): string | undefined {
  if (isRefused(body)) return 'PortkeyVerdict';
  if ('detail' in (body as object)) return 'NemoErrorBody';
  const { error } = body as { error: object | string };
  if (typeof error === 'string') return 'PresidioErrorBody';
  return 'details' in error ? 'PerspectiveErrorBody' : undefined;
}

/** An error without the names that stand twice: these are told, unlike values. */
function withoutNames(text: string): string {
  const names = (errorIn(JSON.parse(text))?.issues ?? [])
    // What is edited is no content: it is told as `weir check-config` tells it.
    .filter(({ code }) => code === 'repeated' || code === 'configuration')
    .flatMap(({ path, message, code }) => (code === 'configuration' ? [path, message] : [path]))
    .map((one) => JSON.stringify(one).slice(1, -1))
    // The longest first: one may begin another.
    .sort((a, b) => b.length - a.length);
  return names.reduce((told, name) => (name === '' ? told : told.replaceAll(name, '')), text);
}

/** A request that was sent to another path or by another method may meet any documented error. */
function moved(request: Request, code: ErrorCode): boolean {
  return isElsewhere(request) && (code === 'result_not_ready' || OF_CHECKS.includes(code));
}
