/** Error answers: what each code means, and which codes an endpoint can answer with. */
import { DIALECTS, type DialectForm, statusOf } from '../dialects/names.js';
import type { Endpoint, Operation } from '../endpoints/endpoint.js';
import { ApiError, ERROR_STATUS, type ErrorCode, errorType, renderError, validationError } from '../errors.js';
import { LIMITS } from '../limits.js';
import type { Issue } from '../types.js';
import { VERSIONS } from '../versions.js';
import { refTo, type Schema } from './forms.js';
import { commonHeaders, headerRefs } from './headers.js';

const MIB = 1024 * 1024;

/** What a code means to a caller, and an example of its message. */
const MEANING: Readonly<Record<ErrorCode, { means: string; message: string }>> = {
  invalid_json: { means: 'the body is not JSON in UTF-8', message: 'The body is not valid JSON.' },
  validation_failed: {
    means: 'something is missing, has the wrong type or exceeds a limit; `issues` lists the places',
    message: 'environment_id: is required, expected string.',
  },
  version_required: {
    means: 'the header `service-version` is missing',
    message: 'The header service-version is missing. Send one of: 2026-06-01.',
  },
  unsupported_version: {
    means: 'there is no such version',
    message: 'The value of service-version is not a known version. Send one of: 2026-06-01.',
  },
  version_not_supported_for_endpoint: {
    means: 'this endpoint does not have that version',
    message: 'This endpoint does not have that version. Send one of: 2026-06-01.',
  },
  unsupported_content_part: {
    means: 'this kind of content is not checked here',
    message: 'messages[0].content[0]: parts of type image_url and input_image are not supported.',
  },
  content_too_large: {
    means: 'a text or other content has too many bytes',
    message: `events[0].content: expected at most ${LIMITS.contentBytes} bytes.`,
  },
  too_many_events: {
    means: `the batch has more than ${LIMITS.eventsPerBatch} events`,
    message: `events: expected at most ${LIMITS.eventsPerBatch} events.`,
  },
  missing_api_key: {
    means: 'the request has no API key',
    message: 'The header Authorization: Bearer <API key> is missing.',
  },
  invalid_api_key: {
    means: 'the API key is unknown, expired or withdrawn',
    message: 'The API key is not valid.',
  },
  permission_denied: {
    means: 'the API key lacks a scope, or was not granted the environment or deployment of its team',
    message: 'The API key was not granted this environment.',
  },
  content_refused: {
    means: 'the content violates a policy, which the message names',
    message: 'The content violates: Payment data.',
  },
  not_found: {
    means:
      'there is no such thing, or it belongs to another team, environment or deployment; the answer is the same for both',
    message: 'There is no such event_id, or none that this API key may see.',
  },
  wrong_region: {
    means: 'the id is of another region of the service, which `region` names; ask there',
    message: 'This run_id is of the region "us", and this is "eu". Ask there.',
  },
  method_not_allowed: {
    means: 'this path takes other methods; the header `Allow` lists them',
    message: 'This route takes GET, HEAD.',
  },
  result_not_ready: {
    means: 'the check was accepted and is not finished; try again after `Retry-After` seconds',
    message: 'The check was accepted and is not finished yet. Try again.',
  },
  idempotency_in_progress: {
    means: 'the first request with this `Idempotency-Key` is not finished; try again after `Retry-After` seconds',
    message: 'A request with this Idempotency-Key is under way. Try again.',
  },
  idempotency_mismatch: {
    means: 'you used this `Idempotency-Key` before with another body',
    message: 'This Idempotency-Key was used with another body.',
  },
  stream_conflict: {
    means: 'the piece does not follow the newest one of its stream, or says otherwise than it did',
    message: 'sequence: expected 4, or 3 again, and got 7.',
  },
  stream_busy: {
    means: 'the piece before is not answered yet; try again after `Retry-After` seconds',
    message: 'The piece before is not answered yet. Wait for its answer, or send it again.',
  },
  request_too_large: {
    means: `the body is larger than ${LIMITS.bodyBytes / MIB} MiB`,
    message: `The body is larger than ${LIMITS.bodyBytes} bytes.`,
  },
  unsupported_media_type: {
    means: 'the `Content-Type` is not `application/json`',
    message: 'Send JSON, as Content-Type: application/json.',
  },
  not_evaluable: {
    means:
      'some policy cannot judge this content, however often it is sent, and no other one flags it; in the look-up of a session: it was answered so',
    message: '1 policy could not be evaluated; sending it again changes nothing',
  },
  rate_limited: {
    means: 'the API key has used up its requests, or its `Idempotency-Key`s; try again after `Retry-After` seconds',
    message: 'The API key has sent more requests than it may. Try again later.',
  },
  internal_error: {
    means:
      'a fault of the service, not of the request; in the look-up of a session: it has no verdict and will not get one',
    message: 'The request could not be handled. Quote request_id when you report this.',
  },
  overloaded: {
    means: 'the service has more work than it can take on',
    message: 'Checks are waiting longer than they should. Try again.',
  },
  unavailable: {
    means: 'a part of the service cannot be reached; this says nothing about the content',
    message: 'The service cannot reach its queue at the moment. Try again.',
  },
  shutting_down: {
    means: 'this process is stopping; try again to reach another one',
    message: 'This server is shutting down. Try again.',
  },
  evaluation_timeout: {
    means: 'the check was accepted but did not finish in time; it goes on, and the error says where to find the result',
    message: 'The check was accepted but not finished in time. It goes on; fetch its result later.',
  },
};

