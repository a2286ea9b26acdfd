/** Every endpoint in words: what it does, its parameters, bodies and examples. */
import type { EndpointName } from '../endpoints.js';
import type { ErrorCode } from '../errors.js';
import { DEFAULT_NODES, LIMITS } from '../limits.js';
import { EVENT_TYPES } from '../types.js';
import {
  type AnswerExamples,
  ARTIFACT,
  ARTIFACT_FOUND,
  BATCH,
  ENVELOPE,
  EVENT,
  type Examples,
  GUARDRAIL,
  LOOKED_UP,
  PROTECT,
  RISK,
  RUN_GRAPH,
  SAMPLE,
  SESSION,
} from './examples.js';
import { ID, type Schema } from './forms.js';
import type { HeaderName, Parameter } from './headers.js';

export const TAGS = [
  {
    name: 'Events',
    description: 'Steps of an interaction with a model: messages, tool calls, agent state, reasoning.',
  },
  { name: 'Sessions', description: 'Chats. A check looks at the last message.' },
  { name: 'Artifacts', description: 'Images, sent by themselves or in chats.' },
  { name: 'Users', description: 'What earlier checks say about a user.' },
  { name: 'Adapters', description: 'Interfaces of other products. Point such a product at this service.' },
  { name: 'Service', description: 'The service itself. These endpoints need no key and no version.' },
] as const;

export interface Operation {
  tag: (typeof TAGS)[number]['name'];
  summary: string;
  description: string;
  /** in the path and in the query */
  parameters?: readonly Parameter[];
  body?: { schema: string; examples: Examples };
  answer: Answer;
  /** codes that other endpoints of its kind do not have */
  errors?: readonly ErrorCode[];
}

export interface Answer {
  description: string;
  /** of JSON */
  schema?: string;
  examples?: AnswerExamples;
  /** schemas by content type, of an answer without `schema` */
  types?: Readonly<Record<string, Schema>>;
  headers?: readonly HeaderName[];
}

const TEXT: Schema = { type: 'string' };
const NAME: Schema = { ...TEXT, minLength: 1, maxLength: LIMITS.nameCharacters };
const OWN_ID: Schema = { ...TEXT, ...ID };
const UUID: Schema = { ...TEXT, format: 'uuid' };

const path = (name: string, description: string, schema: Schema, example: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema,
  example,
});
const required = (name: string, description: string, schema: Schema, example: string): Parameter => ({
  name,
  in: 'query',
  description,
  required: true,
  schema,
  example,
});
const optional = (name: string, description: string, schema: Schema, example?: unknown): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

const ENVIRONMENT = required('environment_id', 'The environment of the events.', NAME, SAMPLE.environment);
const RUN = required('run_id', 'Your id of the run.', OWN_ID, SAMPLE.run);
const ANY_DEPLOYMENT = 'The deployment of the check. The default is that of the API key.';
const DEPLOYMENT = optional('deployment_id', ANY_DEPLOYMENT, TEXT, SAMPLE.deployment);

const TYPE = 'The type that the latest result must have. If it has another type, the answer is a 404.';
const PAGE: Schema = { type: 'integer', minimum: 1, maximum: LIMITS.graphNodes, default: DEFAULT_NODES };
const WITH_NAMES = 'Whether each violation has the name of its policy. Upper or lower case; `1` and `0` work too.';
const EMAIL = 'The `metadata.user.email` of earlier checks. Case and surrounding spaces do not matter.';

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of the copy that you have. If the copy is still good, the answer is a 304.',
  schema: TEXT,
};

const STORED =
  'You get a 404 for results of other teams, and of environments or deployments that the API key was not granted.';
const DEADLINE = 'the deadline of the service (8 s unless configured otherwise)';
const CHECKED = `The answer comes when the check is done. If the check takes longer than ${DEADLINE}, the answer is a 504 that says where to find the result.`;
/** Which policies apply, by the side of the conversation that the content is from. */
const SIDES = 'policies for output if its role is `assistant`, else policies for input, and policies for both';

