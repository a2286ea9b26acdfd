/**
 * What a call comes to: a value, or an error that is a value too. Methods of the client never reject, so that every
 * failure is seen by the type checker; `unwrap` turns them into exceptions for those who prefer that.
 *
 * No error carries the API key or a word of what was sent.
 */
import type { ErrorCode } from '../api/errors.js';
import type { ErrorBody, ErrorType, Issue } from '../api/types.js';

/** An error that the service answered with (section 7). */
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
  /** everything that is wrong with the request; empty where the service names nothing */
  issues: Issue[];
  /** seconds after which the service would like to be asked again */
  retryAfter?: number;
  /** 504 of a single check: where its result will be */
  result?: ErrorBody['error']['result'];
  /** 504 of a batch: the results to come */
  items?: ErrorBody['error']['items'];
  /** requests that were sent */
  attempts: number;
}

/** The service was not reached, or its answer did not come whole. */
export interface NetworkError {
  type: 'network_error';
  message: string;
  /** code of the operating system or of `fetch`, such as `ECONNREFUSED`; '' where there is none */
  code: string;
  attempts: number;
}

/** The time of the call is over. A check that was accepted goes on all the same. */
export interface TimeoutError {
  type: 'timeout_error';
  message: string;
  attempts: number;
}

/** The caller's AbortSignal. A check that was accepted goes on all the same. */
export interface AbortedError {
  type: 'aborted_error';
  message: string;
  attempts: number;
}

/** An answer that is not one of this service: a proxy's page, or no JSON. */
export interface ProtocolError {
  type: 'protocol_error';
  message: string;
  /** HTTP status */
  status: number;
  retryAfter?: number;
  attempts: number;
}

/** The call itself cannot be made: arguments that are no JSON, or an option that is out of its range. */
export interface UsageError {
  type: 'usage_error';
  message: string;
  attempts: 0;
}

/** Told apart by `type`; those with a `code` of section 7 are {@link ServiceError}s. */
export type ClientError = ServiceError | NetworkError | TimeoutError | AbortedError | ProtocolError | UsageError;

export interface Success<T> {
  ok: true;
  value: T;
  /** the service's id of the request; '' where a proxy took it away */
  requestId: string;
}

export interface Failure {
  ok: false;
  error: ClientError;
}

export type Result<T> = Success<T> | Failure;

/** What `unwrap` throws. */
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

/** Whether the service itself answered so. */
export function isServiceError(error: ClientError): error is ServiceError {
  return 'requestId' in error;
}

export function usageError(message: string): Failure {
  return { ok: false, error: { type: 'usage_error', message, attempts: 0 } };
}
