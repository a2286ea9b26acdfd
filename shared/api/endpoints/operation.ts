/** What operators ask of an installation, over all teams, and have tried again. */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type AnswerExamples, type Exchanges, endpoints, optional, type Parameter, TEXT } from './endpoint.js';
import { CREATED, SAMPLE } from './samples.js';

const STATUS: AnswerExamples = {
  taken: {
    value: {
      refusing: [],
      configuration: 7,
      unable: [],
      behind: [],
      processes: {
        ingress: ['host-1:100'],
        evaluators: ['host-1:101'],
        archivers: ['host-1:101'],
        metrics: [],
        hooks: [],
      },
      formats: [{ newest: 2, processes: 3 }],
      redis: [{ role: 'primary', replicas: 1, refuses: null, memory_share: 0.12 }],
      clickhouse: null,
      metrics_in_use: 0,
      webhooks: { in_use: 0, waiting: 0, given_up: 0, dropped: 0 },
      partitions: [
        {
          partition: 0,
          entries: 3,
          pending: 1,
          oldest_unread_ms: 2,
          consumers: 1,
          unarchived: 12,
          archive_lag_ms: 40,
          dead_letters: 1,
          refused: 0,
          refused_full: false,
          unmeasured: 0,
          metrics_dropped: 0,
          unnotified: 0,
          hooks_dropped: 0,
        },
      ],
      partitions_away: [],
      unread: null,
    },
  },
};

const LETTERS: AnswerExamples = {
  one: {
    value: {
      dead_letters: [
        {
          dead_letter: '0/1790000000000-0',
          given_up_at: CREATED,
          reason: 'its evaluation was interrupted 3 times',
          attempts: 3,
          kind: 'event',
          request_id: SAMPLE.internalEvent,
          team: 'acme',
          scope: SAMPLE.environment,
          received_at: CREATED,
          body_bytes: 214,
          obstacle: null,
        },
      ],
      partitions_away: [],
    },
  },
};

const REFUSED: AnswerExamples = { none: { value: { refused: [], partitions_away: [] } } };

const REPLAY: Exchanges = {
  requests: {
    all: { summary: 'All requests whose rows ClickHouse has refused', value: { refused: 'all' } },
    both: {
      summary: 'Refused: it names two',
      value: { dead_letter: '0/1790000000000-0', refused: '0/1790000000000-0' },
      refused: [{ path: 'refused', code: 'required', message: 'expected exactly one of dead_letter, refused' }],
    },
  },
  answers: { all: { value: { replayed: 0, left: 0 } } },
};

const PAGE: readonly Parameter[] = [
  optional('after', 'Only entries behind this one: `next` of the page before.', {
    ...TEXT,
    pattern: '^[0-9]{1,4}/[0-9]{1,15}-[0-9]{1,15}$',
  }),
  optional('limit', 'Most entries in the answer.', {
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.operationEntries,
    default: 50,
  }),
];

const OF_ALL = { versions: EVERY_VERSION, scope: 'operate', tag: 'Operation' } as const;
const TIME = 'One question is answered at a time in each process, in five seconds, or with a 503.';

export const operationEndpoints = endpoints({
  getStatus: {
    ...OF_ALL,
    method: 'GET',
    path: '/api/operation/status',
    summary: 'Get the state of the installation',
    description: `Says what \`weir status\` says: whether checks are taken, or why not, which processes live, and how far each partition is. ${TIME}`,
    answer: { description: 'The state.', schema: 'OperationStatus', examples: STATUS },
  },
  getDeadLetters: {
    ...OF_ALL,
    method: 'GET',
    path: '/api/operation/dead-letters',
    summary: 'List requests that were given up',
    description: `Lists dead letters of all teams, the newest first, without what was to be checked. ${TIME}`,
    parameters: PAGE,
    answer: { description: 'The dead letters.', schema: 'DeadLetterPage', examples: LETTERS },
  },
  getRefused: {
    ...OF_ALL,
    method: 'GET',
    path: '/api/operation/refused',
    summary: 'List requests whose rows ClickHouse refuses',
    description: `Lists requests of all teams whose rows are set aside, since ClickHouse does not take them, the oldest first. ${TIME}`,
    parameters: PAGE,
    answer: { description: 'The requests.', schema: 'RefusedPage', examples: REFUSED },
  },
  replay: {
    ...OF_ALL,
    method: 'POST',
    path: '/api/operation/replay',
    alone: true,
    summary: 'Have a request tried again',
    description: `Has a request evaluated again that was given up, or the rows of one archived again. It is done once: what is asked for twice is a 404. Where the answer is a 503, look at the list. ${TIME}`,
    body: { schema: 'ReplayRequest', examples: REPLAY.requests },
    answer: { description: 'How many are tried again.', schema: 'ReplayResult', examples: REPLAY.answers },
    errors: ['not_found'],
  },
});
