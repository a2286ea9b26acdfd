/** OpenAI's moderations (decisions, Adapters). */
import { CHECKED, type Exchanges, endpoints } from './endpoint.js';
import { SAMPLE } from './samples.js';

const MODERATIONS: Exchanges = {
  requests: {
    text: { summary: 'A text', value: { model: 'omni-moderation-latest', input: 'My card is 4111 1111 1111 1111.' } },
    texts: { summary: 'Two texts', value: { input: ['Good morning.', 'My card is 4111 1111 1111 1111.'] } },
    file: {
      summary: 'What is not checked',
      value: { input: [{ type: 'input_file' }] },
      refused: [{ path: 'input[0].type', code: 'unsupported_content_part', message: 'expected text or image_url' }],
    },
  },
  answers: {
    text: {
      value: {
        id: `modr-${SAMPLE.internalSession}`,
        model: 'omni-moderation-latest',
        results: [
          {
            flagged: true,
            categories: { harassment: false, 'Payment data': true },
            category_scores: { harassment: 0, 'Payment data': 1 },
            category_applied_input_types: { harassment: [], 'Payment data': ['text'] },
            internal_session_id: SAMPLE.internalSession,
          },
        ],
      },
    },
  },
};

export const moderationsEndpoints = endpoints({
  createModeration: {
    method: 'POST',
    path: '/v1/moderations',
    versions: [],
    scope: 'check',
    dialect: 'moderations',
    apiKeyHeader: true,
    tag: 'Adapters',
    summary: 'Check texts and images as OpenAI does',
    description: `The interface of OpenAI's moderations. Each text is a session check against the default deployment of the API key, as are the parts of one input together. \`moderations\` of the deployment says which policies each category is made of; without it that follows from their detectors and names. No version is needed. ${CHECKED}`,
    body: { schema: 'ModerationsRequest', examples: MODERATIONS.requests },
    answer: {
      description: 'A verdict for each input.',
      schema: 'ModerationsResponse',
      examples: MODERATIONS.answers,
    },
    errors: ['content_too_large', 'unsupported_content_part', 'not_evaluable'],
  },
});
