/** Envoy's filter `ext_authz` (decisions, Adapters). */
import { CHECKED, type Exchanges, endpoints, inPath, TEXT } from './endpoint.js';

const ENVOY: Exchanges = {
  requests: {
    chat: {
      summary: 'A chat completion that may pass',
      value: { model: 'gpt-5', messages: [{ role: 'user', content: 'Good morning.' }] },
    },
  },
  answers: { chat: { value: { allowed: true } } },
};

export const envoyEndpoints = endpoints({
  checkEnvoy: {
    method: 'POST',
    path: '/envoy/authz/{path}',
    below: true,
    versions: [],
    scope: 'check',
    dialect: 'envoy',
    keyHeaderOnly: true,
    tag: 'Adapters',
    summary: 'Check a request for Envoy',
    description: `The service of Envoy's filter \`ext_authz\`, where \`WEIR_DIALECTS\` has \`envoy\`. It takes every method, and the original path behind its own. The newest turn of a call of a model, or all of any other body, is a session check against the default deployment of the API key. A 200 lets the request pass, whatever else is answered refuses it. The key comes as \`x-api-key\` alone: \`Authorization\` is that of the original request. No version is needed. ${CHECKED}`,
    parameters: [inPath('path', 'The path of the original request, of any number of segments.', TEXT, 'v1')],
    body: { schema: 'EnvoyBody', examples: ENVOY.requests },
    answer: { description: 'The request may pass.', schema: 'EnvoyVerdict', examples: ENVOY.answers },
    errors: ['content_refused', 'content_too_large', 'unsupported_content_part', 'not_evaluable'],
  },
});
