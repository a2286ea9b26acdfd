/**
 * What callers of the checks of NVIDIA NeMo Guardrails send and receive. Comments are the descriptions of the OpenAPI document, as those of
 * `requests.ts`. Source: https://docs.nvidia.com/nemo/microservices/latest/guardrails
 */
import type { ErrorBody } from '../error-body.js';
import { type ApiError, renderError } from '../errors.js';

/** A conversation to be checked. Other fields are settings of a model and ignored, but for texts, which are checked. */
export interface NemoCheckRequest {
  /**
   * The newest turn is checked, and the answer to it if one stands at the end.
   * @x-items ..guardrailElements
   */
  messages: Record<string, unknown>[];
  /** The name of a model. It means nothing here. */
  model?: unknown;
  /**
   * `config_id` and `config_ids` mean nothing here: the policies are those of the deployment. `config` is a 400: rails of the caller are not
   * run. `context` is checked. All else is ignored.
   */
  guardrails?: Record<string, unknown> | null;
}

/** The verdict. */
export interface NemoCheckResponse {
  /** `blocked`: a policy is violated. */
  status: 'success' | 'blocked';
  /** By name of the policy: whether it is violated. */
  rails_status: Record<string, NemoRailStatus>;
  /** What else there is to say. */
  guardrails_data: NemoData;
}

/** About a policy. */
export interface NemoRailStatus {
  /** `blocked`: it is violated. */
  status: 'success' | 'blocked';
}

/** About a check. */
export interface NemoData {
  /** The reason of a refusal, for people. */
  reason?: string;
}

/** An error, as NeMo Guardrails says it, with the error that Weir has everywhere. */
export interface NemoErrorBody {
  /** What is wrong. */
  detail: string;
  /** The same with its code. */
  error: ErrorBody['error'];
}

export function nemoError(error: ApiError, requestId: string): string {
  const { error: told } = JSON.parse(renderError(error, requestId)) as ErrorBody;
  const body: NemoErrorBody = { detail: error.message, error: told };
  return JSON.stringify(body);
}
