import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ApiError,
  ERROR_STATUS,
  type ErrorCode,
  errorType,
  renderError,
  storedError,
  validationError,
} from '#weir/shared/api/errors';
import { EVENT_VERSIONS, EVERY_VERSION, versionError } from '#weir/shared/api/versions';

describe('errors', () => {
  it('have the documented body, and no other fields [7.body]', () => {
    const error = new ApiError('validation_failed', 'a: expected string.', {
      param: 'a',
      issues: [{ path: 'a', code: 'type', message: 'expected string' }],
    });
    assert.deepEqual(JSON.parse(renderError(error, 'r1')), {
      error: {
        type: 'invalid_request_error',
        code: 'validation_failed',
        message: 'a: expected string.',
        param: 'a',
        issues: [{ path: 'a', code: 'type', message: 'expected string' }],
        request_id: 'r1',
      },
    });
    assert.deepEqual(Object.keys(JSON.parse(renderError(new ApiError('not_found', 'x'), 'r')).error), [
      'type',
      'code',
      'message',
      'request_id',
    ]);
  });

  it('have the documented codes and statuses [7.codes]', () => {
    const byStatus: Record<number, string[]> = {
      400: ['invalid_json', 'validation_failed', 'version_required', 'unsupported_version'],
      401: ['missing_api_key', 'invalid_api_key'],
      403: ['permission_denied', 'content_refused'],
      404: ['not_found', 'wrong_region'],
      405: ['method_not_allowed'],
      409: ['result_not_ready', 'idempotency_in_progress', 'idempotency_mismatch', 'stream_conflict', 'stream_busy'],
      413: ['request_too_large'],
      415: ['unsupported_media_type'],
      422: ['not_evaluable'],
      429: ['rate_limited'],
      500: ['internal_error'],
      503: ['overloaded', 'unavailable', 'shutting_down'],
      504: ['evaluation_timeout'],
    };
    byStatus[400]!.push('version_not_supported_for_endpoint', 'unsupported_content_part', 'content_too_large');
    byStatus[400]!.push('too_many_events');
    const expected = Object.entries(byStatus).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)]));
    assert.deepEqual(Object.fromEntries(expected), ERROR_STATUS);
    const types = ['invalid_request_error', 'authentication_error', 'permission_error', 'not_found_error'];
    types.push('conflict_error', 'rate_limit_error', 'api_error');
    assert.deepEqual(new Set(Object.values(ERROR_STATUS).map(errorType)), new Set(types));
  });

  it('have a type by their status [error.type]', () => {
    const types = Object.entries(ERROR_STATUS).map(([code, status]) => `${code} ${errorType(status)}`);
    assert.ok(types.includes('missing_api_key authentication_error'));
    assert.ok(types.includes('permission_denied permission_error'));
    assert.ok(types.includes('idempotency_mismatch conflict_error'));
    assert.ok(types.includes('rate_limited rate_limit_error'));
    assert.ok(types.includes('request_too_large invalid_request_error'));
    assert.ok(types.includes('evaluation_timeout api_error'));
  });

  it('say when to try again, if that is useful', () => {
    const after = (code: ErrorCode): number => new ApiError(code, 'x').retryAfter;
    assert.deepEqual((['overloaded', 'result_not_ready', 'rate_limited'] as const).map(after), [1, 1, 1]);
    assert.deepEqual((['internal_error', 'idempotency_mismatch', 'evaluation_timeout'] as const).map(after), [0, 0, 0]);
    assert.equal(new ApiError('overloaded', 'x', { retryAfter: 9 }).retryAfter, 9);
  });

  it('are read back from storage, and become internal errors if unknown', () => {
    assert.equal(storedError({ code: 'unavailable', message: 'm' }).status, 503);
    assert.equal(storedError({ code: 'constructor', message: 'm' }).code, 'internal_error');
  });

  it('of validation have a special code only if every issue has it [error.content_too_large] [error.too_many_events]', () => {
    const large = { path: 'a', code: 'content_too_large', message: 'm' };
    const type = { path: 'b', code: 'type', message: 'm' };
    assert.equal(validationError([large, large]).code, 'content_too_large');
    assert.equal(validationError([large, type]).code, 'validation_failed');
    assert.equal(validationError([type]).details.param, 'b');
    assert.equal(validationError([{ ...type, path: '' }]).details.param, undefined);
  });
});

describe('versions', () => {
  it('have different errors for missing, unknown, and not for this endpoint', () => {
    assert.equal(versionError('2026-06-01', EVENT_VERSIONS), undefined);
    assert.equal(versionError('2025-12-01', EVERY_VERSION), undefined);
    assert.equal(versionError('', EVENT_VERSIONS)?.code, 'version_required');
    assert.equal(versionError('2025-12-01', EVENT_VERSIONS)?.code, 'version_not_supported_for_endpoint');
    assert.equal(versionError('2027-01-01', EVENT_VERSIONS)?.code, 'unsupported_version');
  });
});
