/** What users have against verdicts, and what became of it (decisions, Evidence, masks, labels). */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import {
  type AnswerExamples,
  type Examples,
  type Exchanges,
  endpoints,
  NAME,
  optional,
  STORED,
  TEXT,
  UUID,
} from './endpoint.js';
import { COMMANDS, CREATED, SAMPLE, UPDATED } from './samples.js';

const MADE = {
  internal_event_id: SAMPLE.internalEvent,
  environment_id: SAMPLE.environment,
  policy_id: COMMANDS,
  policy_name: 'Destructive commands',
  state: 'open',
  note: 'I asked for it: the folder was a test.',
  reference: 'ticket-311',
  made_at: CREATED,
} as const;

const REQUESTS: Examples = {
  event: {
    summary: 'A user says that an event was flagged wrongly',
    value: {
      internal_event_id: SAMPLE.internalEvent,
      environment_id: SAMPLE.environment,
      policy: 'Destructive commands',
      note: 'I asked for it: the folder was a test.',
      reference: 'ticket-311',
    },
  },
  none: {
    summary: 'Refused: no item',
    value: { policy: COMMANDS },
    refused: [
      {
        path: 'internal_event_id',
        code: 'required',
        message: 'expected exactly one of internal_event_id, internal_session_id, internal_artifact_id',
      },
    ],
  },
};
const APPEAL: Exchanges = { requests: REQUESTS, answers: { event: { value: MADE } } };

const OF_ITEM: AnswerExamples = {
  overturned: {
    value: { appeals: [{ ...MADE, state: 'overturned', decided_by: 'ann', decided_at: UPDATED }] },
  },
};

const OPEN: AnswerExamples = { one: { value: { appeals: [MADE] } } };

export const appealEndpoints = endpoints({
  appeal: {
    method: 'POST',
    path: '/api/appeal',
    versions: EVERY_VERSION,
    scope: 'check',
    audited: true,
    alone: true,
    tag: 'Appeals',
    summary: 'Say that a user disagrees with a verdict',
    description: `Stores what a user has against the verdict of a policy that flagged an event, a session check or an image. There is one appeal for an item and a policy: where there is one, the answer has it as it stands, so the request may be repeated. It is open until a reviewer labels the verdict: with \`true_alarm\` the verdict stands, with \`false_alarm\` it is overturned. The newest label since the appeal counts. A note has at most ${LIMITS.labelNoteCharacters} characters. A team has at most ${LIMITS.appealsPerDay} appeals in 24 hours. ${STORED}`,
    body: { schema: 'AppealRequest', examples: APPEAL.requests },
    answer: { description: 'The appeal, and its state.', schema: 'Appeal', examples: APPEAL.answers },
    errors: ['not_found', 'wrong_region', 'result_not_ready', 'not_evaluable'],
  },
  getAppeals: {
    method: 'GET',
    path: '/api/appeal',
    versions: EVERY_VERSION,
    scope: 'read',
    tag: 'Appeals',
    summary: 'Get the appeals of an item',
    description: `Lists the appeals of an event, a session check or an image with their state, the newest first. Exactly one of the three ids names the item. ${STORED}`,
    parameters: [
      optional('internal_event_id', 'An event.', UUID, SAMPLE.internalEvent),
      optional('internal_session_id', 'A session check.', UUID),
      optional('internal_artifact_id', 'An image.', UUID),
      optional(
        'environment_id',
        'The environment of the event. It may be absent if the API key was granted only one.',
        NAME,
        SAMPLE.environment,
      ),
      optional(
        'deployment_id',
        'The deployment of the session or the image. The default is that of the API key.',
        NAME,
      ),
    ],
    answer: { description: 'The appeals.', schema: 'ItemAppeals', examples: OF_ITEM },
    errors: ['not_found', 'wrong_region', 'result_not_ready', 'not_evaluable'],
  },
  getOpenAppeals: {
    method: 'GET',
    path: '/api/appeal/open',
    versions: EVERY_VERSION,
    scope: 'review',
    tag: 'Appeals',
    summary: 'List appeals that nobody has decided',
    description:
      'Lists open appeals, the oldest first, of environments and deployments that the API key was granted. `POST /api/label` decides one.',
    parameters: [
      optional('policy', 'Only against verdicts of this policy, by its id or its name.', NAME),
      optional('limit', 'Most appeals in the answer.', {
        type: 'integer',
        minimum: 1,
        maximum: LIMITS.openAppeals,
        default: 50,
      }),
      optional('after', 'Only appeals behind this one: `next` of the page before.', { ...TEXT, maxLength: 128 }),
    ],
    answer: { description: 'The appeals.', schema: 'OpenAppeals', examples: OPEN },
  },
});
