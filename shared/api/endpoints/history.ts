/** What people ask of the past: lists and figures, which the console shows. */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type AnswerExamples, endpoints, NAME, optional, type Parameter, required, TEXT, UUID } from './endpoint.js';
import { COMMANDS, CREATED, SAMPLE, UPDATED } from './samples.js';

const COMMAND_POLICY = { policy_id: COMMANDS, policy_name: 'Destructive commands', severity: 'high' } as const;

const KEY: AnswerExamples = {
  reader: {
    value: {
      key_id: 'acme-prod',
      team: 'acme',
      scopes: ['check', 'read', 'risk'],
      environments: [SAMPLE.environment],
      deployments: [SAMPLE.deployment],
      default_deployment: SAMPLE.deployment,
      policies: [{ ...COMMAND_POLICY, mode: 'live' }],
    },
  },
};

const PAGE: AnswerExamples = {
  one: {
    value: {
      items: [
        {
          internal_event_id: SAMPLE.internalEvent,
          environment_id: SAMPLE.environment,
          event_type: 'tool',
          name: 'bash',
          run_id: SAMPLE.run,
          event_id: SAMPLE.event,
          flagged: true,
          not_evaluated: 0,
          violations: [{ ...COMMAND_POLICY, sources: ['text'] }],
          created_at: CREATED,
          duration_ms: 4,
        },
      ],
    },
  },
};

const CONVERSATION: AnswerExamples = {
  one: {
    value: {
      messages: [
        {
          internal_event_id: SAMPLE.internalEvent,
          environment_id: SAMPLE.environment,
          event_type: 'message',
          role: 'user',
          run_id: SAMPLE.run,
          event_id: SAMPLE.event,
          external_session_id: SAMPLE.session,
          flagged: false,
          not_evaluated: 0,
          violations: [],
          created_at: CREATED,
          duration_ms: 4,
          content: 'Where is my order?',
        },
      ],
    },
  },
};

const FIGURES: AnswerExamples = {
  policies: {
    value: {
      from: '2026-11-21T10:00:00.000Z',
      to: UPDATED,
      step_seconds: 3600,
      total: { checks: 1, flagged: 1, not_evaluated: 0, p50_ms: 4, p99_ms: 4 },
      steps: [{ at: '2026-11-21T10:00:00.000Z', checks: 1, flagged: 1, not_evaluated: 0, p50_ms: 4, p99_ms: 4 }],
      groups: [{ id: COMMANDS, name: 'Destructive commands', flagged: 1, points: [1] }],
    },
  },
};

const USERS: AnswerExamples = {
  one: {
    value: {
      window_days: 30,
      users: [
        {
          email: SAMPLE.email,
          risk_level: 'elevated',
          score: 5,
          checks: 3,
          flagged: 1,
          violations: [{ policy_id: COMMANDS, policy_name: 'Destructive commands', checks: 1 }],
          last_flagged_at: CREATED,
        },
      ],
    },
  },
};

const TIME = { ...TEXT, format: 'date-time' };

/** What chooses items. */
const FILTER: readonly Parameter[] = [
  optional('from', 'The beginning of the time. By default 24 hours before its end.', TIME),
  optional(
    'to',
    `The end of the time, which is not in it. By default now. At most ${LIMITS.historyDays} days after its beginning.`,
    TIME,
  ),
  optional('environment_id', 'Only events of this environment.', NAME, SAMPLE.environment),
  optional('deployment_id', 'Only sessions and images of this deployment.', NAME),
  optional('policy', 'Only items that this policy has flagged, by its id or its name.', NAME),
  optional('source', 'Only items with a violation in texts, or in images.', { ...TEXT, enum: ['text', 'image'] }),
  optional('condition', 'Only items with a violation of a policy that this condition has chosen, by its id.', NAME),
  optional('user', 'Only items of this user, by the id or the e-mail address that the metadata has.', NAME),
  optional('run_id', 'Only events of this run.', NAME),
  optional('external_session_id', 'Only items of this session.', NAME),
];