const SAMPLE_ID = '01a1fdb6-e276-7f4f-81ed-501a7cec0000';

/** The body of an error, as an example. */
function sample({ dialect }: Endpoint, code: ErrorCode, issues: Issue[] = []): { value: unknown } {
  const render = dialect ? DIALECTS[dialect].error : renderError;
  const error = issues.length > 0 ? validationError(issues) : new ApiError(code, MEANING[code].message);
  return { value: JSON.parse(render(error, SAMPLE_ID)) };
}

/** Codes that follow from the method, scope and versions of an endpoint, and its own. */
function codesOf({ method, scope, versions, late, alone, errors = [] }: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['validation_failed', 'method_not_allowed', 'internal_error', ...errors];
  if (versions.length > 0) codes.push('version_required', 'unsupported_version');
  if (versions.length > 0 && versions.length < VERSIONS.length) codes.push('version_not_supported_for_endpoint');
  if (scope !== null) {
    codes.push('missing_api_key', 'invalid_api_key', 'permission_denied', 'rate_limited');
    if (!alone) codes.push('not_found', 'wrong_region');
    codes.push('unavailable', 'shutting_down');
  }
  if (method === 'POST') {
    codes.push('invalid_json', 'unsupported_media_type', 'request_too_large', 'overloaded');
  }
  if (method === 'POST' && !alone) {
    codes.push('idempotency_in_progress', 'idempotency_mismatch');
    if (late === undefined) codes.push('evaluation_timeout');
  }
  return codes;
}

export interface ErrorResponse {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: { 'application/json': { schema: Schema; examples: Record<string, { value: unknown }> } };
}

/** Error answers of an endpoint by status. `refused`: the issues of each example request that is a 400, by its name. */
export function errorResponses(
  endpoint: Operation,
  refused: Readonly<Record<string, Issue[]>>,
): Record<string, ErrorResponse> {
  const wanted = new Set(codesOf(endpoint));
  // In the order of the table of statuses, so that documents compare.
  const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter(
    (code) => wanted.has(code) && statusOf(new ApiError(code, ''), endpoint.dialect) !== 200,
  );
  const responses: Record<string, ErrorResponse> = {};
  for (const status of new Set(codes.map((code) => ERROR_STATUS[code]))) {
    const own = codes.filter((code) => ERROR_STATUS[code] === status);
    const values = Object.fromEntries(own.map((code) => [code, sample(endpoint, code)]));
    if (status === 400) {
      for (const [name, issues] of Object.entries(refused))
        values[name] = sample(endpoint, 'validation_failed', issues);
    }
    responses[status] = {
      description: own.map((code) => `\`${code}\`: ${MEANING[code].means}.`).join('\n\n'),
      headers: headerRefs(errorHeaders(endpoint, own)),
      content: {
        'application/json': { schema: refTo(schemaOf(endpoint, status)), examples: values },
      },
    };
  }
  return responses;
}

function schemaOf({ dialect }: Endpoint, status: number): string {
  const form: DialectForm | undefined = dialect && DIALECTS[dialect];
  return form?.errorSchema ?? SCHEMA_NAMES[status]!;
}

function errorHeaders(endpoint: Endpoint, codes: readonly ErrorCode[]): Parameters<typeof headerRefs>[0] {
  const status = ERROR_STATUS[codes[0]!];
  return [
    ...commonHeaders(endpoint, status),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 405 ? (['Allow'] as const) : []),
    ...(codes.some((code) => new ApiError(code, '').retryAfter > 0) ? (['Retry-After'] as const) : []),
  ];
}

/** Each status has a schema of its own, with its codes and the fields that only it has. */
export const SCHEMA_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
};

/** Narrows `body`, the schema of every error, to each status. */
export function errorSchemas(body: Schema): Record<string, Schema> {
  const error = body.properties!.error!;
  const made: Record<string, Schema> = {};
  for (const [status, name] of Object.entries(SCHEMA_NAMES)) {
    const { type, code, result, items, ...rest } = error.properties!;
    const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((key) => ERROR_STATUS[key] === Number(status));
    const properties: Record<string, Schema> = {
      type: { type: 'string', const: errorType(Number(status)), description: type!.description! },
      code: { type: 'string', enum: codes, description: code!.description! },
      ...rest,
      ...(status === '504' ? { result: result!, items: items! } : {}),
    };
    made[name] = { ...body, properties: { error: { ...error, properties } } };
  }
  return made;
}
