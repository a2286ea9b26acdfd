/** What a module of endpoints holds: how each is called, and its words and examples in the OpenAPI document. */
import type { KeyScope } from '../../configuration/key-scopes.js';
import type { DialectName } from '../dialects/names.js';
import type { ErrorCode } from '../errors.js';
import { LIMITS } from '../limits.js';
import { OFFSET_UNITS } from '../offset-units.js';
import { ID, type Schema } from '../openapi/forms.js';
import type { Issue } from '../types.js';
import type { Version } from '../versions.js';
import { SAMPLE } from './samples.js';

export const TAGS = [
  {
    name: 'Events',
    description: 'Steps of an interaction with a model: messages, tool calls, agent state, reasoning.',
  },
  { name: 'Sessions', description: 'Chats. A check looks at the last message.' },
  { name: 'Streams', description: 'Texts that are checked while they are written.' },
  { name: 'Redaction', description: 'Redacted texts that get back what was taken out of them.' },
  { name: 'Artifacts', description: 'Images, sent by themselves or in chats.' },
  { name: 'Labels', description: 'What people say of verdicts: right, wrong, or missed.' },
  { name: 'Appeals', description: 'What users have against verdicts, and what became of it.' },
  { name: 'History', description: 'What was checked: lists, and figures over time.' },
  { name: 'Policies', description: 'Policies that are tried before they are used.' },
  { name: 'Users', description: 'What earlier checks say about a user.' },
  { name: 'Erasures', description: 'What is asked to be forgotten.' },
  { name: 'Audit', description: 'Who did what, when and from where.' },
  { name: 'Adapters', description: 'Interfaces of other products. Point such a product at this service.' },
  { name: 'Operation', description: 'What operators ask of an installation, over all teams.' },
  { name: 'Service', description: 'The service itself. These endpoints need no key and no version.' },
] as const;

/** How an endpoint is called. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  /** the last segment may be a parameter: `/api/event/{internal_event_id}` */
  path: string;
  /** accepted values of `service-version`; empty: the header is not required */
  versions: readonly Version[];
  /** the scope that the API key needs; any: one that is valid; null: no key is needed */
  scope: KeyScope | 'any' | null;
  /** one more scope that it needs */
  also?: KeyScope;
  /** the version that section 9, 2 names for this route; older accepted versions are deprecated */
  named?: Version;
  /** a check that does not finish in time is answered 200 `processing`, not 504 */
  late?: 'processing';
  /** of another service's interface: it is there where `WEIR_DIALECTS` has that */
  dialect?: DialectName;
  /** the key may also come in the header `x-api-key` */
  apiKeyHeader?: true;
  /** the key comes in the header `x-api-key` alone: `Authorization` is not the caller's */
  keyHeaderOnly?: true;
  /** its parameter is the rest of the path, of any number of segments, and every method is taken as a POST; the query means nothing */
  below?: true;
  /** the key may also come in the query, as `key` */
  keyInQuery?: true;
  /** its clients send no key: the address of a request may tell whose it is */
  keyless?: true;
  /** for browsers, which it sends elsewhere: the good answer is a 303 */
  redirects?: true;
  /** it is told to the audit log, though its scope is that of checks, which are not */
  audited?: true;
  /** it is done later: the good answer is a 202 */
  accepted?: true;
  /** the answer has an `ETag`, and may be a 304 */
  cached?: true;
  /** the header `Accept` chooses among the kinds of answers */
  negotiated?: true;
  /** the answer has policies, which the query may ask to be explained, how, or left out ({@link VIEW}) */
  views?: true;
  /** a check of texts, which the query may ask to be redacted ({@link REDACT}) */
  redacts?: true;
  /** a POST that makes no check, so no full queue refuses it, and it is repeated without an `Idempotency-Key` */
  alone?: true;
  /** most bytes of its body, where that is less than that of others */
  mostBytes?: number;
}

