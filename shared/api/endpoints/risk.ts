/** The risk level of a user (4.11). */
import { EVERY_VERSION } from '../versions.js';
import { type AnswerExamples, endpoints, NAME, optional } from './endpoint.js';
import { SAMPLE } from './samples.js';

const RISK: AnswerExamples = { normal: { value: { risk_level: 'normal', window_days: 30 } } };

export const riskEndpoints = endpoints({
  getRisk: {
    method: 'GET',
    path: '/api/radar/risk',
    versions: EVERY_VERSION,
    scope: 'risk',
    tag: 'Users',
    summary: 'Get the risk level of a user',
    description:
      'Returns a level that comes from the violations in recent session checks that named this user. Send exactly one of `email` and `id`. If no check of your team has named the user, the answer is a 404.',
    parameters: [
      optional(
        'email',
        'The `metadata.user.email` of earlier checks. Case and surrounding spaces do not matter.',
        NAME,
        SAMPLE.email,
      ),
      optional('id', 'The `metadata.user.id` of earlier checks.', NAME),
    ],
    answer: { description: 'The risk level.', schema: 'UserRisk', examples: RISK },
  },
});
