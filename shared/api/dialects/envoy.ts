/**
 * What Envoy's filter `ext_authz` hands on of a request, and what it is answered where that may pass. Comments are the descriptions of the
 * OpenAPI document, as those of `requests.ts`. Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/ext_authz_filter
 */

/**
 * The body of the original request: a chat completion, a response or a completion of OpenAI, a message of Anthropic, of which the newest turn
 * is checked; any other JSON, or a text, which is checked whole.
 */
export interface EnvoyBody {
  [member: string]: unknown;
}

/** The request may pass. */
export interface EnvoyVerdict {
  /** Always `true`: what may not pass is an error. */
  allowed: true;
}
