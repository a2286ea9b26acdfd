/** Session checks as the protect view shows them (4.10). */
import { EVERY_VERSION } from '../versions.js';
import { type AnswerExamples, endpoints, NAME, optional, required, STORED, UUID } from './endpoint.js';
import { CONTACT, SAMPLE } from './samples.js';

const PROTECT: AnswerExamples = {
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

export const protectEndpoints = endpoints({
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
      required('deployment_id', 'The deployment of the checks.', NAME, SAMPLE.deployment),
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
