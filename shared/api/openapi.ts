/**
 * The interface as an OpenAPI 3.1 document. Paths, versions and keys come from the table that routes requests. Schemas
 * and their descriptions come from the types that validate, statuses from the table of errors. The rest of the words
 * is in `openapi/`.
 */
import { type Endpoint, type Operation, type Parameter, REDACT, TAGS, VIEW } from './endpoints/endpoint.js';
import { ENDPOINTS } from './endpoints.js';
import { LIMITS } from './limits.js';
import { type ErrorResponse, errorResponses, errorSchemas } from './openapi/errors.js';
import { refTo, type Schema } from './openapi/forms.js';
import { commonHeaders, HEADER_PARAMETERS, HEADERS, headerParameters, headerRefs } from './openapi/headers.js';
import { makeSchemas } from './openapi/schemas.js';
import type { Issue } from './types.js';
import { VERSIONS } from './versions.js';

interface MediaType {
  schema: Schema;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

interface ResponseDescription {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, MediaType>;
}

export interface OpenapiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { required: true; content: { 'application/json': MediaType } };
  responses: Record<string, ResponseDescription>;
}

export interface OpenapiDocument {
  openapi: '3.1.0';
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  tags: readonly { name: string; description: string }[];
  paths: Record<string, Partial<Record<(typeof METHODS)[Endpoint['method']], OpenapiOperation>>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, unknown>;
    parameters: Record<string, Parameter>;
    securitySchemes: Record<string, unknown>;
  };
}

const METHODS = { GET: 'get', POST: 'post', DELETE: 'delete' } as const;

const INTRODUCTION = `Checks what people and language models write against policies, and answers with a verdict for each policy.

- Requests to \`/api\` need an API key (\`Authorization: Bearer …\`) and the header \`service-version\`.
- Bodies are JSON in UTF-8, nested at most ${LIMITS.jsonDepth} levels deep, with each name once in an object. A body can have at most ${LIMITS.bodyBytes / 1024 / 1024} MiB.
- In a request, \`null\` in an optional field is the same as leaving the field out. Unknown fields are ignored, except on an event without content. A field that belongs elsewhere in the request is a 400 that says where. An answer has only the fields that are listed here.
- Lengths count characters (code points). Sizes count bytes of UTF-8. Times are RFC 3339 in UTC.
- A successful answer is a 200; where it is only begun, a 202. Every GET also answers HEAD.
- \`flagged: false\` means that every policy that applies was evaluated.`;

const KEY_HEADER =
  'The same API key, as clients of other services may send it. Only endpoints of the group Adapters take this header.';
const KEY_QUERY =
  'The same API key, as clients of the Perspective API send it. Only its endpoint takes this parameter.';

/** Makes the document. */
export function makeOpenapi(): OpenapiDocument {
  const paths: OpenapiDocument['paths'] = {};
  for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
    const item = paths[endpoint.path] ?? {};
    paths[endpoint.path] = item;
    item[METHODS[endpoint.method]] = operation(name, endpoint);
  }
  const text = JSON.stringify(paths);
  const headers = Object.entries(HEADERS).filter(([name]) => text.includes(`"#/components/headers/${name}"`));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir',
      version: VERSIONS.at(-1),
      summary: 'Content policy checks',
      description: INTRODUCTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that sent you this document.' }],
    tags: TAGS.filter(({ name }) => text.includes(`"tags":["${name}"]`)),
    paths,
    components: {
      schemas: usedSchemas(text),
      headers: Object.fromEntries(headers),
      parameters: HEADER_PARAMETERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer wk_…`.' },
        ...(text.includes('"keyHeader"')
          ? { keyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: KEY_HEADER } }
          : {}),
        ...(text.includes('"keyQuery"')
          ? { keyQuery: { type: 'apiKey', in: 'query', name: 'key', description: KEY_QUERY } }
          : {}),
      },
    },
  };
}

/** The schemas that `paths` (JSON) refer to, directly or through another schema. */
function usedSchemas(paths: string): Record<string, Schema> {
  const made = makeSchemas();
  const all: Record<string, Schema> = { ...made, ...errorSchemas(made.ErrorBody!) };
  const used: Record<string, Schema> = {};
  const visit = (text: string): void => {
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used[name!] !== undefined) continue;
      used[name!] = all[name!]!;
      visit(JSON.stringify(all[name!]));
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function operation(name: string, endpoint: Operation): OpenapiOperation {
  const { body } = endpoint;
  const examples = body?.examples ?? {};
  const refused: Record<string, Issue[]> = {};
  for (const [example, { refused: issues }] of Object.entries(examples)) if (issues) refused[example] = issues;
  const open = endpoint.scope === null || endpoint.scope === 'any';
  const also = endpoint.also === undefined ? '' : ` and \`${endpoint.also}\``;
  const scope = open ? '' : ` The API key needs the ${also ? 'scopes' : 'scope'} \`${endpoint.scope}\`${also}.`;
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description + scope,
    security: security(endpoint),
    parameters: [
      ...(endpoint.parameters ?? []),
      ...(endpoint.views ? VIEW : []),
      ...(endpoint.redacts ? [REDACT] : []),
      ...headerParameters(endpoint),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: refTo(body.schema),
                examples: Object.fromEntries(
                  Object.entries(examples).map(([key, { summary, value }]) => [key, { summary, value }]),
                ),
              },
            },
          },
        }),
    responses: {
      [endpoint.redirects ? 303 : endpoint.accepted ? 202 : 200]: goodResponse(endpoint),
      ...(endpoint.cached ? { 304: notModified(endpoint) } : {}),
      ...(errorResponses(endpoint, refused) satisfies Record<string, ErrorResponse>),
    },
  };
}

function security({ scope, apiKeyHeader, keyHeaderOnly, keyInQuery, keyless }: Endpoint): Record<string, string[]>[] {
  if (scope === null) return [];
  if (keyHeaderOnly) return [{ keyHeader: [] }];
  return [
    { bearer: [] },
    ...(apiKeyHeader ? [{ keyHeader: [] }] : []),
    ...(keyInQuery ? [{ keyQuery: [] }] : []),
    ...(keyless ? [{}] : []),
  ];
}

function goodResponse(endpoint: Operation): ResponseDescription {
  const { description, schema, types, examples } = endpoint.answer;
  return {
    description,
    headers: headerRefs(commonHeaders(endpoint, 200)),
    content: schema
      ? { 'application/json': { schema: refTo(schema), examples } }
      : Object.fromEntries(Object.entries(types ?? {}).map(([type, of]) => [type, { schema: of }])),
  };
}

function notModified(endpoint: Endpoint): ResponseDescription {
  const description = 'Your copy, as `If-None-Match` names it, is still good.';
  return { description, headers: headerRefs(commonHeaders(endpoint, 304)) };
}

let text: string | undefined;

/** The document as JSON, the same text at every call. */
export function openapiText(): string {
  text ??= JSON.stringify(makeOpenapi());
  return text;
}
