/** When a call is tried again, and after how long. */
import { type ClientError, isServiceError } from './errors.js';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/**
 * Whether the same request may be answered otherwise in a while. A 504 is: the service knows the repeated request by
 * its idempotency key and answers it with the check that goes on. A 500 is not, nor is anything the request is at fault for.
 */
export function worthRetrying(error: ClientError): boolean {
  if (error.type === 'network_error' || error.type === 'timeout_error') return true;
  if (error.type === 'protocol_error') return [429, 502, 503, 504].includes(error.status);
  if (!isServiceError(error)) return false;
  if (error.status === 409) return error.retryAfter !== undefined;
  return error.status === 429 || error.status === 503 || error.status === 504;
}

/**
 * Milliseconds to wait after failure number `attempt` (from 1): as long as the service asks for and up to a tenth
 * longer, else twice as long each time. The random part keeps callers that failed together from coming back together.
 */
export function waitBefore(attempt: number, error: ClientError): number {
  const asked = 'retryAfter' in error ? error.retryAfter : undefined;
  if (asked !== undefined) return asked * 1000 * (1 + Math.random() / 10);
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return most * (0.5 + Math.random() / 2);
}

/** Seconds that a `Retry-After` header names (RFC 9110: a number, or a date); undefined where it names none. */
export function parseRetryAfter(header: string | null, date: string | null): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // Date.parse makes a date of nearly anything; those of HTTP begin with the day of the week.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  const then = Date.parse(text);
  if (Number.isNaN(then)) return undefined;
  // By the clock that the date was read from, where the answer tells it.
  const answered = Date.parse(date ?? '');
  return Math.max(0, (then - (Number.isNaN(answered) ? Date.now() : answered)) / 1000);
}

/** Waits; false when `signal` ended it early. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (slept: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(slept);
    };
    const stop = (): void => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
