/** Validates a call of Portkey's webhook guardrail (decisions, Adapters) and has a session check made of it. */
import { createIs, createValidate } from 'typia';
import { memberAt, valueStart } from '../../../json.js';
import type { PortkeyRequest } from '../../dialects/portkey.js';
import { type CallWriter, checkOfCall, createCall, type GatewayReader } from '../gateway/call.js';
import { addRequest, isMembers } from '../gateway/model-request.js';
import { addResponse } from '../gateway/model-response.js';
import { type About, named } from '../guardrail/about.js';
import { stringsOf } from '../guardrail/standing.js';
import { createIssues } from '../issues.js';
import { hasShape } from '../shape.js';

const PORTKEY = { is: createIs<PortkeyRequest>(), explain: createValidate<PortkeyRequest>() };

export const validatePortkey: GatewayReader = (body, json, how) => {
  const issues = createIssues();
  if (!hasShape(issues, body, PORTKEY)) return { ok: false, issues: issues.list };
  const side = body.eventType === 'beforeRequestHook' ? 'request' : 'response';
  const { json: sent, text } = body[side] ?? {};
  const base = [side, 'json'];
  if (sent === undefined || sent === null) {
    issues.add(`${side}.json`, 'required', `is required with ${body.eventType}`);
    return { ok: false, issues: issues.list };
  }
  const call = createCall(json, side, base, issues);
  const at = memberAt(json, valueStart(json), side);
  const start = memberAt(json, at, 'json');
  (side === 'request' ? addRequest : addResponse)(call, { value: sent, at: start, way: base });
  if (typeof text === 'string' && text !== '' && !says(call, text)) {
    call.beside({ value: text, at: memberAt(json, at, 'text'), way: [side, 'text'] }, 'text');
  }
  return checkOfCall({ call, base, sent: start, turns: true, about: aboutOf(body), issues, ...how });
};

/** Whether a text stands in a message. */
const says = ({ messages }: CallWriter, text: string): boolean =>
  messages.some(({ value }, i) => stringsOf(value, i).some((one) => one.text === text));

function aboutOf({ metadata, provider, requestType }: PortkeyRequest): About {
  const told = isMembers(metadata) ? metadata : {};
  const user = named(told._user);
  const kept = Object.entries({ provider: named(provider), requestType: named(requestType) });
  return {
    session: named(told.session_id),
    metadata: {
      ...Object.fromEntries(kept.filter(([, value]) => value !== '')),
      ...(user === '' ? {} : { user: { id: user } }),
    },
  };
}
