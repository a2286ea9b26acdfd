/** The checks of NVIDIA NeMo Guardrails (decisions, Adapters): policies are its rails. It has no place for changed texts. */
import type { NemoCheckResponse } from '../../shared/api/dialects/nemo.js';
import type { RouteHandlers } from '../http/exchange.js';
import { gatewayHandler } from './gateway.js';

/** Callers that look at rails alone must see one where the content could not be checked. */
const UNCHECKED = 'unchecked';

const railsOf = (
  passed: readonly string[],
  blocked: readonly string[],
): Pick<NemoCheckResponse, 'status' | 'rails_status'> => ({
  status: blocked.length > 0 ? 'blocked' : 'success',
  rails_status: Object.fromEntries([
    ...passed.map((name) => [name, { status: 'success' }] as const),
    ...blocked.map((name) => [name, { status: 'blocked' }] as const),
  ]),
});

const told = (response: NemoCheckResponse): object => response;

export const nemoRoutes = {
  checkNemo: gatewayHandler('nemo', {
    clean: (passed) => told({ ...railsOf(passed, []), guardrails_data: {} }),
    refused: (reason, violated, passed) => {
      const blocked = violated.length > 0 ? violated : [UNCHECKED];
      return told({ ...railsOf(passed, blocked), guardrails_data: { reason } });
    },
  }),
} satisfies RouteHandlers;