// An endpoint without its operation does not compile, nor an operation without its endpoint.
export const OPERATIONS: Readonly<Record<EndpointName, Operation>> = {
  checkEvents: {
    tag: 'Events',
    summary: 'Check a batch of events',
    description: `Checks up to ${LIMITS.eventsPerBatch} events. The conditions of the environment select the policies for each event. A batch that is not valid is refused as a whole, and nothing of it is stored. An event that cannot be evaluated fails alone. ${CHECKED}`,
    body: { schema: 'EventsRequest', examples: BATCH.requests },
    answer: { description: 'The verdict on every event.', schema: 'EventsResponse', examples: BATCH.answers },
    errors: ['content_too_large', 'unsupported_content_part', 'too_many_events'],
  },
  checkEvent: {
    tag: 'Events',
    summary: 'Check one event',
    description: `Checks an event. The conditions of the environment select the policies. ${CHECKED}`,
    body: { schema: 'EventRequest', examples: EVENT.requests },
    answer: { description: 'The verdict.', schema: 'EventResult', examples: EVENT.answers },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  findEvent: {
    tag: 'Events',
    summary: 'Look up the latest result by your own ids',
    description: `Returns the result that was submitted last for this run and event. ${STORED}`,
    parameters: [
      ENVIRONMENT,
      RUN,
      required('event_id', 'Your id of the event.', OWN_ID, SAMPLE.event),
      optional('type', TYPE, { ...TEXT, enum: [...EVENT_TYPES] }, 'tool'),
    ],
    answer: { description: 'The stored result.', schema: 'EventResult', examples: LOOKED_UP },
    errors: ['result_not_ready'],
  },
  getEvent: {
    tag: 'Events',
    summary: 'Look up one result',
    description: `Returns the result with this internal id. ${STORED}`,
    parameters: [path('internal_event_id', 'The internal id of the result.', UUID, SAMPLE.internalEvent), ENVIRONMENT],
    answer: { description: 'The stored result.', schema: 'EventResult', examples: LOOKED_UP },
    errors: ['result_not_ready'],
  },
  getRunGraph: {
    tag: 'Events',
    summary: 'Get the graph of a run',
    description: `Returns the events of a run with their parents and links, as they resolve now. The graph shows how the events follow from each other. ${STORED}`,
    parameters: [
      ENVIRONMENT,
      RUN,
      optional('limit', 'The most events that a page may have.', PAGE, 100),
      optional('cursor', 'The `next_cursor` of the page before.', TEXT),
    ],
    answer: { description: 'A page of the graph.', schema: 'RunGraph', examples: RUN_GRAPH },
  },
  checkSession: {
    tag: 'Sessions',
    summary: 'Check the last message of a chat',
    description: `Checks the last message against the policies of the deployment: ${SIDES}. ${CHECKED}`,
    body: { schema: 'SessionRequest', examples: SESSION.requests },
    answer: { description: 'The verdict.', schema: 'SessionResult', examples: SESSION.answers },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  createSession: {
    tag: 'Sessions',
    summary: 'Check the last message of a chat, with the answer of a look-up',
    description: `Does the same check as \`POST /api/session/check\`. The answer has the form that look-ups have. ${CHECKED}`,
    body: { schema: 'SessionRequest', examples: SESSION.requests },
    answer: { description: 'The verdict.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  findSession: {
    tag: 'Sessions',
    summary: 'Look up the latest check by your own id',
    description: `Returns the check that was submitted last with this external id in the deployment. ${STORED}`,
    parameters: [required('external_session_id', 'Your id of the chat.', NAME, SAMPLE.session), DEPLOYMENT],
    answer: { description: 'The stored check.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['result_not_ready'],
  },
  getSession: {
    tag: 'Sessions',
    summary: 'Look up one session check',
    description: `Returns the check with this internal id. ${STORED}`,
    parameters: [
      path('internal_session_id', 'The internal id of the check.', UUID, SAMPLE.internalSession),
      DEPLOYMENT,
    ],
    answer: { description: 'The stored check.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['result_not_ready'],
  },
  checkArtifact: {
    tag: 'Artifacts',
    summary: 'Check one image',
    description: `Checks an image against the policies of the deployment that look at images: ${SIDES}. Conditions do not matter here. An image that cannot be fetched, read or checked has the status \`failed\` and a \`note\`. If the check takes longer than ${DEADLINE}, the status is \`processing\`. Then look up the result later.`,
    body: { schema: 'ArtifactRequest', examples: ARTIFACT.requests },
    answer: {
      description: 'The verdict, or the state of the check.',
      schema: 'ArtifactResult',
      examples: ARTIFACT.answers,
    },
    errors: ['content_too_large'],
  },
  getArtifact: {
    tag: 'Artifacts',
    summary: 'Look up an image',
    description: `Send exactly one of \`internal_artifact_id\` and \`external_artifact_id\`. If several images have the same external id, you get the one that was sent last. You can look up images of session checks, but not images of events. ${STORED}`,
    parameters: [
      optional('internal_artifact_id', 'The internal id of the image.', UUID),
      optional('external_artifact_id', 'Your id of the image.', NAME, SAMPLE.artifact),
      DEPLOYMENT,
    ],
    answer: {
      description: 'The verdict, or the state of the check.',
      schema: 'ArtifactResult',
      examples: ARTIFACT_FOUND,
    },
  },
  getProtect: {
    tag: 'Sessions',
    summary: 'Get session checks for the protect view',
    description: `Send exactly one of \`internal_id\` and \`external_id\`. If nothing matches, the list is empty. ${STORED}`,
    parameters: [
      required('deployment_id', 'The deployment of the checks.', NAME, SAMPLE.deployment),
      optional('internal_id', 'The internal id of the session check.', UUID),
      optional('external_id', 'Your id of the chat.', NAME, SAMPLE.session),
      optional('include_policy_names', WITH_NAMES, { type: 'boolean', default: false }, true),
    ],
    answer: { description: 'The checks, newest first.', schema: 'ProtectList', examples: PROTECT },
    errors: ['result_not_ready'],
  },
  getRisk: {
    tag: 'Users',
    summary: 'Get the risk level of a user',
    description:
      'Returns a level that comes from the violations in recent session checks that named this user. Send exactly one of `email` and `id`. If no check of your team has named the user, the answer is a 404.',
    parameters: [
      optional('email', EMAIL, NAME, SAMPLE.email),
      optional('id', 'The `metadata.user.id` of earlier checks.', NAME),
    ],
    answer: { description: 'The risk level.', schema: 'UserRisk', examples: RISK },
  },
  litellmGuardrail: {
    tag: 'Adapters',
    summary: "Check a call of LiteLLM's generic guardrail",
    description: `Checks every text and image and every tool and tool call against the default deployment of the API key. You may send the key as \`x-api-key\`. No version is needed. ${CHECKED}`,
    body: { schema: 'GuardrailRequest', examples: GUARDRAIL.requests },
    answer: { description: 'What the gateway should do.', schema: 'GuardrailResponse', examples: GUARDRAIL.answers },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  healthz: {
    tag: 'Service',
    summary: 'Check that the process works',
    description: 'For a supervisor. Restart a process that does not answer 200 for a long time.',
    answer: { description: 'The process works.', schema: 'Probe', examples: { ok: { value: { status: 'ok' } } } },
    errors: ['unavailable'],
  },
  readyz: {
    tag: 'Service',
    summary: 'Check that the process is ready for requests',
    description:
      'For a load balancer. A process is ready if it can reach its stores, has a configuration, and is not stopping.',
    answer: { description: 'The process is ready.', schema: 'Probe', examples: { ok: { value: { status: 'ok' } } } },
    errors: ['unavailable', 'shutting_down'],
  },
  getOpenapi: {
    tag: 'Service',
    summary: 'Get this document',
    description: 'Returns the interface as OpenAPI 3.1.',
    parameters: [IF_NONE_MATCH],
    answer: {
      description: 'The document.',
      types: { 'application/json': { type: 'object', additionalProperties: true } },
      headers: ['ETag', 'Cache-Control'],
    },
  },
  getDocs: {
    tag: 'Service',
    summary: 'Read this document in a browser',
    description:
      'Returns a page that shows the interface and can send requests to it. The page loads nothing from other hosts.',
    parameters: [IF_NONE_MATCH],
    answer: {
      description: 'The page.',
      types: { 'text/html': TEXT },
      headers: ['ETag', 'Cache-Control'],
    },
  },
  getDocsFile: {
    tag: 'Service',
    summary: 'Get a file of the page',
    description: 'Returns a script, style sheet or image that the page loads.',
    parameters: [path('file', 'The name of the file.', TEXT, 'swagger-ui.css'), IF_NONE_MATCH],
    answer: {
      description: 'The file.',
      types: { 'text/css': TEXT, 'text/javascript': TEXT, 'image/png': TEXT },
      headers: ['ETag', 'Cache-Control'],
    },
    errors: ['not_found'],
  },
};
