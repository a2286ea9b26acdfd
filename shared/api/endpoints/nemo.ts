/** The checks of NVIDIA NeMo Guardrails (decisions, Adapters). */
import { CHECKED, type Exchanges, endpoints } from './endpoint.js';

const NEMO: Exchanges = {
  requests: {
    conversation: {
      summary: 'A question and its answer',
      value: {
        model: 'meta/llama-3.3-70b-instruct',
        messages: [
          { role: 'user', content: 'Good morning.' },
          { role: 'assistant', content: 'Good morning. How can I help?' },
        ],
        guardrails: { config_id: 'default' },
      },
    },
  },
  answers: {
    conversation: {
      value: {
        status: 'success',
        rails_status: { 'Payment data': { status: 'success' } },
        guardrails_data: {},
      },
    },
  },
};

export const nemoEndpoints = endpoints({
  checkNemo: {
    method: 'POST',
    path: '/v1/guardrail/checks',
    versions: [],
    scope: 'check',
    dialect: 'nemo',
    apiKeyHeader: true,
    tag: 'Adapters',
    summary: 'Check a conversation as NeMo Guardrails does',
    description: `The interface of the checks of NVIDIA NeMo Guardrails, where \`WEIR_DIALECTS\` has \`nemo\`. The newest turn, and the answer to it, is a session check against the default deployment of the API key, whose policies are the rails. You may send the key as \`x-api-key\`. No version is needed. ${CHECKED}`,
    body: { schema: 'NemoCheckRequest', examples: NEMO.requests },
    answer: { description: 'The verdict.', schema: 'NemoCheckResponse', examples: NEMO.answers },
    errors: ['content_too_large', 'unsupported_content_part', 'not_evaluable'],
  },
});
