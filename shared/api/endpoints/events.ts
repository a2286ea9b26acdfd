/** Events: checks of one and of many (4.6, 4.7), and look-ups (4.8, 4.9). */
import { LIMITS } from '../limits.js';
import { EVENT_TYPES } from '../types.js';
import { EVENT_VERSIONS } from '../versions.js';
import {
  type AnswerExamples,
  CHECKED,
  ENVIRONMENT,
  type Exchanges,
  endpoints,
  inPath,
  LABELS,
  OWN_ID,
  optional,
  RUN,
  required,
  STORED,
  TEXT,
  UUID,
} from './endpoint.js';
import { COMMANDS, CREATED, PAYMENT, SAMPLE, UPDATED } from './samples.js';

const everything = [{ id: 'everything', name: 'Everything' }];

/** Messages `m1` and `m2` of the batch. */
const message = (number: 1 | 2) => ({
  type: 'message',
  status: 'completed',
  event_id: `m${number}`,
  internal_event_id: `01a1fdb6-e276-7f4f-81ed-501a7cec000${number}`,
  run_id: 'first-run',
});

const messageResult = (number: 1 | 2, flagged: boolean) => ({
  flagged,
  policies: { [PAYMENT]: { flagged, name: 'Payment data', enabled_by_conditions: everything } },
  event: { ...message(number), updated_at: UPDATED, created_at: CREATED },
});

const toolResult = {
  flagged: true,
  policies: {
    [COMMANDS]: {
      flagged: true,
      name: 'Destructive commands',
      enabled_by_conditions: [{ id: 'agents', name: 'Tools and agents' }],
    },
  },
  event: {
    type: 'tool',
    status: 'completed',
    updated_at: UPDATED,
    created_at: CREATED,
    event_id: SAMPLE.event,
    internal_event_id: SAMPLE.internalEvent,
    run_id: SAMPLE.run,
  },
};

const BATCH: Exchanges = {
  requests: {
    chat: {
      summary: 'A question and its answer',
      value: {
        environment_id: SAMPLE.environment,
        run_id: 'first-run',
        events: [
          { type: 'message', role: 'user', event_id: 'm1', content: 'Please charge my card 4111 1111 1111 1111.' },
          { type: 'message', role: 'assistant', event_id: 'm2', content: 'Your order is on its way.' },
        ],
      },
    },
    agent: {
      summary: 'Steps of an agent, with a parent, a link and references',
      value: {
        environment_id: SAMPLE.environment,
        run_id: 'run-8',
        events: [
          { type: 'agent', event_id: 'a1', name: 'cleaner', instructions: 'Tidy the temporary folder.' },
          {
            type: 'tool',
            event_id: 't1',
            name: 'shell',
            arguments: { command: 'ls /tmp' },
            parent: { event_id: 'a1' },
          },
          {
            type: 'tool',
            event_id: 't2',
            name: 'shell',
            output: 'see http://10.0.0.7/admin',
            parent: { event_id: 'a1' },
            links: [{ event_id: 't1', relation: 'follows' }],
            metadata: { user: { tier: 'free' } },
          },
          { type: 'message', event_id: 'm1', run_id: 'first-run' },
          { type: 'reasoning', event_id: 'nowhere' },
        ],
      },
    },
  },
  answers: {
    chat: {
      value: {
        flagged: true,
        failed: 0,
        run_id: 'first-run',
        results: {
          message: {
            m1: messageResult(1, true),
            m2: messageResult(2, false),
          },
          artifact: {},
          tool: {},
          function: {},
          agent: {},
          reasoning: {},
        },
        order: [
          { index: 0, ...message(1), flagged: true },
          { index: 1, ...message(2), flagged: false },
        ],
      },
    },
  },
};

