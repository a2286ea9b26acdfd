/** Session checks as the protect view shows them (4.10). */
import { EVERY_VERSION } from '../versions.js';
import {
  type AnswerExamples,
  CHECKED,
  DEPLOYMENT,
  type Exchanges,
  endpoints,
  NAME,
  optional,
  STORED,
  UUID,
} from './endpoint.js';
import { CONTACT, SAMPLE } from './samples.js';

const PROTECT = {
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
} satisfies AnswerExamples;

const CHECK: Exchanges = {
  requests: {
    answer: {
      summary: 'An answer of the assistant, with names of policies',
      value: {
        deployment_id: SAMPLE.deployment,
        external_id: SAMPLE.session,
        include_policy_names: true,
        messages: [{ role: 'assistant', content: 'Write to jane.doe@example.com.' }],
      },
    },
    two_names: {
      summary: 'Refused: two ids of one chat',
      value: {
        external_id: SAMPLE.session,
        external_session_id: 'another',
        messages: [{ role: 'user', content: 'Good morning.' }],
      },
      refused: [
        {
          path: 'external_id',
          code: 'conflict',
          message: 'is another name of external_session_id, which has another value',
        },
      ],
    },
  },
  answers: { answer: { value: PROTECT.found.value.list[0] } },
};

export const protectEndpoints = endpoints({
  checkProtect: {
    method: 'POST',
    path: '/api/protect/check',
    versions: EVERY_VERSION,
    scope: 'check',
    views: true,
    tag: 'Sessions',
    summary: 'Check the last message of a chat, with the answer of the protect view',
    description: `Does the same check as \`POST /api/session/check\`. ${CHECKED}`,
    body: { schema: 'ProtectRequest', examples: CHECK.requests },
    answer: { description: 'The verdict.', schema: 'ProtectItem', examples: CHECK.answers },
    errors: ['content_too_large', 'unsupported_content_part', 'not_evaluable', 'result_not_ready'],
  },
  getProtect: {
    method: 'GET',
    path: '/api/protect/get_by_id',
    versions: EVERY_VERSION,
    scope: 'read',
    views: true,
    tag: 'Sessions',
    summary: 'Get session checks for the protect view',
    description: `Send exactly one of \`internal_id\` and \`external_id\`. If nothing matches, the list is empty. ${STORED}`,
    parameters: [
      DEPLOYMENT,
      optional('internal_id', 'The internal id of the session check.', UUID),
      optional('external_id', 'Your id of the chat.', NAME, SAMPLE.session),
      optional(
        'include_policy_names',
        'Whether each violation has the name of its policy. Upper or lower case; `1` and `0` work too.',
        { type: 'boolean', default: false },
        true,
      ),
    ],
    answer: { description: 'The checks, newest first.', schema: 'ProtectList', examples: PROTECT },
    errors: ['result_not_ready', 'not_evaluable'],
  },
});
