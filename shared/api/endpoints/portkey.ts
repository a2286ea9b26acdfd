/** The webhook guardrail of Portkey's gateway (decisions, Adapters). */
import { CHECKED, type Exchanges, endpoints } from './endpoint.js';

const PORTKEY: Exchanges = {
  requests: {
    before: {
      summary: 'Before the call of a model',
      value: {
        eventType: 'beforeRequestHook',
        request: { json: { model: 'gpt-5', messages: [{ role: 'user', content: 'My card is 4111 1111 1111 1111.' }] } },
        provider: 'openai',
        requestType: 'chatComplete',
        metadata: { _user: 'user-1' },
      },
    },
    after: {
      summary: 'Behind it',
      value: {
        eventType: 'afterRequestHook',
        response: { json: { choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.' } }] } },
      },
    },
  },
  answers: {
    before: {
      value: { verdict: false, data: { reason: 'The content violates: Payment data.', policies: ['Payment data'] } },
    },
    after: { value: { verdict: true, data: {} } },
  },
};

export const portkeyEndpoints = endpoints({
  checkPortkey: {
    method: 'POST',
    path: '/portkey/webhook',
    versions: [],
    scope: 'check',
    dialect: 'portkey',
    apiKeyHeader: true,
    tag: 'Adapters',
    summary: "Check a call for Portkey's gateway",
    description: `The webhook guardrail of Portkey, where \`WEIR_DIALECTS\` has \`portkey\`. The newest turn of a request, or all of a response, is a session check against the default deployment of the API key. Portkey lets a call pass where its webhook answers an error, so every answer is a 200: whatever is wrong is \`verdict: false\` with \`error\`. Where all violated policies have \`action: redact\`, the answer has what was sent with marks in place of what was found. You may send the key as \`x-api-key\`. No version is needed. ${CHECKED}`,
    body: { schema: 'PortkeyRequest', examples: PORTKEY.requests },
    answer: { description: 'What the gateway should do.', schema: 'PortkeyVerdict', examples: PORTKEY.answers },
  },
});
