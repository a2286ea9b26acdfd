/**
 * What LiteLLM's generic guardrail sends and receives. Comments are the descriptions of the OpenAPI document, as those of `requests.ts`.
 * Source: https://docs.litellm.ai
 */

/** What an LLM gateway is about to send to a model, or has received from one. Other fields are ignored. */
export interface GuardrailRequest {
  /**
   * The texts of the call. Of a request with `structured_messages` those of the newest turn are checked, and those that stand in no
   * message; else every text.
   * @x-items ..guardrailElements
   */
  texts?: string[] | null;
  /**
   * The images, as addresses, data URIs or base64. Those are checked that stand as the texts do: at most {@link LIMITS.artifactParts}.
   * @x-items ..guardrailElements
   */
  images?: string[] | null;
  /** The tool calls of a model. Names and arguments are checked, but for calls of earlier messages. @x-items ..guardrailElements */
  tool_calls?: unknown[] | null;
  /** The tools that a model may call. Names, descriptions and parameters are checked. @x-items ..guardrailElements */
  tools?: unknown[] | null;
  /**
   * The messages that the other fields were taken from, or items of the Responses API. The newest turn of a request is checked: all
   * messages behind the last one of the assistant, or the last one if none follows. Those before it are context, as are `system` and
   * `developer` messages before the first one of the user.
   * @x-items ..guardrailElements
   */
  structured_messages?: Record<string, unknown>[] | null;
  /** `request` is the input of the model, `response` its output. The default is `request`. */
  input_type?: 'request' | 'response' | null;
  /**
   * The gateway's id of the call. A string of at most {@link LIMITS.nameCharacters} characters is kept in the metadata
   * of the check.
   */
  litellm_call_id?: unknown;
  /** The gateway's id of the conversation, kept like `litellm_call_id`. It is the `external_session_id` of the check. */
  litellm_trace_id?: unknown;
  /**
   * Whose call it is. `user_api_key_end_user_id`, else `user_api_key_user_id`, and `user_api_key_user_email` are the user of the
   * check. They are kept in its metadata, as are the ids of key, team and organisation.
   */
  request_data?: unknown;
}

/** What the gateway should do. */
export interface GuardrailResponse {
  /** `NONE`: go on. `BLOCKED`: refuse. `GUARDRAIL_INTERVENED`: go on with these texts and images. */
  action: 'NONE' | 'BLOCKED' | 'GUARDRAIL_INTERVENED';
  /** The reason, for people. Only with `BLOCKED`. */
  blocked_reason?: string;
  /** The texts in their order, with marks such as `[CREDIT_CARD]` in place of what was found. Only with `GUARDRAIL_INTERVENED`. */
  texts?: string[];
  /** The images as they came. Only with `GUARDRAIL_INTERVENED`, if there are any and all of them were checked. */
  images?: string[];
}