export const historyEndpoints = endpoints({
  getKey: {
    method: 'GET',
    path: '/api/key',
    versions: EVERY_VERSION,
    scope: 'any',
    tag: 'History',
    summary: 'Get what the API key may see',
    description:
      'Says whose the key is, which environments and deployments it was granted, and, to one with the scope `read`, which policies its team has in use. Any key may ask.',
    answer: { description: 'The key. Never the secret.', schema: 'KeyInfo', examples: KEY },
  },
  getHistory: {
    method: 'GET',
    path: '/api/history',
    versions: EVERY_VERSION,
    scope: 'read',
    tag: 'History',
    summary: 'List what was checked',
    description:
      'Lists items of environments and deployments that the API key was granted, the newest first. A check shows up a second or two after its answer, once it is archived. What was checked itself is not in the answer. Everything that is asked of it in one question has five seconds: ask for a shorter time where the answer is a 503.',
    parameters: [
      ...FILTER,
      optional('verdict', '`not_evaluated`: those that at least one policy could not evaluate.', {
        ...TEXT,
        enum: ['flagged', 'clean', 'not_evaluated'],
      }),
      optional(
        'text',
        'Only items in which a policy, or the one that is named, has found text that contains this, whether in capitals or not. Needs the scope `content`. The newest are looked at first, for a part of a second: `cut` says that there was no time for all.',
        NAME,
      ),
      optional('before', 'Only items that came before this one: `next` of the page before.', UUID),
      optional('limit', 'Most items in the answer.', {
        type: 'integer',
        minimum: 1,
        maximum: LIMITS.historyItems,
        default: 50,
      }),
    ],
    answer: { description: 'The items.', schema: 'HistoryPage', examples: PAGE },
  },
  getConversation: {
    method: 'GET',
    path: '/api/history/conversation',
    versions: EVERY_VERSION,
    scope: 'read',
    tag: 'History',
    summary: 'Get a session as a conversation',
    description:
      'Lists what was checked of one of your sessions in an environment or a deployment, the oldest first, with the verdicts. For keys that also have the scope `content` each message has what was checked, as long as that is stored.',
    parameters: [
      ...FILTER.filter(({ name }) => name === 'from' || name === 'to'),
      optional(
        'environment_id',
        'The environment of the events. Exactly one of this and `deployment_id`.',
        NAME,
        SAMPLE.environment,
      ),
      optional('deployment_id', 'The deployment of the chats.', NAME),
      required('external_session_id', 'Your id of the session.', NAME, SAMPLE.session),
      optional('after', 'Only messages that came after this one: `next` of the page before.', UUID),
      optional('limit', 'Most messages in the answer.', {
        type: 'integer',
        minimum: 1,
        maximum: LIMITS.conversationMessages,
        default: 50,
      }),
    ],
    answer: { description: 'The messages.', schema: 'Conversation', examples: CONVERSATION },
  },
  getHistoryFigures: {
    method: 'GET',
    path: '/api/history/figures',
    versions: EVERY_VERSION,
    scope: 'read',
    tag: 'History',
    summary: 'Count what was checked, over time',
    description:
      'Counts the items that [`GET /api/history`](#operations-History-getHistory) lists, in steps of a minute to a day. `policy`, `source` and `condition` choose violations: they count in `flagged` and in the groups, and other items stay among the checks. `by` adds the violations of each policy, source, condition or user; `shadow` those of policies in the shadow, which are no part of the verdict.',
    parameters: [
      ...FILTER,
      optional('by', 'What to split the violations by.', {
        ...TEXT,
        enum: ['policy', 'source', 'condition', 'user', 'shadow'],
      }),
    ],
    answer: { description: 'The figures.', schema: 'HistoryFigures', examples: FIGURES },
  },
  getUsers: {
    method: 'GET',
    path: '/api/users',
    versions: EVERY_VERSION,
    scope: 'risk',
    tag: 'Users',
    summary: 'List users by risk',
    description:
      'Lists users with a flagged session check in the window of user risk, those with the highest score first. The levels are those of [`GET /api/radar/risk`](#operations-Users-getRisk); a check counts here once it is archived. The id and the e-mail address of one person are two users.',
    parameters: [
      optional('level', 'Only users of this level or a higher one.', { ...TEXT, enum: ['elevated', 'severe'] }),
      optional('limit', 'Most users in the answer.', {
        type: 'integer',
        minimum: 1,
        maximum: LIMITS.riskyUsers,
        default: 50,
      }),
    ],
    answer: { description: 'The users.', schema: 'RiskyUsers', examples: USERS },
  },
});
