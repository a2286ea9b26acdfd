/** Errors as the Perspective API writes them: in the form of Google APIs (https://google.aip.dev/193), with a detail of its own. */
import type { Issue } from '../error-body.js';
import type { ApiError, ErrorStatus } from '../errors.js';
import type { GoogleStatus, PerspectiveErrorBody, PerspectiveErrorDetail } from './perspective.js';

/** The errors that the Perspective API has names for, by the codes of issues. */
const NAMED_ERRORS: ReadonlySet<string> = new Set([
  'comment_empty',
  'comment_too_long',
  'no_requested_attributes',
  'language_not_supported_by_attribute',
]);

/** By HTTP status. */
const STATUS = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
} as const satisfies Record<ErrorStatus, GoogleStatus>;

export const UNKNOWN_LANGUAGE = 'language_not_supported_by_attribute';
const OF_LANGUAGE = /^Attribute (\S+) does not support request languages: (.+)$/;

const violationsIn = (issues: readonly Issue[]): PerspectiveErrorDetail => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: issues.map(({ path, code, message }) => ({
    field: path,
    description: message,
    reason: code.toUpperCase(),
  })),
});

export function perspectiveError(error: ApiError, requestId: string): string {
  const { param, issues, result } = error.details;
  const first = issues?.[0];
  const named = first !== undefined && NAMED_ERRORS.has(first.code);
  const [, attribute, languages] = OF_LANGUAGE.exec(first?.message ?? '') ?? [];
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: error.code.toUpperCase(),
    domain: 'weir',
    metadata: {
      request_id: requestId,
      ...(param === undefined ? {} : { param }),
      ...(result === undefined ? {} : { result_url: result.result_url }),
    },
  };
  const own: PerspectiveErrorDetail = {
    '@type': 'type.googleapis.com/google.commentanalyzer.v1alpha1.Error',
    errorType: first?.code.toUpperCase() ?? '',
    ...(attribute && languages
      ? { languageNotSupportedByAttributeError: { attribute, detectedLanguages: languages.split(', ') } }
      : {}),
  };
  const body: PerspectiveErrorBody = {
    error: {
      code: error.status,
      message: named ? first.message : error.message,
      status: STATUS[error.status],
      details: [info, ...(named ? [own] : []), ...(issues ? [violationsIn(issues)] : [])],
    },
  };
  return JSON.stringify(body);
}
