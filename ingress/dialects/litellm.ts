/**
 * LiteLLM's generic guardrail (decisions, Adapters): a session check in other words. On an error LiteLLM refuses the call; on 502,
 * 503 and 504 it lets the call pass if its `unreachable_fallback` says so.
 */
import { ApiError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import { mayPass } from '../../shared/api/results/redaction.js';
import { storedItem } from '../../shared/api/results/render.js';
import type { GuardrailResponse, PolicyResult } from '../../shared/api/types.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import type { CheckRequest } from '../dispatch/types.js';
import type { RouteHandlers } from '../http/exchange.js';
import { type CheckRoute, checking } from '../routes/check.js';
import { sessionCheck } from '../routes/sessions.js';
import { defaultDeployment } from './deployment.js';
import { redactedCall } from './redacted-call.js';

/** Most names in a reason; the others are counted. */
const NAMES = 20;

const GO_ON = write({ action: 'NONE' });
const UNCHECKED = 'The content could not be checked.';
const UNREDACTED = 'Earlier texts could not be redacted.';

const guardrail: CheckRoute = {
  kind: 'session',
  body(edge, { key }) {
    const deployment = edge.directory().deployment(key.team, key.defaultDeployment);
    if (deployment?.checksAll) return 'wholeGuardrail';
    // A conversation comes whole each time, and may be long. What nobody looks at goes no further.
    const looksBack = deployment !== undefined && (deployment.redacts || deployment.contextDepth > 0);
    return looksBack ? 'guardrail' : 'newestGuardrail';
  },
  permit: defaultDeployment,
  redacts: (deployment) => deployment.redacts,
  // LiteLLM also asks about calls without content, such as an answer that only calls tools. An error would refuse each of them,
  // and a stored check of nothing would be useless.
  nothing: (input) => (input.eventIds.length === 0 ? GO_ON : undefined),
  render,
  timeout: sessionCheck.timeout,
  reword({ code, message, details }, { listed }) {
    const { param } = details;
    const places = listed?.images ?? [];
    const reworded = param === undefined ? {} : { param: rewordImages(param, places) };
    return new ApiError(code, rewordImages(message, places), { ...details, ...reworded });
  },
};

function render(record: ResultRecord, input: CheckInput, request: CheckRequest): string {
  const stored = storedItem(record, record.items[0]!);
  const item = record.items[0]!;
  const flagged = stored.flagged === true;
  if (!request.redact) return flagged ? write({ action: 'BLOCKED', blocked_reason: reasonOf(stored.policies) }) : GO_ON;
  const texts = input.listed?.texts;
  const call = item.redacted && texts && redactedCall(item.redacted('utf8'), request.body, { ...input, texts });
  // What was found beside the texts, such as in tool calls, would pass as it came.
  if (flagged && (!call || call.beside || item.redactedMessage || !mayPass(item, record))) {
    return write({ action: 'BLOCKED', blocked_reason: reasonOf(stored.policies) });
  }
  if (!call) return write({ action: 'BLOCKED', blocked_reason: UNREDACTED });
  if (!flagged && !call.changed) return GO_ON;
  const { images } = call;
  return write({ action: 'GUARDRAIL_INTERVENED', texts: call.texts, ...(images.length > 0 ? { images } : {}) });
}

function write(response: GuardrailResponse): string {
  return JSON.stringify(response);
}

/** Names of the violated policies, each once, and nothing of the content. */
function reasonOf(policies: string): string {
  const all = Object.values(JSON.parse(policies) as Record<string, PolicyResult>);
  const violated = [...new Set(all.filter(({ flagged }) => flagged).map(({ name }) => name))];
  // In a team that fails closed, content that could not be checked is flagged without a violated policy.
  if (violated.length === 0) return UNCHECKED;
  const names = violated.slice(0, NAMES);
  const more = violated.length > NAMES ? ` and ${violated.length - NAMES} more` : '';
  return `The content violates: ${names.join(', ')}${more}.`;
}

/** The path of an image in the session check, which has all images in its last message. */
const PART = /messages\[\d+\]\.content\[(\d+)\](?:\.content)?/g;

/** Rewrites paths of images in `text` to paths of the call. */
const rewordImages = (text: string, places: readonly string[]): string =>
  text.replaceAll(PART, (path, part: string) => places[Number(part)] ?? path);

export const litellmRoutes = { litellmGuardrail: checking(guardrail) } satisfies RouteHandlers;
