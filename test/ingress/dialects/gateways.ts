/** The gateways whose calls Weir takes: how each sends a conversation, and how it is answered. */

export interface GatewayUnderTest {
  name: string;
  path: string;
  /** a body with this conversation before it goes to a model */
  prompt(messages: unknown, more?: object): unknown;
  /** where the messages stand in it, as errors write it */
  at: string;
  /** how errors write all of it */
  whole: string;
  /** bodies of another shape */
  misshapen: unknown[];
  clean: unknown;
  /** the answer of a refusal for this reason */
  /** undefined: it is an error */
  refused(reason: string, policies: string[]): unknown;
  /** its key comes in this header alone */
  keyHeaderOnly?: true;
  /** the answer where it is to go on with these messages; absent: it cannot change what it sends */
  marked?(messages: unknown[]): unknown;
}

export const GATEWAYS: readonly GatewayUnderTest[] = [
  {
    name: 'agentgateway',
    path: '/request',
    prompt: (messages, more = {}) => ({ body: { messages, ...more } }),
    at: 'body.messages',
    whole: 'body.messages',
    misshapen: [{ body: { messages: 'secret' } }, { body: { messages: null } }, { messages: ['secret'] }],
    clean: { action: {} },
    refused: (reason) => ({ action: { body: reason, status_code: 403, reason } }),
    marked: (messages) => ({ action: { body: { messages }, reason: 'Texts were redacted.' } }),
  },
  {
    name: 'portkey',
    path: '/portkey/webhook',
    prompt: (messages, more = {}) => ({
      eventType: 'beforeRequestHook',
      request: { json: { model: 'm', messages, ...more }, text: '', isStreamingRequest: false },
      response: { json: {}, text: '', statusCode: null },
      provider: 'openai',
      metadata: {},
    }),
    at: 'request.json.messages',
    whole: 'request.json',
    misshapen: [
      { eventType: 'secret', request: { json: 'x' } },
      { request: { json: 'x' } },
      { eventType: 'beforeRequestHook' },
    ],
    clean: { verdict: true, data: {} },
    refused: (reason, policies) => ({ verdict: false, data: { reason, policies } }),
    marked: (messages) => ({
      verdict: true,
      data: { reason: 'Texts were redacted.' },
      transformedData: { request: { json: { model: 'm', messages } } },
    }),
  },
  {
    name: 'envoy',
    path: '/envoy/authz/v1/chat/completions?matched=true&explain=perhaps',
    prompt: (messages, more = {}) => ({ model: 'm', messages, ...more }),
    at: 'messages',
    whole: '',
    misshapen: [],
    clean: { allowed: true },
    refused: () => undefined,
    keyHeaderOnly: true,
  },
  {
    name: 'nemo',
    path: '/v1/guardrail/checks',
    prompt: (messages, more = {}) => ({ model: 'm', messages, guardrails: { config_id: 'c' }, ...more }),
    at: 'messages',
    whole: '',
    misshapen: [
      { messages: 'secret' },
      { messages: [], guardrails: { config: { secret: 'x' } } },
      { messages: [null] },
    ],
    clean: { status: 'success', rails_status: {}, guardrails_data: {} },
    refused: (reason, policies) => ({
      status: 'blocked',
      rails_status: Object.fromEntries(
        (policies.length > 0 ? policies : ['unchecked']).map((name) => [name, { status: 'blocked' }]),
      ),
      guardrails_data: { reason },
    }),
  },
];
