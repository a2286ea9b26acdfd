/** Errors that callers see (section 7): every code, its HTTP status, and the body. */
import type { ErrorBody, ErrorType, Issue } from './types.js';

/** HTTP status of every error code. */
export const ERROR_STATUS = {
  invalid_json: 400,
  validation_failed: 400,
  version_required: 400,
  unsupported_version: 400,
  version_not_supported_for_endpoint: 400,
  unsupported_content_part: 400,
  content_too_large: 400,
  too_many_events: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  permission_denied: 403,
  content_refused: 403,
  not_found: 404,
  wrong_region: 404,
  method_not_allowed: 405,
  result_not_ready: 409,
  idempotency_in_progress: 409,
  idempotency_mismatch: 409,
  stream_conflict: 409,
  stream_busy: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  not_evaluable: 422,
  rate_limited: 429,
  internal_error: 500,
  overloaded: 503,
  unavailable: 503,
  shutting_down: 503,
  evaluation_timeout: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;
export type ErrorStatus = (typeof ERROR_STATUS)[ErrorCode];

/** A used-up limit, for `RateLimit-Policy` and `RateLimit`. */
export interface Quota {
  name: string;
  /** `most` in `seconds` seconds */
  most: number;
  seconds: number;
}

/** What an error says beside its code and message. */
export interface ErrorDetails {
  /** the field or parameter that caused the error */
  param?: string;
  issues?: Issue[];
  /** seconds; default 1 for codes in `WORTH_RETRYING` */
  retryAfter?: number;
  /** the limit of a 429, if it is not the rate limit of the API key */
  quota?: Quota;
  /** of an id of another region: its name */
  region?: string;
  /** of a 405: the methods that the path takes */
  allow?: string;
  /** of a 504 of a single check: where to find its result */
  result?: ErrorBody['error']['result'];
  /** of a 504 of a batch: where to find its results */
  items?: ErrorBody['error']['items'];
}

const WORTH_RETRYING: ReadonlySet<string> = new Set<ErrorCode>([
  'result_not_ready',
  'idempotency_in_progress',
  'stream_busy',
  'rate_limited',
  'overloaded',
  'unavailable',
  'shutting_down',
]);

/**
 * An answer that is not a success. It is an Error, so that it can reject a promise. It has no stack trace, since refusing
 * must stay cheap under overload.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: ErrorStatus;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
    this.name = 'ApiError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = details;
  }

  /** Seconds to wait before trying again; 0 if trying again is useless. */
  get retryAfter(): number {
    return this.details.retryAfter ?? (WORTH_RETRYING.has(this.code) ? 1 : 0);
  }
}

/** `error.type` of an HTTP status. */
export function errorType(status: number): ErrorType {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 409:
      return 'conflict_error';
    case 429:
      return 'rate_limit_error';
    default:
      return status < 500 ? 'invalid_request_error' : 'api_error';
  }
}

/** The body of an error, as JSON. */
export function renderError(error: ApiError, requestId: string): string {
  const { param, issues, region, result, items } = error.details;
  const body: ErrorBody = {
    error: {
      type: errorType(error.status),
      code: error.code,
      message: error.message,
      ...(param === undefined ? {} : { param }),
      ...(issues === undefined ? {} : { issues }),
      ...(region === undefined ? {} : { region }),
      request_id: requestId,
      ...(result === undefined ? {} : { result }),
      ...(items === undefined ? {} : { items }),
    },
  };
  return JSON.stringify(body);
}

/** The error of a stored record without a verdict. */
export function storedError(stored: { code: string; message: string; param?: string }): ApiError {
  const known = Object.hasOwn(ERROR_STATUS, stored.code);
  return new ApiError(known ? (stored.code as ErrorCode) : 'internal_error', stored.message, {
    ...(stored.param === undefined ? {} : { param: stored.param }),
  });
}

/** Codes that become the code of the whole answer if every issue has the same one. */
const SPECIAL: ReadonlySet<string> = new Set<ErrorCode>([
  'unsupported_content_part',
  'content_too_large',
  'too_many_events',
]);

/** The 400 for `issues`, of which there must be at least one. */
export function validationError(issues: Issue[]): ApiError {
  const first = issues[0]!;
  const same = SPECIAL.has(first.code) && issues.every((issue) => issue.code === first.code);
  const where = first.path === '' ? 'The body' : first.path;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more, see issues)` : '';
  return new ApiError(same ? (first.code as ErrorCode) : 'validation_failed', `${where}: ${first.message}${more}.`, {
    ...(first.path === '' ? {} : { param: first.path }),
    issues,
  });
}