export interface Operation extends Endpoint {
  tag: (typeof TAGS)[number]['name'];
  summary: string;
  description: string;
  /** in the path and in the query */
  parameters?: readonly Parameter[];
  body?: { schema: string; examples: Examples };
  answer: EndpointAnswer;
  /** codes that other endpoints of its kind do not have */
  errors?: readonly ErrorCode[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

/** The good answer: one schema of JSON with examples, or schemas by content type. */
export type EndpointAnswer = { description: string } & (
  | { schema: string; examples: AnswerExamples; types?: undefined }
  | { schema?: undefined; examples?: undefined; types: Readonly<Record<string, Schema>> }
);

/**
 * Bodies of requests, by name, for the sample configuration and its public key. One with `refused` is answered 400, every other
 * one 200. Tests send them all.
 */
export type Examples = Readonly<Record<string, { summary: string; value: unknown; refused?: Issue[] }>>;
/** Bodies of good answers, by the name of the request. */
export type AnswerExamples = Readonly<Record<string, { value: unknown }>>;

export interface Exchanges {
  requests: Examples;
  answers: AnswerExamples;
}

/** Endpoints of a resource, by the name of the operation. */
export function endpoints<N extends string>(table: Readonly<Record<N, Operation>>): Readonly<Record<N, Operation>> {
  return table;
}

export const TEXT: Schema = { type: 'string' };
export const NAME: Schema = { ...TEXT, minLength: 1, maxLength: LIMITS.nameCharacters };
export const OWN_ID: Schema = { ...TEXT, ...ID };
export const UUID: Schema = { ...TEXT, format: 'uuid' };

export const inPath = (name: string, description: string, schema: Schema, example: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema,
  example,
});
export const required = (name: string, description: string, schema: Schema, example: string): Parameter => ({
  name,
  in: 'query',
  description,
  required: true,
  schema,
  example,
});
export const optional = (name: string, description: string, schema: Schema, example?: unknown): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

export const ENVIRONMENT = required('environment_id', 'The environment of the events.', NAME, SAMPLE.environment);
export const RUN = required('run_id', 'Your id of the run.', OWN_ID, SAMPLE.run);
const ANY_DEPLOYMENT = 'The deployment of the check. The default is that of the API key.';
export const DEPLOYMENT = optional('deployment_id', ANY_DEPLOYMENT, TEXT, SAMPLE.deployment);

/** Query parameters of every endpoint that answers with policies. */
export const VIEW: readonly Parameter[] = [
  optional(
    'explain',
    'Whether each policy has its `severity`, and each one that is flagged the `evidence`. Upper or lower case; `1` and `0` work too.',
    { type: 'boolean', default: false },
  ),
  optional('policies', '`flagged` leaves all policies out of the answer that are not flagged.', {
    ...TEXT,
    enum: ['all', 'flagged'],
    default: 'all',
  }),
  optional(
    'offsets',
    'What `start` and `end` of evidence count: UTF-16 units, code points, or bytes of UTF-8. Any but the default asks for `explain`, too; of streams it counts `safe_until`, and does not.',
    { ...TEXT, enum: [...OFFSET_UNITS], default: 'utf16' },
  ),
  optional(
    'matched',
    'Whether evidence has the text that was found, as `matched`. The API key needs the scope `content`. Asks for `explain`, too. Upper or lower case; `1` and `0` work too.',
    { type: 'boolean', default: false },
  ),
];

/** Query parameter of look-ups of one item. */
export const LABELS: Parameter = optional(
  'labels',
  'Whether the answer has `labels`: what people said of the verdict. The API key needs the scope `review`. Upper or lower case; `1` and `0` work too.',
  { type: 'boolean', default: false },
);

/** Query parameter of every check of texts. */
export const REDACT: Parameter = optional(
  'redact',
  'Whether the answer has `redacted`: the content with `[CREDIT_CARD]` and the like in place of what policies have found. `reversible` numbers these marks, such as `[CREDIT_CARD_1]`, and adds `sealed`, which `POST /api/restore` puts them back with. Upper or lower case; `1` and `0` work too.',
  { oneOf: [{ type: 'boolean' }, { ...TEXT, const: 'reversible' }], default: false },
);

export const STORED =
  'You get a 404 for results of other teams, and of environments or deployments that the API key was not granted.';
export const DEADLINE = 'the deadline of the service (8 s unless configured otherwise)';
export const CHECKED = `The answer comes when the check is done. If the check takes longer than ${DEADLINE}, the answer is a 504 that says where to find the result.`;
/** Which policies apply, by the side of the conversation that the content is from. */
export const SIDES = 'policies for output if its role is `assistant`, else policies for input, and policies for both';
