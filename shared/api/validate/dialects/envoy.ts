/** Validates the body of a request that Envoy asks about (decisions, Adapters) and has a session check made of it. */
import { valueStart } from '../../../json.js';
import { LIMITS } from '../../limits.js';
import { checkOfCall, createCall, type GatewayReader } from '../gateway/call.js';
import { addRequest } from '../gateway/model-request.js';
import { createIssues } from '../issues.js';
import { deeperThan } from '../measure.js';

export const validateEnvoy: GatewayReader = (body, json, how) => {
  const issues = createIssues();
  if (deeperThan(body, LIMITS.jsonDepth)) {
    issues.add('', 'too_deep', `expected at most ${LIMITS.jsonDepth} levels of nesting`);
    return { ok: false, issues: issues.list };
  }
  const call = createCall(json, 'request', [], issues);
  addRequest(call, { value: body, at: valueStart(json), way: [] });
  return checkOfCall({ call, base: [], turns: true, about: { session: '', metadata: {} }, issues, ...how });
};
