/**
 * Examples of requests and answers, for the sample configuration and its public key. An answer has the name of its
 * request. A request with `refused` is answered 400, every other one 200. Tests send them all.
 */
import type { Issue } from '../types.js';

/** Bodies of requests, by name. */
export type Examples = Readonly<Record<string, { summary: string; value: unknown; refused?: Issue[] }>>;
/** Bodies of good answers, by the name of the request. */
export type AnswerExamples = Readonly<Record<string, { value: unknown }>>;

interface Exchanges {
  requests: Examples;
  answers: AnswerExamples;
}

/** Ids of the sample configuration, and of what the examples send. */
export const SAMPLE = {
  environment: 'prod',
  deployment: 'chat',
  run: 'run-7',
  event: 't1',
  session: 'chat-42',
  artifact: 'upload-9',
  email: 'jane.doe@example.com',
  internalEvent: '01a1fdb6-e2e1-7c56-a841-e2a473ff0001',
  internalArtifact: '01a1fdb6-e329-7b0c-93d5-20f7a1c10001',
  internalSession: '01a1fdb6-e315-7ea2-adac-06dcdc390001',
} as const;

const PAYMENT = '968f3ebc-6b8e-4e47-a25a-e876f371968c';
const COMMANDS = 'ae910db4-916b-454f-b889-9294ee892a06';
const CONTACT = '8bd13559-1d27-4610-a76c-b4d68820c82e';
const CREATED = '2026-11-21T10:46:23.713Z';
const UPDATED = '2026-11-21T10:46:23.717Z';

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

export const BATCH: Exchanges = {
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
            output: 'db at 10.0.0.7',
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

export const EVENT: Exchanges = {
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

export const LOOKED_UP: AnswerExamples = {
  found: { value: { ...toolResult, metadata: { user: { tier: 'free' } } } },
};

const sessionResult = {
  flagged: true,
  internal_session_id: SAMPLE.internalSession,
  external_session_id: SAMPLE.session,
  policies: { [CONTACT]: { name: 'Contact data in answers', flagged: true, flagged_source: ['text'] } },
};

export const SESSION: Exchanges = {
  requests: {
    answer: {
      summary: 'An answer of the assistant, with the question as its context',
      value: {
        deployment_id: SAMPLE.deployment,
        external_session_id: SAMPLE.session,
        messages: [
          { role: 'user', content: 'Who can I ask about my invoice?', metadata: { user: { email: SAMPLE.email } } },
          { role: 'assistant', content: 'Write to jane.doe@example.com.', metadata: { message: { id: 'msg-2' } } },
        ],
      },
    },
    parts: {
      summary: 'One policy only, and a message in parts',
      value: {
        deployment_id: SAMPLE.deployment,
        policies: [PAYMENT],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'My card is 4111 1111 1111 1111.' }] }],
      },
    },
    unknown_policy: {
      summary: 'Refused: a policy that the deployment does not have',
      value: {
        deployment_id: SAMPLE.deployment,
        policies: ['no-such-policy'],
        messages: [{ role: 'user', content: 'Good morning.' }],
      },
      refused: [
        { path: 'policies[0]', code: 'unknown_policy', message: 'expected the id of a policy of the deployment' },
      ],
    },
  },
  answers: { answer: { value: sessionResult } },
};

export const ENVELOPE: AnswerExamples = { answer: { value: { session: sessionResult, artifacts: [] } } };

/** A blue rectangle of 16 by 12 pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAMCAMAAABcOc2zAAAAA1BMVEU6bqXTREzSAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12NgGD4AAADMAAG01/g9AAAAAElFTkSuQmCC';

const artifactResult = {
  status: 'completed',
  flagged: false,
  policies: { [PAYMENT]: { name: 'Payment data', flagged: false, flagged_source: [] } },
  kind: 'image',
  internal_artifact_id: SAMPLE.internalArtifact,
  external_artifact_id: SAMPLE.artifact,
  internal_session_id: null,
  external_session_id: null,
  created_at: CREATED,
  updated_at: UPDATED,
  note: null,
};

export const ARTIFACT: Exchanges = {
  requests: {
    data: {
      summary: 'An image in base64',
      value: { external_artifact_id: SAMPLE.artifact, role: 'user', content: { kind: 'image', data: PNG } },
    },
    url: {
      summary: 'An image to be fetched, of a chat',
      value: {
        deployment_id: SAMPLE.deployment,
        external_session_id: SAMPLE.session,
        content: { kind: 'image', url: 'https://images.invalid/upload.png', name: 'upload.png' },
      },
    },
    both: {
      summary: 'Refused: two images in one',
      value: { content: { kind: 'image', data: PNG, url: 'https://images.invalid/upload.png' } },
      refused: [{ path: 'content', code: 'source', message: 'expected exactly one of url and data, found both' }],
    },
  },
  answers: {
    data: { value: artifactResult },
    url: {
      value: {
        ...artifactResult,
        status: 'failed',
        flagged: null,
        policies: {},
        external_artifact_id: null,
        external_session_id: SAMPLE.session,
        note: 'The image could not be fetched: its address could not be reached.',
      },
    },
  },
};

export const ARTIFACT_FOUND: AnswerExamples = {
  finished: { value: artifactResult },
  under_way: { value: { ...artifactResult, status: 'processing', flagged: null, policies: {}, updated_at: null } },
};

export const RUN_GRAPH: AnswerExamples = {
  page: {
    value: {
      run_id: SAMPLE.run,
      environment_id: SAMPLE.environment,
      nodes: [
        {
          internal_event_id: SAMPLE.internalEvent,
          event_id: SAMPLE.event,
          type: 'tool',
          status: 'completed',
          flagged: true,
          created_at: CREATED,
        },
      ],
      edges: [
        {
          kind: 'link',
          source: '01a1fdb6-e276-7f4f-81ed-501a7cec0001',
          target: SAMPLE.internalEvent,
          relation: 'caused_by',
          resolved: true,
        },
      ],
      next_cursor: null,
    },
  },
};

export const PROTECT: AnswerExamples = {
  found: {
    value: {
      list: [
        {
          external_id: SAMPLE.session,
          internal_id: SAMPLE.internalSession,
          violation: true,
          violations: {
            [CONTACT]: { violation: true, name: 'Contact data in answers', violation_source: ['text'] },
          },
        },
      ],
    },
  },
};

export const RISK: AnswerExamples = { normal: { value: { risk_level: 'normal', window_days: 30 } } };

export const GUARDRAIL: Exchanges = {
  requests: {
    request: {
      summary: 'Input of a model',
      value: { texts: ['My card is 4111 1111 1111 1111.'], input_type: 'request' },
    },
    response: { summary: 'Output of a model', value: { texts: ['Good morning.'], input_type: 'response' } },
  },
  answers: {
    request: { value: { action: 'BLOCKED', blocked_reason: 'Payment data' } },
    response: { value: { action: 'NONE' } },
  },
};
