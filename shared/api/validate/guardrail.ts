/** Validates LiteLLM's generic guardrail call (decisions, Adapters) and has a session check made of it. */
import { createIs, createValidate } from 'typia';
import { LIMITS } from '../limits.js';
import type { GuardrailRequest } from '../types.js';
import { type Checks, checkOf } from './guardrail/check.js';
import { createIssues, type Issues, type Validation } from './issues.js';
import { BESIDE_TEXTS, checkMisplaced } from './misplaced.js';
import { hasShape } from './shape.js';
import { DEFAULT_LIMITS, type TextLimits } from './validate.js';

const GUARDRAIL = { is: createIs<GuardrailRequest>(), explain: createValidate<GuardrailRequest>() };

/**
 * Validates the body of `POST /beta/litellm_basic_guardrail_api`. If `eventIds` is empty, there is nothing to check.
 * `json`: the body as sent; messages and calls are copied from it.
 */
export function validateGuardrail(
  body: unknown,
  _bytes?: number,
  json: string = JSON.stringify(body),
  { messageBytes }: TextLimits = DEFAULT_LIMITS,
  checks: Checks = 'newest-in-context',
): Validation {
  const issues = createIssues();
  checkLists(issues, body);
  if (issues.list.length > 0) return { ok: false, issues: issues.list };
  if (hasShape(issues, body, GUARDRAIL)) {
    const value = checkOf({ body, json, checks, issues, messageBytes });
    // A request with nothing to check is answered `NONE`. A misspelt field must not get that answer.
    if (value.eventIds.length === 0) checkMisplaced(issues, body, '', BESIDE_TEXTS);
    if (issues.list.length === 0) return { ok: true, value };
  }
  return { ok: false, issues: issues.list };
}

/** The same without the context of the newest turn. */
export const validateNewestGuardrail: typeof validateGuardrail = (body, bytes, json, limits) =>
  validateGuardrail(body, bytes, json, limits, 'newest');

/** The same where the deployment has everything checked, not only the newest turn. */
export const validateWholeGuardrail: typeof validateGuardrail = (body, bytes, json, limits) =>
  validateGuardrail(body, bytes, json, limits, 'all');

const LISTS = ['texts', 'structured_messages', 'tools', 'tool_calls', 'images'] as const;

/** Runs before anything reads the lists, since their length is up to the caller. */
function checkLists(issues: Issues, body: unknown): void {
  for (const name of LISTS) {
    const list = ((body ?? {}) as Record<string, unknown>)[name];
    if (!Array.isArray(list) || list.length <= LIMITS.guardrailElements) continue;
    issues.add(name, 'too_many', `expected at most ${LIMITS.guardrailElements} elements`);
  }
}
