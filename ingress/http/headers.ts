/** The headers of a request that Weir reads, and what they say. */
import type { HttpRequest } from 'uWebSockets.js';
import { isForwardingHeader } from '../../shared/loopback.js';
import type { Settings } from '../../shared/settings.js';
import { isTraceparent } from '../../shared/traces/context.js';

/** Copied from the request, which cannot be asked once its handler has returned. */
export interface Headers {
  authorization: string;
  /** `x-api-key`, which one route takes. Several are joined by commas, which is never a key */
  apiKey: string;
  serviceVersion: string;
  /** of the headers that `WEIR_VERSION_HEADERS` names */
  otherVersion: string;
  contentType: string;
  contentEncoding: string;
  contentLength: string;
  /** undefined: absent; '' when it is empty, which is as doubtful as any other */
  transferEncoding: string | undefined;
  host: string;
  origin: string;
  /** a header says that a proxy has passed the request on */
  forwarded: boolean;
  requestId: string;
  traceparent: string;
  ifNoneMatch: string;
  /** several are joined as one has several pairs */
  cookie: string;
  /** `x-csrf-token`; several are joined, so that none of them counts */
  csrfToken: string;
  /** several are joined by commas, which means the same */
  accept: string;
  /** `x-envoy-auth-partial-body`: whether Envoy has cut the body off; several are joined */
  partialBody: string;
  /** several are joined by commas, which means the same */
  prefer: string;
  /** undefined: absent; '' also when it came more than once */
  idempotencyKey: string | undefined;
  /** name of a header that came more than once but must not, or '' */
  repeated: string;
}

let current: Headers;
/** further headers that name a version, in lower case, and which of them has been found: the lowest place counts */
let versionHeaders: readonly string[] = [];
let found = 0;

function collectOther(name: string, value: string): void {
  current.forwarded ||= isForwardingHeader(name);
  if (versionHeaders.length === 0 || value === '') return;
  const place = versionHeaders.indexOf(name);
  if (place < 0 || place >= found) return;
  found = place;
  current.otherVersion = value;
}

// One function for all requests, to allocate none: uWebSockets.js calls it within `forEach`, before anything else can run.
function collect(name: string, value: string): void {
  switch (name) {
    case 'authorization':
      if (current.authorization !== '') current.repeated ||= name;
      current.authorization = value;
      break;
    case 'x-api-key':
      current.apiKey = current.apiKey === '' ? value : `${current.apiKey},${value}`;
      break;
    case 'service-version':
      current.serviceVersion = value;
      break;
    case 'content-type':
      current.contentType = value;
      break;
    case 'content-encoding':
      current.contentEncoding = value;
      break;
    case 'content-length':
      if (current.contentLength !== '') current.repeated = name;
      current.contentLength = value;
      break;
    case 'transfer-encoding':
      if (current.transferEncoding !== undefined) current.repeated = name;
      current.transferEncoding = value;
      break;
    case 'host':
      // A repeated header that makes the end of the request doubtful matters more.
      if (current.host !== '') current.repeated ||= name;
      current.host = value;
      break;
    case 'origin':
      // Several are joined, so that none of them counts.
      current.origin = current.origin === '' ? value : `${current.origin} ${value}`;
      break;
    case 'x-request-id':
      current.requestId = value;
      break;
    case 'idempotency-key':
      current.idempotencyKey = current.idempotencyKey === undefined ? value : '';
      break;
    case 'traceparent':
      current.traceparent = value;
      break;
    case 'prefer':
      current.prefer = current.prefer === '' ? value : `${current.prefer},${value}`;
      break;
    case 'x-envoy-auth-partial-body':
      current.partialBody = current.partialBody === '' ? value : `${current.partialBody},${value}`;
      break;
    case 'cookie':
      current.cookie = current.cookie === '' ? value : `${current.cookie}; ${value}`;
      break;
    case 'x-csrf-token':
      current.csrfToken = current.csrfToken === '' ? value : `${current.csrfToken},${value}`;
      break;
    case 'if-none-match':
      current.ifNoneMatch = value;
      break;
    case 'accept':
      current.accept = current.accept === '' ? value : `${current.accept},${value}`;
      break;
    default:
      collectOther(name, value);
  }
}

/** What names the version of the interface, in this order: `service-version`, further headers, the default. */
export interface VersionRules {
  /** in lower case */
  headers: readonly string[];
  /** '': none */
  fallback: string;
}

export const versionRules = ({
  versionHeaders,
  defaultVersion,
}: Settings<'versionHeaders' | 'defaultVersion'>): VersionRules => ({
  headers: versionHeaders
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
  fallback: defaultVersion,
});

/** Copies the headers that Weir reads. */
export function readHeaders(request: HttpRequest, { headers, fallback }: VersionRules): Headers {
  versionHeaders = headers;
  found = headers.length;
  current = {
    authorization: '',
    apiKey: '',
    serviceVersion: '',
    otherVersion: '',
    contentType: '',
    contentEncoding: '',
    contentLength: '',
    transferEncoding: undefined,
    host: '',
    origin: '',
    forwarded: false,
    requestId: '',
    traceparent: '',
    ifNoneMatch: '',
    cookie: '',
    csrfToken: '',
    accept: '',
    partialBody: '',
    prefer: '',
    idempotencyKey: undefined,
    repeated: '',
  };
  request.forEach(collect);
  current.serviceVersion ||= current.otherVersion || fallback;
  return current;
}

/** The W3C trace context as it came, or '' when it is not valid. */
export function traceparentOf(headers: Headers): string {
  return headers.traceparent !== '' && isTraceparent(headers.traceparent) ? headers.traceparent : '';
}

/** Whether the body is not compressed. */
export function isPlain({ contentEncoding }: Headers): boolean {
  return contentEncoding === '' || contentEncoding.toLowerCase() === 'identity';
}

/** Whether the content type says a text in UTF-8. What others read in another charset was not checked. */
export function isText({ contentType }: Headers): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  return type.trim().startsWith('text/') && saysUtf8(parameters);
}

/** Whether the content type says JSON in UTF-8. */
export function isJson(headers: Headers): boolean {
  if (headers.contentType === 'application/json') return true;
  const [type = '', ...parameters] = headers.contentType.toLowerCase().split(';');
  const name = type.trim();
  if (name !== 'application/json' && !(name.endsWith('+json') && name.includes('/'))) return false;
  return saysUtf8(parameters);
}

const saysUtf8 = (parameters: readonly string[]): boolean =>
  parameters.every((parameter) => {
    const [attribute = '', value = ''] = parameter.split('=');
    return attribute.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });

/** How much a caller wants an answer of `type` that it names: 0 when it names none, else its `q` (RFC 9110), which is 1 without. */
function weightOf(type: string, accept: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return 0;
}

/** Whether a caller reads pages, as browsers do. One that takes anything (an asterisk, as curl and clients send it) is a program. */
export function prefersPage({ accept }: Headers): boolean {
  const page = weightOf('text/html', accept);
  return page > 0 && page >= weightOf('application/json', accept);
}

const WAIT = /^\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:;|$)/i;

/**
 * Seconds that `Prefer: wait` (RFC 7240) asks for, from 1 to the deadline; 0 when it asks for none or for more. The first of
 * several counts. Unknown preferences are ignored.
 */
export function waitOf(prefer: string, deadlineMs: number): number {
  if (prefer === '') return 0;
  for (const preference of prefer.split(',')) {
    const found = WAIT.exec(preference);
    if (!found) continue;
    const seconds = Number(found[1] ?? found[2]);
    return seconds * 1000 <= deadlineMs ? seconds : 0;
  }
  return 0;
}
