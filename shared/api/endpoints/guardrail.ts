/** LiteLLM's generic guardrail (decisions, Adapters). */
import { CHECKED, type Exchanges, endpoints } from './endpoint.js';

const GUARDRAIL: Exchanges = {
  requests: {
    request: {
      summary: 'Input of a model',
      value: {
        texts: ['Be kind.', 'My card is 4111 1111 1111 1111.'],
        structured_messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'My card is 4111 1111 1111 1111.' },
        ],
        input_type: 'request',
        litellm_trace_id: 'conversation-1',
        request_data: { user_api_key_end_user_id: 'user-1' },
      },
    },
    response: { summary: 'Output of a model', value: { texts: ['Good morning.'], input_type: 'response' } },
  },
  answers: {
    request: { value: { action: 'BLOCKED', blocked_reason: 'Payment data' } },
    response: { value: { action: 'NONE' } },
  },
};

export const guardrailEndpoints = endpoints({
  litellmGuardrail: {
    method: 'POST',
    path: '/beta/litellm_basic_guardrail_api',
    versions: [],
    scope: 'check',
    dialect: 'litellm',
    apiKeyHeader: true,
    tag: 'Adapters',
    summary: "Check a call of LiteLLM's generic guardrail",
    description: `Checks every text and image of the newest turn of a conversation, or of the whole call where it has no messages, against the default deployment of the API key. Tools and their calls are checked with them. Where all violated policies have \`action: redact\`, the answer has the texts with marks in place of what was found. You may send the key as \`x-api-key\`. No version is needed. ${CHECKED}`,
    body: { schema: 'GuardrailRequest', examples: GUARDRAIL.requests },
    answer: { description: 'What the gateway should do.', schema: 'GuardrailResponse', examples: GUARDRAIL.answers },
    errors: ['content_too_large', 'unsupported_content_part', 'not_evaluable'],
  },
});
