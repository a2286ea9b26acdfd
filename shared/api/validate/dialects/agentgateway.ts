/** Validates calls of the webhooks of agentgateway (decisions, Adapters) and has session checks made of them. */
import { createIs, createValidate } from 'typia';
import { memberAt, valueStart } from '../../../json.js';
import type { PromptGuardRequest, PromptGuardResponse } from '../../dialects/agentgateway.js';
import { type CallWriter, checkOfCall, createCall, type GatewayReader, type SentValue } from '../gateway/call.js';
import { eachSent } from '../gateway/model-request.js';
import { createIssues } from '../issues.js';
import { hasShape, type ShapeCheck } from '../shape.js';

const PROMPT = { is: createIs<PromptGuardRequest>(), explain: createValidate<PromptGuardRequest>() };
const ANSWER = { is: createIs<PromptGuardResponse>(), explain: createValidate<PromptGuardResponse>() };

type GuardBody = PromptGuardRequest | PromptGuardResponse;

/** Validates the body of `POST /request`. */
export const validatePrompt: GatewayReader = reader('messages', PROMPT, (call, sent) => call.message(sent));

/** Validates the body of `POST /response`. Whatever the role of an answer says, a model wrote it. */
export const validateAnswer: GatewayReader = reader('choices', ANSWER, (call, { value, at, way }) => {
  const { message } = value as PromptGuardResponse['body']['choices'][number];
  call.message({ value: message, at: memberAt(call.json, at, 'message'), way: [...way, 'message'] }, 'assistant');
});

/** Reads a body that has the list `name`. */
function reader(
  name: 'messages' | 'choices',
  shape: ShapeCheck<GuardBody>,
  add: (call: CallWriter, element: SentValue) => void,
): GatewayReader {
  return (body, json, how) => {
    const issues = createIssues();
    if (!hasShape(issues, body, shape)) return { ok: false, issues: issues.list };
    const list = (body.body as unknown as Record<string, unknown[]>)[name]!;
    const base = ['body', name];
    const call = createCall(json, name === 'choices' ? 'response' : 'request', base, issues);
    const at = memberAt(json, memberAt(json, valueStart(json), 'body'), name);
    eachSent(json, { value: list, at, way: base }, (element) => add(call, element));
    return checkOfCall({ call, base, sent: at, turns: true, about: { session: '', metadata: {} }, issues, ...how });
  };
}
