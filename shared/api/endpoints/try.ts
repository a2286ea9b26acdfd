/** What a check would come to, maybe by edited policies (decisions, Try). */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type Exchanges, endpoints } from './endpoint.js';
import { SAMPLE } from './samples.js';

const NEW = '6f1c0f0e-52a1-4c3e-9d3b-0b6a3c1f7a10';
const EVENT = { type: 'message', role: 'user', content: 'Project Falcon ships on Monday.' } as const;
const FALCON = {
  id: NEW,
  name: 'Code names',
  severity: 'high',
  detect: { terms: { list: ['project falcon'] } },
};

const TRY: Exchanges = {
  requests: {
    active: {
      summary: 'A chat against the active version',
      value: {
        deployment_id: SAMPLE.deployment,
        messages: [{ role: 'user', content: 'My card is 4111 1111 1111 1111.' }],
      },
    },
    edited: {
      summary: 'An event against a new policy',
      value: { environment_id: SAMPLE.environment, event: EVENT, policies: [FALCON] },
    },
    wrong: {
      summary: 'Refused: a policy that is not as the configuration has them',
      value: {
        environment_id: SAMPLE.environment,
        event: EVENT,
        policies: [{ ...FALCON, severity: 'hihg' }],
      },
      refused: [
        {
          path: 'policies[0].severity',
          code: 'configuration',
          message: 'expected one of low, medium, high; did you mean "high"?',
        },
      ],
    },
  },
  answers: {
    edited: {
      value: {
        policies: {
          [NEW]: {
            flagged: true,
            name: 'Code names',
            enabled_by_conditions: [{ id: 'new', name: 'New policies' }],
            severity: 'high',
            evidence: [{ detector: 'terms', view: 'folded', source: 'text', start: 0, end: 14 }],
          },
        },
        flagged: true,
        shadow: [],
        scores: [],
        conditions: [
          { id: 'everything', name: 'Everything', matched: true },
          { id: 'new', name: 'New policies', matched: true },
        ],
        cost: {
          evaluation_us: 180,
          images_us: 0,
          asking_us: 0,
          condition_steps: 0,
          most_condition_steps: 200_000,
        },
      },
    },
  },
};

export const tryEndpoints = endpoints({
  tryPolicies: {
    method: 'POST',
    path: '/api/try',
    versions: EVERY_VERSION,
    scope: 'try',
    alone: true,
    mostBytes: LIMITS.tryBytes,
    tag: 'Policies',
    summary: 'Try policies on a text, an event, a chat or an image',
    description: `Says what a check would answer, with what detectors scored, which conditions matched and what it took: by the active version, or with policies and conditions of your team as you edit them. Nothing of it is stored. A body has at most ${LIMITS.tryBytes / 1024} KiB, and a try takes at most ${LIMITS.tryMs / 1000} seconds. A team tries one thing at a time.`,
    body: { schema: 'TryRequest', examples: TRY.requests },
    answer: { description: 'What a check would answer, and why.', schema: 'TryResult', examples: TRY.answers },
    errors: ['content_too_large', 'evaluation_timeout', 'not_evaluable', 'not_found', 'unsupported_content_part'],
  },
});
