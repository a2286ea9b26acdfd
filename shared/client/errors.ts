/**
 * Results of calls: a value, or an error, which is a value, too. Methods of the client never reject, so the type checker sees every
 * failure. `unwrap` turns errors into exceptions for those who prefer that.
 *
 * No error contains the API key or anything that was sent.
 */
import type { ErrorCode } from '../api/errors.js';
import type { ErrorBody, ErrorType, Issue } from '../api/types.js';

/** The service answered with an error (section 7). */
export interface ServiceError {
  type: ErrorType;
  /** one of `ErrorCode`, or one that a newer service knows */
  code: ErrorCode | (string & Record<never, never>);
  message: string;
  /** HTTP status */
  status: number;
  requestId: string;
  /** the offending field or parameter */
  param?: string;
  /** everything that is wrong with the request; empty when the service names nothing */
  issues: Issue[];
  /** of `wrong_region`: the region that the id is of */
  region?: string;
  /** seconds after which to try again */
  retryAfter?: number;
  /** 504 of a single check: where its result will be */
  result?: ErrorBody['error']['result'];
  /** 504 of a batch: the results to come */
  items?: ErrorBody['error']['items'];
  /** how many requests were sent */
  attempts: number;
}

/** The service was not reached, or its answer was cut off. */
export interface NetworkError {
  type: 'network_error';
  message: string;
  /** code of the operating system or of `fetch`, such as `ECONNREFUSED`, or '' */
  code: string;
  attempts: number;
}

/** The time limit of the call was reached. A check that was accepted goes on. */
export interface TimeoutError {
  type: 'timeout_error';
  message: string;
  attempts: number;
}

/** The caller's AbortSignal ended the call. A check that was accepted goes on. */
export interface AbortedError {
  type: 'aborted_error';
  message: string;
  attempts: number;
}

/** The answer is not one of this service: a proxy's page, or not JSON. */
export interface ProtocolError {
  type: 'protocol_error';
  message: string;
  /** HTTP status */
  status: number;
  retryAfter?: number;
  attempts: number;
}

/** The call cannot be made: arguments that are not JSON, or an option out of range. */
export interface UsageError {
  type: 'usage_error';
  message: string;
  attempts: 0;
}

/** Told apart by `type`. Errors with a `code` of section 7 are {@link ServiceError}s. */
export type ClientError = ServiceError | NetworkError | TimeoutError | AbortedError | ProtocolError | UsageError;

export interface Success<T> {
  ok: true;
  value: T;
  /** the service's id of the request, or '' when a proxy removed it */
  requestId: string;
}

export interface Failure {
  ok: false;
  error: ClientError;
}

export type Result<T> = Success<T> | Failure;

/** Thrown by `unwrap`. */
export class WeirError extends Error {
  readonly error: ClientError;

  constructor(error: ClientError) {
    super(error.message);
    this.name = 'WeirError';
    this.error = error;
  }
}

/** The value, or throws a {@link WeirError}. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new WeirError(result.error);
}

/** Whether the service itself sent this error. */
export function isServiceError(error: ClientError): error is ServiceError {
  return 'requestId' in error;
}

export function usageError(message: string): Failure {
  return { ok: false, error: { type: 'usage_error', message, attempts: 0 } };
}
