/**
 * LiteLLM's generic guardrail (decisions, Adapters): a session check in other words. On an error LiteLLM refuses the call; on 502,
 * 503 and 504 it lets the call pass if its `unreachable_fallback` says so.
 */
import { ApiError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import { mayPass } from '../../shared/api/results/redaction.js';
import { storedItem } from '../../shared/api/results/render.js';
import type { ArtifactContent, ContentPart, GuardrailResponse, PolicyResult } from '../../shared/api/types.js';
import { rewordGuardrail } from '../../shared/api/validate/guardrail.js';
import { writableScope } from '../http/auth.js';
import type { Handlers } from '../http/exchange.js';
import { type CheckRoute, checking } from './check.js';
import { sessionCheck } from './sessions.js';

/** Most names in a reason; the others are counted. */
const NAMES = 20;

const GO_ON = write({ action: 'NONE' });

const guardrail: CheckRoute = {
  kind: 'session',
  body: 'guardrail',
  permit(edge, exchange) {
    const { defaultDeployment } = exchange.key;
    if (defaultDeployment !== '') return writableScope(edge, exchange.key, 'deployment', defaultDeployment);
    const message = 'This endpoint checks against the default deployment of the API key, and this key has none.';
    throw new ApiError('validation_failed', `${message} Set default_deployment of the key in the configuration.`);
  },
  redacts: (deployment) => deployment.redacts,
  // LiteLLM also asks about calls without content, such as an answer that only calls tools. An error would refuse each of them,
  // and a stored check of nothing would be useless.
  nothing: (input) => (input.eventIds.length === 0 ? GO_ON : undefined),
  render(record) {
    const stored = storedItem(record, record.items[0]!);
    if (stored.flagged !== true) return GO_ON;
    const redacted = redactedInputs(record);
    if (redacted) return write({ action: 'GUARDRAIL_INTERVENED', ...redacted });
    const policies = Object.values(JSON.parse(stored.policies) as Record<string, PolicyResult>);
    return write({ action: 'BLOCKED', blocked_reason: reason(policies.filter((policy) => policy.flagged)) });
  },
  timeout: sessionCheck.timeout,
  reword({ code, message, details }) {
    const { param } = details;
    const reworded = param === undefined ? {} : { param: rewordGuardrail(param) };
    return new ApiError(code, rewordGuardrail(message), { ...details, ...reworded });
  },
};

/** The texts with marks, and the images as they came; undefined where the call is to be refused. */
function redactedInputs(record: ResultRecord): { texts: string[]; images?: string[] } | undefined {
  const [item] = record.items;
  // What was found beside the texts, such as in tool calls, would pass as it came.
  if (item?.redacted === undefined || item.redactedMessage || !mayPass(item, record)) return undefined;
  // The check has a part for each image and each text.
  const parts = JSON.parse(item.redacted('utf8')) as ContentPart[];
  const images = parts.flatMap(({ content }) => {
    const { url, data } = (content ?? {}) as Partial<ArtifactContent>;
    return url ?? data ?? [];
  });
  const texts = parts.flatMap(({ text }) => text ?? []);
  return images.length > 0 ? { texts, images } : { texts };
}

function write(response: GuardrailResponse): string {
  return JSON.stringify(response);
}

/** Names of the violated policies, and nothing of the content. */
function reason(violated: readonly PolicyResult[]): string {
  // In a team that fails closed, content that could not be checked is flagged without a violated policy.
  if (violated.length === 0) return 'The content could not be checked.';
  const names = violated.slice(0, NAMES).map((policy) => policy.name);
  const more = violated.length > NAMES ? ` and ${violated.length - NAMES} more` : '';
  return `The content violates: ${names.join(', ')}${more}.`;
}

export const guardrailRoutes = { litellmGuardrail: checking(guardrail) } satisfies Handlers;
