/** Validates a check of NeMo Guardrails (decisions, Adapters) and has a session check made of it. */
import { createIs, createValidate } from 'typia';
import { memberAt, valueStart } from '../../../json.js';
import type { NemoCheckRequest } from '../../dialects/nemo.js';
import { checkOfCall, createCall, type GatewayReader } from '../gateway/call.js';
import { addRequest } from '../gateway/model-request.js';
import { createIssues } from '../issues.js';
import { hasShape } from '../shape.js';

const NEMO = { is: createIs<NemoCheckRequest>(), explain: createValidate<NemoCheckRequest>() };
const OWN: ReadonlySet<string> = new Set(['guardrails']);

export const validateNemo: GatewayReader = (body, json, how) => {
  const issues = createIssues();
  if (!hasShape(issues, body, NEMO)) return { ok: false, issues: issues.list };
  const { config, context } = body.guardrails ?? {};
  if (config !== undefined && config !== null) {
    issues.add('guardrails.config', 'unsupported', 'rails of a request are not run: write policies of the deployment');
  }
  const call = createCall(json, 'request', [], issues);
  addRequest(call, { value: body, at: valueStart(json), way: [] }, OWN);
  if (context !== undefined && context !== null) {
    const at = memberAt(json, memberAt(json, valueStart(json), 'guardrails'), 'context');
    call.beside({ value: context, at, way: ['guardrails', 'context'] }, 'context');
  }
  const about = { session: '', metadata: {} };
  return checkOfCall({ call, base: [], turns: true, about, issues, ...how });
};
