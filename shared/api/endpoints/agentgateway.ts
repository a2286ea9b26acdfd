/** The webhooks of agentgateway's prompt guards (decisions, Adapters). */
import { CHECKED, type Exchanges, endpoints } from './endpoint.js';

const PROMPT: Exchanges = {
  requests: {
    prompt: {
      summary: 'A prompt',
      value: {
        body: {
          messages: [
            { role: 'system', content: 'Be kind.' },
            { role: 'user', content: 'My card is 4111 1111 1111 1111.' },
          ],
        },
      },
    },
  },
  answers: {
    prompt: {
      value: {
        action: {
          body: 'The content violates: Payment data.',
          status_code: 403,
          reason: 'The content violates: Payment data.',
        },
      },
    },
  },
};
const COMPLETION: Exchanges = {
  requests: {
    completion: {
      summary: 'An answer of a model',
      value: { body: { choices: [{ message: { role: 'assistant', content: 'Good morning.' } }] } },
    },
  },
  answers: { completion: { value: { action: {} } } },
};

const WEBHOOK = {
  method: 'POST',
  versions: [],
  scope: 'check',
  dialect: 'agentgateway',
  apiKeyHeader: true,
  tag: 'Adapters',
  errors: ['content_too_large', 'unsupported_content_part', 'not_evaluable'],
} as const;
const WHERE =
  'Served where `WEIR_DIALECTS` has `agentgateway`. Where all violated policies have `action: redact`, the answer has what was sent with marks in place of what was found. You may send the key as `x-api-key`. No version is needed.';

export const agentgatewayEndpoints = endpoints({
  checkPrompt: {
    ...WEBHOOK,
    path: '/request',
    summary: 'Check a prompt for agentgateway',
    description: `The webhook of a prompt guard of agentgateway for requests. The newest turn of the conversation is a session check against the default deployment of the API key. ${WHERE} ${CHECKED}`,
    body: { schema: 'PromptGuardRequest', examples: PROMPT.requests },
    answer: { description: 'What the gateway should do.', schema: 'PromptGuardVerdict', examples: PROMPT.answers },
  },
  checkCompletion: {
    ...WEBHOOK,
    path: '/response',
    summary: 'Check an answer for agentgateway',
    description: `The webhook of a prompt guard of agentgateway for responses. All choices are a session check against the default deployment of the API key, as output. ${WHERE} ${CHECKED}`,
    body: { schema: 'PromptGuardResponse', examples: COMPLETION.requests },
    answer: { description: 'What the gateway should do.', schema: 'PromptGuardVerdict', examples: COMPLETION.answers },
  },
});
