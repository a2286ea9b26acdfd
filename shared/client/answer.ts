/** Turns an HTTP response into a result. */
import type { ErrorBody } from '../api/types.js';
import type { Result, ServiceError } from './errors.js';
import { parseRetryAfter } from './retry.js';

/** Larger than any answer of the service. Beyond this an answer is not read further. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The body, or undefined when it is larger than any answer of the service. */
export async function readText(response: Response): Promise<string | undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_BYTES) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The value of a 200, else the error of the answer. `attempts` of an error is 0 and is set by the caller, which counts them. */
export function interpret<T>(response: Response, text: string | undefined): Result<T> {
  const { status, headers } = response;
  const json = text === undefined ? undefined : parsed(text);
  const requestId = headers.get('x-request-id') ?? '';
  if (status === 200 && json !== undefined) return { ok: true, value: json as T, requestId };
  const retryAfter = parseRetryAfter(headers.get('retry-after'), headers.get('date'));
  const after = retryAfter === undefined ? {} : { retryAfter };
  const told = status === 200 ? undefined : errorOf(json);
  if (told === undefined) {
    const what =
      status === 200 ? 'is not a JSON object, or too large' : `has status ${status} and not the body of an error`;
    const message = `The answer ${what}: it may be another server's. Check the address of the client.`;
    return { ok: false, error: { type: 'protocol_error', message, status, ...after, attempts: 0 } };
  }
  const { type, code, message, param, issues, region, request_id, result, items } = told;
  const error: ServiceError = {
    type,
    code,
    message,
    status,
    requestId: requestId === '' ? (request_id ?? '') : requestId,
    ...(param === undefined ? {} : { param }),
    issues: issues ?? [],
    ...(region === undefined ? {} : { region }),
    ...after,
    ...(result === undefined ? {} : { result }),
    ...(items === undefined ? {} : { items }),
    attempts: 0,
  };
  return { ok: false, error };
}

function parsed(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isListOrAbsent = (value: unknown): boolean => value === undefined || Array.isArray(value);

// A server in between may send an `error` of its own. Those of the service have all of these members.
function errorOf(json: object | undefined): ErrorBody['error'] | undefined {
  const error = (json as Partial<ErrorBody> | undefined)?.error;
  if (typeof error !== 'object' || error === null) return undefined;
  if (!isText(error.type) || !isText(error.code) || !isText(error.message)) return undefined;
  return isListOrAbsent(error.issues) && isListOrAbsent(error.items) ? error : undefined;
}
