/** Headers of requests and answers. */
import type { Endpoint, Parameter } from '../endpoints/endpoint.js';
import { LIMITS } from '../limits.js';
import { deprecatedSince, VERSIONS } from '../versions.js';
import type { Schema } from './forms.js';

interface HeaderDescription {
  description: string;
  schema: Schema;
  required?: boolean;
  example?: unknown;
}

/** Headers of answers, by name. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request: the one that you sent if it is valid, else a new one.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.requestIdCharacters },
    example: '01a1fdb6-e276-7f4f-81ed-501a7cec0000',
  },
  'service-version': {
    description: 'The version that you sent, if it is a known version.',
    schema: { type: 'string', enum: [...VERSIONS] },
  },
  'Weir-Region': {
    description: 'The name of the region that has answered, if the service has several.',
    schema: { type: 'string', maxLength: 32 },
    example: 'eu',
  },
  'Retry-After': {
    description: 'How many seconds to wait before you try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimit: {
    description:
      'What is left to an API key that has a rate limit: `r` requests. Its bucket is full again in `t` seconds. If the key has used too many Idempotency-Keys, also `"idempotency-keys"`: the next one is forgotten in `t` seconds.',
    schema: { type: 'string' },
    example: '"default";r=580;t=30',
  },
  'RateLimit-Policy': {
    description:
      'The rate limit of the API key, if it has one: a bucket of `q` requests that fills in `w` seconds. If the key has used too many Idempotency-Keys, also `"idempotency-keys"`: `q` of them are remembered, for `w` seconds each.',
    schema: { type: 'string' },
    example: '"default";q=600;w=60',
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
  Allow: { description: 'The methods that the path takes.', schema: { type: 'string' }, example: 'GET, HEAD' },
  Deprecation: {
    description:
      'Present if the version that you sent is deprecated (RFC 9745). The value is the date: `@` and Unix seconds.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1776211200',
  },
  Link: {
    description: 'Present with `Deprecation`: where to read about it.',
    schema: { type: 'string' },
    example: '</docs>; rel="deprecation"; type="text/html"',
  },
  'Idempotency-Replayed': {
    description: 'Present if this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: 'The `wait` of the header `Prefer`, if the service follows it.',
    schema: { type: 'string', pattern: '^wait=[0-9]+$' },
    example: 'wait=3',
  },
  ETag: { description: 'A tag that changes with the content. Send it as `If-None-Match`.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How long you may keep the answer.', schema: { type: 'string' } },
  Vary: {
    description: 'The header of the request that chose the kind of this answer.',
    schema: { type: 'string', const: 'accept' },
  },
} as const satisfies Record<string, HeaderDescription>;

export type HeaderName = keyof typeof HEADERS;

export function headerRefs(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Versions that `endpoint` still takes, but that a newer version replaces there. */
function deprecatedVersions({ versions, named }: Endpoint): readonly string[] {
  return named === undefined ? [] : versions.filter((version) => deprecatedSince(version, named) !== undefined);
}

/** Statuses that are decided before the caller is known. */
const ANONYMOUS: ReadonlySet<number> = new Set([401, 405]);
/** Statuses that a check itself can end with. */
const OUTCOMES: ReadonlySet<number> = new Set([200, 400, 500, 503, 504]);

/** Headers that any answer of `endpoint` with `status` can have. */
export function commonHeaders(endpoint: Endpoint, status: number): HeaderName[] {
  const names: HeaderName[] = ['X-Request-Id', 'Weir-Region'];
  if (endpoint.versions.length > 0) names.push('service-version');
  // A request with a wrong method does not use a version.
  if (deprecatedVersions(endpoint).length > 0 && status !== 405) names.push('Deprecation', 'Link');
  if (endpoint.scope !== null && !ANONYMOUS.has(status)) names.push('RateLimit', 'RateLimit-Policy');
  const isCheck = endpoint.method === 'POST' && !endpoint.alone;
  if (isCheck && (status === 200 || status === 504)) names.push('Preference-Applied');
  if (isCheck && OUTCOMES.has(status)) names.push('Idempotency-Replayed');
  if (endpoint.cached && (status === 200 || status === 304)) names.push('ETag', 'Cache-Control');
  if (endpoint.negotiated && (status === 200 || status === 304)) names.push('Vary');
  return names;
}

/** Headers of requests that several endpoints share, by the name of the component. */
export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A value of your own that names this check. If you send it again within an hour with the same body, you get the first result instead of a second check. After a 503, or a 4xx other than 409 and 429, you can use the value again.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyCharacters, pattern: '^[!-~]+$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N` (RFC 7240): how many whole seconds to wait for the result, from 1 to the deadline of the service. Then the answer is the same as after the deadline. The check goes on.',
    schema: { type: 'string' },
    example: 'wait=3',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: `Your id of the request. The answer repeats it. Up to ${LIMITS.requestIdCharacters} letters, digits, \`.\`, \`_\`, \`:\`, \`-\`. Any other value is replaced.`,
    schema: { type: 'string' },
  },
  TraceParent: {
    name: 'traceparent',
    in: 'header',
    description: 'The W3C trace context. It is passed on with the check. A malformed value is ignored.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Parameter>;

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of the copy that you have. If the copy is still good, the answer is a 304.',
  schema: { type: 'string' },
};

/** Headers that an endpoint reads, apart from the key. */
export function headerParameters(endpoint: Endpoint): (Parameter | { $ref: string })[] {
  const refs = ['RequestId'];
  if (endpoint.scope !== null) refs.push('TraceParent');
  if (endpoint.method === 'POST' && !endpoint.alone) refs.push('IdempotencyKey', 'Prefer');
  const shared = [
    ...(endpoint.cached ? [IF_NONE_MATCH] : []),
    ...refs.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  if (endpoint.versions.length === 0) return shared;
  const old = deprecatedVersions(endpoint).map((each) => `\`${each}\``);
  const replaced = ` Deprecated here, with the headers \`Deprecation\` and \`Link\` in the answer: ${old.join(', ')}. Use \`${endpoint.named}\`.`;
  const version: Parameter = {
    name: 'service-version',
    in: 'header',
    description: `The version of the interface that your client was written for.${old.length > 0 ? replaced : ''}`,
    required: true,
    schema: { type: 'string', enum: [...endpoint.versions] },
    example: endpoint.versions.at(-1),
  };
  return [version, ...shared];
}
