/** The Perspective API (decisions, Adapters). */
import { CHECKED, type Exchanges, endpoints } from './endpoint.js';

const PERSPECTIVE: Exchanges = {
  requests: {
    comment: {
      summary: 'A comment',
      value: {
        comment: { text: 'Good morning, how are you?' },
        requestedAttributes: { TOXICITY: {}, THREAT: { scoreThreshold: 0.5 } },
        languages: ['en'],
        doNotStore: true,
      },
    },
    empty: {
      summary: 'Without a text',
      value: { comment: { text: '' }, requestedAttributes: { TOXICITY: {} } },
      refused: [{ path: 'comment.text', code: 'comment_empty', message: 'Comment must be non-empty.' }],
    },
  },
  answers: {
    comment: {
      value: {
        attributeScores: {
          TOXICITY: {
            spanScores: [{ begin: 0, end: 26, score: { value: 0.0112, type: 'PROBABILITY' } }],
            summaryScore: { value: 0.0112, type: 'PROBABILITY' },
          },
        },
        languages: ['en'],
      },
    },
  },
};

export const perspectiveEndpoints = endpoints({
  analyzeComment: {
    method: 'POST',
    path: '/v1alpha1/comments:analyze',
    versions: [],
    scope: 'check',
    dialect: 'perspective',
    apiKeyHeader: true,
    keyInQuery: true,
    tag: 'Adapters',
    summary: 'Score a comment as the Perspective API does',
    description: `The interface of the Perspective API, where \`WEIR_DIALECTS\` has \`perspective\`. The comment is a session check against the default deployment of the API key; the scores are those of the models of Weir, and of policies of that deployment. No version is needed. ${CHECKED}`,
    body: { schema: 'PerspectiveRequest', examples: PERSPECTIVE.requests },
    answer: { description: 'The scores.', schema: 'PerspectiveResponse', examples: PERSPECTIVE.answers },
    errors: ['not_evaluable'],
  },
});
