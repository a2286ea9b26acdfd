/** Sends a piece of a stream. */
import { ENDPOINTS } from '../../api/endpoints.js';
import type { StreamRequest, StreamResult } from '../../api/types.js';
import type { Result } from '../errors.js';
import { type CallOptions, type ClientSettings, send } from '../transport.js';

/** Attempts after the first are safe: the service answers a piece that it has already as it did before. */
export async function checkStreamPiece(
  settings: ClientSettings,
  body: StreamRequest,
  options: CallOptions = {},
): Promise<Result<StreamResult>> {
  const call = { endpoint: ENDPOINTS.checkStream, body, isRepeatable: true };
  const result = await send<StreamResult>(settings, call, options);
  if (!result.ok || isAnswer(result.value)) return result;
  const message = "The answer is not that of a stream: it may be another server's. Check the address of the client.";
  return { ok: false, error: { type: 'protocol_error', message, status: 200, attempts: 1 } };
}

/** Whether an answer has everything that the guard reads. */
function isAnswer(answer: Partial<Record<keyof StreamResult, unknown>>): boolean {
  const { flagged, policies, safe_until, delayed_policies } = answer;
  if (typeof flagged !== 'boolean' || !Number.isInteger(safe_until) || !Array.isArray(delayed_policies)) return false;
  return typeof policies === 'object' && policies !== null;
}
