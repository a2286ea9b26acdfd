/** From a draft to bytes: a request that can be broken in every part before it is put together. */
import { ENDPOINTS, type Endpoint } from '#weir/shared/api/endpoints';
import { KEY } from '../e2e/configuration.ts';
import type { Draft } from './generators.ts';
import { UNKNOWN } from './values.ts';

export interface Request {
  draft: Draft;
  endpoint: Endpoint;
  method: string;
  path: string;
  /** percent-encoded pairs */
  query: string[];
  headers: [name: string, value: string][];
  /** JSON value of the body */
  json: unknown;
  /** changes of the body's bytes, in order */
  edits: ((body: Buffer) => Buffer)[];
  /** says something other than the length of the body */
  length?: string;
  /** an edit has put a name twice into an object */
  repeats?: boolean;
  /** not HTTP/1.1: the answer may be one of the library's own, or none */
  malformed: boolean;
  /** names of the mutations that were applied */
  broken: string[];
}

const ENDPOINT_BY_NAME: Readonly<Record<string, Endpoint>> = ENDPOINTS;

export function newRequest(draft: Draft): Request {
  const endpoint = ENDPOINT_BY_NAME[draft.endpoint]!;
  const headers: Request['headers'] = [['Host', 'localhost']];
  if (endpoint.scope !== null)
    headers.push(['Authorization', `Bearer ${endpoint.scope === 'operate' ? KEY.operator : KEY.acme}`]);
  if (endpoint.keyHeaderOnly) headers.push(['x-api-key', KEY.acme]);
  if (draft.version !== '') headers.push(['service-version', draft.version]);
  if (endpoint.method === 'POST') headers.push(['Content-Type', 'application/json']);
  return {
    draft,
    endpoint,
    method: endpoint.method,
    path: endpoint.path.replace(/\{.*\}/, draft.id ?? ''),
    query: Object.entries(draft.query ?? {}).map(([name, value]) => `${name}=${encode(value)}`),
    headers,
    json: structuredClone(draft.body),
    edits: [],
    malformed: false,
    broken: [],
  };
}

/** Percent-encodes; a lone surrogate, which has no UTF-8, as the bytes that a careless encoder makes of it. */
function encode(value: string): string {
  return encodeURIComponent(value.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}

/** They hand on all of what is sent to a model. */
const GATEWAYS: ReadonlySet<string> = new Set([
  'checkPrompt',
  'checkCompletion',
  'checkPortkey',
  'checkEnvoy',
  'checkNemo',
]);

export function bytesOf(request: Request): Buffer {
  let json = (request.json === undefined ? undefined : JSON.stringify(request.json)) ?? '';
  // What nobody knows is content there.
  if (GATEWAYS.has(request.draft.endpoint)) json = json.replaceAll(UNKNOWN, 'content');
  let body: Buffer = Buffer.from(json);
  for (const edit of request.edits) body = edit(body);
  const target = request.path + (request.query.length > 0 ? `?${request.query.join('&')}` : '');
  const lines = [
    `${request.method} ${target} HTTP/1.1`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const chunked = request.headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  if (!chunked && (body.length > 0 || request.method === 'POST')) {
    lines.push(`Content-Length: ${request.length ?? body.length}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/** As it is printed when it fails. */
export function describe(request: Request): string {
  const bytes = bytesOf(request);
  const shown =
    bytes.length > 4000 ? `${bytes.toString('latin1', 0, 4000)}… (${bytes.length} bytes)` : bytes.toString();
  return `[${request.draft.endpoint}${request.broken.length > 0 ? `, ${request.broken.join(', ')}` : ''}]\n${shown}`;
}
