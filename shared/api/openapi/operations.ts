/** What each endpoint does, in words, with its parameters, bodies and examples. */
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
import { type ComponentName, ID_PATTERN, type Schema } from './forms.js';
import type { HeaderName, Parameter } from './headers.js';

export const TAGS = [
  {
    name: 'Events',
    description: 'Steps of an interaction with a model: messages, tool calls, agent state, reasoning.',
  },
  { name: 'Sessions', description: 'Chats, of which the last message is checked.' },
  { name: 'Artifacts', description: 'Images by themselves, and those that came in chats.' },
  { name: 'Users', description: 'What is known of a user from earlier checks.' },
  { name: 'Adapters', description: 'The interfaces of other products, so that they can be pointed at this service.' },
  { name: 'Service', description: 'The service itself. Neither key nor version is needed.' },
] as const;

export interface Operation {
  tag: (typeof TAGS)[number]['name'];
  summary: string;
  description: string;
  /** in the path and in the query */
  parameters?: readonly Parameter[];
  body?: { schema: ComponentName; examples: Examples };
  answer: Answer;
  /** codes beside those that every endpoint of its kind has */
  errors?: readonly ErrorCode[];
}

export interface Answer {
  description: string;
  /** of JSON */
  schema?: ComponentName;
  examples?: AnswerExamples;
  /** content types of an answer that is no JSON of ours */
  types?: Readonly<Record<string, Schema>>;
  headers?: readonly HeaderName[];
}

type Query = Omit<Parameter, 'in' | 'name'>;
const query = (name: string, parameter: Query): Parameter => ({ name, in: 'query', ...parameter });
const path = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string', format: 'uuid' },
  example,
});

const NAME: Schema = { type: 'string', minLength: 1, maxLength: LIMITS.nameCharacters };
const ID: Schema = { type: 'string', minLength: 1, maxLength: LIMITS.idCharacters, pattern: ID_PATTERN };

const ENVIRONMENT = query('environment_id', {
  description: 'Environment of the events.',
  required: true,
  schema: NAME,
  example: SAMPLE.environment,
});
const DEPLOYMENT = query('deployment_id', {
  description: 'Deployment of the check; the default one of the API key when absent.',
  schema: { type: 'string' },
  example: SAMPLE.deployment,
});

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: '`ETag` of what the caller has; 304 when it is still good.',
  schema: { type: 'string' },
};

const STORED = 'Results of other teams, and of environments or deployments that the API key was not granted, are 404.';
const CHECKED =
  'The answer comes when the check is done. When that takes longer than the deadline of the service (8 s unless configured otherwise), it is a 504 that says where the result will be.';

