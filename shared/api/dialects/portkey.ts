/**
 * What the webhook guardrail of Portkey's gateway sends and receives. Comments are the descriptions of the OpenAPI document, as those of
 * `requests.ts`. Source: https://portkey.ai/docs, https://github.com/Portkey-AI/gateway
 */
import type { ErrorBody } from '../error-body.js';
import { type ApiError, renderError } from '../errors.js';

/** A call of a model that Portkey is about to make, or has made. Other fields are ignored. */
export interface PortkeyRequest {
  /** `beforeRequestHook`: the request is checked, as input. `afterRequestHook`: the response is checked, as output. */
  eventType: 'beforeRequestHook' | 'afterRequestHook';
  /**
   * What is sent to the model: `json`, in the form of a chat completion, a response or a completion of OpenAI, or of a message of Anthropic.
   * The newest turn is checked; of anything else everything is. `text` is checked if it stands nowhere in that.
   */
  request?: Record<string, unknown> | null;
  /** What the model has answered: `json` and `text` likewise. All of it is checked. */
  response?: Record<string, unknown> | null;
  /** What the caller of the gateway says of the call. `_user` is the user of the check, `session_id` its `external_session_id`. */
  metadata?: unknown;
  /** The name of the provider. A string of at most {@link LIMITS.nameCharacters} characters is kept in the metadata of the check. */
  provider?: unknown;
  /** The kind of the call, such as `chatComplete`, kept like `provider`. */
  requestType?: unknown;
}

/** What Portkey should do. */
export interface PortkeyVerdict {
  /** `false`: a policy is violated, or the call could not be checked. */
  verdict: boolean;
  /** What Portkey shows in its logs. */
  data: PortkeyData;
  /** The request or the response with marks in place of what was found. */
  transformedData?: PortkeyTransformed;
  /** Why the call could not be checked. Every other answer has none. */
  error?: ErrorBody['error'];
}

/** About a verdict. */
export interface PortkeyData {
  /** The reason, for people. */
  reason?: string;
  /** Names of the violated policies. */
  policies?: string[];
}

/** What is to take the place of what was sent. */
export interface PortkeyTransformed {
  /** Of `beforeRequestHook`. */
  request?: PortkeyJson;
  /** Of `afterRequestHook`. */
  response?: PortkeyJson;
}

/** One side of a call. */
export interface PortkeyJson {
  /** All of it, with marks. */
  json: unknown;
}

/** Portkey lets a call pass where its webhook answers an error. So each is a refusal with the status 200. */
export function portkeyError(error: ApiError, requestId: string): string {
  const { error: told } = JSON.parse(renderError(error, requestId)) as ErrorBody;
  const verdict: PortkeyVerdict = { verdict: false, data: { reason: error.message }, error: told };
  return JSON.stringify(verdict);
}