const EVENT: Exchanges = {
  requests: {
    tool: {
      summary: 'Arguments of a tool call',
      value: {
        environment_id: SAMPLE.environment,
        run_id: SAMPLE.run,
        event: {
          type: 'tool',
          event_id: SAMPLE.event,
          name: 'shell',
          arguments: { command: 'rm -rf /var/lib' },
          metadata: { user: { tier: 'free' } },
        },
      },
    },
    message: {
      summary: 'A message, with ids that are generated',
      value: { event: { environment_id: SAMPLE.environment, type: 'message', role: 'user', content: 'Good morning.' } },
    },
    unresolved: {
      summary: 'A reference to an event that is not there',
      value: { environment_id: SAMPLE.environment, run_id: 'run-7', event: { type: 'message', event_id: 'nowhere' } },
    },
    no_role: {
      summary: 'Refused: a message without a role',
      value: { environment_id: SAMPLE.environment, event: { type: 'message', content: 'Good morning.' } },
      refused: [
        {
          path: 'event.role',
          code: 'required',
          message: 'is required on a message event with content, expected "user" or "assistant"',
        },
      ],
    },
  },
  answers: {
    tool: { value: { ...toolResult, run_id: SAMPLE.run } },
    unresolved: {
      value: {
        flagged: false,
        policies: {},
        event: { type: 'message', status: 'not_found', updated_at: null, event_id: 'nowhere', run_id: 'run-7' },
        run_id: 'run-7',
      },
    },
  },
};

const LOOKED_UP: AnswerExamples = {
  found: { value: { ...toolResult, metadata: { user: { tier: 'free' } } } },
};

export const eventEndpoints = endpoints({
  checkEvents: {
    method: 'POST',
    path: '/api/events',
    versions: EVENT_VERSIONS,
    scope: 'check',
    views: true,
    redacts: true,
    tag: 'Events',
    summary: 'Check a batch of events',
    description: `Checks up to ${LIMITS.eventsPerBatch} events. The conditions of the environment select the policies for each event. A batch that is not valid is refused as a whole, and nothing of it is stored. An event that cannot be evaluated fails alone. ${CHECKED}`,
    body: { schema: 'EventsRequest', examples: BATCH.requests },
    answer: { description: 'The verdict on every event.', schema: 'EventsResponse', examples: BATCH.answers },
    errors: ['content_too_large', 'unsupported_content_part', 'too_many_events'],
  },
  checkEvent: {
    method: 'POST',
    path: '/api/event',
    versions: EVENT_VERSIONS,
    scope: 'check',
    views: true,
    redacts: true,
    tag: 'Events',
    summary: 'Check one event',
    description: `Checks an event. The conditions of the environment select the policies. ${CHECKED}`,
    body: { schema: 'EventRequest', examples: EVENT.requests },
    answer: { description: 'The verdict.', schema: 'EventResult', examples: EVENT.answers },
    errors: ['content_too_large', 'unsupported_content_part'],
  },
  findEvent: {
    method: 'GET',
    path: '/api/event',
    versions: EVENT_VERSIONS,
    scope: 'read',
    views: true,
    tag: 'Events',
    summary: 'Look up the latest result by your own ids',
    description: `Returns the result that was submitted last for this run and event. ${STORED}`,
    parameters: [
      ENVIRONMENT,
      RUN,
      required('event_id', 'Your id of the event.', OWN_ID, SAMPLE.event),
      optional(
        'type',
        'The type that the latest result must have. If it has another type, the answer is a 404.',
        { ...TEXT, enum: [...EVENT_TYPES] },
        'tool',
      ),
      LABELS,
    ],
    answer: { description: 'The stored result.', schema: 'EventResult', examples: LOOKED_UP },
    errors: ['result_not_ready'],
  },
  getEvent: {
    method: 'GET',
    path: '/api/event/{internal_event_id}',
    versions: EVENT_VERSIONS,
    scope: 'read',
    views: true,
    tag: 'Events',
    summary: 'Look up one result',
    description: `Returns the result with this internal id. ${STORED}`,
    parameters: [
      inPath('internal_event_id', 'The internal id of the result.', UUID, SAMPLE.internalEvent),
      ENVIRONMENT,
      LABELS,
    ],
    answer: { description: 'The stored result.', schema: 'EventResult', examples: LOOKED_UP },
    errors: ['result_not_ready'],
  },
});
