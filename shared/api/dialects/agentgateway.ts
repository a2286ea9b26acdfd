/**
 * What the prompt guards of agentgateway send to a webhook, and receive from it. Comments are the descriptions of the OpenAPI document, as
 * those of `requests.ts`. Source: https://docs.solo.io/agentgateway, https://github.com/agentgateway/agentgateway
 */

/** The prompt that agentgateway is about to send to a model. Other fields are ignored. */
export interface PromptGuardRequest {
  /** What is asked. */
  body: PromptGuardMessages;
}

/** The messages of a prompt. */
export interface PromptGuardMessages {
  /**
   * The newest turn is checked: all messages behind the last one of the assistant, or the last one if none follows. Those before it are
   * context, as are `system` and `developer` messages before the first one of the user.
   * @x-items ..guardrailElements
   */
  messages: Record<string, unknown>[];
}

/** What a model has answered to agentgateway. Other fields are ignored. */
export interface PromptGuardResponse {
  /** What is answered. */
  body: PromptGuardChoices;
}

/** Answers of a model. */
export interface PromptGuardChoices {
  /**
   * Each is checked as output.
   * @x-items ..guardrailElements
   */
  choices: PromptGuardChoice[];
}

/** An answer. */
export interface PromptGuardChoice {
  /** The message. All of it is checked, but for its role. */
  message: Record<string, unknown>;
}

/** What agentgateway should do. */
export interface PromptGuardVerdict {
  /** The action. */
  action: PromptGuardAction;
}

/** `{}`: go on. With `body` as a text: refuse. With `body` as an object: go on with that. */
export interface PromptGuardAction {
  /** What the caller is told of a refusal; or the messages or choices as they came, with marks in place of what was found. */
  body?: string | PromptGuardMasked;
  /** HTTP status of a refusal: 403. */
  status_code?: number;
  /** The reason, for people. */
  reason?: string;
}

/** As many messages or choices as came. */
export interface PromptGuardMasked {
  /** The messages of a prompt. */
  messages?: Record<string, unknown>[];
  /** The choices of an answer. */
  choices?: PromptGuardChoice[];
}
