/** Headers of requests and answers, as the document tells them. */
import type { Endpoint } from '../endpoints.js';
import { LIMITS } from '../limits.js';
import { deprecatedSince, VERSIONS } from '../versions.js';
import type { Schema } from './forms.js';

interface Header {
  description: string;
  schema: Schema;
  required?: boolean;
  example?: unknown;
}

/** Headers of answers, by name. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request: the one that was sent, if it has the form of an id, else a new one.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.requestIdCharacters },
    example: '01a1fdb6-e276-7f4f-81ed-501a7cec0000',
  },
  'service-version': {
    description: 'The version that was sent, when it is a known one.',
    schema: { type: 'string', enum: [...VERSIONS] },
  },
  'Retry-After': {
    description: 'Seconds after which it makes sense to try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimit: {
    description:
      'What is left to the API key, when it has a rate: `r` requests; its bucket is full again in `t` seconds. Where too many Idempotency-Keys are remembered, also `"idempotency-keys"`: one is forgotten in `t` seconds.',
    schema: { type: 'string' },
    example: '"default";r=580;t=30',
  },
  'RateLimit-Policy': {
    description:
      'The rate of the API key, when it has one: a bucket of `q` requests that fills in `w` seconds. Where too many Idempotency-Keys are remembered, also `"idempotency-keys"`: `q` of them, for `w` seconds each.',
    schema: { type: 'string' },
    example: '"default";q=600;w=60',
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
  Allow: { description: 'Methods that the path takes.', schema: { type: 'string' }, example: 'GET, HEAD' },
  Deprecation: {
    description: 'Since when the version that was sent is deprecated (RFC 9745), when it is: `@` and Unix seconds.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1776211200',
  },
  Link: {
    description: 'With `Deprecation`: where to read about it.',
    schema: { type: 'string' },
    example: '</docs>; rel="deprecation"; type="text/html"',
  },
  'Idempotency-Replayed': {
    description: 'Present when this is the answer of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: 'The `wait` of the header `Prefer`, where it was taken.',
    schema: { type: 'string', pattern: '^wait=[0-9]+$' },
    example: 'wait=3',
  },
  ETag: { description: 'Changes when the content does; send it as `If-None-Match`.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export function headerRefs(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Versions that `endpoint` takes and a newer one has replaced on it. */
function deprecatedVersions({ versions, named }: Endpoint): readonly string[] {
  return named === undefined ? [] : versions.filter((version) => deprecatedSince(version, named) !== undefined);
}

/** Statuses that are decided before anybody knows whose request it is. */
const ANONYMOUS: ReadonlySet<number> = new Set([401, 405]);
/** Statuses that a check itself may come to. */
const OUTCOMES: ReadonlySet<number> = new Set([200, 400, 500, 503, 504]);

/** Headers that answers of `endpoint` with `status` may have, whatever it does. */
export function commonHeaders(endpoint: Endpoint, status: number): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id'];
  if (endpoint.versions.length > 0) names.push('service-version');
  // A method that is not taken is no use of a version.
  if (deprecatedVersions(endpoint).length > 0 && status !== 405) names.push('Deprecation', 'Link');
  if (endpoint.scope !== null && !ANONYMOUS.has(status)) names.push('RateLimit', 'RateLimit-Policy');
  if (endpoint.method === 'POST' && (status === 200 || status === 504)) names.push('Preference-Applied');
  if (endpoint.method === 'POST' && OUTCOMES.has(status)) names.push('Idempotency-Replayed');
  return names;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

/** Headers of requests that several endpoints share, by the name of the component. */
export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A value of your own that names this check. Sent again within an hour with the same body, it is answered with the first result instead of a second check. A 4xx or a 503 leaves it free, except for 409 and 429.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyCharacters, pattern: '^[!-~]+$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N`: whole seconds, from 1 to the deadline of the service, after which this request is answered as if the deadline had passed (RFC 7240). The check goes on.',
    schema: { type: 'string' },
    example: 'wait=3',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: `Your id of the request, echoed in the answer: up to ${LIMITS.requestIdCharacters} letters, digits, \`.\`, \`_\`, \`:\`, \`-\`. Anything else is replaced.`,
    schema: { type: 'string' },
  },
  TraceParent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C trace context, handed on with the check. A malformed one is ignored.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Parameter>;

/** Headers that an endpoint reads, apart from the key. */
export function headerParameters(endpoint: Endpoint): (Parameter | { $ref: string })[] {
  const refs = (['RequestId', ...(endpoint.scope === null ? [] : ['TraceParent'])] as string[]).concat(
    endpoint.method === 'POST' ? ['IdempotencyKey', 'Prefer'] : [],
  );
  const shared = refs.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  if (endpoint.versions.length === 0) return shared;
  const old = deprecatedVersions(endpoint).map((each) => `\`${each}\``);
  const replaced = ` Deprecated here, and answered with the headers \`Deprecation\` and \`Link\`: ${old.join(', ')}. In place of it: \`${endpoint.named}\`.`;
  const version: Parameter = {
    name: 'service-version',
    in: 'header',
    description: `Version of the interface that the caller was written for.${old.length > 0 ? replaced : ''}`,
    required: true,
    schema: { type: 'string', enum: [...endpoint.versions] },
    example: endpoint.versions.at(-1),
  };
  return [version, ...shared];
}
