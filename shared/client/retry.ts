/** When a call is retried, and after how long. */
import { type ClientError, isServiceError } from './errors.js';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;

/**
 * Whether a retry may get another answer. `found`: the service finds the check again by its Idempotency-Key, or the request begins no
 * check. Retried are network errors, time-outs, 429, 503, 409 with Retry-After, and a 504 when `found`. Without a key a retry after
 * a 504 would begin a second check: the error tells where the result of the first will be. A 500 and errors of the request stay.
 */
export function worthRetrying(error: ClientError, found: boolean): boolean {
  if (error.type === 'network_error' || error.type === 'timeout_error') return true;
  if (error.type === 'protocol_error') return [429, 502, 503, 504].includes(error.status);
  if (!isServiceError(error)) return false;
  if (error.status === 409) return error.retryAfter !== undefined;
  return error.status === 429 || error.status === 503 || (error.status === 504 && found);
}

/**
 * Milliseconds to wait after failure number `attempt` (from 1): as long as the service asks for, up to a tenth longer; else up to
 * twice as long each time. The random part keeps callers that failed together from coming back together.
 */
export function waitBefore(attempt: number, error: ClientError): number {
  const asked = 'retryAfter' in error ? error.retryAfter : undefined;
  if (asked !== undefined) return asked * 1000 * (1 + Math.random() / 10);
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return most * (0.5 + Math.random() / 2);
}

/** Seconds of a `Retry-After` header (RFC 9110: a number or a date); undefined when it is neither. */
export function parseRetryAfter(header: string | null, date: string | null): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // Date.parse accepts nearly anything. Dates of HTTP begin with the day of the week.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  const then = Date.parse(text);
  if (Number.isNaN(then)) return undefined;
  // Counted by the clock of the server, when the answer has it.
  const answered = Date.parse(date ?? '');
  return Math.max(0, (then - (Number.isNaN(answered) ? Date.now() : answered)) / 1000);
}

/** Waits; false when `signal` ended the wait. Not of Node, since the client also runs in browsers. */
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
