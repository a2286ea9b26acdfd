/** What is asked to be forgotten (decisions, Evidence, masks, labels). */
import { EVERY_VERSION } from '../versions.js';
import {
  type AnswerExamples,
  DEPLOYMENT,
  ENVIRONMENT,
  type EndpointAnswer,
  endpoints,
  inPath,
  NAME,
  optional,
  RUN,
  UUID,
} from './endpoint.js';
import { CREATED, SAMPLE } from './samples.js';

const NOTHING = { items: 0, dead_letters: 0, refused_entries: 0, deliveries: 0, streams: 0, context_texts: 0 };

const waiting = (subject: string): AnswerExamples => ({
  waiting: {
    value: {
      erasure_id: SAMPLE.erasure,
      subject,
      state: 'waiting',
      waiting_for: null,
      requested_at: CREATED,
      erased_at: null,
      complete_at: null,
      removed: NOTHING,
      held_by: [],
    },
  },
});

const COMPLETE: AnswerExamples = {
  complete: {
    value: {
      erasure_id: SAMPLE.erasure,
      subject: 'user',
      state: 'complete',
      waiting_for: null,
      requested_at: CREATED,
      erased_at: '2026-11-21T10:46:31.000Z',
      complete_at: '2026-11-21T10:54:40.000Z',
      removed: { ...NOTHING, items: 12, context_texts: 3 },
      exports: [
        {
          export_id: SAMPLE.export,
          begun_at: '2026-11-20T06:00:00.000Z',
          from: '2026-11-01T00:00:00.000Z',
          to: '2026-11-20T00:00:00.000Z',
          format: 'parquet',
        },
      ],
      held_by: [
        { store: 'backups', what: 'copies of the stores and exports that were made before, as long as you keep them' },
      ],
    },
  },
};

const RECEIPT =
  'The answer is a receipt: `GET /api/erasure/{erasure_id}` says how far it is. Checks that come later stay.';
const accepted = (subject: string): EndpointAnswer => ({
  description: 'It is begun.',
  schema: 'ErasureReceipt',
  examples: waiting(subject),
});

const OF_ALL = { versions: EVERY_VERSION, scope: 'erase', tag: 'Erasures' } as const;
const DELETE = { ...OF_ALL, method: 'DELETE', accepted: true, errors: ['overloaded'] } as const;

export const erasureEndpoints = endpoints({
  eraseUser: {
    ...DELETE,
    path: '/api/user',
    summary: 'Erase all that names a user',
    description: `Erases what your team had checked that names this user, with its verdicts. Send exactly one of \`email\` and \`id\`. What names the user by the other of the two alone, where both were seen together, is erased, too. A session check is erased with its images. ${RECEIPT}`,
    parameters: [
      optional(
        'email',
        'The `metadata.user.email` of checks. Case and surrounding spaces do not matter.',
        NAME,
        SAMPLE.email,
      ),
      optional('id', 'The `metadata.user.id` of checks.', NAME),
    ],
    answer: accepted('user'),
  },
  eraseSession: {
    ...DELETE,
    path: '/api/session/{internal_session_id}',
    summary: 'Erase a chat',
    description: `Erases the chat of this check: all checks of the deployment with the same external id, and their images. ${RECEIPT}`,
    parameters: [
      inPath('internal_session_id', 'The internal id of a check of the chat.', UUID, SAMPLE.internalSession),
      DEPLOYMENT,
    ],
    answer: accepted('session'),
  },
  eraseRun: {
    ...DELETE,
    path: '/api/run',
    summary: 'Erase a run',
    description: `Erases all events of the run. What other events say of it, such as \`parent\`, stays. ${RECEIPT}`,
    parameters: [ENVIRONMENT, RUN],
    answer: accepted('run'),
  },
  eraseEvent: {
    ...DELETE,
    path: '/api/event/{internal_event_id}',
    summary: 'Erase one event',
    description: `Erases the event. ${RECEIPT}`,
    parameters: [inPath('internal_event_id', 'The internal id of the event.', UUID, SAMPLE.internalEvent), ENVIRONMENT],
    answer: accepted('event'),
  },
  getErasure: {
    ...OF_ALL,
    method: 'GET',
    path: '/api/erasure/{erasure_id}',
    summary: 'See how far an erasure is',
    description: 'Returns the receipt. It is kept for 7 days after the erasure is complete.',
    parameters: [inPath('erasure_id', 'The id that the erasure was answered with.', UUID, SAMPLE.erasure)],
    answer: { description: 'The receipt.', schema: 'ErasureReceipt', examples: COMPLETE },
  },
});
