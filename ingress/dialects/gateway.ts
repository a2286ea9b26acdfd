/**
 * What checks of gateways have in common (decisions, Adapters): a gateway sends a conversation, and is told to go on, to refuse, or to go on
 * with marks in place of what was found.
 */
import { ApiError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import { mayPass } from '../../shared/api/results/redaction.js';
import { storedItem } from '../../shared/api/results/render.js';
import type { PolicyResult } from '../../shared/api/types.js';
import { askedBy } from '../../shared/api/validate/asked.js';
import type { GatewayCallName } from '../../shared/api/validate/gateway/kinds.js';
import type { Checks } from '../../shared/api/validate/guardrail/check.js';
import type { GuardrailInputType } from '../../shared/api/validate/guardrail/roles.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import type { CheckRequest } from '../dispatch/types.js';
import type { Edge, Exchange, Handler } from '../http/exchange.js';
import { type CheckRoute, checking } from '../routes/check.js';
import { sessionCheck } from '../routes/sessions.js';
import { defaultDeployment } from './deployment.js';
import { type RedactedCall, redactedCall } from './redacted-call.js';
import { withTexts } from './with-texts.js';

/** Most names in a reason; the others are counted. */
const NAMES = 20;

const UNCHECKED = 'The content could not be checked.';
const UNREDACTED = 'Earlier texts could not be redacted.';

/** Which messages are looked at, by the default deployment of the key. */
export function checksOf(edge: Edge, { key }: Exchange): Checks {
  const deployment = edge.directory().deployment(key.team, key.defaultDeployment);
  if (deployment?.checksAll) return 'all';
  // A conversation comes whole each time, and may be long. What nobody looks at goes no further.
  const looksBack = deployment !== undefined && (deployment.redacts || deployment.contextDepth > 0);
  return looksBack ? 'newest-in-context' : 'newest';
}

/** Stands for JSON in an answer that is made. */
const SENT = 'what was sent';

/** A check of a gateway's call. What differs is how it is read, and the answer. */
export const gatewayCheck: Omit<CheckRoute, 'render'> = {
  kind: 'session',
  permit: defaultDeployment,
  redacts: (deployment) => deployment.redacts,
  timeout: sessionCheck.timeout,
  reword({ code, message, details }, { listed }) {
    const { param } = details;
    const places = listed?.images ?? [];
    const reworded = param === undefined ? {} : { param: rewordImages(param, places) };
    return new ApiError(code, rewordImages(message, places), { ...details, ...reworded });
  },
};

/** What a gateway is to do. */
export type GatewayVerdict =
  | { is: 'clean'; passed: readonly string[] }
  | { is: 'refused'; reason: string; policies: readonly string[]; passed: readonly string[] }
  | { is: 'marked'; call: RedactedCall };

/** The verdict on a call, of which the policies that redact have been asked for marks if the request says so. */
export function verdictOn(record: ResultRecord, input: CheckInput, request: CheckRequest): GatewayVerdict {
  const item = record.items[0]!;
  const stored = storedItem(record, item);
  const flagged = stored.flagged === true;
  const passed = namesIn(stored.policies, false);
  const refused = (): GatewayVerdict => {
    const policies = namesIn(stored.policies, true);
    return { is: 'refused', reason: reasonOf(policies), policies, passed };
  };
  if (!request.redact) return flagged ? refused() : { is: 'clean', passed };
  const texts = input.listed?.texts;
  const call = item.redacted && texts && redactedCall(item.redacted('utf8'), request.body, { ...input, texts });
  // What was found beside the texts, such as in tool calls, would pass as it came.
  if (flagged && (!call || call.beside || item.redactedMessage || !mayPass(item, record))) return refused();
  if (!call) return { is: 'refused', reason: UNREDACTED, policies: [], passed };
  return flagged || call.changed ? { is: 'marked', call } : { is: 'clean', passed };
}

/** Names of the policies that are violated, or of the others, each once. */
function namesIn(policies: string, violated: boolean): string[] {
  const all = Object.values(JSON.parse(policies) as Record<string, PolicyResult>);
  return [...new Set(all.filter(({ flagged }) => flagged === violated).map(({ name }) => name))];
}

/** It has the names of policies, and nothing of the content. */
function reasonOf(violated: readonly string[]): string {
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

/** What a gateway is answered. `passed`: names of the policies that are not violated. */
export interface GatewayAnswers {
  clean(passed: readonly string[]): object;
  /** Throws where a refusal is an error. */
  refused(reason: string, policies: readonly string[], passed: readonly string[]): object;
  /** `sent`: stands for what was sent, with marks. Absent: the gateway cannot change what it sends, so what is found is refused. */
  marked?(sent: unknown, side: GuardrailInputType): object;
}

/** The check of a gateway's call. A call without content is clean: there is nothing to look at, and a stored check of it is of no use. */
export function gatewayRoute(name: GatewayCallName, { clean, refused, marked }: GatewayAnswers): CheckRoute {
  return {
    ...gatewayCheck,
    body: (edge, exchange) => `${name}:${checksOf(edge, exchange)}`,
    ...(marked ? {} : { redacts: () => false }),
    nothing: (input) => (input.eventIds.length === 0 ? JSON.stringify(clean([])) : undefined),
    render(record, input, request) {
      const verdict = verdictOn(record, input, request);
      if (verdict.is === 'clean') return JSON.stringify(clean(verdict.passed));
      if (verdict.is === 'refused') return JSON.stringify(refused(verdict.reason, verdict.policies, verdict.passed));
      if (!marked) throw new Error('a check was asked for marks that nobody takes');
      const { sent, ways, side } = askedBy(input.asked, 'gateway');
      // All else goes back as it was written: a reader of JSON would round its numbers.
      const told = JSON.stringify(marked(SENT, side)).split(JSON.stringify(SENT));
      return told.join(withTexts(sent, ways, verdict.call.texts));
    },
  };
}

export const gatewayHandler = (name: GatewayCallName, answers: GatewayAnswers): Handler =>
  checking(gatewayRoute(name, answers));