// An endpoint without its operation does not compile, nor an operation without its endpoint.
export const OPERATIONS: Readonly<Record<EndpointName, Operation>> = {
  checkEvents: {
    tag: 'Events',
    summary: 'Check a batch of events',
    description: `Checks up to ${LIMITS.eventsPerBatch} events against the policies that the conditions of the environment select for each. A batch that is not valid is refused as a whole, and nothing of it is stored; an event that cannot be evaluated fails alone. ${CHECKED}`,
    body: { schema: 'EventsRequest', examples: BATCH.requests },
    answer: { description: 'A verdict for every event.', schema: 'EventsResponse', examples: BATCH.answers },
    errors: ['content_too_large', 'unsupported_content_part', 'too_many_events'],
  },
  checkEvent: {
    tag: 'Events',
    summary: 'Check one event',
    description: `Checks an event against the policies that the conditions of the environment select for it. ${CHECKED}`,
    body: { schema: 'EventRequest', examples: EVENT.requests },
    answer: { description: 'The verdict.', schema: 'EventResult', examples: EVENT.answers },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  findEvent: {
    tag: 'Events',
    summary: 'Look up the latest result of your own ids',
    description: `The result that was submitted last for this run and event. ${STORED}`,
    parameters: [
      ENVIRONMENT,
      query('run_id', { description: 'Your id of the run.', required: true, schema: ID, example: SAMPLE.run }),
      query('event_id', { description: 'Your id of the event.', required: true, schema: ID, example: SAMPLE.event }),
      query('type', {
        description: 'Type that the latest result must have; 404 when it has another.',
        schema: { type: 'string', enum: [...EVENT_TYPES] },
        example: 'tool',
      }),
    ],
    answer: { description: 'The stored result.', schema: 'EventResult', examples: LOOKED_UP },
    errors: ['result_not_ready'],
  },
  getEvent: {
    tag: 'Events',
    summary: 'Look up one result',
    description: `The result with this internal id. ${STORED}`,
    parameters: [path('internal_event_id', 'Internal id of the result.', SAMPLE.internalEvent), ENVIRONMENT],
    answer: { description: 'The stored result.', schema: 'EventResult', examples: LOOKED_UP },
    errors: ['result_not_ready'],
  },
  getRunGraph: {
    tag: 'Events',
    summary: 'How the events of a run follow from each other',
    description: `Events of a run with their parents and links, as they resolve now. ${STORED}`,
    parameters: [
      ENVIRONMENT,
      query('run_id', { description: 'Your id of the run.', required: true, schema: ID, example: SAMPLE.run }),
      query('limit', {
        description: 'How many events a page has at most.',
        schema: { type: 'integer', minimum: 1, maximum: LIMITS.graphNodes, default: DEFAULT_NODES },
        example: 100,
      }),
      query('cursor', { description: '`next_cursor` of the page before.', schema: { type: 'string' } }),
    ],
    answer: { description: 'A page of the graph.', schema: 'RunGraph', examples: RUN_GRAPH },
  },
  checkSession: {
    tag: 'Sessions',
    summary: 'Check the last message of a chat',
    description: `Checks the last message against the policies of the deployment: those for output when it is by the assistant, else those for input, and those for both. ${CHECKED}`,
    body: { schema: 'SessionRequest', examples: SESSION.requests },
    answer: { description: 'The verdict.', schema: 'SessionResult', examples: SESSION.answers },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  createSession: {
    tag: 'Sessions',
    summary: 'Check the last message of a chat, answered as a look-up is',
    description: `The same check as \`POST /api/session/check\`, with the answer that the look-ups give. ${CHECKED}`,
    body: { schema: 'SessionRequest', examples: SESSION.requests },
    answer: { description: 'The verdict.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  findSession: {
    tag: 'Sessions',
    summary: 'Look up the latest check of your own id',
    description: `The check that was submitted last with this external id in the deployment. ${STORED}`,
    parameters: [
      query('external_session_id', {
        description: 'Your id of the chat.',
        required: true,
        schema: NAME,
        example: SAMPLE.session,
      }),
      DEPLOYMENT,
    ],
    answer: { description: 'The stored check.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['result_not_ready'],
  },
  getSession: {
    tag: 'Sessions',
    summary: 'Look up one session check',
    description: `The check with this internal id. ${STORED}`,
    parameters: [path('internal_session_id', 'Internal id of the check.', SAMPLE.internalSession), DEPLOYMENT],
    answer: { description: 'The stored check.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['result_not_ready'],
  },
  checkArtifact: {
    tag: 'Artifacts',
    summary: 'Check one image',
    description:
      'Checks an image against the policies of the deployment that look at images, whatever conditions say: those for output when its role is `assistant`, else those for input, and those for both. An image that cannot be fetched, read or checked is `failed`, with a `note`. When the check takes longer than the deadline of the service (8 s unless configured otherwise), the answer is `processing`; look the result up then.',
    body: { schema: 'ArtifactRequest', examples: ARTIFACT.requests },
    answer: { description: 'The verdict, or how it stands.', schema: 'ArtifactResult', examples: ARTIFACT.answers },
    errors: ['content_too_large'],
  },
  getArtifact: {
    tag: 'Artifacts',
    summary: 'Look up an image',
    description: `Exactly one of \`internal_artifact_id\` and \`external_artifact_id\` is expected. Of several images with one external id it is the one that was sent last. Images of session checks are found, those of events are not. ${STORED}`,
    parameters: [
      query('internal_artifact_id', {
        description: 'Internal id of an image.',
        schema: { type: 'string', format: 'uuid' },
      }),
      query('external_artifact_id', { description: 'Your id of an image.', schema: NAME, example: SAMPLE.artifact }),
      DEPLOYMENT,
    ],
    answer: { description: 'The verdict, or how it stands.', schema: 'ArtifactResult', examples: ARTIFACT_FOUND },
  },
  getProtect: {
    tag: 'Sessions',
    summary: 'Session checks as the protect view shows them',
    description: `Exactly one of \`internal_id\` and \`external_id\` is expected. No match is an empty list. ${STORED}`,
    parameters: [
      { ...DEPLOYMENT, description: 'Deployment of the checks.', required: true, schema: NAME },
      query('internal_id', {
        description: 'Internal id of a session check.',
        schema: { type: 'string', format: 'uuid' },
      }),
      query('external_id', { description: 'Your id of a chat.', schema: NAME, example: SAMPLE.session }),
      query('include_policy_names', {
        description: 'Whether violations carry the name of their policy; `1` and `0` are taken, too, in any case.',
        schema: { type: 'boolean', default: false },
        example: true,
      }),
    ],
    answer: { description: 'The checks, newest first.', schema: 'ProtectList', examples: PROTECT },
    errors: ['result_not_ready'],
  },
  getRisk: {
    tag: 'Users',
    summary: 'Risk level of a user',
    description:
      'From the violations of the session checks that named this user in the last days. Exactly one of `email` and `id` is expected. A user whom no check of the team has named is 404.',
    parameters: [
      query('email', {
        description: '`metadata.user.email` of earlier checks; spaces around it and case do not matter.',
        schema: NAME,
        example: SAMPLE.email,
      }),
      query('id', { description: '`metadata.user.id` of earlier checks.', schema: NAME }),
    ],
    answer: { description: 'The level.', schema: 'UserRisk', examples: RISK },
  },
  litellmGuardrail: {
    tag: 'Adapters',
    summary: "LiteLLM's generic guardrail",
    description: `Checks every text and image and all tools and their calls against the default deployment of the API key. The key may also be sent as \`x-api-key\`, and no version is needed. ${CHECKED}`,
    body: { schema: 'GuardrailRequest', examples: GUARDRAIL.requests },
    answer: { description: 'What the gateway should do.', schema: 'GuardrailResponse', examples: GUARDRAIL.answers },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  healthz: {
    tag: 'Service',
    summary: 'Whether the process gets on with its work',
    description: 'For a supervisor: a process that answers anything but 200 for long should be started anew.',
    answer: { description: 'It does.', schema: 'Probe', examples: { ok: { value: { status: 'ok' } } } },
    errors: ['unavailable'],
  },
  readyz: {
    tag: 'Service',
    summary: 'Whether the process may be sent requests',
    description:
      'For a load balancer: stores can be reached, a configuration is in force, and the process is not stopping.',
    answer: { description: 'It may.', schema: 'Probe', examples: { ok: { value: { status: 'ok' } } } },
    errors: ['unavailable', 'shutting_down'],
  },
  getOpenapi: {
    tag: 'Service',
    summary: 'This document',
    description: 'The interface as OpenAPI 3.1.',
    parameters: [IF_NONE_MATCH],
    answer: {
      description: 'The document.',
      types: { 'application/json': { type: 'object', additionalProperties: true } },
      headers: ['ETag', 'Cache-Control'],
    },
  },
  getDocs: {
    tag: 'Service',
    summary: 'This document for people',
    description: 'A page that shows the interface and sends requests to it. It loads nothing from other hosts.',
    parameters: [IF_NONE_MATCH],
    answer: {
      description: 'The page.',
      types: { 'text/html': { type: 'string' } },
      headers: ['ETag', 'Cache-Control'],
    },
  },
  getDocsFile: {
    tag: 'Service',
    summary: 'What the page loads',
    description: 'Scripts, styles and images of the page.',
    parameters: [
      {
        name: 'file',
        in: 'path',
        description: 'Name of the file.',
        required: true,
        schema: { type: 'string' },
        example: 'swagger-ui.css',
      },
      IF_NONE_MATCH,
    ],
    answer: {
      description: 'The file.',
      types: {
        'text/css': { type: 'string' },
        'text/javascript': { type: 'string' },
        'image/png': { type: 'string' },
      },
      headers: ['ETag', 'Cache-Control'],
    },
    errors: ['not_found'],
  },
};
