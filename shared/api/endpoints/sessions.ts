/** Sessions: checks (4.1) and look-ups (4.2, 4.3). */
import { ENVELOPE_VERSIONS, EVERY_VERSION } from '../versions.js';
import {
  type AnswerExamples,
  CHECKED,
  DEPLOYMENT,
  type Exchanges,
  endpoints,
  inPath,
  LABELS,
  NAME,
  required,
  SIDES,
  STORED,
  UUID,
} from './endpoint.js';
import { CONTACT, PAYMENT, SAMPLE } from './samples.js';

const sessionResult = {
  flagged: true,
  internal_session_id: SAMPLE.internalSession,
  external_session_id: SAMPLE.session,
  policies: { [CONTACT]: { name: 'Contact data in answers', flagged: true, flagged_source: ['text'] } },
};

const SESSION: Exchanges = {
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

const ENVELOPE: AnswerExamples = { answer: { value: { session: sessionResult, artifacts: [] } } };

export const sessionEndpoints = endpoints({
  checkSession: {
    method: 'POST',
    path: '/api/session/check',
    versions: EVERY_VERSION,
    scope: 'check',
    views: true,
    redacts: true,
    tag: 'Sessions',
    summary: 'Check the last message of a chat',
    description: `Checks the last message against the policies of the deployment: ${SIDES}. ${CHECKED}`,
    body: { schema: 'SessionRequest', examples: SESSION.requests },
    answer: { description: 'The verdict.', schema: 'SessionResult', examples: SESSION.answers },
    errors: ['content_too_large', 'unsupported_content_part', 'not_evaluable', 'result_not_ready'],
  },
  createSession: {
    method: 'POST',
    path: '/api/session',
    versions: ENVELOPE_VERSIONS,
    scope: 'check',
    views: true,
    redacts: true,
    tag: 'Sessions',
    summary: 'Check the last message of a chat, with the answer of a look-up',
    description: `Does the same check as \`POST /api/session/check\`. The answer has the form that look-ups have. ${CHECKED}`,
    body: { schema: 'SessionRequest', examples: SESSION.requests },
    answer: { description: 'The verdict.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['content_too_large', 'unsupported_content_part', 'not_evaluable', 'result_not_ready'],
  },
  findSession: {
    method: 'GET',
    path: '/api/session',
    versions: EVERY_VERSION,
    scope: 'read',
    views: true,
    named: '2026-04-15',
    tag: 'Sessions',
    summary: 'Look up the latest check by your own id',
    description: `Returns the check that was submitted last with this external id in the deployment. ${STORED}`,
    parameters: [required('external_session_id', 'Your id of the chat.', NAME, SAMPLE.session), DEPLOYMENT, LABELS],
    answer: { description: 'The stored check.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['result_not_ready'],
  },
  getSession: {
    method: 'GET',
    path: '/api/session/{internal_session_id}',
    versions: EVERY_VERSION,
    scope: 'read',
    views: true,
    named: '2026-04-15',
    tag: 'Sessions',
    summary: 'Look up one session check',
    description: `Returns the check with this internal id. ${STORED}`,
    parameters: [
      inPath('internal_session_id', 'The internal id of the check.', UUID, SAMPLE.internalSession),
      DEPLOYMENT,
      LABELS,
    ],
    answer: { description: 'The stored check.', schema: 'SessionEnvelope', examples: ENVELOPE },
    errors: ['result_not_ready', 'not_evaluable'],
  },
});
