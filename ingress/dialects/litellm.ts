/**
 * LiteLLM's generic guardrail (decisions, Adapters): a session check in other words. On an error LiteLLM refuses the call; on 502,
 * 503 and 504 it lets the call pass if its `unreachable_fallback` says so.
 */
import type { GuardrailResponse } from '../../shared/api/types.js';
import type { Checks } from '../../shared/api/validate/guardrail/check.js';
import type { RouteHandlers } from '../http/exchange.js';
import type { BodyKind } from '../parse/parse-body.js';
import { type CheckRoute, checking } from '../routes/check.js';
import { checksOf, gatewayCheck, verdictOn } from './gateway.js';

const GO_ON = write({ action: 'NONE' });

const guardrail: CheckRoute = {
  ...gatewayCheck,
  body(edge, exchange) {
    return KINDS[checksOf(edge, exchange)];
  },
  // LiteLLM also asks about calls without content, such as an answer that only calls tools. An error would refuse each of them,
  // and a stored check of nothing would be useless.
  nothing: (input) => (input.eventIds.length === 0 ? GO_ON : undefined),
  render(record, input, request) {
    const verdict = verdictOn(record, input, request);
    if (verdict.is === 'clean') return GO_ON;
    if (verdict.is === 'refused') return write({ action: 'BLOCKED', blocked_reason: verdict.reason });
    const { texts, images } = verdict.call;
    return write({ action: 'GUARDRAIL_INTERVENED', texts, ...(images.length > 0 ? { images } : {}) });
  },
};

const KINDS = {
  all: 'wholeGuardrail',
  'newest-in-context': 'guardrail',
  newest: 'newestGuardrail',
} as const satisfies Record<Checks, BodyKind>;

function write(response: GuardrailResponse): string {
  return JSON.stringify(response);
}

export const litellmRoutes = { litellmGuardrail: checking(guardrail) } satisfies RouteHandlers;
