/**
 * Ambiguous requests (request smuggling): another parser on their way may have read differently where they end, or whom they
 * are for. They are refused before anything else.
 *
 * uWebSockets.js reads what follows the last chunk of a body, trailers included, as the next request. It takes a chunk without
 * its line end or with an extension, whose letters it may take for digits of its length, and reads a body by the first of two
 * lengths. None of this is visible here. So the answer to a request with any Transfer-Encoding, or with two lengths, waits until
 * everything that came with it is parsed. Meanwhile uWebSockets.js ends the connection at the first sign of another request. Then
 * the connection is closed: there is never a second answer on it.
 */
import { ApiError } from '../../shared/api/errors.js';
import { isLoopbackHost, isLoopbackOrigin, type LocalNames } from '../../shared/loopback.js';
import type { RateRefusal } from '../admission/rate-limit.js';
import type { Headers } from './headers.js';

const EXPECTED: Record<string, string> = {
  'content-length': 'expected one Content-Length, or Transfer-Encoding: chunked',
  'transfer-encoding': 'expected one Content-Length, or Transfer-Encoding: chunked',
  host: 'expected one Host',
};

/**
 * Whether another parser may have read this request differently. It must then be the last one of its connection. A POST that announces no
 * body is one: uWebSockets.js reads no header behind one without a name, so it may not have seen the length.
 */
export function isDoubtful({ transferEncoding, contentLength, repeated }: Headers, method: string): boolean {
  return transferEncoding !== undefined || repeated in EXPECTED || (method === 'POST' && contentLength === '');
}

/** `turn`, once everything that came together with the request is parsed. */
export function afterParsing(turn: RateRefusal | Promise<RateRefusal>): Promise<RateRefusal> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(turn));
  });
}

/** The 400 of an ambiguous request. */
export function framingError({ repeated, transferEncoding: encoding, contentLength }: Headers): ApiError | undefined {
  const unclear = encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || contentLength !== '');
  const header = repeated in EXPECTED ? repeated : unclear ? 'transfer-encoding' : '';
  if (header === '') return undefined;
  return new ApiError('validation_failed', `The header ${header} is ambiguous.`, {
    param: header,
    issues: [{ path: header, code: 'ambiguous', message: EXPECTED[header]! }],
  });
}

/** The 403 of a request for another name than this machine's, on a server that only this machine can reach. */
export function originError(names: LocalNames | undefined, { host, origin }: Headers): ApiError | undefined {
  const header = names?.stranger(host, origin);
  if (header === undefined) return undefined;
  const message = `This server listens on loopback, and the header ${header} does not name this machine.`;
  return new ApiError(
    'permission_denied',
    `${message} Use 127.0.0.1 or localhost, or list the name in WEIR_ALLOWED_HOSTS.`,
    {
      param: header,
    },
  );
}

/** Whether a request was sent on this machine to a name of this machine, and not through a proxy. */
export function isLocal({ host, origin, forwarded }: Headers): boolean {
  return !forwarded && isLoopbackHost(host) && (origin === '' || isLoopbackOrigin(origin));
}
